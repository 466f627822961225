/* The driver: a fixpoint over a table of passes. Rounds go through the passes that have something to do, those first
 * that lately earned most per call; a pass that failed on a tape is not run on that tape again. See docs/shrinking.md. */
#include "shrink/pass.h"

#include "base/mem.h"

#include <string.h>

struct pass {
    const char *name;
    const char *invariant; /* what every candidate of it is, in a sentence */
    void (*run)(struct sonde_shrinker *s);
};

static const struct pass passes[] = {
    {"simplest", "every answer is 0", sonde_pass_simplest},
    {"delete rejected", "list elements that were taken back are gone, nothing else", sonde_pass_delete_rejected},
    {"shorten", "one sequence keeps only its first items", sonde_pass_shorten},
    {"lift", "a span gives way to a descendant of its label", sonde_pass_lift},
    {"empty spans", "the content of one span is answered by 0", sonde_pass_empty_spans},
    {"delete items", "a run of items of one sequence is gone, its length fits", sonde_pass_delete_items},
    {"zero runs", "a run of choices is 0, lengths kept", sonde_pass_zero_runs},
    {"lower equal", "numbers of one value are lowered to one value", sonde_pass_lower_equal},
    {"lower pairs", "two numbers, or all of a site, move by the same amount", sonde_pass_lower_pairs},
    {"lower", "one choice is lower", sonde_pass_lower},
    {"lower blobs", "one blob is shorter, or has lower symbols", sonde_pass_lower_blobs},
    {"delete indexed", "items are gone, and numbers that may point behind them follow", sonde_pass_delete_indexed},
    {"redistribute", "one number is lower, a later one higher: by as much, or at its end", sonde_pass_redistribute},
    {"merge", "one number takes the sum of two, the other is 0 or gone", sonde_pass_merge},
    {"join lists", "the elements of one list move to a later list of its label", sonde_pass_join_lists},
    {"sort", "siblings of one label change places", sonde_pass_sort},
    {"copy", "a span takes over the content of a simpler one of its label", sonde_pass_copy},
    {"delete ranked", "an element is gone, later ranks among the free ones rise by one", sonde_pass_delete_ranked},
    {"rename symbols", "one symbol is lower in all blobs", sonde_pass_rename_symbols},
    {"swap indexed", "numbers that may point at two neighbours change over", sonde_pass_swap_indexed},
    {"cut blobs", "a blob loses symbols in two places, or with what counts them", sonde_pass_cut_blobs},
    {"lower stubborn", "one number is lower, found by a whole search", sonde_pass_lower_stubborn},
    {"delete pairs", "two items of one sequence are gone", sonde_pass_delete_pairs},
    {"delete and move", "a part is gone, and an earlier number moves by one", sonde_pass_delete_and_move},
};
enum { N_PASSES = sizeof passes / sizeof *passes };

/* What a pass did lately; both fade by half with each of its runs. */
struct account {
    double earned, calls;
    uint64_t failed_at; /* generation + 1 on which it found nothing */
};

/* ---- One candidate */

static void accept(struct sonde_shrinker *s)
{
    sonde_tape_swap(&s->best, &s->actual);
    s->generation++;
    if (s->test->better) s->test->better(s->test->user, &s->best);
}

bool sonde_try(struct sonde_shrinker *s, const struct sonde_tape *script)
{
    const struct sonde_shrink_test *t = s->test;
    if (s->stopped || sonde_tape_compare(script, &s->best) >= 0) return false;
    if (sonde_known_has(s->known, script)) {
        s->result.saved++;
        return false;
    }
    if ((t->max_calls && s->result.calls >= t->max_calls) || (t->enough && t->enough(t->user))) {
        s->stopped = true;
        return false;
    }
    s->actual.n_choices = s->actual.n_spans = s->actual.n_bytes = 0;
    s->result.calls++;
    bool fails = t->fails(t->user, script, &s->actual);
    sonde_known_add(s->known, script, &s->actual);
    if (!fails || sonde_tape_compare(&s->actual, &s->best) >= 0) return false;
    accept(s);
    return true;
}

/* ---- The fixpoint */

static double earnings(const struct account *a)
{
    return (a->earned + 1) / (a->calls + 1);
}

/* Stable: on equal earnings the table's order holds. */
static void sort_by_earnings(const struct account *accounts, unsigned *order)
{
    for (unsigned i = 1; i < N_PASSES; i++) {
        unsigned pass = order[i], j = i;
        for (; j > 0 && earnings(&accounts[order[j - 1]]) < earnings(&accounts[pass]); j--) order[j] = order[j - 1];
        order[j] = pass;
    }
}

static bool run_pass(struct sonde_shrinker *s, const struct pass *pass, struct account *account)
{
    uint64_t calls = s->result.calls, generation = s->generation;
    pass->run(s);
    account->earned = account->earned / 2 + (double)(s->generation - generation);
    account->calls = account->calls / 2 + (double)(s->result.calls - calls);
    bool improved = s->generation != generation;
#ifdef SHRINK_DEBUG
    fprintf(stderr, "      -- %s: %d calls, %d better\n", pass->name, (int)(s->result.calls - calls), (int)(s->generation - generation));
#endif
    if (!improved && !s->stopped) account->failed_at = generation + 1;
    return improved;
}

static void fixpoint(struct sonde_shrinker *s)
{
    struct account accounts[N_PASSES];
    unsigned order[N_PASSES];
    memset(accounts, 0, sizeof accounts);
    for (unsigned i = 0; i < N_PASSES; i++) order[i] = i;
    s->is_first_round = true;
    for (bool improved = true; improved && !s->stopped;) {
        improved = s->is_first_round;
        for (unsigned i = 0; i < N_PASSES && !s->stopped; i++) {
            struct account *account = &accounts[order[i]];
            if (account->failed_at == s->generation + 1) continue;
            if (run_pass(s, &passes[order[i]], account)) improved = true;
            if (s->is_first_round) account->failed_at = 0;
        }
        s->is_first_round = false;
        sort_by_earnings(accounts, order);
    }
}

struct sonde_shrink_result sonde_shrink(struct sonde_tape *best, const struct sonde_shrink_test *test)
{
    struct sonde_shrinker s;
    memset(&s, 0, sizeof s);
    s.test = test;
    s.known = sonde_known_create();
    s.settled = sonde_calloc(SONDE_SETTLED, sizeof *s.settled);
    sonde_tape_copy(&s.best, best);
    sonde_known_add(s.known, &s.best, &s.best);
    fixpoint(&s);
    s.result.complete = !s.stopped;
    sonde_tape_copy(best, &s.best);
    sonde_tape_clear(&s.best);
    sonde_tape_clear(&s.script);
    sonde_tape_clear(&s.actual);
    sonde_known_free(s.known);
    sonde_free(s.dropped);
    sonde_free(s.shift);
    sonde_free(s.order_span);
    sonde_free(s.seqs);
    sonde_free(s.pieces);
    sonde_free(s.starts);
    sonde_free(s.settled);
    sonde_free(s.symbols);
    return s.result;
}
