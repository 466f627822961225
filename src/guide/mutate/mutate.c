/* The table of mutators, and the choice among them. See mutate.h. */
#include "guide/mutate/mutate.h"

#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

#define KNOB(name, field, ...) SONDE_KNOB(struct sonde_mutate, field, name, __VA_ARGS__)

enum { LEAF, TWIN }; /* the mutators whose weights are knobs */

/* The weights are relative; bench/KNOBS.md, cgpt, has what a quarter and four times of each were worth. */
const struct sonde_mutator_kind sonde_mutators[SONDE_MUTATORS] = {
    {"leaf", 4, sonde_mutate_leaf},
    {"twin", 6, sonde_mutate_twin},
    {"copy", 2, sonde_mutate_copy},
    {"list", 1, sonde_mutate_list},
    {"splice", 1, sonde_mutate_splice},
    {"constructor", 1, sonde_mutate_constructor},
    {"vary", 1, sonde_mutate_vary},
    {"descendant", 1, sonde_mutate_descendant},
    {"regenerate", 0.5, sonde_mutate_regenerate},
};

const struct sonde_knob sonde_mutate_knobs[] = {
    KNOB("leaf", weights[LEAF], 4, 0, 1000, "weight of the mutation that changes one choice", "bench/KNOBS.md, cgpt"),
    KNOB("twin", weights[TWIN], 6, 0, 1000, "weight of the mutation that changes two similar parts in the same way",
         "bench/KNOBS.md, cgpt"),
    KNOB("again", again, 0.4, 0, 1, "probability of one more mutation of the same mutant", "bench/KNOBS.md, cgpt"),
    KNOB("follow", follow, 0.5, 0, 1,
         "weight that a mutation loses if it has no success; 0: none, 1: all but a minimum",
         "bench/RESULTS.md, programs"),
    KNOB("twinspan", twinspan, 0.5, 0, 1,
         "probability that the mutation twin replaces an inner part of both parts, instead of a value",
         "bench/KNOBS.md, cgpt"),
    {0},
};

enum {
    N_MUTATORS = SONDE_MUTATORS,
    STACK_MAX = 8, /* maximum number of mutations of one child: it should stay near its parent */
    ATTEMPTS = 16  /* number of mutators tried for one child, including those that do not apply */
};

static const double memory = 4096; /* earnings are remembered over about this many mutants */
/* number of tries, at the common rate, that are added to each mutator's own tries */
static const double prior_tried = 200;
/* part of its weight that a mutator keeps if it earns nothing and the knob follow is 1 */
static const double floor_share = 0.3;
/* The rate of a mutator is capped at this many times the common rate. */
enum { TOP_RATE = 4 };

void sonde_mutate_init(struct sonde_mutate *m, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                       const struct sonde_parents *parents, const struct sonde_hints *hints)
{
    memset(m, 0, sizeof *m);
    m->rng = rng;
    m->parents = parents;
    m->hints = hints;
    for (int i = 0; i < N_MUTATORS; i++) m->weights[i] = sonde_mutators[i].weight;
    sonde_knobs_read(sonde_mutate_knobs, setup->options, m);
    sonde_special_init(&m->special, setup);
    sonde_tape_init(&m->scratch);
    sonde_tape_init(&m->source);
    m->states = sonde_calloc(N_MUTATORS, sizeof *m->states);
}

void sonde_mutate_clear(struct sonde_mutate *m)
{
    sonde_tape_clear(&m->scratch);
    sonde_tape_clear(&m->source);
    sonde_free(m->groups);
    sonde_free(m->symbols);
    sonde_free(m->states);
}

/* Returns the rate of earning of all mutators, by which each one is measured. */
static double common_rate(const struct sonde_mutate *m)
{
    double tried = 0, earned = 1;
    for (int i = 0; i < N_MUTATORS; i++) tried += m->states[i].tried, earned += m->states[i].earned;
    return earned / (tried + prior_tried);
}

/* Returns the share of a mutator. `own` is its rate relative to the common rate; the prior pulls it towards 1 while the
 * mutator was tried little. */
static double share(const struct sonde_mutate *m, int i, double rate)
{
    const struct sonde_mutator_state *s = &m->states[i];
    if (m->follow <= 0) return m->weights[i];
    double own = (s->earned + prior_tried * rate) / (s->tried + prior_tried) / rate;
    if (own > TOP_RATE) own = TOP_RATE;
    return m->weights[i] * (1 - m->follow * (1 - floor_share) * (1 - own));
}

/* Computes all shares, once for each reward, not for each pick: if most mutators do not apply, one child takes a dozen
 * picks or more. */
static void divide_shares(struct sonde_mutate *m)
{
    double rate = common_rate(m);
    m->sum_of_shares = 0;
    for (int i = 0; i < N_MUTATORS; i++) m->sum_of_shares += m->shares[i] = share(m, i, rate);
    m->has_shares = true;
}

/* Roulette-wheel selection. */
static int pick(struct sonde_mutate *m)
{
    if (!m->has_shares) divide_shares(m);
    double at = sonde_rng_unit(m->rng) * m->sum_of_shares;
    int i = 0;
    while (i < N_MUTATORS - 1 && at >= m->shares[i]) at -= m->shares[i++];
    return i;
}

/* Applies one mutator, and more with probability `again` each; a mutator that does not apply costs an attempt. A script
 * without parts has only single choices to change, so three of four picks would be useless. */
uint32_t sonde_mutate(struct sonde_mutate *m, struct sonde_tape *script)
{
    bool has_parts = script->n_spans > 1;
    uint32_t used = 0;
    int done = 0;
    if (!has_parts && m->weights[LEAF] <= 0) return 0;
    for (int attempt = 0; attempt < ATTEMPTS && done < STACK_MAX; attempt++) {
        int i = has_parts ? pick(m) : LEAF;
        if (!sonde_mutators[i].mutate(m, script)) continue;
        used |= 1u << i;
        m->states[i].uses++;
        done++;
        if (sonde_rng_unit(m->rng) >= m->again) break;
    }
    return used;
}

/* Compares functions, not numbers, because the order of the table may change. */
bool sonde_mutate_made_twins(uint32_t used)
{
    for (int i = 0; i < N_MUTATORS; i++)
        if (i == TWIN) return used >> i & 1;
    return false;
}

/* Each used mutator gets the full credit: which of them was responsible is not known. */
void sonde_mutate_reward(struct sonde_mutate *m, uint32_t used, double gain)
{
    m->has_shares = false;
    for (int i = 0; i < N_MUTATORS; i++) {
        struct sonde_mutator_state *s = &m->states[i];
        if (!(used >> i & 1)) continue;
        s->tried++;
        s->earned += gain;
        s->finds += gain > 0;
        if (s->tried < memory) continue;
        s->tried /= 2;
        s->earned /= 2;
    }
}

void sonde_mutate_stats(const struct sonde_mutate *m, FILE *out)
{
    for (int i = 0; i < N_MUTATORS; i++)
        fprintf(out, " %s=%" PRIu64 "/%" PRIu64, sonde_mutators[i].name, m->states[i].finds, m->states[i].uses);
}

enum { SAVED_VERSION = 1 };

void sonde_mutate_save(const struct sonde_mutate *m, struct sonde_bytes *out)
{
    sonde_bytes_add_u32(out, SAVED_VERSION);
    sonde_bytes_add_u32(out, N_MUTATORS);
    for (int i = 0; i < N_MUTATORS; i++) {
        sonde_bytes_add_u64(out, sonde_hash_text(0, sonde_mutators[i].name));
        sonde_bytes_add_double(out, m->states[i].tried);
        sonde_bytes_add_double(out, m->states[i].earned);
    }
}

/* Mutators are found by hashes of their names, so a version with other mutators can use the entries that it knows. */
bool sonde_mutate_load(struct sonde_mutate *m, struct sonde_reader *from)
{
    enum { ENTRY = 24 }; /* size of a saved entry in bytes: the hash of a name and two doubles */
    uint32_t version = sonde_read_u32(from), n = sonde_read_u32(from);
    if (version != SAVED_VERSION || from->n - from->at < (size_t)n * ENTRY) return false;
    m->has_shares = false;
    for (uint32_t k = 0; k < n; k++) {
        uint64_t name = sonde_read_u64(from);
        double tried = sonde_read_double(from), earned = sonde_read_double(from);
        bool makes_sense = tried >= 0 && tried <= memory && earned >= 0 && earned <= tried;
        for (int i = 0; i < N_MUTATORS && makes_sense; i++) {
            if (sonde_hash_text(0, sonde_mutators[i].name) != name) continue;
            m->states[i].tried = tried;
            m->states[i].earned = earned;
        }
    }
    return true;
}
