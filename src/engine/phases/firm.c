/* See firm.h. What a shrink went through is nearly ordered: larger inputs use more of what runs out. So the smallest that fails
 * each time is looked for by steps that double, from the smallest on, and then by halves. */
#include "engine/phases/firm.h"

#include "base/mem.h"
#include "exec/interrupt.h"
#include "exec/margin.h"

#include <string.h>

void sonde_history_init(struct sonde_history *h)
{
    memset(h, 0, sizeof *h);
    h->every = 1;
}

void sonde_history_clear(struct sonde_history *h)
{
    for (uint32_t i = 0; i < SONDE_HISTORY_MAX; i++) sonde_tape_clear(&h->tapes[i]);
}

/* Every second one goes, except the first. */
static void thin_out(struct sonde_history *h)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->n; i += 2) sonde_tape_swap(&h->tapes[kept++], &h->tapes[i]);
    h->n = kept;
    h->every *= 2;
}

void sonde_history_add(struct sonde_history *h, const struct sonde_tape *tape)
{
    if (h->seen++ % h->every != 0) return;
    if (h->n == SONDE_HISTORY_MAX) thin_out(h);
    sonde_tape_copy(&h->tapes[h->n++], tape);
}

void sonde_firm_limit(struct sonde_sequence *q, struct sonde_case_limits limits)
{
    struct sonde_runner *runner = &q->engine->single.runner;
    if (q->engine->single.isolated) sonde_runner_stop(runner);
    runner->worker.limits = limits;
}

bool sonde_firm_with(struct sonde_sequence *q, struct sonde_case_limits limits, double share)
{
    sonde_margin_add(&limits, share);
    sonde_firm_limit(q, limits);
    return sonde_sequence_fails(q, true);
}

bool sonde_firm_is_ample(struct sonde_sequence *q)
{
    struct sonde_case_limits limits = q->engine->single.runner.worker.limits;
    if (sonde_interrupted() || !q->engine->single.isolated) return sonde_sequence_is_firm(q);
    bool is_ample = sonde_firm_with(q, limits, SONDE_MARGIN);
    sonde_firm_limit(q, limits);
    return is_ample && (sonde_sequence_is_slow(q) || sonde_sequence_is_firm(q));
}

double sonde_firm_margin(struct sonde_sequence *q, struct sonde_case_limits limits)
{
    /* From a quarter, twice as long, to a thirty-second: with an eighth of time that is hardly more than chance. */
    const double least = SONDE_MARGIN / 8;
    for (double share = SONDE_MARGIN; share >= least && q->engine->single.isolated && !sonde_interrupted(); share /= 2)
        if (sonde_firm_with(q, limits, share)) return share;
    sonde_firm_limit(q, limits);
    return 0;
}

static bool is_firm_at(struct sonde_sequence *q, const struct sonde_history *h, uint32_t i)
{
    sonde_tape_copy(&q->found->tape, &h->tapes[i]);
    return sonde_sequence_is_firm(q);
}

/* Where the shrunk input was not firm, chance plays a part: then three times say less. A margin says more. */
static bool is_beyond_doubt(struct sonde_sequence *q)
{
    enum { MORE = 5 };
    bool has_margin = q->engine->single.runner.worker.limits.margin > 0;
    unsigned times = !sonde_sequence_is_slow(q) ? MORE : has_margin ? 0 : 2;
    return sonde_sequence_count(q, times, true) == times;
}

bool sonde_firm_settle(struct sonde_sequence *q, const struct sonde_history *h)
{
    if (sonde_sequence_is_firm(q)) return true;
    uint32_t bad = h->n, good = bad;
    for (uint32_t step = 1; good > 0; step *= 2) {
        good = good > step ? good - step : 0;
        if (is_firm_at(q, h, good)) break;
        if (good == 0) return false;
        bad = good;
    }
    while (bad - good > 1) {
        uint32_t middle = good + (bad - good) / 2;
        if (is_firm_at(q, h, middle)) good = middle;
        else bad = middle;
    }
    if (h->n) sonde_tape_copy(&q->found->tape, &h->tapes[good]);
    return h->n && (is_beyond_doubt(q) || (good > 0 && is_firm_at(q, h, 0) && is_beyond_doubt(q)));
}
