/* sonde/extend.h - for authors of guides, feedbacks and reporters.
 *
 * This surface is versioned: SONDE_EXTEND_VERSION grows whenever a struct or a contract here changes. It declares the
 * tape (what one execution chose), the seam between a case and its guide, and what a guide learns from. The folders
 * of src/ hold implementations of these interfaces; none of them is known by name to the code that uses it.
 *
 * The sentence that holds it together: a property draws choices from a case; a guide answers each draw; a run leaves
 * an observation; feedback turns it into interest; interest feeds corpus and guides; a broken tape goes to the
 * shrinker, then to report and store. */
#ifndef SONDE_EXTEND_H
#define SONDE_EXTEND_H

#include <sonde.h>

#define SONDE_EXTEND_VERSION                                                                                           \
    10 /* 2: guides save, load and share; outlook. 3: knobs; guides and reporters of the user's own are registered.        \
       * 4: kept tapes. 5: schedules of failures. 6: insight; the input of a failure as it was found. 7: explanations of failures. 8: a sample of the inputs.  \
       * 9: comparisons in conditions of assumes. 10: what sonde was doing when it found a failure outside of the search; stored  \
       * failures that cannot be judged */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The tape --------------------------------------------------------------------------------------------------
 *
 * The record of the choices that one execution made, with a tree of labelled spans over it. Each choice is a *point*
 * (site, label, kind, domain) and an *index* into its domain [0, max], 0 being the simplest value. The kind says how
 * an index and a value belong together (tape/order.h). */

enum sonde_kind {
    SONDE_KIND_INT,      /* int64; base = lowest value; linear from the end nearest zero, or zigzag around zero */
    SONDE_KIND_UINT,     /* uint64; base = lowest value; linear */
    SONDE_KIND_BOOL,     /* index = value */
    SONDE_KIND_CHANCE,   /* bool; base = bits of the double p */
    SONDE_KIND_PICK,     /* one of max + 1 alternatives; index = value */
    SONDE_KIND_WEIGHTED, /* the same with weights, which only the view of a draw in progress carries */
    SONDE_KIND_DOUBLE,   /* base = where the two bounds lie in the tape's bytes */
    SONDE_KIND_BLOB,     /* base = where its record lies in the tape's bytes; index = length - shortest length */
    SONDE_KIND_LENGTH,   /* of a list; base = shortest */
    SONDE_KIND_SIZE,     /* the size of the case, at a reserved site */
    SONDE_KIND_LITERAL,  /* in scripts only: a value as text, see tape/text.h */
    SONDE_KIND_COUNT
};

enum sonde_choice_flag {
    SONDE_CHOICE_HOLE = 1,   /* in scripts: no answer here, ask the guide */
    SONDE_CHOICE_FORCED = 2, /* the domain has one value: nothing was chosen */
    SONDE_CHOICE_OPEN = 4,   /* a length without a limit of the user's: geometric, mean 8, unless you know better */
    SONDE_CHOICE_TURNED = 8, /* in scripts: was turned to the other answer, so a span right behind it is a new one */
    SONDE_CHOICE_RULE =
        16 /* of a machine: which rule a call is of, which its span is named after; or how rules are drawn */
};

struct sonde_choice {
    uint64_t index;
    uint64_t max;
    uint64_t base;
    uint32_t site;  /* hash of label, label of the innermost open span, and kind */
    uint32_t label; /* id: a hash of the text */
    uint32_t span;  /* innermost open span: index into spans */
    uint8_t kind;   /* enum sonde_kind */
    uint8_t flags;  /* enum sonde_choice_flag */
    uint16_t state; /* hash of what sonde_state said; 0: nothing. Neither compared nor stored */
};

enum sonde_span_flag {
    SONDE_SPAN_LIST = 1,     /* holds a length choice and elements */
    SONDE_SPAN_ELEMENT = 2,  /* an element of the list that is its parent */
    SONDE_SPAN_REJECTED = 4, /* an element that was taken back */
    SONDE_SPAN_HOLE = 8,     /* in scripts: its whole content is to be made anew */
    SONDE_SPAN_FREE =
        16, /* in scripts: what it does not have is free; of span 0 of a run: the property did not return */
    SONDE_SPAN_CALL = 32 /* an element of a machine's list: its label is the name of the rule */
};

/* Spans lie in the order in which they opened, so a span's descendants follow it directly: they are the indices in
 * [own index + 1, next). Span 0 is the whole case. */
struct sonde_tape_span {
    uint32_t label;
    uint32_t parent; /* index; span 0 is its own parent */
    uint32_t start;  /* choices [start, end) */
    uint32_t end;
    uint32_t next;  /* first span after this one's descendants */
    uint32_t shape; /* hash of labels and kinds inside, without values: equal shapes can trade contents */
    uint32_t flags; /* enum sonde_span_flag */
    uint32_t depth;
};

struct sonde_tape {
    struct sonde_choice *choices;
    struct sonde_tape_span *spans;
    uint8_t *bytes; /* side buffer: contents of blobs, bounds of doubles, alphabets, literals */
    uint32_t n_choices, cap_choices;
    uint32_t n_spans, cap_spans;
    uint32_t n_bytes, cap_bytes;
};

/* A script is a tape to be followed by labels instead of by position: opening a span enters the next child of that
 * label that has not been used, a draw takes the next unused choice of its label within the span. What is missing or
 * a hole is answered by the guide. A value that does not fit the domain of the draw is folded into it. */

/* ---- Tapes in a guide's hands. A tape owns memory of sonde's (below). What a guide is shown is borrowed for the call: copy it. */

SONDE_API void sonde_tape_init(struct sonde_tape *tape); /* empty */
SONDE_API void sonde_tape_clear(struct sonde_tape *tape);
SONDE_API void sonde_tape_copy(struct sonde_tape *to, const struct sonde_tape *from);
SONDE_API void sonde_tape_swap(struct sonde_tape *a, struct sonde_tape *b);
/* Closes what is open and fills in the shapes. Call it once on the copy of a run's tape before it is edited. */
SONDE_API void sonde_tape_end(struct sonde_tape *tape);
/* The memory that its contents take. */
static inline size_t sonde_tape_bytes(const struct sonde_tape *tape)
{
    return tape->n_choices * sizeof *tape->choices + tape->n_spans * sizeof *tape->spans + tape->n_bytes;
}

/* Scripts are made by copying parts of tapes; `to` is another tape than the others. */

/* A copy of `from` without these spans (sorted, disjoint); lengths of lists are lowered by the elements they lose. */
SONDE_API void sonde_script_without(struct sonde_tape *to, const struct sonde_tape *from, const uint32_t *spans,
                                    uint32_t n);
/* A copy in which span `at` is replaced by span `by` of tape `other` (which may be `from`). It takes over the label
 * and the place of `at`. */
SONDE_API void sonde_script_replace(struct sonde_tape *to, const struct sonde_tape *from, uint32_t at,
                                    const struct sonde_tape *other, uint32_t by);
/* Adds to the value of a choice that is a number, exactly where it is an integer; stops at the ends of the domain. */
SONDE_API void sonde_choice_move(struct sonde_tape *tape, uint32_t choice, double by);
/* The length choice of a list span: its index among the choices, or UINT32_MAX. */
SONDE_API uint32_t sonde_list_length(const struct sonde_tape *tape, uint32_t list);

/* What the symbols of a blob stand for. Symbol 0 is the simplest. */
enum sonde_alphabet_kind {
    SONDE_ALPHABET_BYTES,     /* symbol = byte */
    SONDE_ALPHABET_PRINTABLE, /* a..z A..Z 0..9 space punctuation */
    SONDE_ALPHABET_UTF8,      /* the printable ones, then every other code point but NUL and surrogates */
    SONDE_ALPHABET_CUSTOM     /* the characters of a text, UTF-8 */
};

struct sonde_alphabet {
    enum sonde_alphabet_kind kind;
    uint32_t size;    /* number of symbols */
    const char *text; /* of a CUSTOM alphabet */
};

/* A BLOB choice: its symbols lie in the tape's bytes. */
struct sonde_blob {
    struct sonde_alphabet alphabet;
    uint32_t min, max;      /* allowed lengths */
    uint32_t len;           /* in symbols */
    const uint8_t *symbols; /* len * width bytes, low byte first */
};
SONDE_API struct sonde_blob sonde_choice_blob(const struct sonde_tape *tape, const struct sonde_choice *choice);
SONDE_API uint32_t sonde_blob_symbol(const struct sonde_blob *blob, uint32_t i);

/* ---- Memory of guides. What a guide remembers must outlive a crash of the code under test, so it lies in a heap that all
 * processes of a run share: take everything from here, and hold no pointer to anything else but constants. None of these
 * returns NULL: for want of memory the run ends with a sentence. */

SONDE_API void *sonde_malloc(size_t size);
SONDE_API void *sonde_calloc(size_t n, size_t size);
SONDE_API void *sonde_realloc(void *old, size_t size);
SONDE_API void sonde_free(void *p);

/* ---- Randomness ------------------------------------------------------------------------------------------------
 * wyrand (Wang Yi) with other constants: a counter, one multiplication of 64 by 64 bits, its halves xored; one word of state.
 * Each guide owns one stream; nothing else in sonde is random. */

struct sonde_rng {
    uint64_t s;
};

SONDE_API void sonde_rng_seed(struct sonde_rng *rng, uint64_t seed, uint64_t stream);

/* The high half of a product of 64 by 64 bits; the low half goes to *low. */
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

/* What the stream answered last. */
static inline uint64_t sonde_rng_last(const struct sonde_rng *rng)
{
    uint64_t low, high = sonde_multiply(rng->s, rng->s ^ UINT64_C(0xd6e8feb86659fd93), &low);
    return high ^ low;
}

static inline uint64_t sonde_rng_next(struct sonde_rng *rng)
{
    rng->s += UINT64_C(0x9e3779b97f4a7c15);
    return sonde_rng_last(rng);
}

/* 64 random bits made a number in [0, max], by multiply-shift: no value is likelier than another by more than max / 2^64. */
static inline uint64_t sonde_rng_scale(uint64_t x, uint64_t max)
{
    uint64_t low;
    return max == UINT64_MAX ? x : sonde_multiply(x, max + 1, &low);
}

/* A number in [0, max], each as likely as any other (Lemire, Fast Random Integer Generation in an Interval, 2019): of the
 * 2^64 answers of the stream those that are too many for equal shares are drawn again, which is rare and done by a call. */
SONDE_API uint64_t sonde_rng_upto_(struct sonde_rng *rng, uint64_t max);
static inline uint64_t sonde_rng_upto(struct sonde_rng *rng, uint64_t max)
{
    uint64_t low, high = sonde_multiply(sonde_rng_next(rng), max + 1, &low);
    return __builtin_expect(low <= max, 0) ? sonde_rng_upto_(rng, max) : high;
}

/* A number in [0, 1). */
static inline double sonde_rng_unit(struct sonde_rng *rng)
{
    return (double)(sonde_rng_next(rng) >> 11) * 1.1102230246251565e-16 /* 2^-53 */;
}

/* ---- What a run showed -----------------------------------------------------------------------------------------*/

enum sonde_verdict {
    SONDE_VALID,     /* ran to its end */
    SONDE_DISCARDED, /* an assume did not hold */
    SONDE_FAILED,    /* a claim did not hold */
    SONDE_OVERRUN,   /* more choices or memory than a case may use */
    SONDE_MISUSE     /* the property used sonde wrongly; the run of the property stops */
};

struct sonde_target_value {
    uint32_t label;
    double value;
};

/* One thing that the code under test was seen to do: a counter that was hit so often, or a comparison whose sides came
 * so near. Ids are dense and mean the same for the whole run of a property. */
enum sonde_feature_kind { SONDE_FEATURE_COUNTER, SONDE_FEATURE_COMPARISON };

struct sonde_feature {
    uint32_t id;
    uint8_t value; /* how often, at most 255; of a comparison the same as `mark` */
    uint8_t mark;  /* class of the value, 0..63. Counters: exact below 32, then eight to the octave. Comparisons: 0 for
                    * equal sides, more the further they are apart */
    uint8_t kind;  /* enum sonde_feature_kind */
    uint8_t reserved;
};

/* Two unequal numbers that the code compared: one of them may be what an input lacks. */
struct sonde_hint {
    uint64_t a, b;
    uint32_t bytes; /* 1, 2, 4 or 8: how wide they are */
    uint32_t id;    /* of the comparison */
};

/* A text that the code compared an unequal one with, or the beginning of one. They come in pairs, the first compared with the
 * second, the third with the fourth; one of the two may be empty. */
struct sonde_hint_text {
    const char *text;
    size_t n;
};

/* What the instrumented code did in one run. Features that change when the same tape is run again are left out. */
struct sonde_coverage_view {
    const struct sonde_feature *features; /* those that were hit */
    size_t n_features;
    uint32_t n_ids;    /* every id so far is below */
    uint32_t n_edges;  /* counters that were hit */
    uint64_t edges;    /* hash of the set of counters that were hit: the niche of the run */
    uint64_t trace;    /* the same with how often */
    uint64_t executed; /* the counters' sum: what the run cost */
    bool compared;     /* comparisons were watched, from the beginning: what follows, and features of their kind */
    const struct sonde_hint *hints;
    size_t n_hints;
    const struct sonde_hint_text *texts;
    size_t n_texts;
};

/* A comparison that the condition of an assume made: == in it, or any of a function that it called (sonde cc). */
struct sonde_compared {
    uint64_t place;  /* in the program: the same in all cases of a process, and nothing else about it */
    double by;       /* the first side is more than the second by so much */
    uint32_t call;   /* which function called by conditions, or relation, of this case it was */
    uint32_t assume; /* its place in `distances`; UINT32_MAX: only a part of such a condition */
};

struct sonde_observation {
    enum sonde_verdict verdict;
    uint32_t assumes_passed; /* before the end, or before the one that failed */
    double assume_distance;  /* of the one that failed: < 0, nearer to 0 is nearer to holding; -1 if only its truth is
                              * known; 0 if none failed */
    uint32_t assume_held;    /* of the one that failed: parts of its conjunction that held */
    const double *distances; /* of the assumes in their order, the one that failed last; >= 0 holds; 1 and -1 if only
                              * the truth is known */
    size_t n_distances;      /* a bounded number of them */
    const struct sonde_compared *compared; /* in their order */
    size_t n_compared;                     /* a bounded number of them */
    const struct sonde_target_value *targets;
    size_t n_targets;
    bool are_margins;  /* the targets are claims', negative: how far each is from failing (SONDE_WANT_MARGINS) */
    uint64_t identity; /* hash of the choices, or the characteristic */
    uint64_t cost;     /* choices made and edges executed: the guides' clock */
    const struct sonde_coverage_view *coverage; /* NULL when no code is instrumented */
};

/* Why a run is worth remembering; bits of sonde_interest.reasons. */
enum sonde_reason {
    SONDE_WANT_SHAPES = 1 << 16,  /* no reason: a guide's `wants` asks for the shapes of spans with it */
    SONDE_WANT_MARGINS = 1 << 17, /* likewise: claims report how far they are from failing, where the build allows it */
    SONDE_WANT_NEW_INPUTS =
        1 << 18,                  /* likewise: an answer that would end as a case before did is changed for another */
    SONDE_NEW_VALID = 1,          /* a valid input not seen before */
    SONDE_NEW_COVERAGE = 2,       /* code not reached before */
    SONDE_NEW_VALID_COVERAGE = 4, /* code not reached by a valid input before */
    SONDE_NEW_TARGET = 8,         /* a utility higher than before */
    SONDE_NEW_DEPTH = 16,         /* got further through the assumes than any before */
    SONDE_NEW_COMPARISON = 32,    /* the sides of a comparison were never so near or so far apart; valid runs among
                                   * themselves */
    SONDE_NEW_STATE = 64,         /* the state of the user's feedback changed */
    SONDE_NEW_PLACE = 128 /* with NEW_COVERAGE or NEW_VALID_COVERAGE: not just another count, but a counter that was
                                   * never hit, or never by a valid input */
};

struct sonde_interest {
    uint32_t reasons;
    double utility_gain;
};

struct sonde_run {
    const struct sonde_tape *tape;
    const struct sonde_observation *observation;
    struct sonde_interest interest;
    const struct sonde_guide *author; /* who made it; NULL for replays and examples */
};

/* ---- Kept tapes --------------------------------------------------------------------------------------------------
 * An input worth keeping is kept once. The corpus of a search holds its tape with what is known of it; whoever has a use for
 * it (the pools of one guide, the queue of another, what the next run is given) holds a reference and what belongs to
 * that use: how often it was picked, its energy, what it owns. A kept tape is not changed: copy it into a script. */
enum { SONDE_KEPT_HINTS = 16 };

struct sonde_corpus;

struct sonde_kept {
    struct sonde_tape tape; /* with shapes */
    uint64_t identity;      /* of its run, as are those that follow */
    uint64_t cost;
    uint32_t n_edges; /* 0 when no code is instrumented */
    bool is_valid;
    uint8_t n_hints;
    struct sonde_hint hints[SONDE_KEPT_HINTS]; /* comparisons that were watched: the last of which a side stands in
                                                * the input, then the last of the others */
    /* The corpus's own. */
    uint32_t refs, slot;
};

/* Keeps the tape of a run: the caller holds one reference more, to the tape that is there already if there is an equal one. What is
 * known of it is that of the newest run. `corpus` is that of the setup; NULL: the tape is the caller's alone. */
SONDE_API struct sonde_kept *sonde_corpus_keep(struct sonde_corpus *corpus, const struct sonde_run *run);
/* Gives back one reference; with the last one the tape goes. */
SONDE_API void sonde_corpus_drop(struct sonde_corpus *corpus, struct sonde_kept *kept);

/* ---- Feedback of the user's own ----------------------------------------------------------------------------------
 * The generalised form of targeted testing: a state that stands for the history of all runs, data that a run recorded
 * (sonde_record), and a function that works the data into the state. A run that changed the state is interesting: its
 * tape is kept and mutated by the guides that ask for SONDE_NEW_STATE (target). Name one as `feedback` of a property.
 *
 * The state is `size` bytes, zeroed at the start of the run, one for each job. It must hold no pointers: sonde keeps it
 * where it outlives a crash of the code under test. docs/feedback.md has examples. */
struct sonde_recorded {
    uint64_t key;
    double value;
};

struct sonde_feedback_run {
    const struct sonde_recorded *records; /* in the order in which they were made */
    size_t n_records;
    const struct sonde_tape *tape;
    const struct sonde_observation *observation;
};

struct sonde_feedback {
    size_t size;
    /* After every run, valid or not. True if the state changed. */
    bool (*update)(void *state, const struct sonde_feedback_run *run);
};

/* ---- Guides ----------------------------------------------------------------------------------------------------*/

/* What a guide sees of a draw in progress. The point is the choice about to be made, its index not yet set; it is
 * tape->choices[tape->n_choices]. Spans that are open have end == 0 and next == 0. */
struct sonde_view {
    const struct sonde_choice *point;
    const struct sonde_tape *tape;
    const uint32_t *path;    /* indices of the open spans, outermost first */
    uint32_t depth;          /* how many */
    uint32_t size;           /* of this case: 0..100; 100 until it is drawn */
    const unsigned *weights; /* of a WEIGHTED point, max + 1 of them; else NULL */
    uint64_t weight_sum;
    const struct sonde_alphabet *alphabet; /* of a BLOB point; else NULL */
    uint64_t state;                        /* what sonde_state said; 0: nothing */
};

struct sonde_guide;
struct sonde_labels;

/* What a guide is made from. Borrowed for the life of the guide. */
struct sonde_guide_setup {
    uint64_t seed;
    uint64_t stream;          /* which job: gives each its own randomness */
    const char *const *words; /* dictionary; may be NULL */
    const int64_t *numbers;
    size_t n_numbers;
    uint64_t tests;      /* budget, for ramps; 0 if unknown */
    size_t memory;       /* bytes it may use for what it remembers */
    const char *options; /* "name=value,..." from --guide-options; may be NULL */
    uint64_t
        seed_tests; /* from --seed-tests and --seed-time: how long to make seeds, by guides that do; 0: the guide */
    double seed_seconds;         /* decides */
    struct sonde_corpus *corpus; /* where tapes are kept; may be NULL */
};

enum sonde_plan {
    SONDE_PLAN_FRESH,  /* answer every draw */
    SONDE_PLAN_SCRIPT, /* follow the script; answer what it does not */
    SONDE_PLAN_DONE    /* every input has been tried */
};

/* Bytes that grow at the end. To be set to zeros; `data` belongs to whoever made it. */
struct sonde_bytes {
    uint8_t *data;
    uint32_t n, cap;
};

SONDE_API void sonde_bytes_add(struct sonde_bytes *bytes, const void *data, size_t n);

/* A part of a guide that is made of others. */
struct sonde_share {
    const char *name; /* static */
    double cost;      /* its part of what all of them cost so far, 0 to 1 */
    double earned;    /* its part of what all of them earned so far, 0 to 1 */
};

/* A number of a guide that decides how it searches, declared in a table beside the code that uses it. The check of what a user
 * gives, --guide-options help, the manual page, the list in docs/guides.md and the sweep of benches follow from the tables. */
struct sonde_knob {
    const char *name;
    size_t offset;        /* of a double in the struct that is read into */
    double preset;        /* without a value of the user's */
    double min, max;      /* inclusive */
    const char *meaning;  /* completes "NAME: ", without a full stop */
    const char *evidence; /* where measurements argue for the preset, such as "bench/KNOBS.md, cgpt"; or "none yet" */
    const char *const *words; /* not NULL: the value is one of max + 1 words, and the field receives its index */
};

/* One entry of such a table; the last is {0}. */
#define SONDE_KNOB(type, field, name, preset, min, max, meaning, evidence)                                             \
    {                                                                                                                  \
        name, offsetof(type, field), preset, min, max, meaning, evidence, NULL                                         \
    }

/* Sets the fields of `into`, a struct that the table was declared for, from the options of a setup; these may be NULL and may
 * hold knobs of other guides. Values out of range are refused before any guide is made; here they leave the preset. */
SONDE_API void sonde_knobs_read(const struct sonde_knob *table, const char *options, void *into);

/* choose() answers and never learns; learn() receives every case, whoever made it. */
struct sonde_guide_ops {
    const char *name;
    const char *summary; /* one line for --help */
    struct sonde_guide *(*create)(const struct sonde_guide_setup *setup);
    void (*destroy)(struct sonde_guide *guide);
    /* Before each case of this guide's own. Optional: without it every case is FRESH. */
    enum sonde_plan (*start)(struct sonde_guide *guide, struct sonde_tape *script);
    /* An index in [0, point->max]. Not asked where max is 0. */
    uint64_t (*choose)(struct sonde_guide *guide, const struct sonde_view *view);
    /* The content of a BLOB: writes at most `max` symbols, each below the alphabet's size, returns how many (at least
     * `min`). Optional: without it they are uniform. */
    size_t (*fill)(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min, size_t max);
    void (*learn)(struct sonde_guide *guide, const struct sonde_run *run); /* optional */
    uint32_t wants; /* the reasons that learn() looks at; the others may be left unset */
    /* Says in words what was learned, with the texts of the labels; optional. */
    void (*explain)(struct sonde_guide *guide, const struct sonde_labels *names, FILE *out);
    /* One line of numbers for --stats; optional. */
    void (*stats)(struct sonde_guide *guide, FILE *out);
    /* Adds what was learned to `out`, for the next run; nothing if it is not worth keeping. Between two cases; leaves the
     * guide as it is. Optional, together with load. The store keeps the bytes under the guide's name and sees to it that
     * they come back whole or not at all; which layout they have is the guide's to say and to check. */
    void (*save)(struct sonde_guide *guide, struct sonde_bytes *out);
    /* Takes over what an earlier run saved, before the first case. False if it does not fit this version, these options
     * or this machine; the guide is then as it was. */
    bool (*load)(struct sonde_guide *guide, const uint8_t *data, size_t n);
    /* What its parts got and earned; answers how many there are, at most `max`. Optional. Called by the supervisor while
     * the guide works in another process: it may read numbers at fixed places, and nothing that moves. */
    size_t (*shares)(const struct sonde_guide *guide, struct sonde_share *out, size_t max);
    const struct sonde_knob *const *knobs; /* the tables of its knobs, NULL at their end; NULL: it has none */
};

struct sonde_guide {
    const struct sonde_guide_ops *ops;
    /* If not NULL, points of kind INT, UINT, BOOL and PICK are answered with sonde_rng_upto(plain, max), as choose()
     * would, without a call. May change in start(). */
    struct sonde_rng *plain;
    uint32_t wants; /* what learn() looks at by now: at first the same as in ops; start() and learn() may change it */
    uint64_t work;  /* done so far that grows with what it knows, in steps of some ten nanoseconds; never by a clock */
};

/* Makes a guide of the user's own known to --guide, to .guide of a property and to --guide help: before sonde_main or sonde_run
 * is called, in a function with __attribute__((constructor)), say, of the program, of a C++ file, or of a shared object that
 * the program loads. `ops` and all that it points to must live as long as the program. Answers 0, or -EINVAL where something
 * is wrong: another guide has the name, an operation is missing that is not optional, a knob's default lies out of its range,
 * the caller was compiled with another SONDE_EXTEND_VERSION. Then sonde_main and sonde_run say so and return SONDE_USAGE. */
SONDE_API int sonde_guide_register_(unsigned version, const struct sonde_guide_ops *ops);
static inline int sonde_guide_register(const struct sonde_guide_ops *ops)
{
    return sonde_guide_register_(SONDE_EXTEND_VERSION, ops);
}

/* The guide of that name, to make one of it inside of another: its create() borrows the setup, which sonde_guide_part gives a
 * random stream of its own (part 1, 2, ... below 256). NULL if there is none. */
SONDE_API const struct sonde_guide_ops *sonde_guide_find(const char *name);
SONDE_API struct sonde_guide_setup sonde_guide_part(const struct sonde_guide_setup *setup, unsigned part);
/* What the guide `uniform` answers, for draws that a guide has nothing better to say about: choose() and fill(). */
SONDE_API uint64_t sonde_guide_evenly(struct sonde_rng *rng, const struct sonde_view *view);
/* What it makes of 64 random bits at a DOUBLE point; and bits of which it makes the value of a recorded choice, or its neighbour. */
SONDE_API uint64_t sonde_guide_double(const struct sonde_view *view, uint64_t bits);
SONDE_API uint64_t sonde_guide_double_bits(const struct sonde_tape *tape, const struct sonde_choice *choice);
SONDE_API size_t sonde_guide_fill_evenly(struct sonde_rng *rng, const struct sonde_view *view, uint32_t *symbols,
                                         size_t min);

/* ---- Fuzz engines ----------------------------------------------------------------------------------------------
 * A property as the target of a byte-level fuzzer. Any bytes are an input: those that start like a tape in its byte
 * form are followed by labels, others answer the draws in turn, each draw taking the bytes that its bound needs; what
 * is missing is answered by the simplest value. adapters/sonde_fuzz.h makes a target of it. */

struct sonde_fuzz;

/* The property is borrowed for its life. NULL: only mutate and cross, as inside of AFL++. */
SONDE_API struct sonde_fuzz *sonde_fuzz_create(const sonde_property *property);
SONDE_API void sonde_fuzz_free(struct sonde_fuzz *fuzz);
/* Runs one input, here. A claim that does not hold is printed on standard error, with the token that replays it. */
SONDE_API enum sonde_verdict sonde_fuzz_run(struct sonde_fuzz *fuzz, const uint8_t *data, size_t n);
/* Changes an input by its structure, in place; returns its new length, at most `max`. Runs nothing: the structure is known
 * from when the input ran, or, if it is a tape, from itself. 0: there is nothing to hold on to; change the bytes. */
SONDE_API size_t sonde_fuzz_mutate(struct sonde_fuzz *fuzz, uint8_t *data, size_t n, size_t max, uint64_t seed);
/* The first input with a part of the second, into `out`; as above. */
SONDE_API size_t sonde_fuzz_cross(struct sonde_fuzz *fuzz, const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b,
                                  uint8_t *out, size_t max, uint64_t seed);

/* ---- Reports ---------------------------------------------------------------------------------------------------
 * A reporter listens to the engine's events. Everything it is shown is borrowed for the call. */

enum sonde_outcome {
    SONDE_OUTCOME_PASSED,
    SONDE_OUTCOME_FALSIFIED,
    SONDE_OUTCOME_EXHAUSTED,   /* passed, and every possible input was tried, and again: a proof for code that
                                * depends on its input alone */
    SONDE_OUTCOME_GAVE_UP,     /* too few valid inputs */
    SONDE_OUTCOME_FLAKY,       /* a failure that does not come back */
    SONDE_OUTCOME_ERROR,       /* the property misuses sonde */
    SONDE_OUTCOME_INTERRUPTED, /* a signal ended the run before the limits of the property were reached; none failed */
    SONDE_OUTCOME_NOT_RUN      /* a signal ended the run before it came to the property */
};

enum sonde_stop {
    SONDE_STOP_TESTS,
    SONDE_STOP_TIME,
    SONDE_STOP_FOUND,
    SONDE_STOP_EXHAUSTED,
    SONDE_STOP_GAVE_UP,
    SONDE_STOP_INTERRUPTED,
    SONDE_STOP_ERROR,
    SONDE_STOP_FLAT /* nothing new came for a while */
};

struct sonde_stats {
    uint64_t tests; /* valid + discarded + overruns + failing */
    uint64_t valid;
    uint64_t discarded;
    uint64_t overruns;
    uint64_t unique_valid;
    bool unique_estimated;              /* beyond what is counted exactly */
    uint64_t shapes, skeletons, traces; /* of valid inputs, about; traces: 0 without instrumented code */
    uint64_t choices;
    uint64_t repeats;            /* valid inputs that had been run before */
    uint64_t rerun;              /* inputs that did the same when they were run again, after all had been tried */
    uint64_t imported;           /* tests that were taken over from other jobs, which found them worth keeping */
    uint64_t edges, valid_edges; /* of instrumented code that were reached, and that valid inputs reached; by any job */
    uint64_t
        unstable; /* counters and comparisons that differed when an input was run again; edges does not count them */
    double seconds, cpu_s;
};

/* One assume and how often it rejected. */
struct sonde_assume_count {
    const char *file;
    int line;
    const char *condition;
    uint64_t rejected;
};

/* One name given by label, classify or cover. */
struct sonde_label_count {
    const char *name;
    uint64_t count;   /* valid cases */
    double wanted;    /* percent claimed by cover; 0 without a claim */
    uint64_t sampled; /* independent cases that the claim is judged by, and how many of them met it */
    uint64_t met;
    bool is_exact; /* every input is known: the claim is judged by `share` instead */
    double share;  /* percent of the valid cases that meet it, each weighed by its probability under uniform draws */
    enum { SONDE_COVER_NONE, SONDE_COVER_MET, SONDE_COVER_MISSED, SONDE_COVER_OPEN } cover;
};

struct sonde_target_best {
    const char *name;
    double best;
};

/* The text that a user's printer made for a span. */
struct sonde_shown_span {
    uint32_t span;
    const char *text;
};

/* A place in the code where inputs near a failing one part: what is true there of those that fail, and rarely of those that
 * pass. */
struct sonde_suspect {
    const char *file;    /* NULL: it is not known */
    int line, last_line; /* of a block of code that is reached as one, both ends */
    const char *function;
    enum {
        SONDE_SUSPECT_COMPARED, /* the sides of a comparison are `n` apart; from 17 on, about so much */
        SONDE_SUSPECT_DECIDED,  /* one side of a comparison is, or never is, the greater one */
        SONDE_SUSPECT_REACHED,
        SONDE_SUSPECT_OFTEN, /* reached at least n times */
        SONDE_SUSPECT_MISSED /* not reached, as the others do */
    } what;
    uint64_t n;
    uint32_t failing, passing; /* inputs that it is true of */
    double score;              /* 0 to 1: the cosine of "it is true" and "it fails" (Ochiai) */
};

/* What inputs near a minimal one say of it (--explain=lines). */
struct sonde_explanation {
    uint32_t n_failing, n_passing; /* inputs that were run, the failing one among them */
    bool is_instrumented;          /* else nothing is known of lines */
    const struct sonde_suspect *suspects;
    size_t n_suspects; /* the most suspect first */
    const uint16_t *tried,
        *failed; /* per choice of the tape: other values that were tried alone, and how many failed */
};

struct sonde_failure {
    char id[17];         /* of the failure's identity: the same in every run that finds the same bug */
    const char *kind;    /* "check", "expect", "fail", "cover", later "crash", "hang", ... */
    const char *message; /* one or more lines for people */
    const char *file;    /* may be NULL */
    int line;
    const char *condition;     /* the claim's source text; may be NULL */
    const char *got, *want;    /* both sides of a comparison; may be NULL */
    const char *detail;        /* what else there is to say of the claim; may be NULL */
    const char *token;         /* replays it; may be NULL (cover) */
    const char *notes;         /* lines; may be "" */
    uint64_t tests_to_failure; /* the number of the test that found it, from 1 */
    uint64_t hits;             /* how many cases failed this way */
    uint64_t original_size;    /* in choices */
    uint64_t shrink_calls;
    bool shrink_complete; /* every way to make it smaller that there is was tried */
    bool shrink_stopped;  /* a limit on time or calls, or an interruption, ended it */
    bool flaky;
    const char *differed; /* of a flaky one: what was different when it was run again; may be NULL */
    const char *advice;   /* of a flaky one: what to try, a line each, the likeliest first; may be NULL */
    double shrink_margin; /* it was shrunk with this share more stack or memory, and four times the share more time */
    uint32_t n_threads,
        n_switches; /* of sonde_threads: switches from threads that could have gone on; 0 threads: it was not called */
    uint32_t earlier;              /* how many cases must run before it in the same process, all in the token */
    bool is_known;                 /* the store had it from an earlier run */
    const char *regression;        /* of --regressions: the file that shows it; may be NULL */
    const char *output;            /* what the code under test printed, whole lines of it; may be "" */
    uint64_t output_left_out;      /* bytes of it that are not there */
    const char *path;              /* of the file that keeps it; may be NULL */
    const struct sonde_tape *tape; /* the minimal one; may be NULL */
    const struct sonde_shown_span *shown;
    size_t n_shown;
    const uint8_t *others_fail; /* per choice of the tape: how many other values fail too, where all that were tried do;
                                * else 0; may be NULL */
    const struct sonde_tape *original;           /* as it was found, before it was shrunk; may be NULL */
    const struct sonde_explanation *explanation; /* of --explain=lines; may be NULL */
    const char *
        found_when; /* what sonde was doing when a case failed that was not a test: "while files were imported"; else NULL */
};

/* ---- Insight: what a search did besides being counted. Collected only where somebody asked for it
 * (struct sonde_options, `insight`; --report html does), in memory that does not grow with the tests. */

enum { SONDE_INSIGHT_SHARES = 8, SONDE_INSIGHT_BINS = 64 };

/* How a search stood at one moment; of several jobs, all together. */
struct sonde_series_point {
    double seconds, cpu_s;
    uint64_t tests, valid, different, shapes, skeletons, traces, edges, valid_edges;
    const char *guide;                  /* whose case it was; static */
    float cost[SONDE_INSIGHT_SHARES];   /* of the guide's parts, as in struct sonde_share; 0 for those it lacks */
    float earned[SONDE_INSIGHT_SHARES]; /* the same */
};

/* What was drawn at one place of a generator, in a sample of the cases. A bin is a range of values: counts of bins[i] are for
 * values from `from[i]` to `to[i]`, both inclusive. */
struct sonde_tried {
    const char *label, *within; /* of the draw, and of the innermost span around it; "" where there is none */
    const char *kind;           /* "int", "double", "length", "choice", "bool"; or "choices": how many a case made */
    uint64_t n, n_valid;        /* values looked at, and those of valid cases */
    double least, most;
    uint32_t n_bins;
    double from[SONDE_INSIGHT_BINS], to[SONDE_INSIGHT_BINS];
    uint64_t count[SONDE_INSIGHT_BINS], valid[SONDE_INSIGHT_BINS];
};

/* An input that is kept: for what the next run begins with, or as the first that reached some code. */
struct sonde_shown_input {
    const char *token; /* replays it; cut off with "..." where is_cut */
    const char *why;   /* "coverage", "target", "state", "depth"; "first": it was the first to reach something */
    uint32_t owns;     /* places, utilities: what it is kept for */
    uint32_t n_choices;
    uint64_t test; /* its number; 0: unknown */
    bool is_valid, is_cut;
};

/* A place in instrumented code. */
struct sonde_reached {
    uint32_t module; /* index */
    uint8_t by;      /* bits of enum sonde_reached_by; 0: never */
    uint32_t first;  /* the input, as index + 1, that reached it first, a valid one if any did; 0: unknown */
    uint64_t offset; /* of the code in its module */
};
enum sonde_reached_by { SONDE_REACHED_VALID = 1, SONDE_REACHED_INVALID = 2, SONDE_REACHED_FAILING = 4 };

/* A file of instrumented code that was loaded. */
struct sonde_code_module {
    uint64_t id;      /* hash of its build id */
    const char *path; /* may be "" */
    bool is_called;   /* its places were told by calls (gcc's trace-pc): what was never reached is not among them */
};

struct sonde_insight {
    const struct sonde_series_point *series;
    size_t n_series;
    const struct sonde_share *shares; /* of the guide's parts, in the order of cost and earned of the moments */
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

/* An input of a sample of a search: of all different ones, each as likely as any other. */
struct sonde_sampled_case {
    const struct sonde_tape *tape;
    enum sonde_verdict verdict;
    uint64_t test; /* its number */
};

struct sonde_warning {
    const char *kind; /* "no_checks", "check_never_reached", ...: docs/output.md has all of them */
    const char *text; /* one line for people */
    const char *file; /* where; NULL: nowhere in particular */
    int line;
};

struct sonde_report {
    const char *property;
    const char *program;        /* argv[0], for the replay command; may be NULL */
    const char *replay_options; /* what that command needs besides, such as "--spawn"; may be NULL */
    enum sonde_outcome outcome;
    enum sonde_stop stopped;
    uint64_t seed;
    uint64_t wanted; /* valid cases; 0: no such limit */
    const char *guide;
    const char *message;      /* why it gave up, what was misused, what is odd; may be NULL */
    const char *warning;      /* the text of the first warning; NULL without one */
    const char *warning_kind; /* and its kind */
    const struct sonde_warning *warnings;
    size_t n_warnings;
    uint64_t checks;          /* times that a check was evaluated, in cases that were valid or failed */
    uint64_t check_locations; /* different locations of those checks */
    bool is_crash_only;       /* the property is meant to have none */
    struct sonde_stats stats;
    const struct sonde_assume_count *assumes;
    size_t n_assumes;
    const struct sonde_label_count *labels;
    size_t n_labels;
    const struct sonde_target_best *targets;
    size_t n_targets;
    const struct sonde_failure *failures;
    size_t n_failures;
    const struct sonde_failure *replayed; /* what a replayed input that does not fail showed; else NULL */
    const char *store;                    /* the folder of the store; "" if nothing is kept */
    size_t n_fixed;                       /* stored failures that no longer fail, set aside */
    size_t n_stale;                /* stored failures that no longer replay as they were: neither there nor fixed */
    const char *stale;             /* the file of the first of them, and why; NULL if there is none */
    size_t n_unjudged;             /* stored failures that pass but that this run could not have shown; they are kept */
    const char *unjudged;          /* why, each reason once, as in "found by AddressSanitizer"; NULL if there is none */
    size_t n_regressions;          /* tapes of --regressions that were run */
    size_t n_unjudged_regressions; /* those that pass but that this run could not have shown */
    const char *unjudged_regressions;    /* why, as in "needs AddressSanitizer"; NULL if there is none */
    size_t n_unreplayed;                 /* stored failures that there was no time for */
    size_t n_unreadable;                 /* stored failures that cannot be read; each has cost a warning */
    const struct sonde_labels *names;    /* texts of the label ids in tapes */
    struct sonde_guide *searcher;        /* for --stats and --explain; may be NULL */
    bool ignores_leaks;                  /* there was no tool that could look for them */
    bool ignores_memory;                 /* nor for accesses to memory that is not allocated */
    const struct sonde_insight *insight; /* NULL: nobody asked for it */
    const char
        *unseen; /* what of threads under control could not be seen, line by line; NULL: nothing is known of it */
    const char *threads; /* what threads under control were: "fibers" or "os"; NULL: there were none */
    const struct sonde_sampled_case *sample; /* of the inputs that were run; at the end */
    size_t n_sample;
};

enum sonde_event_kind {
    SONDE_EVENT_BEGIN, /* the program: n properties */
    SONDE_EVENT_PROPERTY_BEGIN,
    SONDE_EVENT_PROGRESS,     /* now and then during the search */
    SONDE_EVENT_FOUND,        /* a new failure, not yet shrunk */
    SONDE_EVENT_SHRINKING,    /* now and then: calls and size so far */
    SONDE_EVENT_SETTLED,      /* with --fuzz: a failure is confirmed and shrunk; it is in the final report, too */
    SONDE_EVENT_PROPERTY_END, /* the report is complete */
    SONDE_EVENT_END
};

/* How a search goes, for those who watch it. */
struct sonde_outlook {
    const char *guide;
    uint64_t places, valid_places; /* of the code under test, reached by any input and by valid ones; 0: no coverage */
    uint64_t corpus;               /* inputs that the next run would start from */
    uint64_t failures;             /* different ones so far */
    double next_is_new;            /* chance that the next input shows something new (Good and Turing); < 0: unknown */
    double quiet_seconds;          /* since something new came */
    const struct sonde_share *shares; /* of the guide; see sonde_guide_ops */
    size_t n_shares;
    const struct sonde_insight *insight; /* series and draws so far, about once a second; else NULL */
    const char *fleet; /* with --share and --serve: how the fleet is doing, as JSON (docs/fleet.md); else NULL */
};

struct sonde_event {
    enum sonde_event_kind kind;
    size_t n_properties;
    const char *property;
    uint64_t tests_wanted;               /* of the property; 0 if unbounded */
    const struct sonde_stats *stats;     /* PROGRESS */
    const struct sonde_outlook *outlook; /* PROGRESS; may be NULL */
    uint64_t shrink_calls, size;         /* SHRINKING, FOUND: choices of the best so far */
    const struct sonde_report *report;   /* PROPERTY_END; FOUND, SETTLED: what is known so far, one failure */
    enum sonde_status status;            /* END */
};

struct sonde_reporter {
    void (*event)(struct sonde_reporter *reporter, const struct sonde_event *event);
    void (*destroy)(struct sonde_reporter *reporter);
    /* NULL, or why it cannot go on: part of a sentence that begins with its name, owned by the reporter. It then sees no
     * more events, and the program says so at its end and returns SONDE_USAGE. */
    const char *failure;
};

/* A kind of report of the user's own, for --report NAME or --report NAME:FILE. */
struct sonde_reporter_ops {
    const char *name;
    const char *summary; /* one line for people */
    /* Writes to `out`, which sonde opens, closes and looks for errors on. NULL: it cannot begin. */
    struct sonde_reporter *(*create)(FILE *out);
};

/* As sonde_guide_register. The kinds that sonde has itself are terminal, json, tap, junit, github, sarif and html. */
SONDE_API int sonde_reporter_register_(unsigned version, const struct sonde_reporter_ops *ops);
static inline int sonde_reporter_register(const struct sonde_reporter_ops *ops)
{
    return sonde_reporter_register_(SONDE_EXTEND_VERSION, ops);
}

#ifdef __cplusplus
}
#endif
#endif
