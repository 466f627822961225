/* The driver of the shrinker: it repeats the passes of a table until none of them improves the tape (a fixpoint). Each
 * round begins with the passes that recently found most per call. A pass that failed on a tape is not run on that tape
 * again. See docs/shrinking.md.
 *
 * Termination: every accepted tape is smaller in a well-founded order (tape.h), and a round that accepts nothing ends
 * the fixpoint. The cost is counted in runs of the property; known.c recognises candidates that would repeat a run.
 *
 * Scheduling is greedy by improvements per call. Both counts are halved with each run of a pass, because a pass that
 * was useful early is often useless later. is_first_round lets passes postpone work that is cheaper on small values. */
#include "shrink/shrink.h"

#include "base/mem.h"
#include "shrink/pass.h"

#include <string.h>

/* A row of the table of passes. */
struct pass {
    const char *name;
    const char *invariant; /* what holds for every candidate of the pass */
    void (*run)(struct sonde_shrinker *s);
    bool is_late; /* the pass often costs more than it finds: run it only when the others find nothing */
};

static const struct pass passes[] = {
    {"simplest", "every choice is 0", sonde_pass_simplest, false},
    {"delete rejected", "nothing is gone but list elements that were rejected", sonde_pass_delete_rejected, false},
    {"shorten", "one sequence keeps only its first items", sonde_pass_shorten, false},
    {"delete items", "consecutive items of one sequence are gone, and its length is adjusted", sonde_pass_delete_items,
     false},
    {"lift", "a span is replaced by a nearest descendant with the same label", sonde_pass_lift, false},
    {"empty spans", "all choices in one span are 0", sonde_pass_empty_spans, false},
    {"zero runs", "consecutive choices are 0, except lengths", sonde_pass_zero_runs, false},
    {"lower equal", "all numbers with the same value are lowered to another common value", sonde_pass_lower_equal,
     false},
    {"lower pairs", "two numbers, or all numbers drawn at one site, move by the same amount", sonde_pass_lower_pairs,
     false},
    {"lower", "one choice is lower", sonde_pass_lower, false},
    {"lower blobs", "one blob is shorter, or has lower symbols", sonde_pass_lower_blobs, false},
    {"delete indexed", "items are gone, and numbers that may be indices of later items are lowered",
     sonde_pass_delete_indexed, false},
    {"redistribute", "one number is lower; a later one is higher by the same amount, or at the end of its range",
     sonde_pass_redistribute, false},
    {"merge", "one number becomes the sum of two, and the other is 0 or gone", sonde_pass_merge, true},
    {"join lists", "the elements of one list move to a later list with the same label", sonde_pass_join_lists, false},
    {"sort", "siblings with the same label are reordered", sonde_pass_sort, false},
    {"delete alike", "the same items are gone from all sequences and blobs of the same length", sonde_pass_delete_alike,
     false},
    {"delete alike, late", "as for delete alike; runs if no precondition discards cases", sonde_pass_delete_alike_late,
     true},
    {"rename", "a value is replaced by a lower one, or swapped with it, wherever it is drawn", sonde_pass_rename, true},
    {"trade", "one number is lower, and one or all later numbers are at the end of their range", sonde_pass_trade,
     true},
    {"make up", "items are gone or lower, and one number changes with their sum, difference or product",
     sonde_pass_make_up, true},
    {"swap blocks", "two groups of consecutive items or symbols are swapped", sonde_pass_swap_blocks, true},
    {"swap parts", "two lists, or two blobs, swap their contents", sonde_pass_swap_parts, true},
    {"scale", "two numbers, or all multiples of one, are lower by the same factor", sonde_pass_scale, true},
    {"shift doubles", "two doubles move by the same amount, the first to a simpler value", sonde_pass_shift_doubles,
     true},
    {"lift indexed",
     "a span is replaced by a descendant with the same label, and indices that point out of it drop by one",
     sonde_pass_lift_indexed, true},
    {"rotate", "a span and a descendant with the same label are swapped", sonde_pass_rotate, true},
    {"copy", "a span takes over the content of a simpler span with the same label", sonde_pass_copy, true},
    {"absorb", "a span takes over the values of a descendant with the same label, which is removed", sonde_pass_absorb,
     true},
    {"rewrap", "the surroundings of a span are replaced by the surroundings of another span with the same label",
     sonde_pass_rewrap, true},
    {"relabel", "an alternative is lower, and spans in it have the labels that the run gives them", sonde_pass_relabel,
     true},
    {"delete ranked", "an element of a selection is gone, and later ranks rise to keep their values",
     sonde_pass_delete_ranked, true},
    {"rename symbols", "one symbol is lower in all blobs", sonde_pass_rename_symbols, true},
    {"swap indexed", "two neighbours are swapped, and so are the numbers that may point at them",
     sonde_pass_swap_indexed, true},
    {"two symbols", "two symbols of a blob are lower by the same amount, or two pairs of symbols are swapped",
     sonde_pass_two_symbols, true},
    {"cut blobs", "a blob loses symbols at two positions, or symbols are gone and a number that counts them is lower",
     sonde_pass_cut_blobs, true},
    {"lower stubborn", "one number is lower by more than one", sonde_pass_lower_stubborn, true},
    {"lower by steps", "one number is lower by one or more steps of equal size", sonde_pass_lower_by_steps, true},
    {"lower bits", "one number is lower by a power of two, or one symbol of a short blob is lower",
     sonde_pass_lower_bits, true},
    {"delete pairs", "two items of one sequence are gone", sonde_pass_delete_pairs, true},
    {"replace",
     "an alternative makes fewer draws, or items that begin with one are gone; a number before it may be higher",
     sonde_pass_replace, true},
    {"delete and move", "a part is gone, and an earlier number changes by one", sonde_pass_delete_and_move, true},
};
enum { N_PASSES = sizeof passes / sizeof *passes };

/* The recent yield of a pass; each of its runs halves both counts before adding to them. */
struct account {
    double earned, calls; /* number of improvements, and of calls of the predicate */
    uint64_t failed_at;   /* generation + 1 of the tape on which the pass found nothing */
    bool discards;        /* the shrinker's `discards` before its last run: some passes run only if it is set */
    uint64_t wasted;      /* number of calls in the pass's last run, if that found nothing; else 0 */
};

/* The passes of a round. PROMISING: early passes whose last run did not waste many calls. EARLY: all early passes.
 * LATE: all late passes. So a pass whose last run cost much and found nothing waits until the others find nothing. */
enum turn { PROMISING, EARLY, LATE };
enum { MUCH = 24 }; /* a pass whose last run wasted more calls has to wait */

/* ---- One candidate */

/* Makes `actual` the best tape. Swaps instead of copying: `actual` is scratch from here on. */
static void accept_best(struct sonde_shrinker *s)
{
    sonde_tape_check(&s->actual);
    sonde_tape_swap(&s->best, &s->actual);
    s->generation++;
    if (s->test->better) s->test->better(s->test->user, &s->best);
}

/* The shrinker's bound, where the caller set none. A tape that is still large after this many calls has no small core,
 * and each of its values would cost a search. */
enum {
    LARGE_TAPE = 128,   /* a tape with more choices counts as large */
    LARGE_CALLS = 1900, /* shrinking a large tape ends after this many calls */
};

/* Reports whether shrinking must stop: at a bound of the caller, or at the bound for large tapes. Sets s->stopped. */
static bool is_at_end(struct sonde_shrinker *s)
{
    const struct sonde_shrink_test *t = s->test;
    bool is_bounded = (t->max_calls && s->result.calls >= t->max_calls) || (t->enough && t->enough(t->user));
    s->is_too_large = !t->max_calls && s->result.calls >= LARGE_CALLS && s->best.n_choices > LARGE_TAPE;
    s->stopped = is_bounded || s->is_too_large;
    s->is_too_large &= !is_bounded;
    return s->stopped;
}

enum {
    MOST_WORK = 1 << 23, /* a thorough run gives up after candidates of so many choices that were not run */
    LEAST_WORK = 64,     /* a candidate counts as so many choices more than it has */
    REFUSED = 256,       /* number of such candidates between two looks at the clock */
};

/* Ends a thorough run at a candidate that is left out. */
static void give_up(struct sonde_shrinker *s)
{
    sonde_leave_out(s);
    s->gave_up = s->stopped = true;
}

/* Counts a candidate that is not run. Passes may propose many in a row, and limits must end them, too. */
static void refuse(struct sonde_shrinker *s)
{
    s->refused++;
    s->work += s->best.n_choices + LEAST_WORK;
    if (s->is_thorough && !s->test->max_calls && s->work >= MOST_WORK) give_up(s);
    if (s->refused % REFUSED == 0 && s->test->enough && s->test->enough(s->test->user)) s->stopped = true;
}

/* Lists a candidate that was not run, unless it is listed already. Gives up if there are too many. */
static void list_candidate(struct sonde_shrinker *s)
{
    uint64_t hash = sonde_known_asked(s->known);
    for (uint32_t i = 0; i < s->n_listed; i++)
        if (s->listed[i] == hash) return;
    if (s->n_listed == SONDE_LISTED) give_up(s);
    else s->listed[s->n_listed++] = hash;
}

/* Reports whether a candidate must not be run: it is only listed, or the calls of a thorough run are spent. */
static bool is_held_back(struct sonde_shrinker *s)
{
    if (s->lists) list_candidate(s);
    else if (s->is_thorough && !s->test->max_calls && s->last_calls-- == 0) give_up(s);
    return s->lists || s->stopped;
}

/* The cheap reasons to refuse come first: a script that is not smaller, then one whose run is remembered. Other scripts
 * cost a call. The tape that was drawn decides, not the script: `actual` may be larger than the script. */
bool sonde_try_once(struct sonde_shrinker *s, const struct sonde_tape *script)
{
    const struct sonde_shrink_test *t = s->test;
    s->tried_length = UINT32_MAX;
    s->was_run = false;
    if (s->stopped) return false;
    bool is_smaller = sonde_tape_compare(script, &s->best) < 0;
    bool is_known = is_smaller && sonde_known_has(s->known, script, &s->tried_length);
    s->result.saved += is_known;
    if (!is_smaller || is_known) {
        refuse(s);
        return false;
    }
    if (is_held_back(s) || is_at_end(s)) return false;
    s->actual.n_choices = s->actual.n_spans = s->actual.n_bytes = 0;
    s->result.calls++;
    s->was_run = true;
    bool fails = t->fails(t->user, script, &s->actual);
    sonde_known_add(s->known, &s->actual);
    if (s->actual.n_choices) s->tried_length = s->actual.n_choices;
    /* Some passes are worth their calls only if the property has preconditions. */
    if (!fails && (!t->discarded || t->discarded(t->user))) s->discards = true;
    s->vain++;
    if (!fails || sonde_tape_compare(&s->actual, &s->best) >= 0) return false;
    s->vain = 0;
    accept_best(s);
    return true;
}

bool sonde_rerun(struct sonde_shrinker *s, const struct sonde_tape *script)
{
    uint32_t length;
    const struct sonde_tape *run = sonde_known_has(s->known, script, &length) ? sonde_known_run(s->known) : NULL;
    if (run) {
        sonde_tape_copy(&s->actual, run);
        return true;
    }
    if (s->stopped || is_held_back(s) || is_at_end(s)) return false;
    s->actual.n_choices = s->actual.n_spans = s->actual.n_bytes = 0;
    s->result.calls++;
    s->vain++;
    s->test->fails(s->test->user, script, &s->actual);
    return s->actual.n_spans > 0;
}

/* A run that did not help may be mended, if instrumented code reported what it compared. */
bool sonde_try(struct sonde_shrinker *s, const struct sonde_tape *script)
{
    return sonde_try_once(s, script) || (s->was_run && s->test->compared && sonde_mend(s));
}

/* ---- The fixpoint */

/* Returns the recent improvements per call. One is added to both counts, so that a pass that never ran comes before one
 * that ran without success. */
static double earnings(const struct account *a)
{
    return (a->earned + 1) / (a->calls + 1);
}

/* Sorts the passes, the highest earnings first. Stable: on equal earnings the order of the table holds. */
static void sort_by_earnings(const struct account *accounts, unsigned *order)
{
    for (unsigned i = 1; i < N_PASSES; i++) {
        unsigned pass = order[i], j = i;
        for (; j > 0 && earnings(&accounts[order[j - 1]]) < earnings(&accounts[pass]); j--) order[j] = order[j - 1];
        order[j] = pass;
    }
}

/* Runs a pass once and records its cost and its improvements; returns whether it improved the tape. A pass that was
 * stopped by a limit has not failed: it may still find something. */
static bool run_pass(struct sonde_shrinker *s, const struct pass *pass, struct account *account)
{
    uint64_t calls = s->result.calls, generation = s->generation;
    s->vain = 0;
    account->discards = s->discards;
    pass->run(s);
    account->earned = account->earned / 2 + (double)(s->generation - generation);
    account->calls = account->calls / 2 + (double)(s->result.calls - calls);
    bool improved = s->generation != generation;
    account->wasted = improved ? 0 : s->result.calls - calls;
    if (!improved && !s->stopped) account->failed_at = generation + 1;
    return improved;
}

/* The yield of each pass, and the order in which a round runs them. */
struct schedule {
    struct account accounts[N_PASSES];
    unsigned order[N_PASSES];
};

/* Runs every pass of one kind that may find something; returns whether any did. */
static bool run_round(struct sonde_shrinker *s, struct schedule *schedule, enum turn turn)
{
    bool is_late = turn == LATE;
    bool improved = false;
    for (unsigned i = 0; i < N_PASSES && !s->stopped; i++) {
        sonde_assert(schedule->order[i] < N_PASSES);
        const struct pass *pass = &passes[schedule->order[i]];
        struct account *account = &schedule->accounts[schedule->order[i]];
        bool has_failed = account->failed_at == s->generation + 1 && account->discards == s->discards;
        if (pass->is_late != is_late || has_failed) continue;
        if (turn == PROMISING && account->wasted > MUCH) continue;
        if (run_pass(s, pass, account)) improved = true;
        if (improved && is_late) break; /* early passes are cheaper, and may find more from here */
        /* the pass may have postponed candidates, so it has not failed */
        if (s->is_first_round) account->failed_at = 0;
    }
    sort_by_earnings(schedule->accounts, schedule->order);
    return improved;
}

/* In the first round passes may postpone work on small values. Then come the early passes until none helps, and only
 * then one late pass at a time. */
static void fixpoint(struct sonde_shrinker *s)
{
    struct schedule schedule;
    memset(&schedule, 0, sizeof schedule);
    for (unsigned i = 0; i < N_PASSES; i++) schedule.order[i] = i;
    s->is_first_round = !s->is_thorough;
    if (s->is_first_round) run_round(s, &schedule, EARLY);
    s->is_first_round = false;
    do {
        while (run_round(s, &schedule, PROMISING)) continue;
    } while (run_round(s, &schedule, EARLY) || run_round(s, &schedule, LATE));
}

/* Runs all passes on the final tape without running a candidate, without limits on their calls and without marks.
 * Reports whether all candidates are known; else, lists the others. */
static bool is_exhausted(struct sonde_shrinker *s)
{
    bool is_whole = s->left_out != s->generation + 1;
    s->is_thorough = s->lists = true;
    s->n_listed = 0;
    s->work = 0;
    for (unsigned i = 0; i < N_PASSES && !s->stopped; i++) passes[i].run(s);
    s->lists = false;
    is_whole &= !s->stopped && s->n_listed == 0 && s->left_out != s->generation + 1;
    return is_whole;
}

/* Tries what limits on calls and marks have left out; returns whether nothing is left. If the caller has set no bound,
 * that is done only if few candidates are left: then they are worth the calls. */
static bool finish(struct sonde_shrinker *s)
{
    if (s->stopped) return false;
    if (!s->test->max_calls && (is_exhausted(s) || s->stopped)) return !s->stopped;
    s->is_thorough = true;
    s->last_calls = SONDE_LISTED;
    s->work = 0;
    fixpoint(s);
    return !s->stopped && is_exhausted(s);
}

void sonde_shrinker_clear(struct sonde_shrinker *s)
{
    sonde_tape_clear(&s->best);
    sonde_tape_clear(&s->script);
    sonde_tape_clear(&s->actual);
    sonde_known_free(s->known);
    sonde_free(s->dropped);
    sonde_free(s->shift);
    sonde_free(s->order_span);
    sonde_free(s->seqs);
    sonde_free(s->pieces);
    sonde_free(s->starts);
    sonde_free(s->marks);
    sonde_free(s->symbols);
}

/* `best` must fail when it is run. The result is never larger. */
struct sonde_shrink_result sonde_shrink(struct sonde_tape *best, const struct sonde_shrink_test *test)
{
    struct sonde_shrinker s;
    memset(&s, 0, sizeof s);
    s.test = test;
    s.mends_left = SONDE_MENDS;
    s.known = sonde_known_create();
    s.marks = sonde_calloc(SONDE_MARKS, sizeof *s.marks);
    sonde_tape_copy(&s.best, best);
    /* The given tape counts as known, so that no pass runs it again. */
    sonde_known_has(s.known, &s.best, &s.tried_length);
    sonde_known_add(s.known, &s.best);
    fixpoint(&s);
    s.result.complete = finish(&s);
    s.result.stopped = s.stopped && !s.is_too_large && !s.gave_up;
    sonde_assert(sonde_tape_compare(&s.best, best) <= 0); /* the best tape never becomes larger */
    sonde_tape_copy(best, &s.best);
    sonde_shrinker_clear(&s);
    return s.result;
}
