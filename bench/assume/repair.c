/* See cases.h. Preconditions that compute a value and compare it with a drawn one: lengths, checksums, hashes. Compiled by `sonde cc`. */
#include "assume/accept.h"
#include "assume/checksums.h"

enum { BYTES = 32 };

/* All values are the tuple; the compared one and the first are the variables. */
static void accept_bytes(sonde *t, const uint8_t *v, size_t n, uint64_t check)
{
    struct assume_accepted *to = sonde_context(t);
    uint64_t identity = assume_mix(n, (int64_t)check);
    for (size_t i = 0; i < n; i++) identity = assume_mix(identity, v[i]);
    to->take(to, (const int64_t[]){(int64_t)(check % 251), n ? v[0] : 0}, 2, identity);
}

static void draw(sonde *t, uint8_t *v, size_t n, int top)
{
    for (size_t i = 0; i < n; i++) v[i] = (uint8_t)sonde_int(t, "byte", 0, top);
}

void assume_repair_sum(sonde *t)
{
    uint8_t v[8];
    draw(t, v, 8, UINT8_MAX);
    unsigned check = (unsigned)sonde_int(t, "check", 0, UINT8_MAX);
    sonde_assume(t, sum8(v, 8) == check);
    accept_bytes(t, v, 8, check);
}

void assume_repair_xor(sonde *t)
{
    uint8_t v[8];
    draw(t, v, 8, UINT8_MAX);
    unsigned check = (unsigned)sonde_int(t, "check", 0, UINT8_MAX);
    sonde_assume(t, xor8(v, 8) == check);
    accept_bytes(t, v, 8, check);
}

void assume_repair_length(sonde *t)
{
    size_t n;
    unsigned length = (unsigned)sonde_int(t, "length", 0, UINT16_MAX); /* of the header, too */
    const uint8_t *v = sonde_bytes(t, "payload", 0, BYTES, &n);
    sonde_assume(t, length == n + 4);
    accept_bytes(t, v, n, length);
}

void assume_repair_crc8(sonde *t)
{
    uint8_t v[4];
    draw(t, v, 4, UINT8_MAX);
    unsigned check = (unsigned)sonde_int(t, "check", 0, UINT8_MAX);
    sonde_assume(t, crc8(v, 4) == check);
    accept_bytes(t, v, 4, check);
}

void assume_repair_crc32(sonde *t)
{
    size_t n;
    const uint8_t *v = sonde_bytes(t, "payload", 1, BYTES, &n);
    uint32_t check = sonde_u32(t, "check", 0, UINT32_MAX);
    sonde_assume(t, crc32(v, n) == check);
    accept_bytes(t, v, n, check);
}

void assume_repair_luhn(sonde *t)
{
    uint8_t v[12];
    draw(t, v, 12, 9);
    sonde_assume(t, is_luhn(v, 12));
    accept_bytes(t, v, 12, 0);
}

void assume_repair_fnv32(sonde *t)
{
    uint8_t v[4];
    draw(t, v, 4, UINT8_MAX);
    uint32_t check = sonde_u32(t, "check", 0, UINT32_MAX);
    sonde_assume(t, fnv32(v, 4) == check);
    accept_bytes(t, v, 4, check);
}
