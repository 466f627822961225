/* The parts of the guide `rl`, which learns from outside what makes inputs valid and new.
 *
 *   learn_context   the state of a draw, derived from the tape: what came before it in its span, on the path of open
 *                   spans, in the previous sibling; and *relations* to earlier values
 *   learn_balance   counts and sums that come out even in every valid input
 *   learn_domain    the candidates of a draw: each value of a small domain, intervals of a wide one
 *   learn_model     weights of features; the chance that an answer is right is the logistic of their sum
 *   learn_trie      what was tried, and what each place still promises
 *   learn_notes     what can be said about it in words
 *   learn           the guide: scores, draws, learns
 *
 * An input is taken to be valid if every answer in it is right: P(valid) is a product, so a culprit that is known
 * explains a failure and the others are spared. */
#ifndef SONDE_GUIDE_LEARN_H
#define SONDE_GUIDE_LEARN_H

#include "base/bytes.h"
#include "guide/learn_balance.h"
#include "guide/learn_trie.h"

#include <sonde/extend.h>

#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

enum {
    LEARN_BITS = 16,                                 /* of the table of weights */
    LEARN_STARTS = 1 << LEARN_BITS,                  /* where a row may begin */
    LEARN_TABLE = LEARN_STARTS + SONDE_LEARN_NARROW, /* weights; a row of zeros follows */
    LEARN_ROWS = 72,                                 /* of weights for one draw; learn_context.c adds them up */
    LEARN_MARKS = 6,                                 /* first times that are remembered */
    LEARN_CLASSES = 8,                               /* sets of earlier values that a draw is related to */
    LEARN_MEMBERS = 40,                              /* in all of them */
    LEARN_CANDIDATES = SONDE_LEARN_NARROW,
    LEARN_FEATURES = LEARN_ROWS + LEARN_CLASSES,
    LEARN_STEPS = 1024 /* draws of a case that are learned; the rest is drawn as `uniform` would */
};

/* ---- Values: every answer as a number whose order means something. */

static inline bool sonde_learn_is_number(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT || c->kind == SONDE_KIND_LENGTH;
}
int64_t sonde_learn_value(const struct sonde_tape *tape, const struct sonde_choice *point, uint64_t index);
uint64_t sonde_learn_index(const struct sonde_tape *tape, const struct sonde_choice *point, int64_t value);
/* Which weight of a row belongs to a value: the index in a small domain, else how far it is from the simplest, by bit
 * length. Below SONDE_LEARN_NARROW. */
uint32_t sonde_learn_bucket(const struct sonde_choice *point, uint64_t index);

/* ---- Context */

/* Sorts of earlier values. */
enum sonde_learn_sort {
    LEARN_OWN_NEAREST = 11,
    LEARN_OWN,
    LEARN_SIBLING_NEAREST,
    LEARN_SIBLINGS,
    LEARN_ANCESTORS,
    LEARN_BALANCE, /* the value that would settle an account */
    LEARN_MIRROR,
    LEARN_PAIRED /* with the same draw before it */
};

/* Earlier values that a candidate is compared with: which of <, =, > occur is a feature. */
struct sonde_learn_class {
    uint32_t key;
    enum sonde_learn_sort sort;
    uint32_t label; /* of the members */
    uint32_t by;    /* of an ancestor: label of the draw that led here */
    int64_t min, max;
};

/* Where an answer was first given in this case: how deep, and how many on the path began with their first value. */
struct sonde_learn_mark {
    uint32_t key;
    int32_t depth, firsts;
};

/* The coarsest view of where a draw stands, for words: below which answer. */
struct sonde_learn_state {
    uint32_t key;   /* 0: at the top */
    uint32_t label; /* of the first draw of the span around it, 0 if it has none, */
    int64_t value;  /* and its value */
    uint32_t by;    /* label of the last draw before its own span opened */
};

struct sonde_learn_frame;
struct sonde_learn_trace;

struct sonde_learn_context {
    struct sonde_learn_frame *frames; /* the open spans */
    uint32_t n_frames, cap_frames;
    struct sonde_learn_trace *trace; /* the choices so far */
    uint32_t n_trace, cap_trace;
    uint32_t next_span;
    uint32_t entered; /* the choice whose spans are open, UINT32_MAX for none */
    struct sonde_learn_balance balance;
    bool is_deep; /* look at more, which costs more */
    struct sonde_learn_mark marks[LEARN_MARKS];
    uint32_t n_marks;
    /* Of the draw at hand. */
    uint32_t rows[LEARN_ROWS + 4]; /* where they begin in the table of weights; one of zeros follows */
    uint32_t n_rows;
    struct sonde_learn_class classes[LEARN_CLASSES];
    uint32_t n_classes;
    int64_t members[LEARN_MEMBERS];
    uint8_t class_of[LEARN_MEMBERS];
    uint32_t n_members;
};

/* Of the draw that it was brought up to. */
struct sonde_learn_state sonde_learn_context_state(const struct sonde_learn_context *c);
void sonde_learn_context_clear(struct sonde_learn_context *c);
void sonde_learn_context_begin(struct sonde_learn_context *c);
/* Brings it up to the draw of `point`, which is choice i of the tape; the choices before it are taken as they are. */
void sonde_learn_context_follow(struct sonde_learn_context *c, const struct sonde_tape *tape,
                                const struct sonde_choice *point, uint32_t i);

/* ---- Candidates */

/* The candidates of a draw, each a set of values that no feature tells apart: [lo, hi]. In a narrow domain candidate j is
 * the index j, and lo is filled in only where the draw has relations; of an ascending one, lo[0] alone. */
struct sonde_learn_domain {
    uint32_t n;
    bool is_narrow;
    bool is_ascending; /* narrow, and the value of candidate j is lo[0] + j */
    const float *mass; /* how often each would be drawn if nothing were known; zeros follow up to LEARN_CANDIDATES */
    int64_t lo[LEARN_CANDIDATES], hi[LEARN_CANDIDATES];
    uint8_t bucket[LEARN_CANDIDATES];
    float own_mass[LEARN_CANDIDATES];
};

/* In a wide domain the members of the classes become candidates of their own. */
void sonde_learn_candidates(const struct sonde_learn_context *c, const struct sonde_view *view, struct sonde_rng *rng,
                            struct sonde_learn_domain *out);
/* One of the values of candidate j. */
int64_t sonde_learn_sample(const struct sonde_learn_domain *d, uint32_t j, const struct sonde_choice *point,
                           struct sonde_rng *rng);

/* ---- Model */

struct sonde_learn_model {
    float *weights;   /* LEARN_TABLE, room for the last rows, and a row of zeros */
    float *gradients; /* sums of squares, for the size of steps */
};

void sonde_learn_model_init(struct sonde_learn_model *m);
void sonde_learn_model_clear(struct sonde_learn_model *m);

/* Four numbers at a time. */
typedef float sonde_four __attribute__((vector_size(16)));
typedef int32_t sonde_four_bits __attribute__((vector_size(16)));

static inline sonde_four sonde_four_load(const float *from)
{
    sonde_four x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void sonde_four_store(float *to, sonde_four x)
{
    memcpy(to, &x, sizeof x);
}

static inline sonde_four sonde_four_of(float x)
{
    return (sonde_four){x, x, x, x};
}

/* Where the mask is set (all bits of it) the one, else the other. */
static inline sonde_four sonde_four_if(sonde_four_bits mask, sonde_four yes, sonde_four no)
{
    return (sonde_four)((mask & (sonde_four_bits)yes) | (~mask & (sonde_four_bits)no));
}

static inline sonde_four sonde_four_max(sonde_four a, sonde_four b)
{
#ifdef __SSE__
    return (sonde_four)_mm_max_ps((__m128)a, (__m128)b); /* the same in one instruction */
#else
    return sonde_four_if((sonde_four_bits)(a > b), a, b);
#endif
}

/* 1 / (1 + e^-x), to five digits, for x cut to [-12, 12]. */
static inline sonde_four sonde_learn_logistic(sonde_four x)
{
    const sonde_four end = sonde_four_of(12), up = sonde_four_of(32), one = sonde_four_of(1);
    x = sonde_four_max(x, -end);
    x = -sonde_four_max(-x, -end) * 1.44269504f; /* now the result is 1 / (1 + 2^-x) */
    sonde_four_bits whole =
        __builtin_convertvector(up - x, sonde_four_bits); /* rounded down, since it is not negative */
    sonde_four f = up - x - __builtin_convertvector(whole, sonde_four);
    sonde_four fraction = one + f + f * (one - f) * (f * (f * -0.0136894552f - 0.0654555105f) - 0.306995119f);
    return one / (one + (sonde_four)((sonde_four_bits)fraction + ((whole - 32) << 23)));
}

void sonde_learn_nudge(struct sonde_learn_model *m, const uint32_t *features, uint32_t n, float by);
void sonde_learn_forget(struct sonde_learn_model *m);
/* What it knows, for the next run, and back; false if it is of another layout, and then nothing has changed. A row is
 * found by hashes of labels, so weights keep their meaning from run to run. */
void sonde_learn_model_save(const struct sonde_learn_model *m, struct sonde_bytes *out);
bool sonde_learn_model_load(struct sonde_learn_model *m, struct sonde_reader *from);
/* Halves what speaks against anything. */
void sonde_learn_amnesty(struct sonde_learn_model *m);

#endif
