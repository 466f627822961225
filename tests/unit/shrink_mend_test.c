/* Mending: stored numbers that follow what the code compared them with. The comparisons are those that instrumented code
 * would report, handed over as plain numbers. */
#include "lib/mocka.h"
#include "lib/shrinking.h"

#include <string.h>

static struct sonde_hint seen[4];
static size_t n_seen;

static size_t compared(void *user, const struct sonde_hint **hints)
{
    (void)user;
    *hints = seen;
    return n_seen;
}

static bool equal(uint64_t a, uint64_t b, uint32_t bytes)
{
    if (a != b && n_seen < 4) seen[n_seen++] = (struct sonde_hint){.a = a, .b = b, .bytes = bytes};
    return a == b;
}

static unsigned crc(const unsigned char *p, size_t n)
{
    unsigned c = 0xffff;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++) c = c & 1 ? (c >> 1 ^ 0xa001) : c >> 1;
    }
    return c;
}

static bool has_large(const unsigned char *p, size_t n)
{
    bool has = false;
    for (size_t i = 0; i < n; i++) has |= p[i] >= 200;
    return has;
}

static void stored_crc(sonde *t)
{
    unsigned char v[32];
    size_t n = 0;
    n_seen = 0;
    sonde_list xs = sonde_list_of(t, "payload", 0, 20);
    while (sonde_more(&xs)) v[n++] = (unsigned char)sonde_int(t, "x", 0, 255);
    unsigned stored = (unsigned)sonde_int(t, "crc", 0, 65535);
    sonde_check(t, !equal(crc(v, n), stored, 4) || !has_large(v, n));
}

/* A length, a payload, and two bytes of checksum, high byte first; the one is checked before the other. */
static void packet(sonde *t)
{
    size_t n;
    n_seen = 0;
    const unsigned char *p = sonde_bytes(t, "p", 0, 30, &n);
    if (n < 3 || !equal(p[0], n - 3, 4)) return;
    if (!equal((unsigned)p[n - 2] << 8 | p[n - 1], crc(p, n - 2), 4)) return;
    sonde_check(t, !has_large(p + 1, n - 3));
}

/* A number below 0 that was compared as 32 bits. */
static void negative(sonde *t)
{
    int sum = 0;
    n_seen = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 9);
    while (sonde_more(&xs)) sum -= sonde_int(t, "x", 0, 99) * 7 % 101 + 1;
    int stored = sonde_int(t, "stored", -1000, 0);
    sonde_check(t, !equal((uint32_t)stored, (uint32_t)sum, 4) || sum > -3);
}

static void assert_mends(sonde_property_fn *property, const char *start, const char *without, const char *with)
{
    for (int mends = 0; mends < 2; mends++) {
        struct shrinking s;
        shrinking_init(&s, property);
        assert_true(shrinking_start(&s, start));
        if (mends) s.test.compared = compared;
        assert_string_equal(shrinking_run(&s), mends ? with : without);
        assert_true(s.result.calls < 400);
        shrinking_clear(&s);
    }
}

static void a_checksum_follows_its_payload(void **state)
{
    (void)state;
    assert_mends(stored_crc, "s1:payload[{x=104} {x=234}] crc=65455", "payload[{x=104} {x=234}] crc=65455",
                 "payload[{x=200}] crc=54974");
}

static void bytes_of_a_checksum_follow_in_either_order(void **state)
{
    (void)state;
    unsigned char p[] = {4, 17, 240, 99, 201, 0, 0};
    char start[64], least[64];
    unsigned c = crc(p, 5);
    snprintf(start, sizeof start, "p=0411f063c9%04x", c);
    p[0] = 1, p[1] = 200;
    snprintf(least, sizeof least, "p=01c8%04x", crc(p, 2));
    char token[80];
    snprintf(token, sizeof token, "s1:%s", start);
    assert_mends(packet, token, start, least);
}

static void a_number_below_zero_is_mended(void **state)
{
    (void)state;
    struct shrinking s;
    shrinking_init(&s, negative);
    assert_true(shrinking_start(&s, "s1:xs[{x=13} {x=50} {x=7}] stored=-190"));
    s.test.compared = compared;
    assert_string_equal(shrinking_run(&s), "xs[{x=1}] stored=-8");
    shrinking_clear(&s);
}

/* Comparisons that have nothing to do with the failure cost a limited number of calls. */
static void unrelated(sonde *t)
{
    n_seen = 0;
    for (int i = 0; i < 6; i++) equal((unsigned)sonde_int(t, "x", 0, 1000000), 77, 4);
    sonde_check(t, sonde_int(t, "y", 0, 1000000) < 5000);
}

static void comparisons_that_do_not_help_cost_little(void **state)
{
    (void)state;
    uint64_t calls[2];
    for (int mends = 0; mends < 2; mends++) {
        struct shrinking s;
        shrinking_init(&s, unrelated);
        assert_true(shrinking_find(&s, 3, 0));
        if (mends) s.test.compared = compared;
        shrinking_run(&s);
        calls[mends] = s.result.calls;
        assert_true(s.result.complete);
        shrinking_clear(&s);
    }
    assert_in_range(calls[1], calls[0], calls[0] + 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checksum_follows_its_payload),
        cmocka_unit_test(bytes_of_a_checksum_follow_in_either_order),
        cmocka_unit_test(a_number_below_zero_is_mended),
        cmocka_unit_test(comparisons_that_do_not_help_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
