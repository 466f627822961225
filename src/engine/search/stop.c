/* See stop.h. Limits by count are exact and come first, so that a run with a limit of cases does not depend on the
 * clock. The loop pays one comparison per case: `quota` is the number of cases in which no limit can be met. */
#include "engine/search/stop.h"

#include "exec/interrupt.h"
#include "guide/guides.h"

/* ---- Does the search find other inputs?
 *
 * Checked whenever the number of valid cases has doubled. A guide that has found no new input since is replaced by one
 * that remembers what was tried (its relief). If the relief finds none either, the user's guide plans all remaining
 * cases. Finding no new input does not prove that there is none, so the run does not end here.
 *
 * Example: a property with a few hundred possible inputs, under a guide that does not remember them. At 1,000 valid
 * cases 400 were different, at 2,000 still 400. So a guide that never repeats an input takes over. It may reach the end
 * of the space, and only then the property holds for all inputs.
 *
 * The order: the user's choice, then `random` (which remembers what was tried), then `enumerate` (which knows when
 * there is nothing left). Counts alone decide, so a seed gives the same run on any machine. */

/* Returns whether the check applies. It does not if inputs are distinguished by other means, or if the run ends for
 * another reason. */
static bool may_relieve(const struct sonde_search *s)
{
    return s->options->gives_way && s->identity_by == SONDE_IDENTITY_BY_TAPE && !s->has_characteristic
           && !s->options->fuzz && !s->exhausted && !s->n_found && !s->repeats.is_over;
}

/* Returns the number of cases before the next check. */
static uint64_t relief_after(const struct sonde_search *s)
{
    return s->repeats.look_at - (s->relief ? s->stats.tests : s->stats.valid);
}

static const struct sonde_guide_ops *next_relief(const struct sonde_search *s)
{
    const struct sonde_guide_ops *last = s->relief ? s->relief->ops : s->guide->ops;
    if (last == &sonde_guide_enumerate) return NULL;
    return last == &sonde_guide_random || last == &sonde_guide_auto ? &sonde_guide_enumerate : &sonde_guide_random;
}

/* Returns the number of inputs with the same draws as the last case, or UINT64_MAX if it is unknown or too large. */
static uint64_t inputs_like_last(const struct sonde_search *s)
{
    uint64_t n = 1;
    const struct sonde_tape *tape = &s->t->tape;
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        if (c->kind == SONDE_KIND_BLOB || c->max == UINT64_MAX || n > UINT64_MAX / (c->max + 1)) return UINT64_MAX;
        n *= c->max + 1;
    }
    return n;
}

/* Returns whether most inputs of a space of known size were tried. Discarded inputs are not counted as tried, so this
 * finds only spaces in which nearly every input is valid. */
static bool knows_most(struct sonde_search *s, uint64_t unique)
{
    const uint64_t parts = 8; /* most: all but one part in this many */
    if (s->relief || s->guide->ops == &sonde_guide_enumerate) return false;
    if (sonde_levels_count(&s->judge.levels, SONDE_LEVEL_SHAPE) != 1) return false;
    return unique >= inputs_like_last(s) / parts * (parts - 1);
}

/* Replaces the guide if a check is due and nothing new was found. */
static void relieve_if_stuck(struct sonde_search *s)
{
    bool estimated;
    const struct sonde_stats *n = &s->stats;
    if ((s->relief ? n->tests : n->valid) < s->repeats.look_at) return;
    uint64_t unique = sonde_unique_count_guarded(&s->judge.unique, &estimated);
    /* The guide is not replaced at the first check, which has nothing to compare with. An estimated count never shows
     * that there was no progress, as its error may look like that. It can show that most inputs were tried: then
     * enumerate, which does not rely on a count, replaces the guide. */
    bool is_stuck = s->repeats.valid_then && unique == s->repeats.unique_then && !estimated;
    const struct sonde_guide_ops *by = is_stuck ? next_relief(s) : NULL;
    if (!is_stuck && knows_most(s, unique)) by = &sonde_guide_enumerate;
    if (is_stuck || by) sonde_search_relieve(s, by);
    s->repeats.is_over = is_stuck && !by;
    s->repeats.valid_then = n->valid;
    s->repeats.unique_then = unique;
    /* The next check comes at twice as many valid cases. Under relief it comes after further cases of any kind: there
     * may be no further valid one. They are as many as there were valid ones, or more than a known space has inputs. */
    s->repeats.look_at = !s->relief ? 2 * n->valid : n->tests + (is_stuck ? n->valid : 2 * n->valid);
}

/* ---- By the clock */

/* Returns whether hardly any input was valid when the time is over. Compares with all cases, because a slow property
 * has few valid cases, too. */
static bool lost_nearly_all(const struct sonde_search *s)
{
    enum { FEW = 100, LOST = 9 }; /* fewer than FEW valid cases, and more than LOST others for each of them */
    const struct sonde_stats *n = &s->stats;
    return n->valid < FEW && n->discarded + n->overruns > LOST * n->valid;
}

/* Writes the snapshot that the supervisor asked for. Only the worker may read the data of a running search, so the
 * worker writes it, in its loop. */
static void publish_snapshot(struct sonde_search *s)
{
    sonde_search_take_snapshot(s);
    sonde_snapshot_publish(&s->snapshot);
}

/* Checks the limit of time, and does other periodic work; called about every millisecond. */
static bool stop_by_clock(struct sonde_search *s)
{
    /* Cases between two readings. Without a supervisor, nothing else ends a search whose cases suddenly become slow. */
    const uint64_t most_cases = s->options->isolation == SONDE_ISOLATE_NONE ? 32 : 4096;
    /* if fewer seconds have passed since the last reading, the next reading comes after twice as many cases */
    const double soon = 0.0005;
    const double late = 0.002; /* if more seconds have passed, the next reading comes after half as many cases */
    double now = sonde_clock_now();
    double spent = now - s->pace.clock_last;
    s->pace.clock_last = now;
    if (spent < soon && s->pace.clock_every < most_cases) s->pace.clock_every *= 2;
    else if (spent > late && s->pace.clock_every > 1) s->pace.clock_every /= 2;
    /* Other periodic work is done at the same time: labels of unloaded libraries, news, snapshots. */
    sonde_case_refresh(s->t);
    if (s->news != s->told_news) s->news_at = now, s->told_news = s->news;
    if (sonde_snapshot_is_asked(&s->snapshot)) publish_snapshot(s);
    if (s->notebook && sonde_series_is_due(&s->notebook->series, now - s->started)) sonde_search_note_moment(s, now);
    if (s->options->isolation == SONDE_ISOLATE_NONE && sonde_search_is_flat(s, now))
        return sonde_search_stop(s, SONDE_STOP_FLAT);
    if (s->options->seconds > 0 && now - s->pace.began > s->options->seconds)
        return sonde_search_stop(s, lost_nearly_all(s) ? SONDE_STOP_GAVE_UP : SONDE_STOP_TIME);
    return false;
}

/* ---- Limits on the number of cases */

/* Returns the limit for cases that were not valid. Cases that are too large or failing count like discarded
 * ones. Otherwise nothing would end a search with --keep-going, without valid cases and without a limit of time. */
static uint64_t most_discards(const struct sonde_search *s)
{
    /* added to the number of valid cases if that has no limit, since the first valid case may come late */
    enum { AT_LEAST = 100 };
    return s->options->max_discards * (s->pace.tests ? s->pace.tests : s->stats.valid + AT_LEAST) + s->pace.lost;
}

/* Returns the number of the last case after a first failure, which is often not the only one. Counted in cases, so that
 * a seed finds the same on a slow machine. */
static uint64_t last_test(const struct sonde_search *s)
{
    /* The smaller of two numbers: ten times as many cases as the first failure took, or 100,000 cases more. */
    enum { TIMES = 10, MORE_MAX = 100000 };
    sonde_assert(s->n_found > 0);
    uint64_t first = s->found[0]->test;
    return first < MORE_MAX / (TIMES - 1) ? TIMES * first : first + MORE_MAX;
}

/* Returns whether a failure ends the search now: only after all given inputs have run. */
static bool ends_after_failure(const struct sonde_search *s)
{
    return !s->options->keep_going && !sonde_search_has_leads(s);
}

bool sonde_stop_is_asked(struct sonde_search *s)
{
    int request = atomic_load_explicit(&s->asked.stop, memory_order_relaxed);
    /* If no worker could be started, this is the process that gets the signal. */
    if (sonde_interrupted()) return sonde_search_stop(s, SONDE_STOP_INTERRUPTED);
    return request && sonde_search_stop(s, (enum sonde_stop)(request - 1));
}

/* ---- Is the property concerned by the change (--since)? */

/* Cases of a search that may show that a property reaches changed code, after its stored inputs. */
enum { PROBES = 100 };

/* Returns the number of cases before the property is known not to be concerned; UINT64_MAX if it may be. */
static uint64_t probes_left(const struct sonde_search *s)
{
    uint32_t given = s->n_inherited + s->led.n;
    bool is_concerned = s->vicinity && s->vicinity->best > SONDE_NEAR_NOT;
    uint64_t wanted = s->options->concern == SONDE_CONCERN_PROBE ? PROBES : 0;
    uint64_t own = s->stats.tests > given ? s->stats.tests - given : 0;
    if (s->options->concern == SONDE_CONCERN_FULL || is_concerned) return UINT64_MAX;
    if (sonde_search_has_leads(s) || (s->legacy && s->n_inherited < s->legacy->n)) return 1;
    return own < wanted ? wanted - own : 0;
}

/* Checks the limits by count. Their order decides which reason is reported when several hold. */
static bool stop_by_count(struct sonde_search *s)
{
    const struct sonde_options *o = s->options;
    const struct sonde_stats *n = &s->stats;
    if (s->misuse[0]) return sonde_search_stop(s, SONDE_STOP_ERROR);
    if (sonde_stop_is_asked(s)) return true;
    if (s->n_found && (o->fail_fast || (ends_after_failure(s) && n->tests >= last_test(s))))
        return sonde_search_stop(s, SONDE_STOP_FOUND);
    if (!probes_left(s)) return sonde_search_stop(s, SONDE_STOP_NOT_CONCERNED);
    if (s->pace.tests && n->valid >= s->pace.tests) return sonde_search_stop(s, SONDE_STOP_TESTS);
    if (s->pace.runs && n->tests >= s->pace.runs) return sonde_search_stop(s, SONDE_STOP_TESTS);
    if (o->max_discards && n->tests - n->valid > most_discards(s)) return sonde_search_stop(s, SONDE_STOP_GAVE_UP);
    if (may_relieve(s)) relieve_if_stuck(s);
    return false;
}

static void least(uint64_t *quota, uint64_t left)
{
    if (left < *quota) *quota = left;
}

/* Sets the quota: no bound can be met before that number of cases, so the loop need not check. */
static void set_quota(struct sonde_search *s)
{
    const struct sonde_options *o = s->options;
    sonde_assert(!s->pace.tests || s->stats.valid < s->pace.tests); /* holds because no limit has been reached */
    sonde_assert(!s->pace.runs || s->stats.tests < s->pace.runs);
    s->pace.quota = s->pace.clock_every;
    if (s->pace.tests) least(&s->pace.quota, s->pace.tests - s->stats.valid);
    if (s->pace.runs) least(&s->pace.quota, s->pace.runs - s->stats.tests);
    if (o->max_discards) least(&s->pace.quota, most_discards(s) + 1 - (s->stats.tests - s->stats.valid));
    if (s->n_found && ends_after_failure(s)) least(&s->pace.quota, last_test(s) - s->stats.tests);
    if (may_relieve(s)) least(&s->pace.quota, relief_after(s));
    least(&s->pace.quota, probes_left(s));
}

bool sonde_stop_look(struct sonde_search *s)
{
    atomic_store_explicit(&s->asked.look, false, memory_order_relaxed);
    if (stop_by_count(s) || stop_by_clock(s)) return true;
    set_quota(s);
    return false;
}
