/* 21: existing files as inputs. A reader of sums, such as 1+(20+3)+4, must agree with the generator that wrote them.
 *
 * Look for: the generator writes its output piece by piece with sonde_put, as it draws. That is all --import needs: it
 * turns a file back into the draws that write it, and the search starts there. The reader's bug needs brackets nested
 * five deep. They are drawn rarely, so a search takes thousands of cases. A file shows the bug in the first case:
 *
 *     echo '7+(1+(2+(3+(4+(5)))))' >deep
 *     21_import --import deep */
#include <sonde.h>

/* ---- The code under test. It has a bug. */

enum { DEEP = 5 };

static long read_sum(const char **s, int depth)
{
    long sum = 0;
    do {
        long number = 0;
        if (**s == '+') ++*s;
        if (**s == '(') {
            ++*s;
            number = read_sum(s, depth + 1);
            ++*s;
        }
        while (**s >= '0' && **s <= '9') number = 10 * number + (*(*s)++ - '0');
        if (depth < DEEP) sum += number;
    } while (**s == '+');
    return sum;
}

/* ---- The generator: writes a sum, and computes its value */

static long put_sum(sonde *t, sonde_text *out, int depth)
{
    long sum = 0;
    sonde_span(t, "sum");
    for (sonde_list xs = sonde_list_of(t, "numbers", 1, 4); sonde_more(&xs);) {
        if (xs.i > 0) sonde_put(t, out, "+");
        if (depth > 0 && sonde_chance(t, "is_bracketed", 0.05)) {
            sonde_put(t, out, "(");
            sum += put_sum(t, out, depth - 1);
            sonde_put(t, out, ")");
        } else {
            int number = sonde_int(t, "number", 0, 999);
            sonde_put(t, out, "%d", number);
            sum += number;
        }
    }
    return sum;
}

static void sums_are_read(sonde *t)
{
    sonde_text text = {0};
    long wanted = put_sum(t, &text, 8);
    const char *s = text.at;
    sonde_note(t, "%s", text.at);
    sonde_check_eq(t, read_sum(&s, 0), wanted);
}

SONDE_MAIN(sums_are_read)
