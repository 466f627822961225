/* sonde_put: build a string while drawing.
 * See also: sonde_string sonde_list_of */
#include <sonde.h>
#include <stdlib.h>

static void sums_are_read(sonde *t)
{
    sonde_text sum = {0};
    long want = 0;
    for (sonde_list xs = sonde_list_of(t, "xs", 1, 5); sonde_more(&xs);) {
        int x = sonde_int(t, "x", 0, 100);
        sonde_put(t, &sum, "%s%d", xs.i ? "+" : "", x);
        want += x;
    }
    long got = 0;
    for (char *at = sum.at; *at; at += *at == '+') got += strtol(at, &at, 10);
    sonde_check_eq(t, got, want);
}

SONDE_MAIN(sums_are_read)
