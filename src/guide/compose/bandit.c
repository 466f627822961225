/* See bandit.h. Pure arithmetic: this file knows neither guides nor tapes, draws no random number and reads no
 * clock, so a seed gives the same turns everywhere. The schedule is stride scheduling (Waldspurger,
 * Weihl, 1995) in the form of credits: each turn's cost is credited by share and debited to its arm.
 * The difference is that shares change with every turn. */
#include "guide/compose/bandit.h"

#include <math.h>

#define KNOB(name, field, ...) SONDE_KNOB(struct sonde_bandit, field, name, __VA_ARGS__)

const struct sonde_knob sonde_bandit_knobs[] = {
    KNOB("recall", recall, 0.99, 0, 0.9999,
         "the earnings and costs of all guides are multiplied by this after each turn, so that old results fade",
         "bench/results/zoo.md, How auto shares turns"),
    KNOB("practice", practice, 0.4, 0, 0.4,
         "share of the time that a guide gets while it begins to learn; multiplied by the square root of the best "
         "guide's share of repeated or discarded cases",
         "bench/results/zoo.md, How auto shares turns"),
    {0},
};

static const double fade = 0.9; /* earnings in a contest are multiplied by this after each turn (sonde_bandit_part) */
/* Sum of all arms' recent earnings in a contest at which the contest has half of its weight. */
static const double enough = 1;
/* Number of cases at the best rate that are added to each arm's recent record, so that no arm is dropped. */
static const double benefit = 8;
enum { POWER = 32 }; /* a share grows with this power of the score: higher values favour the best arm */

static const double beyond_all = 1e18; /* more than any run can cost or earn */

void sonde_bandit_init(struct sonde_bandit *b, const char *options)
{
    *b = (struct sonde_bandit){0};
    sonde_knobs_read(sonde_bandit_knobs, options, b);
}

void sonde_bandit_join(struct sonde_bandit *b, uint32_t arm)
{
    if (b->arms[arm].is_in) return;
    b->arms[arm].is_in = true;
    sonde_bandit_end_turn(b, arm);
}

/* The credit or debt of the removed arm is divided among the remaining arms by their shares. */
void sonde_bandit_leave(struct sonde_bandit *b, uint32_t arm)
{
    double left = b->arms[arm].credit, staying = 1 - b->arms[arm].share;
    b->arms[arm].is_in = false;
    b->arms[arm].credit = 0;
    for (uint32_t i = 0; i < b->n_arms; i++)
        if (b->arms[i].is_in && staying > 0) b->arms[i].credit += left * b->arms[i].share / staying;
    sonde_bandit_end_turn(b, arm);
}

/* On a tie the first arm wins: the order of the table decides, not chance. */
uint32_t sonde_bandit_next(const struct sonde_bandit *b)
{
    uint32_t best = b->n_arms;
    for (uint32_t i = 0; i < b->n_arms; i++)
        if (b->arms[i].is_in && (best == b->n_arms || b->arms[i].credit > b->arms[best].credit)) best = i;
    sonde_assert(best < b->n_arms);
    return best;
}

void sonde_bandit_pay(struct sonde_bandit *b, uint32_t arm, double cost, bool is_news)
{
    struct sonde_bandit_arm *a = &b->arms[arm];
    sonde_assert(arm < b->n_arms && a->is_in && cost >= 0);
    a->turn.cost += cost;
    a->turn.cases++;
    a->turn.news += is_news;
    a->all_cost += cost;
}

void sonde_bandit_earn(struct sonde_bandit *b, uint32_t arm, uint32_t contest, double amount)
{
    sonde_assert(arm < b->n_arms && contest < b->n_contests && isfinite(amount) && amount >= 0);
    b->arms[arm].turn.earned[contest] += amount;
    b->arms[arm].all_earned[contest] += amount;
}

void sonde_bandit_forget(struct sonde_bandit *b)
{
    for (uint32_t i = 0; i < b->n_arms; i++) b->arms[i].lately = (struct sonde_bandit_sums){0};
    for (uint32_t c = 0; c < b->n_contests; c++) b->recent[c] = 0;
}

/* ---- The end of a turn */

/* Credits the cost of the turn to all arms by share, and debits it to arm a. The sum of all credits does not change. */
static void transfer_credit(struct sonde_bandit *b, struct sonde_bandit_arm *a)
{
    for (uint32_t i = 0; i < b->n_arms; i++)
        if (b->arms[i].is_in) b->arms[i].credit += b->arms[i].share * a->turn.cost;
    a->credit -= a->turn.cost;
}

/* Computes sums = part * sums + more, for n contests. */
static void add_sums(struct sonde_bandit_sums *sums, double part, const struct sonde_bandit_sums *more, uint32_t n)
{
    sums->cost = part * sums->cost + more->cost;
    sums->cases = part * sums->cases + more->cases;
    sums->news = part * sums->news + more->news;
    for (uint32_t c = 0; c < n; c++) sums->earned[c] = part * sums->earned[c] + more->earned[c];
}

/* Adds the turn of arm a to its record, and lets the records of all arms fade. An arm that has not run for long keeps
 * less and less of its record. */
static void close_turn(struct sonde_bandit *b, struct sonde_bandit_arm *a)
{
    static const struct sonde_bandit_sums nothing;
    if (!(a->turn.cost > 0)) return;
    a->turns++;
    if (a->is_in) transfer_credit(b, a);
    for (uint32_t c = 0; c < b->n_contests; c++) b->recent[c] = fade * b->recent[c] + a->turn.earned[c];
    for (uint32_t i = 0; i < b->n_arms; i++)
        add_sums(&b->arms[i].lately, b->recall, a == &b->arms[i] ? &a->turn : &nothing, b->n_contests);
    a->turn = nothing;
}

/* ---- Shares */

double sonde_bandit_part(const struct sonde_bandit *b, uint32_t contest)
{
    double all = b->recent[contest];
    return all > 0 ? all / (all + enough) : 0;
}

double sonde_bandit_weight(const struct sonde_bandit *b, uint32_t contest)
{
    return b->weights[contest] * sonde_bandit_part(b, contest);
}

/* Returns the cost of `benefit` average cases, which fill in for an arm's faded record. The result is a cost, because
 * rates are per cost: an expensive arm gets as many such cases as a cheap one. */
static double cost_of_doubt(const struct sonde_bandit *b)
{
    double cost = 0, cases = 0;
    for (uint32_t i = 0; i < b->n_arms; i++) cost += b->arms[i].lately.cost, cases += b->arms[i].lately.cases;
    return cases > 0 ? benefit * cost / cases : 1;
}

/* Adds to each arm's score its part in one contest. `doubt` counts as cost at the best rate, so the part tends to 1 as
 * the arm's record fades. */
static void judge(struct sonde_bandit *b, uint32_t contest, double doubt)
{
    double best = 0, weight = sonde_bandit_weight(b, contest);
    for (uint32_t i = 0; i < b->n_arms; i++) {
        const struct sonde_bandit_sums *x = &b->arms[i].lately;
        /* here `doubt` earns nothing, so it cannot win a contest */
        double rate = x->earned[contest] / (x->cost + doubt);
        if (b->arms[i].is_in && rate > best) best = rate;
    }
    if (!(best > 0)) return;
    for (uint32_t i = 0; i < b->n_arms; i++) {
        const struct sonde_bandit_sums *x = &b->arms[i].lately;
        double part = (x->earned[contest] / best + doubt) / (x->cost + doubt);
        b->arms[i].score += weight * (part < 1 ? part : 1);
    }
}

/* Computes the scores of all arms, from 0 to 1; the best score is 1. An equal amount is added to all. So contests with
 * hardly any weight decide hardly anything. */
static void score(struct sonde_bandit *b)
{
    const double equal = 0.1; /* of weights that are 1 for a valid input not seen before */
    double best = 0, doubt = cost_of_doubt(b);
    for (uint32_t i = 0; i < b->n_arms; i++) b->arms[i].score = 0;
    for (uint32_t c = 0; c < b->n_contests; c++) judge(b, c, doubt);
    for (uint32_t i = 0; i < b->n_arms; i++)
        if (b->arms[i].is_in && b->arms[i].score > best) best = b->arms[i].score;
    for (uint32_t i = 0; i < b->n_arms; i++) {
        struct sonde_bandit_arm *a = &b->arms[i];
        a->score = a->is_in ? (a->score + equal) / (best + equal) : 0;
    }
}

/* Returns x to the power POWER. Not pow(), whose last digit differs between machines. */
static double raised(double x)
{
    double product = 1;
    for (int i = 0; i < POWER; i++) product *= x;
    return product;
}

/* Returns how much an arm could gain over the best arm: the share of the best arm's cases that are not both valid and
 * new. */
static double possible_gain(const struct sonde_bandit *b)
{
    double most = 0;
    for (uint32_t i = 0; i < b->n_arms; i++) {
        const struct sonde_bandit_arm *a = &b->arms[i];
        double part = a->lately.news / (a->lately.cases + benefit);
        if (a->is_in && part > most) most = part;
    }
    return 1 - most;
}

/* Returns the share of an arm that begins to learn: it grows with the square root of the possible gain. Without the
 * root, an arm that competes with a guide whose cases are three quarters valid would learn for most of a run. All
 * learners together leave a fifth, which is given by claims. */
static double practice_of(const struct sonde_bandit *b)
{
    const double most = 0.8;
    double learners = 0, practice = b->practice * sqrt(possible_gain(b));
    for (uint32_t i = 0; i < b->n_arms; i++)
        if (b->arms[i].is_in) learners += b->arms[i].learning;
    return practice * learners > most ? most / learners : practice;
}

void sonde_bandit_end_turn(struct sonde_bandit *b, uint32_t arm)
{
    double claims[SONDE_BANDIT_ARMS] = {0}, sum = 0, free = 1;
    close_turn(b, &b->arms[arm]);
    score(b);
    double practice = practice_of(b);
    for (uint32_t i = 0; i < b->n_arms; i++) {
        struct sonde_bandit_arm *a = &b->arms[i];
        if (!a->is_in) continue;
        sum += claims[i] = a->prior * raised(a->score);
        free -= a->advance = practice * a->learning;
    }
    for (uint32_t i = 0; i < b->n_arms; i++) {
        struct sonde_bandit_arm *a = &b->arms[i];
        /* sum is above 0: all priors are above 0, and the best score is 1. */
        if (a->is_in) a->share = free * claims[i] / sum + a->advance;
    }
    sonde_bandit_check(b);
}

#ifdef SONDE_CHECKED

static const double tolerance = 1e-9; /* bound for the rounding errors of a sum of shares */

static void check_arm(const struct sonde_bandit *b, const struct sonde_bandit_arm *a)
{
    const struct sonde_bandit_sums *x = &a->lately;
    sonde_assert(isfinite(x->cost) && x->cost >= 0 && isfinite(a->credit) && x->news <= x->cases);
    for (uint32_t c = 0; c < b->n_contests; c++) sonde_assert(isfinite(x->earned[c]) && x->earned[c] >= 0);
    if (!a->is_in) return;
    sonde_assert(a->prior > 0 && a->learning >= 0 && a->learning <= 1 && a->share >= 0 && a->share < 1 + tolerance);
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
    sonde_bytes_add_u64(out, a->turns);
    sonde_bytes_add_double(out, a->lately.cost);
    sonde_bytes_add_double(out, a->lately.cases);
    sonde_bytes_add_double(out, a->lately.news);
    for (uint32_t c = 0; c < b->n_contests; c++) sonde_bytes_add_double(out, a->lately.earned[c]);
}

/* Reads an amount from a file; returns 0 for a value that no run can have produced. */
static double amount(struct sonde_reader *from)
{
    double x = sonde_read_double(from);
    return x >= 0 && x < beyond_all ? x : 0;
}

void sonde_bandit_load(struct sonde_bandit *b, uint32_t arm, struct sonde_reader *from)
{
    struct sonde_bandit_arm *a = &b->arms[arm];
    a->turns = sonde_read_u64(from);
    a->lately.cost = amount(from);
    a->lately.cases = amount(from);
    a->lately.news = amount(from);
    if (a->lately.news > a->lately.cases) a->lately.news = a->lately.cases;
    for (uint32_t c = 0; c < b->n_contests; c++) b->recent[c] += a->lately.earned[c] = amount(from);
    sonde_bandit_end_turn(b, arm);
}
