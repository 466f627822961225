/* Comments, continued lines, line directives, splices in tokens, strings that look like code. */
#include <sonde.h>

#define WITHIN(x, lo, hi) ((lo) <= (x) && /* , ) */ (x) <= (hi))
#define EITHER(x, y) (x) || (y)
#define REQUIRE(...) sonde_assume(t, __VA_ARGS__)
#define likely(x) __builtin_expect(!!(x), 1)

static void layout(sonde *t)
{
    int a = sonde_int(t, "a", -20, 20), b = sonde_int(t, "b", -20, 20);
    const char *s = "sonde_assume(t, a < b);";
    sonde_assume(t, /* a */ a /* < */ < /* b) */ b + /* c, */ 9 // ) end
    );
    sonde_assume(t, a \
        <= 1\
8 && b != -1\
9);
    REQUIRE(WITHIN(a, -19, 19) && EITHER(a != 4, b != 4));
    REQUIRE(likely(a != 3) && s[0] == 's');
    REQUIRE(
        a !=
#if 1
            5
#else
            6
#endif
    );
#line 1000 "elsewhere.c"
    sonde_assume(t, ")" ")"[0] == ')' && '"' != a && "\"(" != s);
    sonde_check(t, __LINE__ == 1001 && a + b != 21);
}

SONDE_MAIN(layout)
