/* What the passes of the shrinker share: the best tape so far, a script being edited, and one way to try it.
 *
 * A pass looks at `best`, edits `script` (a copy of it) and calls sonde_edit_try. That answers true only when the
 * property failed in the same way on a smaller tape, which by then is `best`: every index a pass holds into it is stale
 * from there on and must be checked against the new bounds.
 *
 * The form of a pass:
 *
 *     for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) {
 *         if (!worth_trying(&s->best, i)) continue;    it costs a run of the property
 *         sonde_edit_begin(s);                         script = best
 *         sonde_edit_set(s, i, something_lower);       any number of edits, by indices of best
 *         if (sonde_edit_try(s)) continue;             best is another tape now: look everything up again
 *     }
 *
 * A new pass is a function in the file of its kind, a declaration below, a row in the table of driver.c with
 * the sentence that is true of all its candidates, and a line in docs/shrinking.md. Candidates that are not
 * smaller than best are refused without a run, and so are those whose run is known, so a pass may propose
 * freely; what it costs is counted, and a pass that earns nothing is asked ever less often. */
#ifndef SONDE_SHRINK_PASS_H
#define SONDE_SHRINK_PASS_H

#include "base/wide.h"
#include "shrink/shrink.h"

struct sonde_known; /* runs that are remembered: known.c */

/* A sequence: items that follow one another in a span. Three kinds: the elements of a list; a loop whose count user code
 * drew first (a number that equals how often some labels follow it); a loop without a count (what repeats from one
 * occurrence of a label to the next). Item i consists of the pieces [starts[first + i], starts[first + i + 1]). */
struct sonde_seq {
    enum { SONDE_SEQ_LIST, SONDE_SEQ_COUNTED, SONDE_SEQ_FREE } kind;
    uint32_t owner;  /* the span that directly holds the items */
    uint32_t length; /* choice, or UINT32_MAX */
    uint32_t n;      /* items */
    uint32_t first;  /* into shrinker.starts */
};
#define SONDE_PIECE_SPAN UINT32_C(0x80000000) /* a span; else a choice */

enum { SONDE_MARKS = 4096 };
enum { SONDE_MENDS = 64 }; /* calls in vain that end mending */

/* One per sonde_shrink, on its stack. Invariants: the property fails on `best`; `generation` counts how
 * often `best` was replaced; seqs, pieces and starts describe `best` if seqs_generation == generation +
 * 1; `dropped` belongs to `script` from sonde_edit_begin to sonde_edit_try. */
struct sonde_shrinker {
    const struct sonde_shrink_test *test;
    struct sonde_shrink_result result;
    struct sonde_tape best, script, actual;
    struct sonde_known *known;
    uint64_t generation;   /* improvements so far */
    uint32_t tried_length; /* choices of the last run, or of the remembered one in its place; UINT32_MAX: unknown */
    uint64_t left_out;     /* generation + 1 on which a limit left candidates untried */
    uint32_t vain;         /* calls without an improvement, since the pass began */
    bool stopped;          /* by a bound */
    bool is_too_large;     /* which is our own */
    bool discards;         /* a precondition ended some run, as far as anyone knows */
    bool was_run;          /* the script last tried: its outcome was not known */
    uint32_t mends_left;   /* calls in vain before mending ends */
    bool is_first_round;   /* what is better done on small values may wait */

    uint8_t *dropped; /* of the script: per choice, then per span */
    uint32_t dropped_cap;
    bool has_drops;
    uint32_t *shift; /* scratch of compaction: kept ones before each choice, then before each span */
    uint32_t shift_cap;
    uint32_t *order_span; /* scratch of rearranging: new places of spans */
    uint32_t order_span_cap;

    struct sonde_seq *seqs; /* of best, made by sonde_seqs */
    uint32_t n_seqs, cap_seqs;
    uint32_t *pieces, *starts;
    uint32_t n_pieces, cap_pieces, n_starts, cap_starts;
    uint64_t seqs_generation;

    uint64_t *marks;   /* on values, direct-mapped: see sonde_mark */
    uint32_t *symbols; /* scratch of blobs */
    uint32_t symbols_cap;
};

/* ---- Editing (edit.c). Copies `best` to `script` and clears all marks. */
void sonde_edit_begin(struct sonde_shrinker *s);
/* Of the script, by indices of the best tape: nothing has moved yet. */
void sonde_edit_set(struct sonde_shrinker *s, uint32_t choice, uint64_t index);
/* Index 0; of a blob the shortest, of symbols 0. */
void sonde_edit_simplest(struct sonde_shrinker *s, uint32_t choice);
void sonde_edit_drop_choice(struct sonde_shrinker *s, uint32_t choice);
/* With its list's length, if it is an element. */
void sonde_edit_drop_span(struct sonde_shrinker *s, uint32_t span);
/* Its content only: what is missing is answered by the simplest values. */
void sonde_edit_empty_span(struct sonde_shrinker *s, uint32_t span);
/* `symbols` may be NULL for zeros; `len` is at least the blob's minimum. */
void sonde_edit_blob(struct sonde_shrinker *s, uint32_t choice, const uint32_t *symbols, uint32_t len);
/* Puts sibling spans into another order: the place of spans[i] is taken by spans[order[i]]. They are children of one
 * parent, ascending. Before any drop. */
void sonde_edit_permute(struct sonde_shrinker *s, const uint32_t *spans, const uint32_t *order, uint32_t n);
/* Moves all elements of list `a` to the front of list `b`, which comes later. Before any drop. */
void sonde_edit_move_elements(struct sonde_shrinker *s, uint32_t a, uint32_t b);
/* Runs the script unless its outcome is known; true if it became the best. */
bool sonde_edit_try(struct sonde_shrinker *s);
bool sonde_try(struct sonde_shrinker *s, const struct sonde_tape *script);
/* Tries the best tape with one choice, or one number, lower; false also if there is no such choice, or it would not be lower. */
bool sonde_try_index(struct sonde_shrinker *s, uint32_t choice, uint64_t index);
bool sonde_try_number(struct sonde_shrinker *s, uint32_t choice, sonde_wide value);
/* The same, and nothing is mended. */
bool sonde_try_once(struct sonde_shrinker *s, const struct sonde_tape *script);
/* After a run that did not help: sets numbers of it to what the code compared them with (mend.c). True if that became the
 * best. Edits s->script. */
bool sonde_mend(struct sonde_shrinker *s);

/* Notes that a limit left something untried on the best tape. */
static inline void sonde_leave_out(struct sonde_shrinker *s)
{
    s->left_out = s->generation + 1;
}
/* To give up? After so many calls in vain a pass does, unless the caller has set a bound; what it leaves out is noted. */
static inline bool sonde_is_tired(struct sonde_shrinker *s, uint32_t most)
{
    bool is_tired = s->vain >= most && !s->test->max_calls;
    if (is_tired) sonde_leave_out(s);
    return s->stopped || is_tired;
}

/* ---- Looking (seq.c). Finds the sequences of `best`; costs nothing if it has not changed since the
 * last call. Linear in the tape but for spans with many labels. */
void sonde_seqs(struct sonde_shrinker *s);
/* Marks items [from, to) of a sequence for dropping and lowers its length. */
void sonde_edit_drop_items(struct sonde_shrinker *s, const struct sonde_seq *seq, uint32_t from, uint32_t to);

/* ---- Numbers (number.c). The integer that a choice stands for; false for doubles, blobs, booleans and lengths of lists. */
bool sonde_number(const struct sonde_tape *tape, uint32_t choice, sonde_wide *value);
/* False if the value is outside of the domain. */
bool sonde_number_index(const struct sonde_tape *tape, uint32_t choice, sonde_wide value, uint64_t *index);
/* The least and the greatest integer of its domain. */
void sonde_number_range(const struct sonde_tape *tape, uint32_t choice, sonde_wide *lo, sonde_wide *hi);
/* The same for numbers to calculate with. Doubles count by their whole part, and the fraction stays what it is; weighted
 * alternatives are no amounts. False also where there is nothing to choose, or no such choice. */
bool sonde_amount(const struct sonde_tape *tape, uint32_t choice, sonde_wide *value);
void sonde_amount_range(const struct sonde_tape *tape, uint32_t choice, sonde_wide *lo, sonde_wide *hi);
/* False, and nothing is changed, if the value does not fit. */
bool sonde_edit_amount(struct sonde_shrinker *s, uint32_t choice, sonde_wide value);

/* ---- Searching (search.c): the least m in [0, m] for which a probe holds, m itself being known to hold. Exact if
 * probes are monotone; about log(result) + log log(m) probes. */
struct sonde_probe {
    bool (*holds)(struct sonde_shrinker *s, struct sonde_probe *probe, uint64_t m);
    uint64_t guess; /* tried right after 0; 0: none */
    bool cautious;  /* look next to m first, and give up where that fails */
    bool sparse;    /* give up where no power of two holds */
    const void *more;
    uint32_t a, b;
    sonde_wide x, y;
};
uint64_t sonde_least(struct sonde_shrinker *s, struct sonde_probe *probe, uint64_t m);
/* ---- What is known of values (search.c): marks on the value that a choice has now, for all choices of its site. */
enum sonde_mark {
    SONDE_MARK_SETTLED,  /* a search ended at it, so that it is not searched again */
    SONDE_MARK_STUBBORN, /* no search leads away from it */
    SONDE_MARK_STEPPED,  /* nor do steps */
    SONDE_MARK_BITS,     /* nor does taking off a power of two */
    SONDE_MARK_APART     /* the first that no other of its site had: what matters is that they differ */
};
void sonde_mark(struct sonde_shrinker *s, uint32_t choice, enum sonde_mark mark);
bool sonde_is_marked(struct sonde_shrinker *s, uint32_t choice, enum sonde_mark mark);

/* ---- Memory of runs (known.c). */
struct sonde_known *sonde_known_create(void);
void sonde_known_free(struct sonde_known *known);
/* True if running the script would repeat a run that is remembered; *length is its number of choices, UINT32_MAX if only
 * the script is remembered. */
bool sonde_known_has(struct sonde_known *known, const struct sonde_tape *script, uint32_t *length);
/* Remembers the run of the script that was last asked about. */
void sonde_known_add(struct sonde_known *known, const struct sonde_tape *actual);

/* ---- The passes, by file. Each is run by driver.c, whose table says what every candidate of it is. A
 * pass leaves the best tape as it is or smaller, returns soon once s->stopped is set, and says so by
 * sonde_leave_out where a limit of its own keeps it from trying something. */
void sonde_pass_simplest(struct sonde_shrinker *s);
void sonde_pass_shorten(struct sonde_shrinker *s);
void sonde_pass_delete_items(struct sonde_shrinker *s);
void sonde_pass_delete_rejected(struct sonde_shrinker *s);
void sonde_pass_delete_pairs(struct sonde_shrinker *s);
void sonde_pass_delete_alike(struct sonde_shrinker *s);
void sonde_pass_delete_alike_late(struct sonde_shrinker *s);

void sonde_pass_lower_bits(struct sonde_shrinker *s);

void sonde_pass_lift(struct sonde_shrinker *s);
void sonde_pass_empty_spans(struct sonde_shrinker *s);
void sonde_pass_sort(struct sonde_shrinker *s);
void sonde_pass_swap_blocks(struct sonde_shrinker *s);
void sonde_pass_swap_parts(struct sonde_shrinker *s);
void sonde_pass_join_lists(struct sonde_shrinker *s);
void sonde_pass_copy(struct sonde_shrinker *s);
void sonde_pass_absorb(struct sonde_shrinker *s);
void sonde_pass_lift_indexed(struct sonde_shrinker *s);
void sonde_pass_rotate(struct sonde_shrinker *s);

void sonde_pass_zero_runs(struct sonde_shrinker *s);
void sonde_pass_lower(struct sonde_shrinker *s);
void sonde_pass_lower_stubborn(struct sonde_shrinker *s);
void sonde_pass_lower_by_steps(struct sonde_shrinker *s);
void sonde_pass_lower_blobs(struct sonde_shrinker *s);
void sonde_pass_rename_symbols(struct sonde_shrinker *s);
void sonde_pass_two_symbols(struct sonde_shrinker *s);
void sonde_pass_cut_blobs(struct sonde_shrinker *s);

void sonde_pass_lower_equal(struct sonde_shrinker *s);
void sonde_pass_lower_pairs(struct sonde_shrinker *s);
void sonde_pass_redistribute(struct sonde_shrinker *s);
void sonde_pass_merge(struct sonde_shrinker *s);
void sonde_pass_shift_doubles(struct sonde_shrinker *s);
void sonde_pass_scale(struct sonde_shrinker *s);
void sonde_pass_trade(struct sonde_shrinker *s);
void sonde_pass_rename(struct sonde_shrinker *s);
void sonde_pass_make_up(struct sonde_shrinker *s);
void sonde_pass_swap_indexed(struct sonde_shrinker *s);
void sonde_pass_delete_indexed(struct sonde_shrinker *s);
void sonde_pass_delete_ranked(struct sonde_shrinker *s);
void sonde_pass_delete_and_move(struct sonde_shrinker *s);

#endif
