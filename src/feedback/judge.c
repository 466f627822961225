/* See judge.h. The loop calls the judge after each case (sonde_judge_case, inline), and sonde_judge_is_news only if
 * the outlook was requested. All memory is on the search's heap, so it survives the death of a worker. */
#include "feedback/judge.h"

#include "base/hash.h"
#include "base/mem.h"
#include "feedback/registers.h"
#include "tape/shape.h"

#include <math.h>
#include <string.h>

void sonde_judge_init(struct sonde_judge *j, const struct sonde_feedback *own, bool is_watched)
{
    memset(j, 0, sizeof *j);
    sonde_unique_init(&j->unique);
    sonde_novelty_init(&j->novelty);
    /* One byte is added, so that a feedback without a state gets an address, too, which shows that it exists. */
    if (own) j->state = sonde_calloc(1, own->size + 1);
    if (!is_watched) return;
    sonde_species_init(&j->traces);
    sonde_species_init(&j->niches);
}

void sonde_judge_clear(struct sonde_judge *j)
{
    sonde_free(j->state);
    sonde_unique_clear(&j->unique);
    sonde_novelty_clear(&j->novelty);
    sonde_bests_clear(&j->bests);
    sonde_species_clear(&j->traces);
    sonde_species_clear(&j->niches);
}

uint32_t sonde_judge_state(struct sonde_judge *j, const struct sonde_feedback *own, const sonde *t,
                           const struct sonde_observation *observation)
{
    sonde_assert(j->state && own->update);
    struct sonde_feedback_run run = {.records = t->records,
                                     .n_records = t->n_records,
                                     .tape = &t->tape,
                                     .observation = observation};
    return own->update(j->state, &run) ? SONDE_NEW_STATE : 0;
}

bool sonde_judge_is_news(struct sonde_judge *j, const sonde *t, const struct sonde_coverage_view *seen,
                         uint64_t identity, uint32_t reasons)
{
    /* Without coverage nearly every input of a large space is new. Below a chance of one in a thousand, new inputs no
     * longer count as news, so that --until-flat can end the search. */
    const double hardly_any = 0.001;
    const uint32_t news = SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE | SONDE_NEW_TARGET | SONDE_NEW_DEPTH;
    bool is_valid = t->verdict == SONDE_VALID, is_new = (reasons & news) != 0;
    if (seen) {
        sonde_species_add(&j->traces, seen->trace);
        if (is_valid) is_new |= sonde_species_add(&j->niches, seen->edges);
    } else if (is_valid) {
        double chance = sonde_species_chance_of_new(&j->traces);
        is_new |= sonde_species_add(&j->traces, identity) && (chance < 0 || chance > hardly_any);
    }
    return is_new;
}

/* The worker may have died while it changed `novelty`, whose three arrays then disagree. Without them some known
 * features count as new again; a wrong index would cause a crash. */
void sonde_judge_recover(struct sonde_judge *j)
{
    sonde_unique_recover(&j->unique);
    sonde_novelty_init(&j->novelty); /* the old arrays are not freed: their pointers may be damaged */
}

/* ---- Bests. Linear search: a property names a few utilities, and the case limits them to SONDE_CASE_TARGETS. */

void sonde_bests_clear(struct sonde_bests *b)
{
    sonde_free(b->targets);
    sonde_free(b->ids);
    *b = (struct sonde_bests){0};
}

static struct sonde_target_best *best_of(struct sonde_bests *b, const struct sonde_labels *labels, uint32_t id)
{
    for (uint32_t k = 0; k < b->n; k++)
        if (b->ids[k] == id) return &b->targets[k];
    size_t n = (size_t)b->n + 1;
    b->targets = sonde_grow(b->targets, &b->cap_targets, n, sizeof *b->targets);
    b->ids = sonde_grow(b->ids, &b->cap_ids, n, sizeof *b->ids);
    b->ids[b->n] = id;
    /* The name is borrowed from the table of labels, which lives as long as the search. */
    b->targets[b->n] = (struct sonde_target_best){.name = sonde_label_text(labels, id), .best = -INFINITY};
    return &b->targets[b->n++];
}

static bool raise_one(struct sonde_bests *b, const struct sonde_labels *labels, uint32_t id, double value)
{
    struct sonde_target_best *best = best_of(b, labels, id);
    if (value <= best->best) return false;
    best->best = value;
    return true;
}

bool sonde_bests_raise(struct sonde_bests *b, const struct sonde_labels *labels,
                       const struct sonde_target_value *targets, size_t n)
{
    bool rose = false;
    for (size_t i = 0; i < n; i++) rose |= raise_one(b, labels, targets[i].label, targets[i].value);
    return rose;
}

void sonde_bests_merge(struct sonde_bests *b, const struct sonde_bests *other, const struct sonde_labels *labels)
{
    for (uint32_t i = 0; i < other->n; i++) raise_one(b, labels, other->ids[i], other->targets[i].best);
}

/* ---- Levels */

void sonde_levels_add_now(struct sonde_levels *levels, const struct sonde_tape *tape,
                          const struct sonde_coverage_view *seen)
{
    struct sonde_level_hashes hashes = sonde_tape_levels(tape);
    sonde_registers_raise(levels->registers[SONDE_LEVEL_SHAPE], SONDE_LEVEL_BITS, hashes.shape);
    sonde_registers_raise(levels->registers[SONDE_LEVEL_SKELETON], SONDE_LEVEL_BITS, hashes.skeleton);
    if (seen) sonde_registers_raise(levels->registers[SONDE_LEVEL_TRACE], SONDE_LEVEL_BITS, sonde_mix(seen->trace));
}

void sonde_levels_merge(struct sonde_levels *levels, const struct sonde_levels *other)
{
    levels->n += other->n;
    for (unsigned i = 0; i < SONDE_LEVELS; i++)
        sonde_registers_merge(levels->registers[i], other->registers[i], SONDE_LEVEL_BITS);
}

uint64_t sonde_levels_count(const struct sonde_levels *levels, enum sonde_level level)
{
    return sonde_registers_estimate(levels->registers[level], SONDE_LEVEL_BITS);
}
