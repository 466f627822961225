/* See judge.h. Called by the loop after each case (sonde_judge_case, inline), and for news only where
 * somebody watches the outlook. All memory is of the search's heap, so that what was seen outlives a
 * worker. */
#include "feedback/judge.h"

#include "base/mem.h"

#include <string.h>

void sonde_judge_init(struct sonde_judge *j, const struct sonde_feedback *own, bool is_watched)
{
    memset(j, 0, sizeof *j);
    sonde_unique_init(&j->unique);
    sonde_novelty_init(&j->novelty);
    /* + 1: a feedback without a state still gets an address, by which it is known to exist. */
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
    /* Without coverage nearly every input of a large space is new. Below one in a thousand, a new one
     * is no news any more, and --until-flat can end. */
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

/* The worker may have died inside novelty, whose three arrays then disagree. Losing them costs some
 * repeats; a wrong index would cost a crash. */
void sonde_judge_recover(struct sonde_judge *j)
{
    sonde_unique_recover(&j->unique);
    sonde_novelty_init(&j->novelty); /* its memory is not freed: it may be damaged */
}
