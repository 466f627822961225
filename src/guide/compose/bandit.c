/* See bandit.h. */
#include "guide/compose/bandit.h"

#include <math.h>

#define KNOB(name, field, ...) SONDE_KNOB(struct sonde_bandit, field, name, __VA_ARGS__)

const struct sonde_knob sonde_bandit_knobs[] = {
    KNOB("recall", memory, 0.95, 0, 0.9999,
         "how much of a guide's rate of earning is kept from one turn of its to the next", "none yet"),
    KNOB("enough", enough, 16, 0, 1e9, "earnings of all guides that make a contest count half", "none yet"),
    KNOB("spark", spark, 0.01, 1e-6, 1, "claim of a guide that earns nothing, beside the cube of its score",
         "none yet"),
    {0},
};

static const double beyond_all = 1e18; /* what no run can cost or earn */
enum { TRIALS = 2 };                   /* slots before an arm is judged */

void sonde_bandit_init(struct sonde_bandit *b, const char *options)
{
    *b = (struct sonde_bandit){0};
    sonde_knobs_read(sonde_bandit_knobs, options, b);
}

void sonde_bandit_join(struct sonde_bandit *b, uint32_t arm)
{
    struct sonde_bandit_arm *a = &b->arms[arm];
    double least = -1;
    if (a->is_in) return;
    for (uint32_t i = 0; i < b->n_arms; i++)
        if (b->arms[i].is_in && (least < 0 || b->arms[i].paid < least)) least = b->arms[i].paid;
    a->is_in = true;
    a->paid = least < 0 ? 0 : least;
    sonde_bandit_end_turn(b, arm);
}

void sonde_bandit_leave(struct sonde_bandit *b, uint32_t arm)
{
    b->arms[arm].is_in = false;
    sonde_bandit_end_turn(b, arm);
}

uint32_t sonde_bandit_next(const struct sonde_bandit *b)
{
    uint32_t best = b->n_arms;
    for (uint32_t i = 0; i < b->n_arms; i++)
        if (b->arms[i].is_in && (best == b->n_arms || b->arms[i].paid < b->arms[best].paid)) best = i;
    sonde_assert(best < b->n_arms);
    return best;
}

void sonde_bandit_pay(struct sonde_bandit *b, uint32_t arm, double cost)
{
    struct sonde_bandit_arm *a = &b->arms[arm];
    sonde_assert(arm < b->n_arms && a->is_in && cost >= 0);
    a->slot_cost += cost;
    a->all_cost += cost;
    a->paid += cost / a->share;
}

void sonde_bandit_earn(struct sonde_bandit *b, uint32_t arm, uint32_t contest, double amount)
{
    sonde_assert(arm < b->n_arms && contest < b->n_contests && isfinite(amount) && amount >= 0);
    b->arms[arm].slot_earned[contest] += amount;
    b->arms[arm].all_earned[contest] += amount;
}

static void close_slot(struct sonde_bandit *b, struct sonde_bandit_arm *a)
{
    if (!(a->slot_cost > 0)) return;
    a->slots++;
    a->cost = b->memory * a->cost + a->slot_cost;
    a->slot_cost = 0;
    for (uint32_t c = 0; c < b->n_contests; c++) {
        a->earned[c] = b->memory * a->earned[c] + a->slot_earned[c];
        a->slot_earned[c] = 0;
    }
}

static double rate(const struct sonde_bandit_arm *a, uint32_t contest)
{
    return a->is_in && a->cost > 0 ? a->earned[contest] / a->cost : 0;
}

/* Adds to each arm's claim its part of one contest; answers how much the contest counts. */
static double judge(const struct sonde_bandit *b, uint32_t contest, double *claims)
{
    double best = 0, all = 0;
    for (uint32_t i = 0; i < b->n_arms; i++) {
        double r = rate(&b->arms[i], contest);
        if (r > best) best = r;
        if (b->arms[i].is_in) all += b->arms[i].earned[contest];
    }
    if (!(best > 0)) return 0;
    double weight = b->weights[contest] * all / (all + b->enough);
    for (uint32_t i = 0; i < b->n_arms; i++) claims[i] += weight * rate(&b->arms[i], contest) / best;
    return weight;
}

void sonde_bandit_end_turn(struct sonde_bandit *b, uint32_t arm)
{
    double claims[SONDE_BANDIT_ARMS] = {0}, weights = 0, sum = 0, free = 1;
    close_slot(b, &b->arms[arm]);
    for (uint32_t c = 0; c < b->n_contests; c++) weights += judge(b, c, claims);
    for (uint32_t i = 0; i < b->n_arms; i++) {
        const struct sonde_bandit_arm *a = &b->arms[i];
        double score = weights > 0 ? claims[i] / weights : 0;
        if (a->slots < TRIALS) score = 1;
        claims[i] = a->is_in ? a->prior * (score * score * score + b->spark) : 0;
        sum += claims[i];
        if (a->is_in) free -= a->floor;
    }
    for (uint32_t i = 0; i < b->n_arms; i++)
        if (b->arms[i].is_in) b->arms[i].share = b->arms[i].floor + free * claims[i] / sum;
    sonde_bandit_check(b);
}

#ifdef SONDE_CHECKED

static const double tolerance = 1e-9; /* rounding errors of sums of shares */

static void check_arm(const struct sonde_bandit *b, const struct sonde_bandit_arm *a)
{
    sonde_assert(isfinite(a->cost) && a->cost >= 0 && isfinite(a->paid) && a->paid >= 0);
    for (uint32_t c = 0; c < b->n_contests; c++) sonde_assert(isfinite(a->earned[c]) && a->earned[c] >= 0);
    if (!a->is_in) return;
    sonde_assert(a->prior > 0 && a->floor >= 0 && a->floor < 1);
    sonde_assert(a->share >= a->floor && a->share > 0 && a->share < 1 + tolerance);
}

void sonde_bandit_check(const struct sonde_bandit *b)
{
    double sum = 0;
    uint32_t n_in = 0;
    sonde_assert(b->n_arms <= SONDE_BANDIT_ARMS && b->n_contests <= SONDE_BANDIT_CONTESTS);
    for (uint32_t i = 0; i < b->n_arms; i++) {
        check_arm(b, &b->arms[i]);
        if (b->arms[i].is_in) sum += b->arms[i].share, n_in++;
    }
    sonde_assert(n_in == 0 || fabs(sum - 1) < tolerance);
}

#endif

void sonde_bandit_save(const struct sonde_bandit *b, uint32_t arm, struct sonde_bytes *out)
{
    const struct sonde_bandit_arm *a = &b->arms[arm];
    sonde_bytes_add_u64(out, a->slots);
    sonde_bytes_add_double(out, a->cost);
    for (uint32_t c = 0; c < b->n_contests; c++) sonde_bytes_add_double(out, a->earned[c]);
}

static double amount(struct sonde_reader *from)
{
    double x = sonde_read_double(from);
    return x >= 0 && x < beyond_all ? x : 0;
}

void sonde_bandit_load(struct sonde_bandit *b, uint32_t arm, struct sonde_reader *from)
{
    struct sonde_bandit_arm *a = &b->arms[arm];
    a->slots = sonde_read_u64(from);
    a->cost = amount(from);
    for (uint32_t c = 0; c < b->n_contests; c++) a->earned[c] = amount(from);
    sonde_bandit_end_turn(b, arm);
}
