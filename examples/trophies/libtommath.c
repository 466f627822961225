/* libtommath: what its functions compute satisfies the equations that define it. */
#include <sonde.h>
#include <tommath.h>

static void drop(void *number)
{
    mp_clear(number);
}

static mp_int *zero(sonde *t)
{
    mp_int *a = sonde_new(t, mp_int);
    sonde_check_eq(t, mp_init(a), MP_OKAY);
    sonde_defer(t, drop, a);
    return a;
}

static void print(FILE *out, const void *number)
{
    char digits[200];
    if (mp_to_radix(number, digits, sizeof digits, NULL, 10) == MP_OKAY) fputs(digits, out);
}

static mp_int *draw(sonde *t, const char *name, bool may_be_negative)
{
    sonde_span(t, name);
    mp_int *a = zero(t);
    size_t n;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 60, &n);
    sonde_check_eq(t, mp_from_ubin(a, bytes, n), MP_OKAY);
    if (may_be_negative && sonde_bool(t, "negative")) sonde_check_eq(t, mp_neg(a, a), MP_OKAY);
    sonde_show(t, print, a);
    return a;
}

/* a * (1/a) is 1 modulo m, and the inverse is in 0 .. m-1. */
static void an_inverse_inverts(sonde *t)
{
    mp_int *a = draw(t, "a", true), *m = draw(t, "m", false), *gcd = zero(t), *inverse = zero(t), *one = zero(t);
    sonde_assume(t, mp_cmp_d(m, 1) == MP_GT);
    sonde_check_eq(t, mp_gcd(a, m, gcd), MP_OKAY);
    sonde_assume(t, mp_cmp_d(gcd, 1) == MP_EQ);
    sonde_check_eq(t, mp_invmod(a, m, inverse), MP_OKAY);
    sonde_check_eq(t, mp_mulmod(a, inverse, m, one), MP_OKAY);
    sonde_check(t, mp_cmp_d(one, 1) == MP_EQ);
    sonde_check(t, !mp_isneg(inverse) && mp_cmp(inverse, m) == MP_LT);
}

/* base^k <= a < base^(k+1) */
static void a_logarithm_is_the_logarithm(sonde *t)
{
    mp_int *a = draw(t, "a", false), *base = zero(t), *power = zero(t);
    uint32_t b = sonde_u32(t, "base", 2, UINT32_MAX), k = 0;
    sonde_assume(t, !mp_iszero(a));
    sonde_check_eq(t, mp_log_u32(a, b, &k), MP_OKAY);
    sonde_note(t, "logarithm: %u", k);
    mp_set_u32(base, b);
    sonde_check_eq(t, mp_expt_u32(base, k, power), MP_OKAY);
    sonde_check(t, mp_cmp(power, a) != MP_GT);
    sonde_check_eq(t, mp_mul(power, base, power), MP_OKAY);
    sonde_check(t, mp_cmp(power, a) == MP_GT);
}

/* root^k <= a < (root+1)^k */
static void a_root_is_the_root(sonde *t)
{
    mp_int *a = draw(t, "a", false), *root = zero(t), *power = zero(t);
    uint32_t k = sonde_u32(t, "k", 1, 40);
    sonde_check_eq(t, mp_root_u32(a, k, root), MP_OKAY);
    sonde_check_eq(t, mp_expt_u32(root, k, power), MP_OKAY);
    sonde_check(t, mp_cmp(power, a) != MP_GT);
    sonde_check_eq(t, mp_add_d(root, 1, root), MP_OKAY);
    sonde_check_eq(t, mp_expt_u32(root, k, power), MP_OKAY);
    sonde_check(t, mp_cmp(power, a) == MP_GT);
}

/* The power modulo m is the power, modulo m. */
static void a_power_modulo_is_the_power_modulo(sonde *t)
{
    mp_int *a = draw(t, "a", true), *m = draw(t, "m", false), *k = zero(t), *got = zero(t), *want = zero(t);
    uint32_t exponent = sonde_u32(t, "k", 0, 20);
    sonde_assume(t, !mp_iszero(m));
    mp_set_u32(k, exponent);
    sonde_check_eq(t, mp_exptmod(a, k, m, got), MP_OKAY);
    sonde_check_eq(t, mp_expt_u32(a, exponent, want), MP_OKAY);
    sonde_check_eq(t, mp_mod(want, m, want), MP_OKAY);
    sonde_check(t, mp_cmp(got, want) == MP_EQ);
}

SONDE_MAIN(an_inverse_inverts, a_logarithm_is_the_logarithm, a_root_is_the_root, a_power_modulo_is_the_power_modulo)
