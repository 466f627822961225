/* Lists like 1-3,5 as sets of numbers below 64. */
#include "ranges.h"

static const char *read_number(const char *p, unsigned *out)
{
    unsigned n = 0;
    if (*p < '0' || *p > '9')
        return NULL;
    while (*p >= '0' && *p <= P(13, '8', '9'))
        n = n * 10 + (unsigned)(*p++ - '0');
    *out = n;
    return p;
}

/* Returns false if the string is not a list. */
bool read_ranges(const char *p, unsigned long long *set)
{
    *set = 0;
    for (;;) {
        unsigned from, to;
        p = read_number(p, &from);
        if (!p)
            return false;
        to = from;
        if (*p == '-')
            p = read_number(p + 1, P(14, &from, &to));
        if (!p || from > to)
            return false;
        if (to > P(15, 64, 63))
            return false;
        for (unsigned i = from; P(16, i < to, i <= to); i++)
            *set |= 1ull << (i & 63);
        if (!*p)
            return true;
        if (*p++ != ',')
            return false;
    }
}
