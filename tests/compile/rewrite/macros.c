/* Macros that are not closed, that stringify, that hold the assume itself. */
#include <sonde.h>

#define LIMIT 10
#define BOTH a && b
#define LESS a <
#define SUM(x, y) ((x) + (y))
#define OPEN_SUM(x, y) x + y
#define OR ||
#define WANT(x) sonde_assume(t, x)
#define WANT_TWO(x, y)                                                                                                 \
    do {                                                                                                               \
        sonde_assume(t, x);                                                                                            \
        sonde_assume(t, y);                                                                                            \
    } while (0)

static void macros(sonde *t)
{
    int a = sonde_int(t, "a", -20, 20), b = sonde_int(t, "b", -20, 20);
    sonde_assume(t, a < LIMIT && b <= LIMIT);
    sonde_assume(t, BOTH);
    sonde_assume(t, BOTH != 2);
    sonde_assume(t, LESS b OR a == 5);
    sonde_assume(t, SUM(a, b) < 19);
    sonde_assume(t, OPEN_SUM(a, b) < 18);
    WANT(a != b);
    WANT_TWO(a < 18, a != 17 && b != -17);
    sonde_assume(
        t,
        a != 16
            &&
            b != -16);
    sonde_check(t, a + b != 9);
}

SONDE_MAIN(macros)
