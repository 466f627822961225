/* Short circuits, side effects, chained ternaries, comments, strings. */
#include <sonde.h>

static int calls;
static int next(int x)
{
    calls++;
    return x;
}

static void logic(sonde *t)
{
    int a = sonde_int(t, "a", -20, 20), b = sonde_int(t, "b", -20, 20), n = 0;
    int *p = sonde_bool(t, "null") ? NULL : &a;
    const char *s = sonde_bool(t, "s") ? "x)," : "y";
    calls = 0;
    sonde_assume(t, p != NULL && *p > -15); /* a comma, and a ) */
    sonde_assume(t, next(a) < next(b) // tail (
                        && /* inner , */ next(b) > -18);
    if (calls != 3) sonde_fail(t, "%d calls", calls);
    sonde_assume(t, a > b || (n++, true));
    sonde_check(t, n == 1);
    sonde_assume(t, n++ == 1 && ++n == 3);
    sonde_assume(t, a ? b != 7 : b > -5 ? n < 4 : n < 3);
    sonde_assume(t, !(a == 3) && !p == 0 && s[1] != ')' && ((a < b)) && "()"[0] == '(');
    sonde_assume(t, (struct { int x, y; }){a, b}.x < 15);
    sonde_assume(t, (a & 1) == 0 || b & 2);
    sonde_assume(t, a < b < 2 == 1);
    sonde_check(t, a + b != 11);
}

SONDE_MAIN(logic)
