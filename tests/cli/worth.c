/* More properties that test nothing (n), and that test something (y), in one program: what one has must not hide what another lacks. */
#include <sonde.h>
#include <assert.h>
#include <unistd.h>
#include <sys/wait.h>
static int id(int x)
{
    return x;
}
/* Nothing is tested. */
SONDE_PROPERTY(n1_assert)
{
    int x = sonde_int(t, "x", 0, 1000000);
    assert(id(x) == x);
}
SONDE_PROPERTY(n2_check_in_discarded)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (x % 2) {
        sonde_check(t, x > 0);
        sonde_assume(t, false);
    }
}
static void helper(sonde *t, int x)
{
    if (x > 2000000) sonde_check(t, x < 0);
}
SONDE_PROPERTY(n3_helper_never)
{
    helper(t, sonde_int(t, "x", 0, 1000000));
}
SONDE_PROPERTY(n4_expect_never)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (x > 2000000) sonde_expect(t, x < 0);
}
SONDE_PROPERTY(n6_same_line)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_check(t, x >= 0);
    if (x > 2000000) sonde_check(t, x < 0);
}
static void nocall(sonde *t, void *w)
{
    (void)t;
    ++*(int *)w;
}
SONDE_PROPERTY(n7_machine)
{
    static const sonde_rule r[] = {SONDE_RULE(nocall)};
    static const sonde_machine m = {SONDE_RULES(r), .size = sizeof(int)};
    sonde_drive(t, "c", &m);
}
SONDE_PROPERTY(n8_no_draw)
{
    (void)t;
    id(3);
}
SONDE_PROPERTY(n9_early_return)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (x <= 1000000) return;
    sonde_check_eq(t, id(x), x);
}
SONDE_PROPERTY(n10_mem)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 0, 9, &n);
    if (n > 9) sonde_check_mem_eq(t, d, d, n);
}
/* Something is. */
SONDE_PROPERTY(y1_two_on_a_line)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_check(t, x >= 0);
    sonde_check(t, x <= 1000000);
}
SONDE_PROPERTY(y2_child)
{
    int x = sonde_int(t, "x", 0, 9);
    if (!fork()) {
        _exit(!sonde_expect(t, id(x) == x));
    }
    int s;
    wait(&s);
    sonde_check(t, s == 0);
}
static inline void in_line(sonde *t, int x, int k)
{
    switch (k) {
    case 1: sonde_check(t, x >= 0); break;
    case 2: sonde_check(t, x < 0); break;
    default: break;
    }
}
SONDE_PROPERTY(y3_inlined)
{
    in_line(t, sonde_int(t, "x", 0, 1000000), 1);
}
static int mode = 1;
SONDE_PROPERTY(y4_inlined_mode)
{
    in_line(t, sonde_int(t, "x", 0, 1000000), mode);
}
#define BOTH(t, x)                                                                                                     \
    do {                                                                                                               \
        sonde_check(t, (x) >= 0);                                                                                      \
        sonde_check_le(t, (x), 1000000);                                                                               \
    } while (0)
SONDE_PROPERTY(y5_macro)
{
    int x = sonde_int(t, "x", 0, 1000000);
    BOTH(t, x);
}
SONDE_PROPERTY(y6_rare)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (x % 100 == 7) sonde_check(t, x > 0);
    else sonde_check(t, x >= 0);
}
SONDE_PROPERTY(y7_goto)
{
    int x = sonde_int(t, "x", 0, 1000000);
    if (x % 2) goto odd;
    sonde_check(t, x % 2 == 0);
    return;
odd:
    sonde_check(t, x % 2 == 1);
}
SONDE_PROPERTY(y8_constant_branch)
{
    int x = sonde_int(t, "x", 0, 1000000);
    sonde_check(t, x >= 0);
    if (sizeof(void *) == 4) sonde_check(t, x < 0);
}
static void fails(int x, sonde *t)
{
    if (x < 0) sonde_fail(t, "no");
}
SONDE_PROPERTY(y9_fail_in_helper)
{
    fails(sonde_int(t, "x", 0, 1000000), t);
}
SONDE_PROPERTY(y10_min, .min_unique = 100)
{
    sonde_int(t, "x", 0, 1000000);
}
SONDE_MAIN()
