/* sonde_check: state what must hold.
 * Also: sonde_expect sonde_fail
 * See also: sonde_assume sonde_check_eq sonde_fail_at */
#include <sonde.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void sorting_sorts(sonde *t)
{
    int xs[20];
    size_t n = 0;
    for (sonde_list list = sonde_list_of(t, "xs", 0, 20); sonde_more(&list);) xs[n++] = sonde_int(t, "x", 0, 99);
    qsort(xs, n, sizeof *xs, compare);
    for (size_t i = 1; i < n; i++) {
        sonde_check(t, xs[i - 1] <= xs[i]);
        if (!sonde_expect(t, xs[i] < 100)) break; /* recorded; the case continues */
    }
    if (n > 20) sonde_fail(t, "%zu elements came back", n);
}

SONDE_MAIN(sorting_sorts)
