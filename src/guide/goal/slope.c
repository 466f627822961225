/* See slope.h. */
#include "guide/goal/slope.h"

#include "base/wide.h"
#include "guide/goal/sum.h"

enum {
    ENOUGH = 3,            /* probes that a line must explain: unrelated sides of a byte do so once in 2^20 */
    ENOUGH_REMAINDERS = 6, /* the same for a line with a modulus, which explains more */
    LEAST_MODULUS = 3      /* numbers that have nothing to do with each other often have a divisor of 2 */
};

/* Returns the part of a probe's change that a line does not explain. */
static int64_t rest_of(const struct sonde_slope_probe *p, uint64_t apart, uint8_t bytes,
                       const struct sonde_slope *slope)
{
    uint64_t moved = p->step << slope->shift;
    return sonde_wrap(p->apart - apart - (slope->is_negative ? -moved : moved), bytes);
}

static bool explains(const struct sonde_slope *slope, const struct sonde_slope_probe *probes, uint32_t n,
                     uint64_t apart, uint8_t bytes)
{
    for (uint32_t i = 0; i < n; i++)
        if (rest_of(&probes[i], apart, bytes, slope) != 0) return false;
    return true;
}

/* Returns the modulus of a line without a shift; 0: none. A remainder is below it, on either side of the comparison. */
static uint64_t modulus_of(const struct sonde_slope *slope, const struct sonde_slope_probe *probes, uint32_t n,
                           uint64_t apart, uint8_t bytes)
{
    uint64_t all = 0, most = sonde_magnitude(sonde_wrap(apart, bytes));
    for (uint32_t i = 0; i < n; i++) {
        uint64_t now = sonde_magnitude(sonde_wrap(probes[i].apart, bytes));
        all = sonde_gcd(all, sonde_magnitude(rest_of(&probes[i], apart, bytes, slope)));
        if (now > most) most = now;
    }
    return all >= LEAST_MODULUS && all > most ? all : 0;
}

static bool moves(const struct sonde_slope_probe *probes, uint32_t n, uint64_t apart, uint8_t bytes)
{
    for (uint32_t i = 0; i < n; i++)
        if (sonde_wrap(probes[i].apart - apart, bytes) != 0) return true;
    return false;
}

/* Few values are probed all: a remainder shows only where it begins again. */
enum sonde_slope_state sonde_slope_fit(const struct sonde_slope_probe *probes, uint32_t n, uint64_t values,
                                       uint64_t apart, uint8_t bytes, struct sonde_slope *out)
{
    bool is_small = values <= SONDE_SLOPE_PROBES, is_all = is_small && n >= values, is_open = false;
    if (!moves(probes, n, apart, bytes)) return n < 2 && !is_all ? SONDE_SLOPE_MORE : SONDE_SLOPE_NONE;
    for (unsigned k = 0; k < 2 * 8 * (unsigned)bytes; k++) {
        *out = (struct sonde_slope){.shift = (uint8_t)(k / 2), .is_negative = k % 2};
        if (!explains(out, probes, n, apart, bytes)) continue;
        return is_all || (n >= ENOUGH && !is_small) ? SONDE_SLOPE_FOUND : SONDE_SLOPE_MORE;
    }
    for (unsigned k = 0; k < 2; k++) {
        *out = (struct sonde_slope){.is_negative = k % 2};
        out->modulus = modulus_of(out, probes, n, apart, bytes);
        if (out->modulus && (is_all || n >= ENOUGH_REMAINDERS)) return SONDE_SLOPE_FOUND;
        is_open |= out->modulus != 0;
    }
    return is_open && !is_all ? SONDE_SLOPE_MORE : SONDE_SLOPE_NONE;
}

/* Any of the values with the right remainder serves. */
static bool solve_remainder(struct sonde_slope_part *part, uint64_t apart, uint8_t bytes, struct sonde_rng *rng)
{
    uint64_t m = part->slope.modulus;
    int64_t signed_apart = sonde_wrap(apart, bytes);
    uint64_t away = sonde_magnitude(signed_apart) % m, at = part->at % m;
    bool is_down = (signed_apart > 0) != part->slope.is_negative;
    at = is_down ? (at >= away ? at - away : at + (m - away)) : (at >= m - away ? at - (m - away) : at + away);
    if (at > part->max) return false;
    part->at = at + m * sonde_rng_upto(rng, (part->max - at) / m);
    return true;
}

bool sonde_slope_solve(struct sonde_slope_part *parts, uint32_t n, uint64_t apart, uint8_t bytes, struct sonde_rng *rng)
{
    if (n == 0 || n > SONDE_SLOPE_PARTS) return false;
    if (parts[0].slope.modulus) return solve_remainder(&parts[0], apart, bytes, rng);
    uint64_t mask = UINT64_MAX >> (64 - 8 * (unsigned)bytes), all = parts[0].slope.is_negative ? apart : -apart;
    uint64_t found[SONDE_SLOPE_PARTS];
    for (uint32_t i = 0; i < n; i++) all += parts[i].at << parts[i].slope.shift;
    all &= mask;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t digit = all >> parts[i].slope.shift;
        found[i] = digit < parts[i].max ? digit : parts[i].max;
        all -= found[i] << parts[i].slope.shift;
    }
    for (uint32_t i = 0; i < n && all == 0; i++) parts[i].at = found[i];
    return all == 0;
}
