/* sonde/extend.h - for authors of guides, feedbacks and reporters.
 *
 * This interface is versioned: SONDE_EXTEND_VERSION grows whenever a struct or a contract here changes. It declares the
 * tape (the choices of one execution), the interface between a case and its guide, and what a guide learns from. The
 * directories of src/ implement these interfaces; code that uses an interface does not name the implementation.
 *
 * How the parts fit together: a property draws choices from a case, and a guide chooses a value for each draw. A run
 * produces an observation. Feedback turns it into interest, which decides what the corpus keeps and what guides learn.
 * A failing tape goes to the shrinker, then to the report and the store.
 *
 * Ownership: a tape, a target and memory of sonde_malloc belong to the caller that made them. Arguments are borrowed
 * for the call unless a comment says that they are kept.
 *
 * Errors: arguments are not checked, except by the functions that register. If memory runs out, the run ends with an
 * error message. */
#ifndef SONDE_EXTEND_H
#define SONDE_EXTEND_H

#include <sonde.h>

/* Version of this interface. Each version added:
 * - 2: save, load and shares of guides; struct sonde_outlook
 * - 3: knobs; registration of custom guides and reporters
 * - 4: kept tapes
 * - 5: the thread schedule of a failure
 * - 6: struct sonde_insight; the input of a failure before shrinking
 * - 7: explanations of failures
 * - 8: a sample of the inputs
 * - 9: the comparisons that the condition of an assume makes
 * - 10: the phase of the run that found a failure outside the search; stored failures that cannot be judged
 * - 11: the log of comparisons of a case; blockers
 * - 12: both sides of a comparison in the condition of an assume
 * - 13: comparisons of strings in the log of a case
 * - 14: changed lines; failures in the base of a change
 * - 15: failures whose smaller inputs do not fail each time; blockers that are not known */
#define SONDE_EXTEND_VERSION 15

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The tape --------------------------------------------------------------------------------------------------
 *
 * The record of the choices that one execution made, and a tree of labelled spans over them. Each choice is a
 * *point* (site, label, kind, domain) and an *index* into its domain [0, max]. Index 0 is the simplest value. The
 * kind defines how an index maps to a value (tape/order.h). */

/* Kinds of choices. The comments say how the members `base` and `index` of struct sonde_choice give the value. */
enum sonde_kind {
    SONDE_KIND_INT,      /* int64; base = lowest value; indices count from the bound nearest 0, or zigzag around 0 */
    SONDE_KIND_UINT,     /* uint64; base = lowest value; value = base + index */
    SONDE_KIND_BOOL,     /* index = value */
    SONDE_KIND_CHANCE,   /* bool; base = bits of the double p */
    SONDE_KIND_PICK,     /* one of max + 1 alternatives; index = value */
    SONDE_KIND_WEIGHTED, /* like PICK, with weights; only the view of a draw in progress holds the weights */
    SONDE_KIND_DOUBLE,   /* double; base = offset of its two bounds in the tape's bytes */
    SONDE_KIND_BLOB,     /* base = offset of the blob's record in the tape's bytes; index = length - least length */
    SONDE_KIND_LENGTH,   /* length of a list; base = least length */
    SONDE_KIND_SIZE,     /* the size of the case, at a reserved site */
    SONDE_KIND_LITERAL,  /* in scripts only: a value that is written as a string (src/tape) */
    SONDE_KIND_COUNT
};

/* Flags of a choice, as bits. */
enum sonde_choice_flag {
    SONDE_CHOICE_HOLE = 1,   /* in scripts: the choice has no value; ask the guide */
    SONDE_CHOICE_FORCED = 2, /* the domain has one value: nothing was chosen */
    SONDE_CHOICE_OPEN = 4,   /* a length without a limit: geometric with mean 8, unless the guide knows better */
    SONDE_CHOICE_TURNED = 8, /* in scripts: the choice has another alternative now, so the span right after it is new */
    /* internal, not shown as a value: the rule of a machine's call, or how rules or faults are drawn */
    SONDE_CHOICE_RULE = 16
};

/* One choice: the point, and the index that was taken. */
struct sonde_choice {
    uint64_t index;
    uint64_t max;
    uint64_t base;
    uint32_t site;  /* one hash of three things: label, kind, and the label of the innermost open span */
    uint32_t label; /* id of the label: a hash of its string */
    uint32_t span;  /* index of the innermost open span */
    uint8_t kind;   /* enum sonde_kind */
    uint8_t flags;  /* enum sonde_choice_flag */
    uint16_t state; /* hash of the last sonde_state, 0 if there was none; not compared, not stored */
};

/* Flags of a span, as bits. */
enum sonde_span_flag {
    SONDE_SPAN_LIST = 1,     /* holds a length choice and elements */
    SONDE_SPAN_ELEMENT = 2,  /* an element of the list that is its parent */
    SONDE_SPAN_REJECTED = 4, /* an element that was rejected */
    SONDE_SPAN_HOLE = 8,     /* in scripts: draw the whole content of the span again */
    /* in scripts: the span may lack draws, which are then free. On span 0 of a run: the property did not return */
    SONDE_SPAN_FREE = 16,
    SONDE_SPAN_CALL = 32 /* a call of a machine, an element of its list; the label is the name of the rule */
};

/* A span of choices. Spans are sorted by when they opened, so the descendants of a span directly follow it: they are
 * the indices in [its index + 1, next). Span 0 is the whole case. */
struct sonde_tape_span {
    uint32_t label;
    uint32_t parent; /* index of the parent; span 0 is its own parent */
    uint32_t start;  /* the span holds the choices [start, end) */
    uint32_t end;
    uint32_t next; /* index of the first span after the descendants of this one */
    /* hash of the labels and kinds inside, without values: spans of equal shape can exchange contents */
    uint32_t shape;
    uint32_t flags; /* enum sonde_span_flag */
    uint32_t depth;
};

/* A tape, or a script. Choices and spans are in the order in which they were made. Of the cap_x elements of an array,
 * n_x are in use. */
struct sonde_tape {
    struct sonde_choice *choices;
    struct sonde_tape_span *spans;
    uint8_t *bytes; /* side buffer: contents of blobs, bounds of doubles, alphabets, literals */
    uint32_t n_choices, cap_choices;
    uint32_t n_spans, cap_spans;
    uint32_t n_bytes, cap_bytes;
};

/* A script is a tape that is followed by labels instead of by position. Opening a span enters its next unused child
 * with that label. A draw takes the next unused choice of its label within the span. The guide chooses values that
 * are missing or marked as holes. A value outside the domain of the draw is folded into it. */

/* ---- Tapes for guides. A tape owns memory of the shared heap (below). Tapes passed to a guide are borrowed for the
 * call: copy them to keep them. */

/* Initialises an empty tape. */
SONDE_API void sonde_tape_init(struct sonde_tape *tape);
/* Frees the memory of a tape, which is empty afterwards. */
SONDE_API void sonde_tape_clear(struct sonde_tape *tape);
/* Copies `from` over the contents of `to`, which must be initialised. */
SONDE_API void sonde_tape_copy(struct sonde_tape *to, const struct sonde_tape *from);
/* Exchanges two tapes without copying. */
SONDE_API void sonde_tape_swap(struct sonde_tape *a, struct sonde_tape *b);
/* Closes open spans and computes the shapes. Call it once on a copy of a run's tape before you edit the copy. */
SONDE_API void sonde_tape_end(struct sonde_tape *tape);
/* Returns the bytes of memory that the contents of a tape take. */
static inline size_t sonde_tape_bytes(const struct sonde_tape *tape)
{
    return tape->n_choices * sizeof *tape->choices + tape->n_spans * sizeof *tape->spans + tape->n_bytes;
}

/* Scripts are made by copying parts of tapes; `to` must be a different tape from the sources. */

/* Copies `from` without these spans (sorted, disjoint). List lengths are lowered by the number of removed elements. */
SONDE_API void sonde_script_without(struct sonde_tape *to, const struct sonde_tape *from, const uint32_t *spans,
                                    uint32_t n);
/* Copies `from` with span `at` replaced by span `by` of tape `other` (which may be `from`). The new span gets the label
 * and position of `at`. */
SONDE_API void sonde_script_replace(struct sonde_tape *to, const struct sonde_tape *from, uint32_t at,
                                    const struct sonde_tape *other, uint32_t by);
/* Adds `by` to a numeric choice, exactly for integers. The result is clamped to the domain. */
SONDE_API void sonde_choice_move(struct sonde_tape *tape, uint32_t choice, double by);
/* Returns the index of the length choice of a list span, or UINT32_MAX if it has none. */
SONDE_API uint32_t sonde_list_length(const struct sonde_tape *tape, uint32_t list);

/* Meaning of the symbols of a blob. Symbol 0 is the simplest. */
enum sonde_alphabet_kind {
    SONDE_ALPHABET_BYTES,     /* symbol = byte */
    SONDE_ALPHABET_PRINTABLE, /* a..z A..Z 0..9 space punctuation */
    SONDE_ALPHABET_UTF8,      /* the symbols of PRINTABLE, then every other code point except NUL and surrogates */
    SONDE_ALPHABET_CUSTOM     /* the characters of a UTF-8 string */
};

/* The symbols of which a blob may consist. */
struct sonde_alphabet {
    enum sonde_alphabet_kind kind;
    uint32_t size;    /* number of symbols */
    const char *text; /* the characters of a CUSTOM alphabet */
};

/* The content of a BLOB choice. Its symbols are borrowed from the tape's bytes. */
struct sonde_blob {
    struct sonde_alphabet alphabet;
    uint32_t min, max;      /* allowed lengths */
    uint32_t len;           /* length in symbols */
    const uint8_t *symbols; /* len symbols of equal width in bytes, low byte first */
};
/* Returns the content of a BLOB choice. */
SONDE_API struct sonde_blob sonde_choice_blob(const struct sonde_tape *tape, const struct sonde_choice *choice);
/* Returns symbol i, which must be below len. */
SONDE_API uint32_t sonde_blob_symbol(const struct sonde_blob *blob, uint32_t i);

/* ---- Memory of guides. The memory of a guide must outlive a crash of the code under test. So it lives in a heap
 * that all processes of a run share. Allocate everything here, and hold no pointers to other memory except
 * constants. None of these functions returns NULL: if memory runs out, the run ends with an error message. */

/* Returns uninitialised memory; the caller frees it with sonde_free. */
SONDE_API void *sonde_malloc(size_t size);
/* Returns zeroed memory for n elements; the caller frees it with sonde_free. */
SONDE_API void *sonde_calloc(size_t n, size_t size);
/* Resizes a block, which may move; returns it. With NULL, returns a new block. */
SONDE_API void *sonde_realloc(void *old, size_t size);
/* Frees a block; NULL is allowed. */
SONDE_API void sonde_free(void *p);

/* ---- Randomness ------------------------------------------------------------------------------------------------
 * wyrand (Wang Yi) with other constants. The state is a counter. A number is the xor of the halves
 * of a 64x64-bit product. Each guide owns one stream; nothing else in sonde is random. */

struct sonde_rng {
    uint64_t s;
};

/* Seeds one of several independent streams. */
SONDE_API void sonde_rng_seed(struct sonde_rng *rng, uint64_t seed, uint64_t stream);

/* Returns the high half of a 64x64-bit product; stores the low half in *low. */
static inline uint64_t sonde_multiply(uint64_t a, uint64_t b, uint64_t *low)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    *low = a * b;
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

/* Returns the last number of the stream. */
static inline uint64_t sonde_rng_last(const struct sonde_rng *rng)
{
    uint64_t low, high = sonde_multiply(rng->s, rng->s ^ UINT64_C(0xd6e8feb86659fd93), &low);
    return high ^ low;
}

/* Returns the next 64 random bits of the stream. */
static inline uint64_t sonde_rng_next(struct sonde_rng *rng)
{
    rng->s += UINT64_C(0x9e3779b97f4a7c15);
    return sonde_rng_last(rng);
}

/* Returns 64 random bits mapped to [0, max] by multiply-shift. Probabilities differ by at most max / 2^64. */
static inline uint64_t sonde_rng_scale(uint64_t x, uint64_t max)
{
    uint64_t low;
    return max == UINT64_MAX ? x : sonde_multiply(x, max + 1, &low);
}

/* Returns a uniform number in [0, max] (Lemire, Fast Random Integer Generation in an Interval, 2019). The rare
 * numbers that would bias the result are drawn again, out of line. */
SONDE_API uint64_t sonde_rng_upto_(struct sonde_rng *rng, uint64_t max);
static inline uint64_t sonde_rng_upto(struct sonde_rng *rng, uint64_t max)
{
    uint64_t low, high = sonde_multiply(sonde_rng_next(rng), max + 1, &low);
    return __builtin_expect(low <= max, 0) ? sonde_rng_upto_(rng, max) : high;
}

/* Returns a number in [0, 1). */
static inline double sonde_rng_unit(struct sonde_rng *rng)
{
    return (double)(sonde_rng_next(rng) >> 11) * 1.1102230246251565e-16 /* 2^-53 */;
}

/* ---- Results of a run ------------------------------------------------------------------------------------------*/

/* How a case ended. */
enum sonde_verdict {
    SONDE_VALID,     /* the case ran to its end */
    SONDE_DISCARDED, /* an assume did not hold */
    SONDE_FAILED,    /* a check did not hold */
    SONDE_OVERRUN,   /* the case needed more choices or memory than allowed */
    SONDE_MISUSE     /* the property used sonde wrongly; sonde stops running it */
};

/* A value that a case gave to sonde_target, with the id of its label. */
struct sonde_target_value {
    uint32_t label;
    double value;
};

enum sonde_feature_kind { SONDE_FEATURE_COUNTER, SONDE_FEATURE_COMPARISON };

/* One thing that the code under test did: it hit a counter a number of times, or compared two numbers that have some
 * distance. Ids are dense and keep their meaning for the whole run of a property. */
struct sonde_feature {
    uint32_t id;
    uint8_t value; /* number of hits, at most 255; for a comparison, the same as `mark` */
    /* class of the value, 0..63. Counters: exact below 32, then 8 classes per doubling. Comparisons: 0 if equal,
     * and more with the distance */
    uint8_t mark;
    uint8_t kind; /* enum sonde_feature_kind */
    uint8_t reserved;
};

/* Two unequal numbers that the code compared. One of them may be what an input lacks. */
struct sonde_hint {
    uint64_t a, b;
    uint32_t bytes; /* width of each number in bytes: 1, 2, 4 or 8 */
    uint32_t id;    /* id of the comparison */
};

/* A string, or its beginning, that the code compared with an unequal string. An array holds pairs: the first string
 * was compared with the second, the third with the fourth. One string of a pair may be empty. */
struct sonde_hint_text {
    const char *text;
    size_t n;
};

/* The code that compared two numbers. */
enum sonde_comparison_kind {
    SONDE_COMPARISON_BRANCH,
    SONDE_COMPARISON_SWITCH, /* a value and the constant of one of its cases; each case has its own id */
    SONDE_COMPARISON_ASSUME, /* a comparison in a function that the condition of an assume calls (sonde cc) */
    SONDE_COMPARISON_TEXT    /* eight bytes of two strings as numbers, the first byte highest */
};

/* A comparison of two numbers, as a member of the log of a case (SONDE_WANT_COMPARISONS). */
struct sonde_comparison {
    uint64_t a, b; /* integers are sign-extended; doubles are bits with the order of the numbers */
    uint32_t id;   /* id of the feature */
    uint16_t nth;  /* number of earlier comparisons with this id in the same case */
    uint8_t bytes; /* width of each side in bytes: 1, 2, 4 or 8; 0: doubles */
    uint8_t kind;  /* enum sonde_comparison_kind */
    bool is_near;  /* it is in a function that inputs are to reach, or that has the line (--goal) */
};

/* Activity of the instrumented code in one run. Features that change when the same tape runs again are left out. */
struct sonde_coverage_view {
    const struct sonde_feature *features; /* features with hits */
    size_t n_features;
    uint32_t n_ids;    /* every id so far is below this number */
    uint32_t n_edges;  /* number of counters that were hit */
    uint64_t edges;    /* hash of the set of counters that were hit: the niche of the run */
    uint64_t trace;    /* hash of the same counters, including hit counts */
    uint64_t executed; /* sum of the counters: the cost of the run */
    bool compared;     /* comparisons were recorded from the start, in the fields below and as features */
    const struct sonde_hint *hints;
    size_t n_hints;
    const struct sonde_hint_text *texts;
    size_t n_texts;
    /* comparisons in the order of execution, if a guide wants them; limited: later ones are not recorded */
    const struct sonde_comparison *log;
    size_t n_log;
};

/* A comparison in the condition of an assume: an == in the condition, or any comparison in a function that it calls
 * (sonde cc). */
struct sonde_compared {
    uint64_t place;  /* opaque number of the location in the program, constant within a process */
    double by;       /* first side minus second side */
    uint64_t a, b;   /* the sides, if they are integers; as in struct sonde_comparison */
    uint32_t call;   /* number, within this case, of the relation or called function that compared */
    uint32_t assume; /* index of the assume in `distances`; UINT32_MAX: the comparison is only a part of a condition */
    uint8_t bytes;   /* width of each side in bytes; 0: doubles */
};

/* The facts about one run that guides and feedback get. Arrays are borrowed for the call. */
struct sonde_observation {
    enum sonde_verdict verdict;
    uint32_t assumes_passed; /* number of assumes that held before the case ended or an assume failed */
    /* distance of the failed assume, < 0: closer to 0 is closer to holding. -1: distance unknown. 0: none failed */
    double assume_distance;
    uint32_t assume_held; /* number of parts of the failed conjunction (&&) that held */
    /* distances of the assumes, in order, the failed one last. >= 0: it held. 1 or -1: the distance is unknown */
    const double *distances;
    size_t n_distances;                    /* limited: distances of later assumes are not recorded */
    const struct sonde_compared *compared; /* in the order of execution */
    size_t n_compared;                     /* limited: of the later comparisons only the last one is recorded */
    const struct sonde_target_value *targets;
    size_t n_targets;
    bool are_margins;  /* the targets are distances of checks from failing, negated (SONDE_WANT_MARGINS) */
    uint64_t identity; /* hash of the choices, or the number given to sonde_characteristic */
    uint64_t cost;     /* number of choices made and edges executed: the clock of the guides */
    const struct sonde_coverage_view *coverage; /* NULL if no code is instrumented */
};

/* Why a run is worth remembering: bits of sonde_interest.reasons. The WANT bits are requests in a guide's `wants`. */
enum sonde_reason {
    SONDE_WANT_SHAPES = 1 << 16,  /* compute the shapes of spans */
    SONDE_WANT_MARGINS = 1 << 17, /* checks report how far they are from failing, where the build allows it */
    /* replace a choice that would only repeat a case that was already run */
    SONDE_WANT_NEW_INPUTS = 1 << 18,
    SONDE_WANT_COMPARISONS = 1 << 19, /* record the log of comparisons, together with SONDE_NEW_COMPARISON */
    SONDE_NEW_VALID = 1,              /* a valid input not seen before */
    SONDE_NEW_COVERAGE = 2,           /* an input reached code not reached before */
    SONDE_NEW_VALID_COVERAGE = 4,     /* code not reached by a valid input before */
    SONDE_NEW_TARGET = 8,             /* a target had a higher value than before */
    SONDE_NEW_DEPTH = 16,             /* passed more assumes than any run before */
    /* a comparison had its smallest or largest distance so far; valid runs are compared among themselves */
    SONDE_NEW_COMPARISON = 32,
    SONDE_NEW_STATE = 64, /* the state of the custom feedback changed */
    /* added to NEW_COVERAGE or NEW_VALID_COVERAGE: a counter was hit (by a valid input) for the first time */
    SONDE_NEW_PLACE = 128,
    /* --since: the input came as near to changed code as any before. It need not be new. */
    SONDE_REACHED_CHANGE = 256
};

/* Whether a run is interesting, and why. */
struct sonde_interest {
    uint32_t reasons;    /* bits of enum sonde_reason */
    double utility_gain; /* reserved: always 0 */
};

/* A run, as learn() gets it. All pointers are borrowed for the call. */
struct sonde_run {
    const struct sonde_tape *tape;
    const struct sonde_observation *observation;
    struct sonde_interest interest;
    const struct sonde_guide *author; /* guide that planned the case; NULL for replays and examples */
};

/* ---- Kept tapes --------------------------------------------------------------------------------------------------
 * An input worth keeping is stored once, in the corpus of the search. Its users (the pools of one guide, the queue of
 * another, the inputs for the next run) hold references. Each user stores its own data: how often it was picked, its
 * energy, what it owns. A kept tape is immutable: copy it into a script to change it. */
enum { SONDE_KEPT_HINTS = 16 };

struct sonde_corpus;

/* A kept tape, with facts about the run that made it. */
struct sonde_kept {
    struct sonde_tape tape; /* the shapes of its spans are computed */
    uint64_t identity;      /* identity of the run; the following fields describe the same run */
    uint64_t cost;
    uint32_t n_edges; /* 0 if no code is instrumented */
    bool is_valid;
    uint8_t n_hints;
    /* recorded comparisons: first the latest that have one side in the input, then the latest others */
    struct sonde_hint hints[SONDE_KEPT_HINTS];
    /* Private to the corpus. */
    uint32_t refs, slot;
};

/* Keeps the tape of a run and returns it with one more reference for the caller. If an equal tape is kept already,
 * returns that one, updated with the facts of this run. `corpus` comes from the setup; with NULL the caller is the
 * only owner. */
SONDE_API struct sonde_kept *sonde_corpus_keep(struct sonde_corpus *corpus, const struct sonde_run *run);
/* Drops one reference; the last one frees the tape. */
SONDE_API void sonde_corpus_drop(struct sonde_corpus *corpus, struct sonde_kept *kept);

/* ---- Custom feedback ---------------------------------------------------------------------------------------------
 * The generalised form of targeted testing. A state summarises all runs so far, a run records data (sonde_record),
 * and a function updates the state with the data. A run that changed the state is interesting: guides that want
 * SONDE_NEW_STATE (target) keep and mutate its tape. Set `feedback` of a property to use one.
 *
 * The state is `size` bytes, zeroed at the start of the run, one per job. It must not hold pointers, because it has
 * to outlive a crash of the code under test. docs/feedback.md has examples. */
struct sonde_recorded {
    uint64_t key;
    double value;
};

/* A run, as update() gets it. All pointers are borrowed for the call. */
struct sonde_feedback_run {
    const struct sonde_recorded *records; /* in the order of the calls */
    size_t n_records;
    const struct sonde_tape *tape;
    const struct sonde_observation *observation;
};

/* A custom feedback: the size of its state, and the function that updates the state. */
struct sonde_feedback {
    size_t size;
    /* Called after every run, valid or not. Returns whether the state changed. */
    bool (*update)(void *state, const struct sonde_feedback_run *run);
};

/* ---- Guides ----------------------------------------------------------------------------------------------------*/

/* A draw in progress, as a guide sees it. `point` is the choice about to be made, its index not yet set; it is
 * tape->choices[tape->n_choices]. Open spans have end == 0 and next == 0. */
struct sonde_view {
    const struct sonde_choice *point;
    const struct sonde_tape *tape;
    const uint32_t *path;    /* indices of the open spans, outermost first */
    uint32_t depth;          /* number of open spans */
    uint32_t size;           /* size of this case, 0..100; 100 until the size is drawn */
    const unsigned *weights; /* max + 1 weights of a WEIGHTED point; else NULL */
    uint64_t weight_sum;
    const struct sonde_alphabet *alphabet; /* alphabet of a BLOB point; else NULL */
    uint64_t state;                        /* the last sonde_state; 0: none */
};

struct sonde_guide;
struct sonde_labels;

/* Settings that a guide is created from. Borrowed for the life of the guide. */
struct sonde_guide_setup {
    uint64_t seed;
    uint64_t stream;          /* number of the job, so that each job has a different random stream */
    const char *const *words; /* dictionary of strings; may be NULL */
    const int64_t *numbers;
    size_t n_numbers;
    uint64_t tests;      /* tests in the budget, for settings that change over the run; 0 if unknown */
    size_t memory;       /* limit in bytes for what the guide remembers */
    const char *options; /* "name=value,..." from --guide-options; may be NULL */
    /* From --seed-tests and --seed-time: how long a guide that begins by making seeds does so; 0: it decides. */
    uint64_t seed_tests;
    double seed_seconds;
    struct sonde_corpus *corpus; /* corpus that keeps tapes; may be NULL */
};

/* How the next case is made; start() returns it. */
enum sonde_plan {
    SONDE_PLAN_FRESH,  /* the guide chooses every draw */
    SONDE_PLAN_SCRIPT, /* follow the script; the guide chooses draws that the script lacks */
    SONDE_PLAN_DONE    /* every input has been tried */
};

/* A growing byte array. Initialise it to zeros. `data` is owned by its creator. */
struct sonde_bytes {
    uint8_t *data;
    uint32_t n, cap;
};

/* Appends a copy of n bytes. */
SONDE_API void sonde_bytes_add(struct sonde_bytes *bytes, const void *data, size_t n);

/* Share of one part of a guide that is made of several. */
struct sonde_share {
    const char *name; /* name of the part; a static string */
    double cost;      /* the part's fraction of the total cost so far, 0 to 1 */
    double earned;    /* the part's fraction of all that was earned so far, 0 to 1 */
};

/* A tuning parameter of a guide, declared in a table beside the code that uses it. The tables drive the validation
 * of user input, --guide-options help, the manual page, the list in docs/guides.md, and the sweep of benchmarks. */
struct sonde_knob {
    const char *name;
    size_t offset;        /* offset of a double in the struct that sonde_knobs_read fills */
    double preset;        /* the default */
    double min, max;      /* the least and the greatest value allowed */
    const char *meaning;  /* completes "NAME: ", without a full stop */
    const char *evidence; /* where measurements support the default, such as "bench/KNOBS.md, cgpt"; or "none yet" */
    const char *const *words; /* if not NULL: the value is one of max + 1 words, and the field receives its index */
};

/* One entry of a table of knobs; the last entry is {0}. */
#define SONDE_KNOB(type, field, name, preset, min, max, meaning, evidence)                                             \
    {                                                                                                                  \
        name, offsetof(type, field), preset, min, max, meaning, evidence, NULL                                         \
    }

/* Fills `into`, a struct that the table's offsets fit, from the options of a setup. `options` may be NULL and may
 * hold knobs of other guides. Values out of range leave the default; sonde rejects them before any guide is created. */
SONDE_API void sonde_knobs_read(const struct sonde_knob *table, const char *options, void *into);

/* Operations of a guide. choose() chooses and never learns; learn() receives every case, made by any guide. */
struct sonde_guide_ops {
    const char *name;
    const char *summary; /* one line for --help */
    struct sonde_guide *(*create)(const struct sonde_guide_setup *setup);
    void (*destroy)(struct sonde_guide *guide);
    /* Called before each case that this guide makes. Optional: without it every case is FRESH. */
    enum sonde_plan (*start)(struct sonde_guide *guide, struct sonde_tape *script);
    /* Returns an index in [0, point->max]. Not called if max is 0. */
    uint64_t (*choose)(struct sonde_guide *guide, const struct sonde_view *view);
    /* Fills a BLOB: writes at most `max` symbols, each below the alphabet's size, and returns their number (at least
     * `min`). Optional: without it the symbols are uniform. */
    size_t (*fill)(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min, size_t max);
    void (*learn)(struct sonde_guide *guide, const struct sonde_run *run); /* optional */
    uint32_t wants; /* the reasons that learn() uses; others may be left unset */
    /* Prints what was learned in words, with the names of the labels; optional. */
    void (*explain)(struct sonde_guide *guide, const struct sonde_labels *names, FILE *out);
    /* Prints one line of numbers for --stats; optional. */
    void (*stats)(struct sonde_guide *guide, FILE *out);
    /* Appends what was learned to `out`, for the next run; nothing if it is not worth keeping. Called between two
     * cases; must not change the guide. Optional, together with load. The store keeps the bytes under the guide's
     * name, and returns them whole or not at all. The guide defines their layout and must check it. */
    void (*save)(struct sonde_guide *guide, struct sonde_bytes *out);
    /* Loads what an earlier run saved, before the first case. Returns false, and leaves the guide unchanged, if the
     * data does not fit this version, these options or this machine. */
    bool (*load)(struct sonde_guide *guide, const uint8_t *data, size_t n);
    /* Fills out[] with the shares of the guide's parts; returns their number, at most `max`. Optional. The supervisor
     * calls it while the guide works in another process: it may read numbers at fixed addresses, and nothing that
     * moves. */
    size_t (*shares)(const struct sonde_guide *guide, struct sonde_share *out, size_t max);
    const struct sonde_knob *const *knobs; /* tables of the guide's knobs, after them NULL; NULL: it has no knobs */
};

/* A guide. A custom guide begins with this struct, so that a pointer to it can be cast; create() fills it in. */
struct sonde_guide {
    const struct sonde_guide_ops *ops;
    /* If not NULL, points of kind INT, UINT, BOOL and PICK get sonde_rng_upto(plain, max) without a call of
     * choose(); choose() must return the same. start() may change it. */
    struct sonde_rng *plain;
    uint32_t wants; /* what learn() uses now: initially as in ops; start() and learn() may change it */
    uint64_t work;  /* work that grows with what the guide has learned, in units of about 10 ns; counted, not timed */
};

/* Registers a custom guide for --guide, --guide help, and .guide of a property. Call it before sonde_main or
 * sonde_run, for example in a function with __attribute__((constructor)). That function may be in the program, in a
 * C++ file, or in a shared object that the program loads. `ops` and all that it points to must live as long as the
 * program. Returns 0, or -EINVAL on an error. Errors are: the name is taken, a required operation is missing, a
 * knob's default is out of range, or the caller's SONDE_EXTEND_VERSION differs. After an error, sonde_main and
 * sonde_run print it and return SONDE_USAGE. */
SONDE_API int sonde_guide_register_(unsigned version, const struct sonde_guide_ops *ops);
static inline int sonde_guide_register(const struct sonde_guide_ops *ops)
{
    return sonde_guide_register_(SONDE_EXTEND_VERSION, ops);
}

/* Returns the guide of that name, for use inside another guide; NULL if there is none. Its create() borrows a setup:
 * pass one made by sonde_guide_part. */
SONDE_API const struct sonde_guide_ops *sonde_guide_find(const char *name);
/* Returns a copy of the setup with a separate random stream for part 1, 2, ... below 256. */
SONDE_API struct sonde_guide_setup sonde_guide_part(const struct sonde_guide_setup *setup, unsigned part);
/* Chooses like the guide `uniform`, for draws that a guide has no better choice for. Returns an index. */
SONDE_API uint64_t sonde_guide_evenly(struct sonde_rng *rng, const struct sonde_view *view);
/* Returns the index that the guide `uniform` derives from 64 random bits at a DOUBLE point. */
SONDE_API uint64_t sonde_guide_double(const struct sonde_view *view, uint64_t bits);
/* Returns bits for which sonde_guide_double gives the value of a recorded choice, or the double next to it. */
SONDE_API uint64_t sonde_guide_double_bits(const struct sonde_tape *tape, const struct sonde_choice *choice);
/* Fills a BLOB like the guide `uniform`. Returns the number of symbols. */
SONDE_API size_t sonde_guide_fill_evenly(struct sonde_rng *rng, const struct sonde_view *view, uint32_t *symbols,
                                         size_t min);

/* ---- Fuzz engines ----------------------------------------------------------------------------------------------
 * A property as the target of a byte-level fuzzer. Any bytes are an input. Bytes that start like a tape in its byte
 * form are followed by labels. Other bytes serve the draws in turn; each draw takes as many bytes as its bound
 * needs. Missing bytes give the simplest value. adapters/sonde_fuzz.h turns a property into such a target. */

struct sonde_fuzz;

/* Creates a target. Returns the target, which the caller frees with sonde_fuzz_free. The property is borrowed until
 * then. With NULL only mutate and cross work, as needed inside AFL++. */
SONDE_API struct sonde_fuzz *sonde_fuzz_create(const sonde_property *property);
/* Frees a target. */
SONDE_API void sonde_fuzz_free(struct sonde_fuzz *fuzz);
/* Runs one input in this process. A failed check is printed on standard error, with the token that replays it. Returns
 * how the case ended. */
SONDE_API enum sonde_verdict sonde_fuzz_run(struct sonde_fuzz *fuzz, const uint8_t *data, size_t n);
/* Mutates an input by its structure, in place. Returns its new length, at most `max`. Does not run it: the structure
 * is known from when the input ran or, for a tape, from the bytes. Returns 0 if the structure is unknown: change the
 * bytes. */
SONDE_API size_t sonde_fuzz_mutate(struct sonde_fuzz *fuzz, uint8_t *data, size_t n, size_t max, uint64_t seed);
/* Writes input `a` with a part of input `b` into `out`. Returns the length, or 0 if a structure is unknown. */
SONDE_API size_t sonde_fuzz_cross(struct sonde_fuzz *fuzz, const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b,
                                  uint8_t *out, size_t max, uint64_t seed);

/* ---- Reports ---------------------------------------------------------------------------------------------------
 * A reporter receives the events of the engine. All pointers in an event are borrowed for the call. */

/* How the run of a property ended. */
enum sonde_outcome {
    SONDE_OUTCOME_PASSED,
    SONDE_OUTCOME_FALSIFIED,
    SONDE_OUTCOME_EXHAUSTED, /* passed; every input was tried, twice: a proof if the code depends on its input alone */
    SONDE_OUTCOME_GAVE_UP,   /* too few valid inputs */
    SONDE_OUTCOME_FLAKY,     /* a failure that was not reproduced */
    SONDE_OUTCOME_ERROR,     /* the property uses sonde wrongly */
    SONDE_OUTCOME_INTERRUPTED, /* a signal ended the run before the limits of the property; no case failed */
    SONDE_OUTCOME_NOT_RUN      /* a signal ended the run before the property started */
};

/* Why a search stopped. */
enum sonde_stop {
    SONDE_STOP_TESTS,
    SONDE_STOP_TIME,
    SONDE_STOP_FOUND,
    SONDE_STOP_EXHAUSTED,
    SONDE_STOP_GAVE_UP,
    SONDE_STOP_INTERRUPTED,
    SONDE_STOP_ERROR,
    SONDE_STOP_FLAT,         /* the search found nothing new for a while */
    SONDE_STOP_NOT_CONCERNED /* --since: no input reaches code that changed, so only stored inputs were run */
};

/* Counts of a search, over all jobs. */
struct sonde_stats {
    uint64_t tests; /* valid + discarded + overruns + failing */
    uint64_t valid;
    uint64_t discarded;
    uint64_t overruns;
    uint64_t unique_valid;
    bool unique_estimated; /* unique_valid is an estimate: there are too many valid inputs to count */
    /* estimated number of different shapes, skeletons and traces of valid inputs; traces need instrumented code */
    uint64_t shapes, skeletons, traces;
    uint64_t choices;
    uint64_t repeats;            /* cases whose input was valid and had been run before */
    uint64_t rerun;              /* inputs that behaved the same in a second run, after all inputs had been tried */
    uint64_t imported;           /* cases that ran inputs which other jobs found worth keeping */
    uint64_t edges, valid_edges; /* edges of instrumented code reached, and reached by valid inputs; by any job */
    /* counters and comparisons that differed when an input was run again; `edges` does not count them */
    uint64_t unstable;
    double seconds, cpu_s;
};

/* One assume, and how many cases it rejected. */
struct sonde_assume_count {
    const char *file;
    int line;
    const char *condition;
    uint64_t rejected;
};

/* One name given to sonde_label, sonde_classify or sonde_cover. */
struct sonde_label_count {
    const char *name;
    uint64_t count;   /* number of valid cases with this name */
    double wanted;    /* percentage that sonde_cover requires; 0: none */
    uint64_t sampled; /* number of independent cases that decide whether `wanted` is reached */
    uint64_t met;     /* number of those cases that have this name */
    bool is_exact;    /* every input is known: `share` decides instead */
    double share;     /* percentage of valid cases with this name, weighted by their probability under uniform draws */
    enum { SONDE_COVER_NONE, SONDE_COVER_MET, SONDE_COVER_MISSED, SONDE_COVER_OPEN } cover;
};

/* The best value that was given to sonde_target under a name. */
struct sonde_target_best {
    const char *name;
    double best;
};

/* The string that a user's printer made for a span. */
struct sonde_shown_span {
    uint32_t span;
    const char *text;
};

/* A fact about a location in the code that separates inputs near a failing one: true for those that fail, rarely for
 * those that pass. */
struct sonde_suspect {
    const char *file;    /* NULL: unknown */
    int line, last_line; /* first and last line of a block of code that is reached as one */
    const char *function;
    enum {
        SONDE_SUSPECT_COMPARED, /* the sides of a comparison differ by `n`; from 17 on, approximately */
        SONDE_SUSPECT_DECIDED,  /* one side of a comparison is, or never is, the greater one */
        SONDE_SUSPECT_REACHED,
        SONDE_SUSPECT_OFTEN, /* reached at least n times */
        SONDE_SUSPECT_MISSED /* failing inputs do not reach it, though passing inputs do */
    } what;
    uint64_t n;
    uint32_t failing, passing; /* number of failing and of passing inputs for which the fact is true */
    double score;              /* 0 to 1: the cosine of "the fact is true" and "the input fails" (Ochiai) */
};

/* Why valid cases never took a branch that they reached (--blockers). */
enum sonde_blocker_cause {
    SONDE_BLOCKER_RANGE,    /* even at the ends of the draws' ranges, the comparison comes out the same way */
    SONDE_BLOCKER_CONSTANT, /* no draw influences what is compared */
    SONDE_BLOCKER_ASSUME,   /* inputs that take the branch do not meet an assume */
    SONDE_BLOCKER_OPEN,     /* draws influence it, and nothing is known that prevents it */
    SONDE_BLOCKER_MISSED    /* a valid input takes it, which the search did not try */
};

/* The cases that reached the code of --goal. */
struct sonde_arrival {
    const char *goal; /* as given: FILE:LINE or FUNCTION */
    uint64_t valid, failed, discarded;
    uint64_t test;     /* number of the first valid case */
    const char *token; /* token of the first valid case; "" if there is none, or if it is too long */
};

/* Consecutive changed lines. */
struct sonde_changed_place {
    const char *file;
    uint32_t first, last; /* both included */
};

/* The lines that changed since a commit (--since), and how many of them inputs reached. Only lines with code count. */
struct sonde_changed {
    const char *since; /* the commit as given; NULL without --since */
    uint32_t lines, valid, invalid_only, never;
    uint32_t unknown;                         /* lines of which it is not known whether they were reached */
    const struct sonde_changed_place *missed; /* the lines that were never reached */
    size_t n_missed;
};

/* A comparison that valid cases make, and code after it that none of them reaches. Strings are never NULL, except
 * where the comment allows it. */
struct sonde_blocker {
    const char *file, *function; /* location of the comparison; "" if unknown */
    int line;
    int behind; /* first line that no valid case reached */
    enum sonde_blocker_cause cause;
    uint64_t met;   /* how often it was made by the valid inputs that were run again */
    uint64_t tried; /* number of changed inputs that were run for it */
    uint64_t
        discarded; /* of these, discarded by an assume that could not be lifted; not for the cause RANGE or CONSTANT */
    const char *needs;       /* relation that one side never had to the other, such as ">= 70000" */
    const char *nearest;     /* that side where valid inputs came nearest */
    const char *reached;     /* that side where any run came nearest, with draws at the ends of their ranges */
    const char *draws;       /* names of the draws that move it, separated by commas */
    const char *assume_file; /* location of the assume; NULL for other causes */
    int assume_line;
    const char *token; /* token of the input that takes the branch, if the cause is MISSED; else NULL */
};

/* Facts about a minimal input, from inputs near it (--explain=lines). */
struct sonde_explanation {
    uint32_t n_failing, n_passing; /* number of inputs that failed and that passed, including the given failing one */
    bool is_instrumented;          /* false: nothing is known about lines */
    const struct sonde_suspect *suspects;
    size_t n_suspects; /* the most suspect one comes first */
    const uint16_t *tried,
        /* per choice of the tape: number of other values tried for it alone, and how many of those failed */
        *failed;
};

/* The result of replaying a failure in the program built from the base of a change (--known-in). */
enum sonde_in_base {
    SONDE_IN_BASE_UNASKED,
    SONDE_IN_BASE_NEW,    /* it does not fail there, or in another way */
    SONDE_IN_BASE_KNOWN,  /* it fails there in the same way, each time */
    SONDE_IN_BASE_UNKNOWN /* it is flaky, needs earlier cases, or could not be run there; counts as new */
};

/* A failure. Strings are NULL where the comment allows it. */
struct sonde_failure {
    char id[17];         /* hash of the failure's identity: the same in every run that finds the same bug */
    const char *kind;    /* "check", "expect", "fail", "cover", "crash", "hang", ... */
    const char *message; /* one or more lines for people */
    const char *file;    /* may be NULL */
    int line;
    const char *condition;     /* source code of the check's condition; may be NULL */
    const char *got, *want;    /* both sides of a comparison; may be NULL */
    const char *detail;        /* more about the check; may be NULL */
    const char *token;         /* token that replays the failure; may be NULL (cover) */
    const char *notes;         /* lines noted during the case; may be "" */
    uint64_t tests_to_failure; /* number of the test that found it, from 1 */
    uint64_t hits;             /* how many cases failed this way */
    uint64_t original_size;    /* number of choices of the input as found */
    uint64_t shrink_calls;
    bool shrink_complete; /* every candidate for a smaller input was tried */
    bool shrink_stopped;  /* a limit on time or calls, or an interruption, ended shrinking */
    bool shrink_unsteady; /* smaller inputs failed, but not each time */
    bool flaky;
    bool shrunk_elsewhere; /* with --share: the input is the one to which another worker shrank this failure */
    const char *differed;  /* if flaky: what differed when the input was run again; may be NULL */
    const char *advice;    /* if flaky: what to try, one hint per line, likeliest cause first; may be NULL */
    /* shrinking allowed this share of extra stack or memory, and four times that share of extra time */
    double shrink_margin;
    uint32_t n_threads,
        /* number of threads, and of switches away from a runnable thread; 0 threads: no sonde_threads */
        n_switches;
    uint32_t earlier; /* number of cases, all in the token, that must run first in the same process */
    enum sonde_in_base in_base;
    const char *base_note;         /* why it is not KNOWN; NULL or "" if it is, or with UNASKED */
    bool is_known;                 /* the store had this failure from an earlier run */
    const char *regression;        /* with --regressions: the file that reproduces the failure; may be NULL */
    const char *output;            /* what the code under test printed, whole lines; may be "" */
    uint64_t output_left_out;      /* bytes of output left out */
    const char *path;              /* file that holds the failure; may be NULL */
    const struct sonde_tape *tape; /* the minimal tape; may be NULL */
    const struct sonde_shown_span *shown;
    size_t n_shown;
    /* per choice of the tape: number of other values tried, if all of them fail too; else 0. May be NULL */
    const uint8_t *others_fail;
    const struct sonde_tape *original;           /* the tape as found, before shrinking; may be NULL */
    const struct sonde_explanation *explanation; /* result of --explain=lines; may be NULL */
    /* if the failing case was not a test: what sonde was doing, "while files were imported"; else NULL */
    const char *found_when;
    const char *state;    /* with --find-state: the state of earlier cases that matters, one per line; may be NULL */
    const char *observed; /* for a difference: name of the observed value, or (ended), for --accept; else NULL */
    const char *against;  /* with --against: how the input ends in the other program; may be NULL */
};

/* Result of a comparison with another program (--against). */
struct sonde_against_report {
    const char *program;   /* the other program; NULL: nothing was compared */
    uint64_t compared;     /* number of cases that were compared */
    uint64_t draws_differ; /* number of cases in which the other program drew other values, so that nothing follows */
    uint64_t lost;         /* number of cases for which the other program did not answer */
    uint64_t values;       /* number of observed values that were compared */
    const char *draws;     /* describes the first case with other draws; "" if there was none */
    bool varies;           /* two cases showed different values */
    bool is_copy;          /* the other program is this one, byte for byte */
};

/* ---- Insight: details of a search beyond its counts. They are collected only on request (`insight` of
 * struct sonde_options; --report html sets it), in memory that does not grow with the number of tests. */

enum { SONDE_INSIGHT_SHARES = 8, SONDE_INSIGHT_BINS = 64 };

/* State of a search at one moment; the sum over all jobs. */
struct sonde_series_point {
    double seconds, cpu_s;
    uint64_t tests, valid, different, shapes, skeletons, traces, edges, valid_edges;
    const char *guide;                  /* guide of the current case; static */
    float cost[SONDE_INSIGHT_SHARES];   /* cost of each part of the guide, as in sonde_share; 0 if missing */
    float earned[SONDE_INSIGHT_SHARES]; /* earnings of each part of the guide, as in sonde_share; 0 if missing */
};

/* Values drawn at one location of a generator, in a sample of the cases. A bin is a range of values: count[i] and
 * valid[i] are for values in [from[i], to[i]]. */
struct sonde_tried {
    const char *label, *within; /* labels of the draw and of the innermost span around it; "" if none */
    const char *kind;    /* "int", "double", "length", "choice", "bool"; or "choices": number of choices per case */
    uint64_t n, n_valid; /* number of values in the sample, and of those in valid cases */
    double least, most;
    uint32_t n_bins;
    double from[SONDE_INSIGHT_BINS], to[SONDE_INSIGHT_BINS];
    uint64_t count[SONDE_INSIGHT_BINS], valid[SONDE_INSIGHT_BINS];
};

/* An input that is kept, because the next run starts from it, or because it was the first to reach some code. */
struct sonde_shown_input {
    const char *token; /* token that replays the input; if is_cut, cut off with "..." */
    const char *why;   /* "coverage", "target", "state", "depth"; "first": it was the first to reach something */
    uint32_t owns;     /* number of code locations or targets that the input is kept for */
    uint32_t n_choices;
    uint64_t test; /* number of the test that ran it; 0: unknown */
    bool is_valid, is_cut;
};

/* A location in instrumented code. */
struct sonde_reached {
    uint32_t module; /* index into `modules` of struct sonde_insight */
    uint8_t by;      /* bits of enum sonde_reached_by; 0: never reached */
    uint32_t first;  /* index + 1 of the first valid input that reached it, else of the first input; 0: unknown */
    uint64_t offset; /* offset of the code in its module */
};
/* Kinds of inputs that reached a location, as bits. */
enum sonde_reached_by { SONDE_REACHED_VALID = 1, SONDE_REACHED_INVALID = 2, SONDE_REACHED_FAILING = 4 };

/* A loaded file of instrumented code. */
struct sonde_code_module {
    uint64_t id;      /* hash of the file's build id */
    const char *path; /* file path; may be "" */
    bool is_called;   /* locations are known only once reached (gcc's trace-pc): those never reached are missing */
};

/* The details of a search; see above. */
struct sonde_insight {
    const struct sonde_series_point *series;
    size_t n_series;
    const struct sonde_share *shares; /* shares of the guide's parts, in the order of the arrays in the series */
    size_t n_shares;
    const struct sonde_tried *tried;
    size_t n_tried, tried_left_out;
    const struct sonde_shown_input *inputs;
    size_t n_inputs, inputs_left_out;
    const struct sonde_reached *reached;
    size_t n_reached;
    const struct sonde_code_module *modules;
    size_t n_modules;
};

/* One input of a uniform sample of all different inputs of a search. */
struct sonde_sampled_case {
    const struct sonde_tape *tape;
    enum sonde_verdict verdict;
    uint64_t test; /* number of the test that ran it */
};

/* A warning that a run which passed tests less than it seems to. */
struct sonde_warning {
    const char *kind; /* "no_checks", "check_never_reached", ...: docs/output.md has all of them */
    const char *text; /* one line for people */
    const char *file; /* location of the cause; NULL: none in particular */
    int line;
};

/* The results of the run of one property. */
struct sonde_report {
    const char *property;
    const char *program;        /* argv[0], for the replay command; may be NULL */
    const char *replay_options; /* options that the replay command needs, such as "--spawn"; may be NULL */
    enum sonde_outcome outcome;
    enum sonde_stop stopped;
    uint64_t seed;
    uint64_t wanted; /* number of valid cases requested; 0: no limit */
    const char *guide;
    const char *message;      /* why the search gave up, what was misused, or what is unusual; may be NULL */
    const char *warning;      /* message of the first warning; NULL if none */
    const char *warning_kind; /* kind of the first warning; NULL if none */
    const struct sonde_warning *warnings;
    size_t n_warnings;
    uint64_t checks;          /* how often checks were evaluated, in cases that were valid or failed */
    uint64_t check_locations; /* number of source locations of those checks */
    bool is_crash_only;       /* the property is meant to have no checks */
    struct sonde_stats stats;
    const struct sonde_assume_count *assumes;
    size_t n_assumes;
    const struct sonde_label_count *labels;
    size_t n_labels;
    const struct sonde_target_best *targets;
    size_t n_targets;
    const struct sonde_failure *failures;
    size_t n_failures;
    const char *base;                     /* the program of --known-in; NULL: none was given */
    bool is_excused;                      /* --only-new: there are failures, and all of them are KNOWN in the base */
    const struct sonde_failure *replayed; /* result of a replayed input that does not fail; else NULL */
    const char *store;                    /* directory of the store; "" if nothing is stored */
    size_t n_fixed;                       /* number of stored failures that no longer fail, and were set aside */
    size_t n_stale;       /* number of stored failures that no longer replay as recorded: neither present nor fixed */
    const char *stale;    /* file of the first stale failure, and why it is stale; NULL if there is none */
    size_t n_unjudged;    /* number of stored failures that pass, but that this run cannot detect; they are kept */
    const char *unjudged; /* the reasons, each once, such as "found by AddressSanitizer"; NULL if there is none */
    size_t n_regressions; /* number of tapes of --regressions that were run */
    size_t n_unjudged_regressions;    /* number of those that pass, but whose failure this run cannot detect */
    const char *unjudged_regressions; /* the reasons, such as "needs AddressSanitizer"; NULL if there is none */
    size_t n_unreplayed;              /* number of stored failures that were not replayed for lack of time */
    size_t n_unreadable;              /* number of stored failures that cannot be read; each printed a warning */
    const struct sonde_labels *names; /* maps the label ids in tapes to strings */
    struct sonde_guide *searcher;     /* guide of the search, for --stats and --explain; may be NULL */
    bool ignores_leaks;               /* leaks were not detected, for lack of a tool */
    bool ignores_memory;              /* invalid memory accesses were not detected, for lack of a tool */
    /* functions that the test calls, but that lack its instrumentation or its sanitizer; NULL: none known */
    const char *uninstrumented, *unsanitized;
    const struct sonde_insight *insight;  /* NULL: not requested */
    const struct sonde_blocker *blockers; /* in the order of their locations; NULL: not requested */
    size_t n_blockers;
    size_t n_more_blockers;       /* number of further branches that were not examined */
    bool blockers_unknown;        /* with --blockers: the search kept no valid input to run again */
    struct sonde_arrival arrival; /* arrival.goal is NULL without --goal */
    struct sonde_changed changed; /* which of the changed lines the cases of this property reached */
    /* what sonde could not see of threads under control, one fact per line; NULL: nothing known */
    const char *unseen;
    const char *threads; /* kind of the threads under control: "fibers" or "os"; NULL: there were none */
    struct sonde_against_report against;
    const struct sonde_sampled_case *sample; /* sample of the inputs that were run; set at the end */
    size_t n_sample;
};

/* Kinds of events, in the order in which a reporter gets them. Those between PROPERTY_BEGIN and PROPERTY_END may come
 * any number of times, in any order. */
enum sonde_event_kind {
    SONDE_EVENT_BEGIN, /* the program starts; it has n_properties */
    SONDE_EVENT_PROPERTY_BEGIN,
    SONDE_EVENT_PROGRESS,     /* at intervals during the search */
    SONDE_EVENT_FOUND,        /* a new failure, not yet shrunk */
    SONDE_EVENT_SHRINKING,    /* at intervals during shrinking: calls and size so far */
    SONDE_EVENT_SETTLED,      /* with --fuzz: a failure is confirmed and shrunk; the final report has it too */
    SONDE_EVENT_PROPERTY_END, /* the report is complete */
    SONDE_EVENT_END
};

/* State of a running search, for live displays. */
struct sonde_outlook {
    const char *guide;
    /* locations of the code under test reached by any input, and by valid ones; 0: no coverage */
    uint64_t places, valid_places;
    uint64_t corpus;      /* number of inputs that the next run would start from */
    uint64_t failures;    /* number of different failures so far */
    double next_is_new;   /* probability that the next input shows something new (Good-Turing); < 0: unknown */
    double quiet_seconds; /* time since something new was found */
    const struct sonde_share *shares; /* shares of the guide's parts; see sonde_guide_ops */
    size_t n_shares;
    const struct sonde_insight *insight; /* series and draws so far, about once a second; else NULL */
    const char *fleet; /* with --share and --serve: state of the fleet, as JSON (docs/fleet.md); else NULL */
};

/* An event. The comments name the kinds of events that set a member. */
struct sonde_event {
    enum sonde_event_kind kind;
    size_t n_properties;
    const char *property;
    uint64_t tests_wanted;               /* value of --tests for the property; 0: no limit */
    const struct sonde_stats *stats;     /* PROGRESS */
    const struct sonde_outlook *outlook; /* PROGRESS; may be NULL */
    uint64_t shrink_calls, size;         /* SHRINKING, FOUND: calls so far, and choices of the best input */
    const struct sonde_report *report;   /* PROPERTY_END: complete; FOUND, SETTLED: known so far, with one failure */
    enum sonde_status status;            /* END */
    const struct sonde_changed *changed; /* END: by the cases of all properties; NULL without --since */
};

/* A reporter. A custom one begins with this struct, so that a pointer to it can be cast; create() fills it in. */
struct sonde_reporter {
    void (*event)(struct sonde_reporter *reporter, const struct sonde_event *event);
    void (*destroy)(struct sonde_reporter *reporter);
    /* NULL, or why the reporter cannot continue; owned by the reporter. The reporter then gets no more events. At
     * its end the program prints the reporter's name and this message, and returns SONDE_USAGE. */
    const char *failure;
};

/* A custom kind of report, for --report NAME or --report NAME:FILE. */
struct sonde_reporter_ops {
    const char *name;
    const char *summary; /* one line for people */
    /* Creates a reporter that writes to `out`, which sonde opens, checks for errors and closes. Returns NULL on
     * failure. */
    struct sonde_reporter *(*create)(FILE *out);
};

/* Registers a reporter, like sonde_guide_register. Built-in kinds: terminal, json, tap, junit, github, sarif and
 * html. Returns 0, or -EINVAL if the name is taken or missing, there is no create(), or SONDE_EXTEND_VERSION of
 * the caller differs. */
SONDE_API int sonde_reporter_register_(unsigned version, const struct sonde_reporter_ops *ops);
static inline int sonde_reporter_register(const struct sonde_reporter_ops *ops)
{
    return sonde_reporter_register_(SONDE_EXTEND_VERSION, ops);
}

#ifdef __cplusplus
}
#endif
#endif
