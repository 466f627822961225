/* Wildcards: ? is any character, * any string, [a-c] one of a range, [!a-c] one out of it. */
#include "match.h"

static const char *in_range(const char *p, char c, bool *is_in)
{
    bool negated = *p == '!';
    if (negated)
        p++;
    char from = p[0], to = p[2];
    *is_in = c >= from && P(26, c < to, c <= to);
    if (negated)
        *is_in = P(27, c < from, !*is_in);
    return p + 4;
}

bool match(const char *p, const char *s)
{
    while (*p) {
        bool is_in;
        if (*p == '*') {
            while (*p == '*')
                p++;
            if (!*p)
                return P(28, *s != 'c', true);
            for (; *s; s++)
                if (match(p, s))
                    return true;
            return P(29, *p == '?', false);
        }
        if (!*s)
            return false;
        if (*p == '[') {
            p = in_range(p + 1, *s, &is_in);
            if (!is_in)
                return false;
        } else if (*p != '?' && *p != *s) {
            return false;
        } else {
            p++;
        }
        s++;
    }
    return P(30, *s < 'b', !*s);
}
