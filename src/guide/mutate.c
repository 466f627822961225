/* The table of mutators, and which of them to use. See mutate.h. */
#include "guide/mutate.h"

#include "base/hash.h"
#include "base/mem.h"
#include "guide/settings.h"

#include <inttypes.h>
#include <string.h>

const struct sonde_mutator sonde_mutators[] = {
    {"leaf", 4, sonde_mutate_leaf},
    {"twin", 6, sonde_mutate_twin},
    {"copy", 2, sonde_mutate_copy},
    {"list", 1, sonde_mutate_list},
    {"splice", 1, sonde_mutate_splice},
    {"constructor", 1, sonde_mutate_constructor},
    {"vary", 1, sonde_mutate_vary},
    {"descendant", 1, sonde_mutate_descendant},
    {"regenerate", 0.5, sonde_mutate_regenerate},
    {NULL, 0, NULL},
};

enum { N_MUTATORS = sizeof sonde_mutators / sizeof *sonde_mutators - 1, STACK_MAX = 8, ATTEMPTS = 16 };

/* Earnings are remembered over about so many mutants, and each mutator starts with a little of both. */
static const double memory = 4096, prior_tried = 200, floor_share = 0.3;

void sonde_mutate_init(struct sonde_mutate *m, const struct sonde_guide_setup *setup, struct sonde_rng *rng,
                       const struct sonde_corpus *corpus, const struct sonde_hints *hints)
{
    memset(m, 0, sizeof *m);
    m->rng = rng;
    m->corpus = corpus;
    m->hints = hints;
    m->whole = sonde_setting(setup->options, "whole", 0);
    m->loose = sonde_setting(setup->options, "loose", 0.5);
    m->large = sonde_setting(setup->options, "large", 0.9);
    m->equal = sonde_setting(setup->options, "equal", 0.5);
    m->twinspan = sonde_setting(setup->options, "twinspan", 0.5);
    m->twinlist = sonde_setting(setup->options, "twinlist", 0.2);
    m->again = sonde_setting(setup->options, "again", 0.4);
    m->follow = sonde_setting(setup->options, "follow", 0.5);
    sonde_special_init(&m->special, setup);
    sonde_tape_init(&m->scratch);
    sonde_tape_init(&m->source);
    m->states = sonde_calloc(N_MUTATORS, sizeof *m->states);
    for (int i = 0; i < N_MUTATORS; i++)
        m->states[i].weight = sonde_setting(setup->options, sonde_mutators[i].name, sonde_mutators[i].weight);
}

void sonde_mutate_clear(struct sonde_mutate *m)
{
    sonde_tape_clear(&m->scratch);
    sonde_tape_clear(&m->source);
    sonde_free(m->groups);
    sonde_free(m->symbols);
    sonde_free(m->states);
}

/* The rate of earning of all, which each is measured by. */
static double common_rate(const struct sonde_mutate *m)
{
    double tried = 0, earned = 1;
    for (int i = 0; i < N_MUTATORS; i++) tried += m->states[i].tried, earned += m->states[i].earned;
    return earned / (tried + prior_tried);
}

static double share(const struct sonde_mutate *m, int i, double rate)
{
    const struct sonde_mutator_state *s = &m->states[i];
    if (m->follow <= 0) return s->weight;
    double own = (s->earned + prior_tried * rate) / (s->tried + prior_tried) / rate;
    if (own > 4) own = 4;
    return s->weight * (1 - m->follow * (1 - floor_share) * (1 - own));
}

static int pick(const struct sonde_mutate *m)
{
    double shares[N_MUTATORS], sum = 0, rate = common_rate(m);
    for (int i = 0; i < N_MUTATORS; i++) sum += shares[i] = share(m, i, rate);
    double at = sonde_rng_unit(m->rng) * sum;
    int i = 0;
    while (i < N_MUTATORS - 1 && at >= shares[i]) at -= shares[i++];
    return i;
}

uint32_t sonde_mutate(struct sonde_mutate *m, struct sonde_tape *script)
{
    uint32_t used = 0;
    int done = 0;
    for (int attempt = 0; attempt < ATTEMPTS && done < STACK_MAX; attempt++) {
        int i = pick(m);
        if (!sonde_mutators[i].apply(m, script)) continue;
        used |= 1u << i;
        m->states[i].uses++;
        done++;
        if (sonde_rng_unit(m->rng) >= m->again) break;
    }
    return used;
}

bool sonde_mutate_made_twins(uint32_t used)
{
    for (int i = 0; i < N_MUTATORS; i++)
        if (sonde_mutators[i].apply == sonde_mutate_twin) return used >> i & 1;
    return false;
}

void sonde_mutate_reward(struct sonde_mutate *m, uint32_t used, double gain)
{
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

bool sonde_mutate_load(struct sonde_mutate *m, struct sonde_reader *from)
{
    enum { ENTRY = 24 };
    uint32_t version = sonde_read_u32(from), n = sonde_read_u32(from);
    if (version != SAVED_VERSION || from->n - from->at < (size_t)n * ENTRY) return false;
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
