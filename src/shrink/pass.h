/* State and functions that the passes of the shrinker share: the best tape so far, a script to edit, and one way to
 * try it.
 *
 * A pass reads `best`, edits `script` (a copy of `best`) and calls sonde_edit_try. That returns true only when the
 * property failed in the same way on a smaller tape, which has then become `best`. From then on every index that the
 * pass holds into `best` is stale and must be checked against the new bounds.
 *
 * The form of a pass:
 *
 *     for (uint32_t i = 0; i < s->best.n_choices && !s->stopped; i++) {
 *         if (!worth_trying(&s->best, i)) continue;    a try costs a run of the property
 *         sonde_edit_begin(s);                         script = best
 *         sonde_edit_set(s, i, something_lower);       any number of edits, by indices of best
 *         if (sonde_edit_try(s)) continue;             best is a different tape now: look everything up again
 *     }
 *
 * To add a pass: write a function in the file of its kind and declare it below. Add a row to the table of driver.c,
 * with an invariant that holds for all its candidates, and a line to docs/shrinking.md. Candidates that are not
 * smaller than `best`, and those whose run is known, are refused without a run, so a pass may propose freely. The
 * driver counts the calls of each pass, and runs a pass that finds nothing less and less often. */
#ifndef SONDE_SHRINK_PASS_H
#define SONDE_SHRINK_PASS_H

#include "base/wide.h"
#include "shrink/shrink.h"

struct sonde_known; /* remembered runs: known.c */

/* A sequence: items that follow one another in a span. There are three kinds:
 *   - LIST: the elements of a list;
 *   - COUNTED: a loop whose count user code drew first, that is, a number that equals how often some labels follow it;
 *   - FREE: a loop without a count; each item reaches from one occurrence of a label to the next.
 * Item i consists of the pieces [starts[first + i], starts[first + i + 1]). */
struct sonde_seq {
    enum { SONDE_SEQ_LIST, SONDE_SEQ_COUNTED, SONDE_SEQ_FREE } kind;
    uint32_t owner;  /* the span that directly holds the items */
    uint32_t length; /* index of the choice that holds the number of items; UINT32_MAX: none */
    uint32_t n;      /* number of items */
    uint32_t first;  /* index into `starts` of the shrinker */
};
#define SONDE_PIECE_SPAN UINT32_C(0x80000000) /* flag: the piece is a span; else it is a choice */

enum { SONDE_MARKS = 4096 };   /* number of slots in the table of marks; a collision only costs a repeated search */
enum { SONDE_EVIDENCE = 128 }; /* number of slots for evidence of searches */
enum { SONDE_LISTED = 32 };    /* if more candidates are left in the end, they are not tried */
enum { SONDE_MENDS = 64 };     /* mending ends after this many calls without success */

/* The evidence of a search about a number: which bits the property may look at. */
struct sonde_seen_bits {
    uint64_t key;       /* site and value, hashed */
    uint64_t common;    /* the bits that all failing numbers have */
    uint64_t passed[8]; /* the largest numbers that passed, descending; 0 where there are fewer */
};

/* The state of one sonde_shrink, on its stack. Invariants:
 *   - the property fails on `best`;
 *   - `generation` counts how often `best` was replaced;
 *   - seqs, pieces and starts describe `best` if seqs_generation == generation + 1;
 *   - `dropped` belongs to `script` from sonde_edit_begin to sonde_edit_try. */
struct sonde_shrinker {
    const struct sonde_shrink_test *test;
    struct sonde_shrink_result result;
    struct sonde_tape best, script, actual;
    struct sonde_known *known;
    uint64_t generation; /* number of improvements so far */
    /* number of choices of the last run, or of the remembered run in its place; UINT32_MAX: unknown */
    uint32_t tried_length;
    uint64_t left_out;             /* generation + 1 of the tape on which a candidate was last left untried; 0: never */
    uint32_t vain;                 /* number of calls since the last improvement, or since the pass began */
    bool stopped;                  /* a bound on calls or time was reached */
    bool is_too_large;             /* the bound was the shrinker's, not the caller's: see is_at_end in driver.c */
    bool discards;                 /* a precondition ended some run, or may have ended one */
    bool is_thorough;              /* passes ignore their limits on calls, and marks that only save calls */
    bool gave_up;                  /* a limit of a thorough run ended it */
    bool lists;                    /* candidates that were not run are listed, not run */
    uint64_t listed[SONDE_LISTED]; /* hashes of these candidates */
    uint32_t n_listed;
    uint32_t last_calls; /* number of calls left in a thorough run, if the caller has set no bound */
    uint32_t refused;    /* number of candidates that were refused without a run */
    uint64_t work;       /* choices of such candidates in a thorough run */
    bool was_run;        /* the last script was run; false: its outcome was known before */
    uint32_t mends_left; /* number of further calls without success after which mending ends */
    bool is_first_round; /* first round: passes may postpone work that is cheaper on small values */

    uint8_t *dropped; /* parts of the script to remove: one flag per choice, then one per span */
    uint32_t dropped_cap;
    bool has_drops;
    uint32_t *shift; /* scratch of compaction: number of choices kept before each choice; then the same for spans */
    uint32_t shift_cap;
    uint32_t *order_span; /* scratch of rearranging: new index of each span */
    uint32_t order_span_cap;

    struct sonde_seq *seqs; /* sequences of `best`, found by sonde_seqs */
    uint32_t n_seqs, cap_seqs;
    uint32_t *pieces, *starts;
    uint32_t n_pieces, cap_pieces, n_starts, cap_starts;
    uint64_t seqs_generation;

    uint64_t *marks;                                 /* hash table of marked values, without probing: see sonde_mark */
    struct sonde_seen_bits evidence[SONDE_EVIDENCE]; /* hash table, without probing */
    uint32_t *symbols;                               /* scratch for symbols of blobs */
    uint32_t symbols_cap;
};

/* Frees all that a shrinker owns. */
void sonde_shrinker_clear(struct sonde_shrinker *s);

/* ---- Editing (edit.c). All edits take indices of the best tape: nothing moves in the script before sonde_edit_try. */

/* Copies `best` to `script` and clears all marks. */
void sonde_edit_begin(struct sonde_shrinker *s);
/* Sets the index of one choice of the script. */
void sonde_edit_set(struct sonde_shrinker *s, uint32_t choice, uint64_t index);
/* Sets a choice to index 0; a blob gets its shortest length, with all symbols 0. */
void sonde_edit_simplest(struct sonde_shrinker *s, uint32_t choice);
/* Marks one choice for removal. */
void sonde_edit_drop_choice(struct sonde_shrinker *s, uint32_t choice);
/* Marks a span with its content for removal; if it is an element, lowers the length of its list. */
void sonde_edit_drop_span(struct sonde_shrinker *s, uint32_t span);
/* Marks only the content of a span for removal; its draws then get the simplest values. */
void sonde_edit_empty_span(struct sonde_shrinker *s, uint32_t span);
/* Replaces the symbols of a blob. `symbols` may be NULL for zeros; `len` is at least the blob's minimum. */
void sonde_edit_blob(struct sonde_shrinker *s, uint32_t choice, const uint32_t *symbols, uint32_t len);
/* Reorders sibling spans: spans[order[i]] moves to the position of spans[i]. The spans are children of one parent,
 * ascending. Call it before any drop. */
void sonde_edit_permute(struct sonde_shrinker *s, const uint32_t *spans, const uint32_t *order, uint32_t n);
/* Moves all elements of list `a` to the front of list `b`, which comes later. Call it before any drop. */
void sonde_edit_move_elements(struct sonde_shrinker *s, uint32_t a, uint32_t b);
/* Runs the edited script unless its outcome is known. Returns true if the recorded tape became the best. */
bool sonde_edit_try(struct sonde_shrinker *s);
/* Runs any script, in the same way as sonde_edit_try. */
bool sonde_try(struct sonde_shrinker *s, const struct sonde_tape *script);
/* Tries the best tape with a lower index for one choice. Returns false also if there is no such choice, or the index
 * is not lower. */
bool sonde_try_index(struct sonde_shrinker *s, uint32_t choice, uint64_t index);
/* Tries the best tape with one number replaced, as sonde_try_index; false also if the value is outside of the
 * domain. */
bool sonde_try_number(struct sonde_shrinker *s, uint32_t choice, sonde_wide value);
/* Tries a script as sonde_try does, but without mending. */
bool sonde_try_once(struct sonde_shrinker *s, const struct sonde_tape *script);
/* Gets the tape of a run whose outcome is known into `actual`; runs the script only if that tape is not remembered.
 * Returns false if there is none. */
bool sonde_rerun(struct sonde_shrinker *s, const struct sonde_tape *script);
/* Mends the last run, which did not help: sets a number in it to the number that the code compared it with (mend.c).
 * Returns true if such a tape became the best. Edits s->script. */
bool sonde_mend(struct sonde_shrinker *s);

/* Notes that candidates were left untried on the best tape. A pass calls it where a limit on the size of its work skips
 * candidates. Limits on calls need no note: see is_exhausted in driver.c. */
static inline void sonde_leave_out(struct sonde_shrinker *s)
{
    s->left_out = s->generation + 1;
}
/* Reports whether a limit on the number of tries is reached. A thorough run of a pass has no such limits. */
static inline bool sonde_is_past(const struct sonde_shrinker *s, uint64_t tried, uint64_t limit)
{
    return tried >= limit && !s->is_thorough;
}
/* Reports whether a pass must give up, after `most` calls without an improvement. */
static inline bool sonde_is_tired(const struct sonde_shrinker *s, uint32_t most)
{
    return s->stopped || sonde_is_past(s, s->vain, most);
}

/* ---- Sequences (seq.c). */

/* Finds the sequences of `best`; costs nothing if `best` has not changed since the last call. Linear in the tape,
 * except for spans with many labels. */
void sonde_seqs(struct sonde_shrinker *s);
/* Marks items [from, to) of a sequence for removal and lowers its length. */
void sonde_edit_drop_items(struct sonde_shrinker *s, const struct sonde_seq *seq, uint32_t from, uint32_t to);

/* ---- Numbers (number.c). */

/* Reads the integer that a choice represents. Returns false for doubles, blobs, booleans and lengths of lists. */
bool sonde_number(const struct sonde_tape *tape, uint32_t choice, sonde_wide *value);
/* Finds the index that represents a value. Returns false if the value is outside of the domain. */
bool sonde_number_index(const struct sonde_tape *tape, uint32_t choice, sonde_wide value, uint64_t *index);
/* Gets the least and the greatest integer of the domain. */
void sonde_number_range(const struct sonde_tape *tape, uint32_t choice, sonde_wide *lo, sonde_wide *hi);
/* Reads a number for arithmetic. Only the whole part of a double is read, and edits keep the fraction. Returns false
 * where sonde_number does, and for weighted alternatives, for a domain of one value, or if there is no such choice. */
bool sonde_amount(const struct sonde_tape *tape, uint32_t choice, sonde_wide *value);
/* Gets the least and the greatest amount of the domain. */
void sonde_amount_range(const struct sonde_tape *tape, uint32_t choice, sonde_wide *lo, sonde_wide *hi);
/* Sets an amount in the script. Returns false, and changes nothing, if the value does not fit. */
bool sonde_edit_amount(struct sonde_shrinker *s, uint32_t choice, sonde_wide value);

/* ---- Searching (search.c). */

/* A test of numbers m: does the property still fail with m? `more`, a, b, x and y are parameters of `holds`. */
struct sonde_probe {
    bool (*holds)(struct sonde_shrinker *s, struct sonde_probe *probe, uint64_t m);
    uint64_t guess; /* a number to try right after 0; 0: none */
    bool cautious;  /* try m - 1 first, and give up if m - 1 does not hold */
    bool sparse;    /* give up if no power of two holds */
    const void *more;
    uint32_t a, b;
    sonde_wide x, y;
    uint64_t offset; /* what m must be added to, to get the number that the property sees */
    struct sonde_seen_bits seen;
};
/* Returns the least number in [0, m] for which the probe holds, m itself being known to hold. Exact if probes are
 * monotone; takes about log(result) + log log(m) probes. */
uint64_t sonde_least(struct sonde_shrinker *s, struct sonde_probe *probe, uint64_t m);

/* Facts about the value that a choice has now (search.c). They hold for all choices of its site. */
enum sonde_mark {
    SONDE_MARK_SETTLED,  /* a search ended at this value, so it is not searched again */
    SONDE_MARK_STUBBORN, /* no search leads to a lower value */
    SONDE_MARK_STEPPED,  /* subtracting small steps does not lead to a lower value either */
    SONDE_MARK_BITS,     /* subtracting a power of two does not lead to a lower value either */
    SONDE_MARK_APART     /* the lowest value that no other choice of its site had: the values only need to differ */
};
/* Marks the present value of a choice. */
void sonde_mark(struct sonde_shrinker *s, uint32_t choice, enum sonde_mark mark);
/* Reports whether the present value of a choice has a mark. A mark may have been lost to a collision. In a thorough run
 * SONDE_MARK_STEPPED and SONDE_MARK_BITS do not count: the rest of the tape may have changed since. */
bool sonde_is_marked(struct sonde_shrinker *s, uint32_t choice, enum sonde_mark mark);

/* Keeps the evidence of a search that ended at the present value of a choice. */
void sonde_keep_evidence(struct sonde_shrinker *s, uint32_t choice, const struct sonde_probe *probe);
/* Returns the evidence about the present value of a choice; NULL if none is kept. */
const struct sonde_seen_bits *sonde_evidence_of(struct sonde_shrinker *s, uint32_t choice);
/* Reports whether the evidence is against the number `lower`. Another number, at least half of `number`, passed, and
 * `lower` has no more of the bits that failing numbers have in common. */
bool sonde_is_unlikely(const struct sonde_seen_bits *e, uint64_t number, uint64_t lower);

/* ---- Remembered runs (known.c). */

/* Returns an empty record of runs, which the caller frees with sonde_known_free. */
struct sonde_known *sonde_known_create(void);
/* Frees a record of runs. */
void sonde_known_free(struct sonde_known *known);
/* Returns true if running the script would repeat a remembered run. Sets *length to the number of choices of that run,
 * or to UINT32_MAX if only the script is remembered. */
bool sonde_known_has(struct sonde_known *known, const struct sonde_tape *script, uint32_t *length);
/* Returns the remembered run that the script of the last sonde_known_has would repeat; NULL if only the script is
 * remembered, or nothing. */
const struct sonde_tape *sonde_known_run(const struct sonde_known *known);
/* Returns a hash of the script that sonde_known_has was last called with. */
uint64_t sonde_known_asked(const struct sonde_known *known);
/* Returns the remembered runs, which the next sonde_known_add may move, and sets *n to their number. */
const struct sonde_tape *sonde_known_runs(const struct sonde_known *known, uint32_t *n);
/* Remembers the run of the script that sonde_known_has was last called with. */
void sonde_known_add(struct sonde_known *known, const struct sonde_tape *actual);

/* ---- The passes, by file. */

/* Tries candidates of one kind; the table of driver.c states what holds for all of them. A pass leaves the best tape
 * as it is or makes it smaller, and returns soon once s->stopped is set. It tests limits on its calls by sonde_is_past
 * and sonde_is_tired. Where another limit skips candidates, it calls sonde_leave_out. */
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
void sonde_pass_rewrap(struct sonde_shrinker *s);
void sonde_pass_relabel(struct sonde_shrinker *s);
void sonde_pass_replace(struct sonde_shrinker *s);
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
