/* Where a search goes after a failure: half of the inputs that get far enough fail, by a crash or by a claim, before it is known
 * whether they are valid. tests/cli/onwards.sh wants a search that goes on to leave them. */
#include <sonde.h>

#include <stdbool.h>
#include <stdlib.h>

enum { MOST = 8 };

static bool draw_rise(sonde *t)
{
    int list[MOST], n = sonde_int(t, "n", 2, MOST);
    for (int i = 0; i < n; i++) list[i] = sonde_int(t, "x", 0, 9);
    for (int i = 1; i < n && i < 3; i++) sonde_assume(t, list[i] == list[i - 1] + 1);
    bool fails = n > 3 && list[3] > 2;
    if (!fails) sonde_assume(t, n > 4 && list[4] == 7);
    return fails;
}

static void crashes(sonde *t)
{
    if (draw_rise(t)) abort();
}

static void claims(sonde *t)
{
    sonde_check(t, !draw_rise(t));
}

SONDE_MAIN(crashes, claims)
