/* The guide `rl`: learns, from the verdicts of cases alone, which values of the draws make inputs valid and new. It
 * serves properties that discard most random inputs. As long as hardly anything is discarded there is nothing to learn,
 * and it draws as `uniform` does.
 *
 * How rl scores an answer
 *
 * A draw asks for an index of its domain, the answer. The candidates are the indices of a small domain, or intervals
 * of a wide one (learn_domain). Each candidate has three numbers:
 *
 *     sigma      the probability that it is right: it does not make the input invalid
 *     promise    the chance of a new valid input after it: 0 if every path was taken, 1 if nothing is known
 *     mass       how often it would be drawn if nothing were known
 *
 * 1. learn_context describes the draw by dozens of views of the tape so far, from coarse to fine: its site alone, the
 *    last choices of its span, the position of its span in the tree, and so on. A view is hashed to a row of the table
 *    of weights (learn_model); the candidate is the column. Comparisons (<, =, >) with earlier values give more rows.
 * 2. sigma is the logistic function of the bias plus one weight from each row (score).
 * 3. The promise comes from the trie of all tried tapes (learn_trie), at the node that the tape so far leads to.
 * 4. g = sigma * promise, and at least 1e-5 unless the promise is 0 (weigh).
 * 5. A candidate is drawn in proportion to mass * g^k (pick). The power k grows with the recent success, from 2 to 6.
 *    It falls towards 0 where no candidate looks good (power_for).
 *
 * Example: an unknown candidate has the sum 2.5, which is the bias, and so sigma 0.92. Another one with weights of -4
 * in total has the sum -1.5 and sigma 0.18. If both promise 1, the first is 26 times as likely at k = 2, and 17,000
 * times as likely at k = 6.
 *
 * After the case the weights that were used are corrected. An input is taken to be valid if the answer to every draw
 * was right: P(valid) is the product of all sigmas. A success moves the weights up, by the gradient of log P (praise).
 * A failure moves them down, by the gradient of log(1 - P) (blame). The less certain an answer was, the more of the
 * blame it takes. A *dead end* is a draw at which no candidate looks good; it is blamed on the answer before it. Then
 * the promises are computed backwards along the tape (back_up). So a used-up part of the space is worth nothing at the
 * root already, before a case enters it.
 *
 * Compared with RLCheck
 *
 * rl solves the diversifying guidance problem of RLCheck (section 3). RLCheck keeps the average reward of each (state,
 * choice) and takes the best. So it repeats itself, its states are written by hand, its domains must be tiny, and it
 * needs a first valid input. Besides the scores, rl differs in two ways. Passing one assume after another is learned
 * step by step, so no valid input is needed to begin. And each valid skeleton is kept with an input from which some
 * cases start, so that no inputs are lost because others were learned first.
 *
 * | RLCheck | function | difference |
 * | 3, diversifying guidance | weigh, back_up | promises show what is new before it is drawn |
 * | 4.1, average reward of a state and a choice | score, praise, blame | a logistic model over views of the state |
 * | 4.1, epsilon-greedy choice | pick, power_for | in proportion to a power of sigma x promise |
 * | 4.3, state by the generator | learn_context.c | derived from spans; sonde_state is one more view |
 * | 6, one valid input to start from | learn_archive.c | it is kept, and some cases change it |
 * | 6, forgetting | doubt_weights | weights are halved: negative ones, or all of them |
 *
 * Other files:
 * - learn_balance: counts and sums that come out even in every valid input
 * - learn_archive: valid skeletons, and cases that start from them
 * - learn_notes: the output of --explain
 * - learn_value: indices as ordered numbers
 *
 * Order of calls in a case: rl_start; for each draw prepare (score, promises, weights), pick, pick_within and finish;
 * at the end rl_learn. If a tape was not made by exactly these calls, retrace repeats them without picking. Nothing
 * depends on addresses or time. Floats are only added, multiplied, divided and square-rooted. So the same seed gives
 * the same cases on every machine. */
#include "guide/given.h"
#include "guide/guides.h"
#include "guide/rl/learn_archive.h"
#include "guide/rl/learn_domain.h"
#include "guide/rl/learn_model.h"
#include "guide/rl/learn_notes.h"

#include "base/hash.h"
#include "base/mem.h"
#include "tape/tape.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    LEARN_FEATURES = LEARN_ROWS + LEARN_CLASSES,
    LEARN_STEPS = 1024,   /* number of draws of a case that are learned; the rest is drawn as `uniform` would */
    RING = 128,           /* number of successful cases kept for rehearsal */
    RING_STEPS = 64,      /* number of draws kept of each case for rehearsal */
    RING_FEATURES = 2048, /* number of features kept of each case for rehearsal */
    SAMPLES = 4,          /* number of values examined in an interval */
    /* in intervals up to this size, one value has a share of its candidate; in larger ones the share is 0 */
    EXACT = 1024,
    NOTED = 2000,      /* number of first cases, which are all noted for --explain */
    NOTED_SELDOM = 64, /* after the first NOTED cases, one case in this many is noted */
    BLOB_BITS = 30,    /* number of bits of the hash that represents a blob in the trie */
    FULL_SIZE = 100,   /* size of a case that is retraced */
    MILD = 2,          /* the power of sigma x promise when nothing succeeds */
    CLASS_SHIFT = 20,  /* this right shift of a hash gives the row of a class of relations */
    RIGHT = 4,         /* the power of sigma for a draw that has no value in the kept input */
    SOFT = 25,         /* one case in this many tries values that look doubtful */
    SHALLOW = 1500,    /* after this many cases, half of them must succeed; otherwise learning starts again (judge) */
    OWN = 64,          /* number of successes after which the guide learns little from others (is_wanted) */
    REMEMBERED = 8     /* when nearly all cases succeed, one in this many is kept for rehearsal */
};

/* Minimum values, so that nothing is given up: */
static const float least = 1e-5f;             /* minimum of sigma x promise, unless the promise is 0 */
static const float floor_of_promise = 0.001f; /* minimum promise of a draw */
static const float least_weight = 1e-20f; /* added to the weight of each sampled value, so that their sum is never 0 */
static const float never = -100;          /* the sum for padding after the last candidate: its logistic is about 0 */
/* Probabilities: */
static const float hopeless = 0.3f; /* if all sigma x promise are below this, no candidate looks good */
static const float dead_end = 0.5f; /* if the best sigma of a draw is below this, the answer before it is to blame */
static const float small_step = 0.002f;     /* smaller corrections are not made */
static const float small_rehearsal = 0.02f; /* smaller corrections are not made in a rehearsal */
static const float nearly_one = 0.9999f;    /* maximum for the product of all sigmas, to keep its odds finite */
/* Success: the share of recent cases that passed as many assumes as are required now. */
/* weight of one case in that share, so that it covers about a hundred cases */
static const float weight_of_a_case = 0.01f;
static const float poor = 0.1f;      /* if the success is below this, weights are halved after `patience` cases */
static const float recovered = 0.3f; /* if the success is above this, `patience` has its initial value again */
static const float half = 0.5f;      /* above this success one more assume is required; below it, judge starts over */
static const float excellent = 0.9f; /* above this success few cases are kept for rehearsal, and no views are added */
static const float after_a_level = 0.2f; /* initial success when one more assume is required */
/* if the success is below this even with all views of the state, judge starts over */
static const float hardly_any = 0.05f;

/* Stages of learning. The stage only increases. */
enum stage {
    IDLE,        /* hardly anything was discarded: draws are plain and cost no call */
    APPROACHING, /* no valid input is known: passing one more assume is a success */
    KEEPING,     /* a valid input is known: only another valid input is a success */
    AGAIN        /* like KEEPING, with more views of the state, after the usual views have failed */
};

/* A draw and its answer. `features` are indices of weights; sigma is the logistic of their sum plus the bias. The sums
 * over the other candidates are computed when the answer is given, because candidates are not kept. */
struct step {
    uint32_t choice;
    uint8_t n_features, power;
    float sigma, best;     /* sigma of the answer; highest sigma of all candidates */
    float others, others1; /* over all other candidates: sums of mass * g^k, and of mass * g^(k + 1) */
    float mass;            /* mass of the answer's candidate */
    float share, rest;     /* the answer's part of its candidate; the promise of the candidate's other values */
    uint64_t index;
    uint32_t features[LEARN_FEATURES];
};

/* A successful case kept for rehearsal. It holds indices of weights, not a tape: it is judged with the current
 * weights. */
struct rehearsal {
    uint8_t n, n_features[RING_STEPS];
    uint32_t features[RING_FEATURES]; /* features of all steps, one after the other */
};

/* The state of `rl`. steps[0..n_steps) belong to the running case, in the order of choices. */
struct rl {
    struct sonde_guide guide;
    struct sonde_rng rng;
    double bias, idle, start_patience, sharp; /* knobs */
    enum stage stage;
    struct sonde_learn_model model;
    struct sonde_learn_context context;
    struct sonde_learn_trie *trie;
    struct sonde_learn_archive archive;
    struct sonde_learn_place place; /* node of the trie that the running case has reached */
    uint32_t placed;                /* number of choices that lead to that node */
    struct step *steps;
    uint32_t n_steps;
    /* The current draw. */
    struct sonde_learn_domain domain;
    float sums[LEARN_CANDIDATES]; /* for each candidate, the sum whose logistic is sigma */
    float sigma[LEARN_CANDIDATES], promise[LEARN_CANDIDATES], powers[LEARN_CANDIDATES], g[LEARN_CANDIDATES];
    uint32_t equal[LEARN_CLASSES]; /* for each class, the candidates that equal a member, as bits */
    uint32_t class_rows[LEARN_CLASSES];
    /* Progress of learning. */
    float success;  /* moving average of the share of successes */
    float expected; /* the same of the probability of success, by the model */
    uint64_t runs, valid, invalid;
    uint64_t learned_since, judgement; /* the case in which learning began; the case after which judge runs next */
    uint32_t level, deepest;           /* number of assumes required for a success; largest number ever passed */
    uint64_t last_halving, patience, halvings;
    uint64_t lenient_until, restarts;
    uint64_t own;       /* number of successes of this guide since learning began, or started again */
    uint32_t relations; /* largest number of kinds of spans with useful equations so far */
    struct rehearsal *ring;
    uint64_t n_ring;
    struct sonde_learn_answer *answers;
    uint32_t cap_answers;
    struct sonde_corpus *corpus; /* borrowed */
    struct sonde_givens given;   /* given inputs, held while the stage is IDLE */
    struct sonde_learn_notes *notes;
    bool takes_notes; /* the running case is noted for --explain */
    bool is_soft;     /* the running case may try doubtful candidates */
};

#define KNOB(name, field, ...) SONDE_KNOB(struct rl, field, name, __VA_ARGS__)

static const struct sonde_knob knobs[] = {
    KNOB("bias", bias, 2.5, -10, 10, "logit of the probability that a value is good, before anything is learned",
         "bench/KNOBS.md, rl"),
    KNOB("sharp", sharp, 4, 0, 20, "good values are preferred with the exponent 2 + sharp * recent success (0 to 1)",
         "bench/KNOBS.md, rl"),
    KNOB("idle", idle, 50, 0, 1e9, "nothing is learned while at most one in this many cases is discarded",
         "bench/KNOBS.md, rl"),
    KNOB("patience", start_patience, 200, 1, 1e9, "weights are halved after this many cases with hardly any success",
         "bench/KNOBS.md, rl"),
    {0},
};

/* All memory except the trie has a fixed size of about 2 MB. */
static struct sonde_guide *rl_create(const struct sonde_guide_setup *setup)
{
    struct rl *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_rl;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_knobs_read(knobs, setup->options, g);
    sonde_learn_model_init(&g->model);
    g->trie = sonde_learn_trie_create(setup->memory);
    sonde_learn_archive_init(&g->archive);
    g->steps = sonde_malloc(LEARN_STEPS * sizeof *g->steps);
    g->ring = sonde_malloc(RING * sizeof *g->ring);
    g->notes = sonde_calloc(1, sizeof *g->notes);
    g->patience = (uint64_t)g->start_patience;
    g->corpus = setup->corpus;
    g->level = 1;
    g->guide.plain = &g->rng;
    return &g->guide;
}

static void rl_destroy(struct sonde_guide *guide)
{
    struct rl *g = (struct rl *)guide;
    sonde_givens_clear(&g->given, g->corpus);
    sonde_learn_model_clear(&g->model);
    sonde_learn_context_clear(&g->context);
    sonde_learn_trie_free(g->trie);
    sonde_learn_archive_clear(&g->archive);
    sonde_free(g->steps);
    sonde_free(g->ring);
    sonde_free(g->answers);
    sonde_free(g->notes);
    sonde_free(g);
}

/* Prepares for a new case, or for retracing one. */
static void begin(struct rl *g)
{
    sonde_learn_context_begin(&g->context);
    sonde_learn_archive_begin(&g->archive);
    g->place = sonde_learn_trie_root(g->trie);
    g->placed = 0;
    g->n_steps = 0;
    g->notes->n_pending = 0;
    /* Notes cost time: all of the first cases are noted, later few, which is enough for --explain. */
    g->takes_notes = g->runs - g->learned_since < NOTED || g->runs % NOTED_SELDOM == 0;
}

static enum sonde_plan rl_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    (void)script;
    struct rl *g = (struct rl *)guide;
    g->guide.plain = g->stage == IDLE ? &g->rng : NULL;
    if (g->stage == IDLE) return SONDE_PLAN_FRESH;
    g->is_soft = sonde_rng_upto(&g->rng, SOFT - 1) == 0;
    sonde_learn_archive_choose(&g->archive, &g->rng, g->runs - g->learned_since);
    begin(g);
    return SONDE_PLAN_FRESH;
}

/* ---- The position of the case in the trie */

/* Returns a choice in the form that the trie uses. A blob is represented by a hash. */
static struct sonde_learn_answer answer_of(const struct sonde_tape *tape, const struct sonde_choice *c)
{
    if (c->kind != SONDE_KIND_BLOB) return (struct sonde_learn_answer){.index = c->index, .max = c->max};
    struct sonde_blob blob = sonde_choice_blob(tape, c);
    uint64_t hash = sonde_hash_bytes(blob.len, blob.symbols, (size_t)blob.len * sonde_alphabet_width(&blob.alphabet));
    return (struct sonde_learn_answer){.index = sonde_mix(hash) >> (64 - BLOB_BITS),
                                       .max = (1u << BLOB_BITS) - 1,
                                       .is_open = true};
}

/* Moves the position in the trie up to this choice, by the indices that the tape recorded. These may differ from the
 * answer that was given. */
static void advance(struct rl *g, const struct sonde_tape *tape, uint32_t choice)
{
    for (; g->placed < choice; g->placed++) {
        const struct sonde_choice *c = &tape->choices[g->placed];
        if (c->max == 0 && c->kind != SONDE_KIND_BLOB) continue;
        struct sonde_learn_answer a = answer_of(tape, c);
        g->place = sonde_learn_trie_step(g->trie, g->place, a.max, a.index);
    }
}

/* ---- Scores */

/* Returns the row of a class of relations. It has eight columns, one for each mask, so it is not among the context's
 * rows. */
static uint32_t class_row(const struct sonde_learn_class *class, const struct sonde_choice *point)
{
    return (uint32_t)(sonde_mix((uint64_t) class->key << 32 | point->site) >> CLASS_SHIFT) & (LEARN_STARTS - 1);
}

static inline int64_t value_at(const struct sonde_learn_domain *d, uint32_t j)
{
    return d->is_ascending ? d->lo[0] + j : d->lo[j];
}

/* Returns which of <, =, > occur between a candidate and the members of a class, as bits 1, 2, 4. */
static inline uint32_t mask_of(const struct rl *g, uint32_t class, uint32_t j)
{
    const struct sonde_learn_class *k = &g->context.classes[class];
    int64_t v = value_at(&g->domain, j);
    return (uint32_t)(v < k->max) | (g->equal[class] >> j & 1) << 1 | (uint32_t)(v > k->min) << 2;
}

/* Finds the candidate that equals each member. Done once per member, it is cheaper than comparing each candidate with
 * each member. */
static void find_equal(struct rl *g, const struct sonde_view *view)
{
    const struct sonde_learn_context *c = &g->context;
    const struct sonde_learn_domain *d = &g->domain;
    memset(g->equal, 0, sizeof g->equal);
    for (uint32_t i = 0; i < c->n_members; i++) {
        int64_t m = c->members[i];
        uint32_t j = 0;
        if (d->is_narrow) {
            uint64_t index =
                d->is_ascending ? (uint64_t)m - (uint64_t)d->lo[0] : sonde_learn_index(view->tape, view->point, m);
            if (index >= d->n || value_at(d, (uint32_t)index) != m) continue;
            j = (uint32_t)index;
        } else {
            while (j < d->n && !(d->lo[j] == m && d->hi[j] == m)) j++;
            if (j == d->n) continue;
        }
        g->equal[c->class_of[i]] |= 1u << j;
    }
}

/* Returns how many values of an ascending domain lie below x. */
static uint32_t count_below(const struct sonde_learn_domain *d, int64_t x)
{
    if (x <= d->lo[0]) return 0;
    uint64_t n = (uint64_t)x - (uint64_t)d->lo[0];
    return n < d->n ? (uint32_t)n : d->n;
}

/* Adds the weights of relation class k to the sums, four candidates at a time; the padding after the last has no mass.
 * Below all members the mask is 1, above all it is 4; only between them it must be computed. */
static void add_relation(struct rl *g, uint32_t k, float *sums)
{
    const struct sonde_learn_domain *d = &g->domain;
    const struct sonde_learn_class *class = &g->context.classes[k];
    const float *row = g->model.weights + g->class_rows[k];
    uint32_t j = 0, end = d->n;
    if (d->is_ascending) { /* below all members and above all of them the mask is known */
        j = count_below(d, class->min);
        if (class->max < INT64_MAX) end = count_below(d, class->max + 1);
        const sonde_four below = sonde_four_of(row[1]), above = sonde_four_of(row[4]), none = sonde_four_of(0);
        const sonde_four_bits step = {4, 4, 4, 4}, first = {(int)j, (int)j, (int)j, (int)j},
                              last = {(int)end, (int)end, (int)end, (int)end};
        sonde_four_bits at = {0, 1, 2, 3};
        for (uint32_t i = 0; i < d->n; i += 4, at += step) {
            sonde_four more = sonde_four_if((sonde_four_bits)(at < last), none, above);
            more = sonde_four_if((sonde_four_bits)(at < first), below, more);
            sonde_four_store(sums + i, sonde_four_load(sums + i) + more);
        }
    }
    for (; j < end; j++) sums[j] += row[mask_of(g, k, j)];
}

static void add_relations(struct rl *g, const struct sonde_view *view, float *sums)
{
    const struct sonde_learn_context *c = &g->context;
    find_equal(g, view);
    for (uint32_t k = 0; k < c->n_classes; k++) {
        g->class_rows[k] = class_row(&c->classes[k], view->point);
        add_relation(g, k, sums);
    }
}

/* Sets the sums to the bias plus one weight per row. In a narrow domain it adds four values of two rows at a time. A
 * row of zeros follows the last, so the number of rows may be odd. */
static void add_up_rows(const struct rl *g, float *sums)
{
    const struct sonde_learn_context *c = &g->context;
    const struct sonde_learn_domain *d = &g->domain;
    const float *weights = g->model.weights;
    if (!d->is_narrow) {
        for (uint32_t j = 0; j < d->n; j++) {
            float sum = (float)g->bias;
            for (uint32_t k = 0; k < c->n_rows; k++) sum += weights[c->rows[k] + d->bucket[j]];
            sums[j] = sum;
        }
        return;
    }
    for (uint32_t j = 0; j < d->n; j += 4) {
        sonde_four even = sonde_four_of((float)g->bias), odd = sonde_four_of(0);
        for (uint32_t k = 0; k < c->n_rows; k += 2) {
            even += sonde_four_load(weights + c->rows[k] + j);
            odd += sonde_four_load(weights + c->rows[k + 1] + j);
        }
        sonde_four_store(sums + j, even + odd);
    }
}

static float highest(sonde_four x)
{
    float left = x[0] > x[1] ? x[0] : x[1], right = x[2] > x[3] ? x[2] : x[3];
    return left > right ? left : right;
}

static float sum_of(sonde_four x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

/* Computes sigma of each candidate, about 0 for the padding after the last; returns the highest. */
static float score(struct rl *g, const struct sonde_view *view)
{
    float *sums = g->sums;
    uint32_t n = g->domain.n;
    add_up_rows(g, sums);
    for (uint32_t j = n; j & 3; j++) sums[j] = never;
    if (g->context.n_classes) add_relations(g, view, sums);
    sonde_four best = sonde_four_of(0);
    for (uint32_t j = 0; j < n; j += 4) {
        sonde_four sigma = sonde_learn_logistic(sonde_four_load(sums + j));
        sonde_four_store(g->sigma + j, sigma);
        best = sonde_four_max(sigma, best);
    }
    return highest(best);
}

/* Returns the promise of an interval: the mean over a few of its values. */
static float promise_within(struct rl *g, const struct sonde_view *view, uint32_t j)
{
    int n = g->domain.lo[j] == g->domain.hi[j] ? 1 : SAMPLES;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        int64_t value = sonde_learn_sample(&g->domain, j, view->point, &g->rng);
        sum += sonde_learn_trie_promise(g->trie, g->place, view->point->max,
                                        sonde_learn_index(view->tape, view->point, value));
    }
    return sum / (float)n;
}

static void look_up_promises(struct rl *g, const struct sonde_view *view)
{
    const struct sonde_learn_domain *d = &g->domain;
    if (d->is_narrow) {
        sonde_learn_trie_promises(g->trie, g->place, d->n, g->promise);
        return;
    }
    for (uint32_t j = 0; j < d->n; j++) g->promise[j] = g->place.ref ? promise_within(g, view, j) : 1;
}

/* Returns x^k, by squaring. k = 0 stands for the power 1/2, the mildest preference. */
static float power(float x, unsigned k)
{
    if (k == 0) return sqrtf(x);
    float y = 1;
    for (; k; k >>= 1, x *= x)
        if (k & 1) y *= x;
    return y;
}

/* Computes mass * g^k of all candidates; k = 0 stands for the power 1/2. */
static void raise_credit(struct rl *g, unsigned k)
{
    for (uint32_t j = 0; j < g->domain.n; j += 4) {
        sonde_four x = sonde_four_load(g->g + j), y = sonde_four_load(g->domain.mass + j);
        if (k == 0) x = (sonde_four){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])}, y *= x;
        for (unsigned i = k; i; i >>= 1, x *= x)
            if (i & 1) y *= x;
        sonde_four_store(g->powers + j, y);
    }
}

/* Returns the power k: it grows with the recent success, and is near 0 where no candidate looks good. */
static unsigned power_for(const struct rl *g, float best)
{
    float k = g->is_soft ? MILD : MILD + (float)g->sharp * g->success;
    if (best < hopeless) k *= best / hopeless;
    return (unsigned)(k + 0.5f);
}

/* Computes g = sigma x promise, at least `least` unless the promise is 0; returns the highest. */
static float weigh(struct rl *g)
{
    const sonde_four zero = sonde_four_of(0), little = sonde_four_of(least);
    sonde_four best = zero;
    for (uint32_t j = 0; j < g->domain.n; j += 4) {
        sonde_four promise = sonde_four_load(g->promise + j);
        sonde_four x = sonde_four_max(sonde_four_load(g->sigma + j) * promise, little);
        x = sonde_four_if((sonde_four_bits)(promise > zero), x, zero);
        sonde_four_store(g->g + j, x);
        best = sonde_four_max(x, best);
    }
    return highest(best);
}

/* Computes everything about a draw that does not depend on the answer; returns its step. The order matters: candidates
 * need the classes of the context, scores need the candidates, and the power needs the highest g. */
static struct step *prepare(struct rl *g, const struct sonde_view *view, uint32_t choice)
{
    struct step *s = &g->steps[g->n_steps];
    advance(g, view->tape, choice);
    sonde_learn_context_follow(&g->context, view->tape, view->point, choice);
    sonde_learn_candidates(&g->context, view, &g->rng, &g->domain);
    s->best = score(g, view);
    look_up_promises(g, view);
    s->power = (uint8_t)power_for(g, weigh(g));
    raise_credit(g, s->power);
    s->choice = choice;
    return s;
}

/* ---- Choosing an answer */

/* Returns a candidate in proportion to `powers` (roulette-wheel selection). Rounding may leave `left` at 0 or above
 * after the last candidate; then the last one with any weight is taken. */
static uint32_t pick(struct rl *g)
{
    const struct sonde_learn_domain *d = &g->domain;
    sonde_four sums = sonde_four_of(0);
    for (uint32_t j = 0; j < d->n; j += 4) sums += sonde_four_load(g->powers + j);
    float sum = sum_of(sums);
    if (!(sum > 0)) { /* everything is used up: repeat an input, but a likely one */
        for (uint32_t j = 0; j < d->n; j++) sum += g->powers[j] = d->mass[j] * g->sigma[j];
    }
    float left = (float)sonde_rng_unit(&g->rng) * sum;
    uint32_t last = 0;
    for (uint32_t j = 0; j < d->n; j++) {
        if (!(g->powers[j] > 0)) continue;
        last = j;
        left -= g->powers[j];
        if (left < 0) break;
    }
    return last;
}

/* Returns an index within candidate j. In an interval, one of a few random values is taken, weighted by promise. */
static uint64_t pick_within(struct rl *g, const struct sonde_view *view, struct step *s, uint32_t j)
{
    const struct sonde_learn_domain *d = &g->domain;
    s->rest = g->promise[j];
    s->share = 1;
    if (d->is_narrow) return j;
    if (d->lo[j] == d->hi[j]) return sonde_learn_index(view->tape, view->point, d->lo[j]);
    uint64_t spread = (uint64_t)d->hi[j] - (uint64_t)d->lo[j], best = 0;
    float sum = 0, total = 0;
    /* In a large interval one value more or less changes nothing. */
    s->share = spread < EXACT ? 1 / (1 + (float)spread) : 0;
    for (int i = 0; i < SAMPLES; i++) {
        int64_t value = sonde_learn_sample(d, j, view->point, &g->rng);
        uint64_t index = sonde_learn_index(view->tape, view->point, value);
        if (!g->place.ref) return index;
        float promise = sonde_learn_trie_promise(g->trie, g->place, view->point->max, index);
        float weight = power(promise, s->power) + least_weight;
        total += weight;
        sum += promise;
        /* Weighted reservoir sampling of one value. */
        if (i == 0 || (float)sonde_rng_unit(&g->rng) * total < weight) best = index;
    }
    s->rest = sum / SAMPLES;
    return best;
}

/* Computes to[i] = from[i] + x for n entries. May write up to three entries more. */
static void add_to_all(uint32_t *to, const uint32_t *from, uint32_t n, uint32_t x)
{
    const sonde_four_bits more = {(int)x, (int)x, (int)x, (int)x};
    for (uint32_t i = 0; i < n; i += 4) {
        sonde_four_bits four;
        memcpy(&four, from + i, sizeof four);
        four += more;
        memcpy(to + i, &four, sizeof four);
    }
}

static struct sonde_learn_bone bone_of(const struct rl *g, const struct sonde_choice *point, uint64_t index)
{
    return (struct sonde_learn_bone){.index = index,
                                     .site = point->site,
                                     .depth = (uint16_t)g->context.n_frames,
                                     .is_constructor = sonde_choice_is_constructor(point),
                                     .is_narrow = point->max < SONDE_LEARN_NARROW};
}

/* Stores in the step what the update needs when the verdict is known: the features of the answer, and the sums over all
 * other candidates. */
static void finish(struct rl *g, const struct sonde_choice *point, struct step *s, uint32_t j, uint64_t index)
{
    const struct sonde_learn_context *c = &g->context;
    const struct sonde_learn_domain *d = &g->domain;
    struct sonde_learn_bone bone = bone_of(g, point, index);
    sonde_learn_archive_add(&g->archive, &bone);
    s->index = index;
    s->sigma = g->sigma[j];
    s->mass = d->mass[j];
    sonde_four others = sonde_four_of(0), others1 = others;
    g->powers[j] = 0;
    for (uint32_t i = 0; i < d->n; i += 4) {
        sonde_four x = sonde_four_load(g->powers + i);
        others += x;
        others1 += x * sonde_four_load(g->g + i);
    }
    s->others = sum_of(others);
    s->others1 = sum_of(others1);
    /* One weight for each row, and one for each class of relations. */
    uint32_t n = c->n_rows;
    add_to_all(s->features, c->rows, n, d->is_narrow ? j : d->bucket[j]);
    for (uint32_t k = 0; k < c->n_classes; k++) s->features[n++] = g->class_rows[k] + mask_of(g, k, j);
    s->n_features = (uint8_t)n;
    g->n_steps++;
}

static void take_note(struct rl *g, const struct sonde_view *view, uint32_t j)
{
    const struct sonde_learn_context *c = &g->context;
    uint32_t span = view->tape->spans[view->point->span].label;
    uint32_t bucket = g->domain.is_narrow ? j : g->domain.bucket[j];
    struct sonde_learn_point_note *note = sonde_learn_notes_draw(g->notes, view->point, span, bucket);
    for (uint32_t k = 0; note && k < c->n_classes; k++)
        sonde_learn_notes_relation(g->notes, note, &c->classes[k], mask_of(g, k, j));
    if (note) sonde_learn_notes_state(g->notes, note, sonde_learn_context_state(c), bucket);
}

/* Reports whether a draw is learned. A blob is not an index of a domain, and weighted alternatives beyond a row's
 * length would need more columns. */
static bool is_learned(const struct rl *g, const struct sonde_choice *point)
{
    if (g->n_steps == LEARN_STEPS || point->kind == SONDE_KIND_BLOB) return false;
    return point->kind != SONDE_KIND_WEIGHTED || point->max < SONDE_LEARN_NARROW;
}

/* Returns the candidate that contains an index. In a domain of intervals there always is one. Candidates of a double
 * are only a few values, so candidate 0 may have to become this value. */
static uint32_t candidate_of(struct rl *g, const struct sonde_view *view, uint64_t index)
{
    struct sonde_learn_domain *d = &g->domain;
    if (d->is_narrow) return (uint32_t)index;
    int64_t value = sonde_learn_value(view->tape, view->point, index);
    for (uint32_t j = 0; j < d->n; j++)
        if (d->lo[j] <= value && value <= d->hi[j]) return j;
    d->lo[0] = d->hi[0] = value; /* a double that is not among the candidates */
    return 0;
}

/* Fills in the share of an answer that pick_within did not draw: the promise of the other values was not sampled. */
static void set_share(struct rl *g, struct step *s, uint32_t j)
{
    s->rest = g->promise[j];
    s->share = g->domain.is_narrow || g->domain.lo[j] == g->domain.hi[j] ? 1 : 0;
}

/* Returns a candidate that was rarely seen at this site, in valid inputs and in ventures; the model is not asked. */
static uint32_t pick_rare(struct rl *g, const struct sonde_choice *point)
{
    float powers[LEARN_CANDIDATES];
    memcpy(powers, g->powers, sizeof powers);
    for (uint32_t j = 0; j < g->domain.n; j++) {
        float seen = (float)*sonde_learn_archive_answer(&g->archive, point->site, j);
        g->powers[j] = g->promise[j] > 0 ? 1 / (1 + seen) : 0;
    }
    uint32_t j = pick(g);
    ++*sonde_learn_archive_answer(&g->archive, point->site, j);
    memcpy(g->powers, powers, sizeof powers);
    return j;
}

static uint64_t pick_freely(struct rl *g, const struct sonde_view *view, struct step *s, uint32_t *j)
{
    if (g->domain.is_narrow && sonde_learn_archive_ventures(&g->archive, view->point->site, &g->rng)) {
        *j = pick_rare(g, view->point);
        set_share(g, s, *j);
        return *j;
    }
    *j = pick(g);
    return pick_within(g, view, s, *j);
}

/* Returns a candidate other than `not`, by an optimistic sigma. The size of the next step of a weight shows how
 * uncertain it is in this context; that uncertainty is added to the sum. */
static uint32_t pick_doubtful(struct rl *g, uint32_t not )
{
    const struct sonde_learn_context *c = &g->context;
    const struct sonde_learn_domain *d = &g->domain;
    for (uint32_t j = 0; j < d->n; j++) {
        float spread = 0;
        for (uint32_t k = 0; k < c->n_rows; k++) spread += sonde_learn_doubt(&g->model, c->rows[k] + j);
        float x = sonde_learn_logistic(sonde_four_of(g->sums[j] + sqrtf(spread)))[0];
        g->powers[j] = j == not || g->promise[j] == 0 ? 0 : d->mass[j] * x;
    }
    return pick(g);
}

/* Returns a candidate by sigma alone, among those with a promise above 0. */
static uint32_t pick_right(struct rl *g)
{
    const struct sonde_learn_domain *d = &g->domain;
    for (uint32_t j = 0; j < d->n; j++)
        g->powers[j] = g->promise[j] > 0 ? d->mass[j] * power(g->sigma[j] + least, RIGHT) : 0;
    return pick(g);
}

/* Chooses an answer in a case that follows a kept input. `powers` are restored, because finish needs the probabilities
 * of a free choice. */
static uint64_t pick_by_archive(struct rl *g, const struct sonde_view *view, struct step *s, uint32_t *j)
{
    float powers[LEARN_CANDIDATES];
    struct sonde_learn_bone draw = bone_of(g, view->point, 0);
    uint64_t index = 0;
    enum sonde_learn_wish wish = sonde_learn_archive_wish(&g->archive, &draw, view->point->max, &index);
    memcpy(powers, g->powers, sizeof powers);
    if (wish == LEARN_AS_KEPT) {
        *j = candidate_of(g, view, index);
        set_share(g, s, *j);
    } else if (wish == LEARN_OTHER) {
        index = *j = pick_doubtful(g, (uint32_t)index);
        set_share(g, s, *j);
        sonde_learn_archive_changed(&g->archive, index);
    } else {
        *j = pick_right(g);
        index = pick_within(g, view, s, *j);
    }
    memcpy(g->powers, powers, sizeof powers);
    return index;
}

static uint64_t rl_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct rl *g = (struct rl *)guide;
    if (g->stage == IDLE || !is_learned(g, view->point)) return sonde_guide_evenly(&g->rng, view);
    struct step *s = prepare(g, view, view->tape->n_choices);
    uint32_t j;
    uint64_t index = g->archive.followed ? pick_by_archive(g, view, s, &j) : pick_freely(g, view, s, &j);
    finish(g, view->point, s, j, index);
    if (g->takes_notes) take_note(g, view, j);
    if (g->domain.is_narrow && !view->weights) { /* the tape will record this index: prefetch the next node */
        g->place = sonde_learn_trie_step(g->trie, g->place, view->point->max, index);
        g->placed = s->choice + 1;
        sonde_learn_trie_prefetch(g->trie, g->place);
    }
    return index;
}

static size_t rl_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                      size_t max)
{
    (void)max;
    return sonde_guide_fill_evenly(&((struct rl *)guide)->rng, view, symbols, min);
}

/* ---- Cases that another guide made, or whose tape differs from the indices that this guide chose */

/* Computes the steps of a tape as if this guide had made each of its choices. */
static void retrace(struct rl *g, const struct sonde_tape *tape)
{
    begin(g);
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        struct sonde_view view = {.tape = tape, .point = &tape->choices[i], .size = FULL_SIZE};
        if (view.point->max == 0 || !is_learned(g, view.point)) continue;
        struct step *s = prepare(g, &view, i);
        uint32_t j = candidate_of(g, &view, view.point->index);
        set_share(g, s, j);
        finish(g, view.point, s, j, view.point->index);
        if (g->takes_notes) take_note(g, &view, j);
    }
}

static bool is_as_answered(const struct rl *g, const struct sonde_run *run)
{
    if (run->author != &g->guide) return false;
    for (uint32_t i = 0; i < g->n_steps; i++) {
        const struct step *s = &g->steps[i];
        if (s->choice >= run->tape->n_choices || run->tape->choices[s->choice].index != s->index) return false;
    }
    return true;
}

/* ---- Learning */

/* Computes the promise after each answer, from the end backwards, and enters the tape into the trie. The promise of a
 * draw is the mean of g = sigma x promise under the distribution of pick. That is the sum of mass * g^(k+1) divided by
 * the sum of mass * g^k. This is policy evaluation, one step backwards per draw (Bellman), along one tape. */
static void back_up(struct rl *g, const struct sonde_run *run)
{
    const struct sonde_tape *tape = run->tape;
    uint32_t n = 0, at = g->n_steps;
    g->answers = sonde_grow(g->answers, &g->cap_answers, tape->n_choices + 1u, sizeof *g->answers);
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        if (c->max > 0 || c->kind == SONDE_KIND_BLOB) g->answers[n++] = answer_of(tape, c);
    }
    float promise = 0;
    uint32_t k = n;
    for (uint32_t i = tape->n_choices; i-- > 0;) {
        const struct sonde_choice *c = &tape->choices[i];
        if (c->max == 0 && c->kind != SONDE_KIND_BLOB) continue;
        g->answers[--k].promise = promise;
        if (at == 0 || g->steps[at - 1].choice != i) {
            /* This draw is not learned: nothing is known about its other values. */
            promise = 1;
            continue;
        }
        const struct step *s = &g->steps[--at];
        float left = s->sigma * (s->share * promise + (1 - s->share) * s->rest);
        float own = s->mass * power(left, s->power), all = s->others + own;
        promise = all > 0 ? (s->others1 + own * left) / all : 0;
        if (promise < floor_of_promise) promise = floor_of_promise;
    }
    sonde_learn_trie_insert(g->trie, g->answers, n, run->observation->verdict == SONDE_OVERRUN);
}

/* Moves the weights of a successful case up: gradient ascent on log P(valid), where P is the product of all sigmas. The
 * derivative by the sum of a step is 1 - sigma. */
static void praise(struct rl *g)
{
    for (uint32_t i = 0; i < g->n_steps; i++) {
        const struct step *s = &g->steps[i];
        float d = 1 - s->sigma;
        if (d >= small_step) sonde_learn_nudge(&g->model, s->features, s->n_features, d);
    }
}

/* Returns P(valid) of the case, by the model. */
static float probability(const struct rl *g)
{
    float product = 1;
    for (uint32_t i = 0; i < g->n_steps; i++) product *= g->steps[i].sigma;
    return product;
}

/* Moves the weights of a failed case down. The derivative of log(1 - P) by the sum of a step is
 * -P / (1 - P) * (1 - sigma). That is the probability that this answer was the culprit, given that there is one. A dead
 * end adds to it. */
static void blame(struct rl *g)
{
    float product = probability(g);
    if (product > nearly_one) product = nearly_one;
    float odds = product / (1 - product);
    for (uint32_t i = 0; i < g->n_steps; i++) {
        const struct step *s = &g->steps[i];
        float d = -odds * (1 - s->sigma);
        if (i + 1 < g->n_steps) {
            float next = g->steps[i + 1].best;
            if (next < dead_end && next < s->sigma) d += next - s->sigma;
        }
        if (d <= -small_step) sonde_learn_nudge(&g->model, s->features, s->n_features, d);
    }
}

/* Keeps the features of a case in a ring of the latest ones; a long case is kept as far as there is room. */
static void keep_for_rehearsal(struct rl *g)
{
    struct rehearsal *r = &g->ring[g->n_ring++ % RING];
    uint32_t used = 0;
    for (r->n = 0; r->n < g->n_steps && r->n < RING_STEPS; r->n++) {
        const struct step *s = &g->steps[r->n];
        if (used + s->n_features > RING_FEATURES) break;
        r->n_features[r->n] = s->n_features;
        memcpy(r->features + used, s->features, s->n_features * sizeof *s->features);
        used += s->n_features;
    }
}

/* Learns a successful case again, so that failures do not wear down what is known to work. */
static void rehearse(struct rl *g)
{
    if (g->n_ring == 0) return;
    const struct rehearsal *r = &g->ring[sonde_rng_upto(&g->rng, (g->n_ring < RING ? g->n_ring : RING) - 1)];
    const uint32_t *features = r->features;
    for (uint32_t i = 0; i < r->n; features += r->n_features[i++]) {
        float sum = (float)g->bias;
        for (uint32_t k = 0; k < r->n_features[i]; k++) sum += g->model.weights[features[k]];
        float d = 1 - sonde_learn_logistic(sonde_four_of(sum))[0];
        if (d >= small_rehearsal) sonde_learn_nudge(&g->model, features, r->n_features[i], d);
    }
}

/* Halves weights when hardly anything succeeds any more. Usually the known part of the space is used up, and everything
 * else looks wrong: negative weights are too large. If the model expects successes nevertheless, it is sure of what is
 * wrong. Blame does not change that, because it is given to doubtful choices: all weights are too large. That is judged
 * only after some successes. */
static void doubt_weights(struct rl *g)
{
    if (g->success > recovered) g->patience = (uint64_t)g->start_patience;
    if (g->success >= poor || g->runs - g->last_halving < g->patience) return;
    sonde_learn_halve(&g->model, g->expected > poor && g->n_ring >= OWN);
    sonde_learn_trie_new_generation(g->trie);
    g->last_halving = g->runs;
    if (g->patience < 2 * (uint64_t)g->start_patience) g->patience *= 2;
    g->halvings++;
}

/* Changes the goal at the first valid input: from now on only valid inputs are a success. Weights stay, but steps are
 * large again, and cases that only came near are not rehearsed any more. */
static void begin_validity(struct rl *g)
{
    g->judgement = g->runs + SHALLOW;
    if (g->stage >= KEEPING) return; /* the stage was loaded with the weights */
    if (g->stage == APPROACHING) g->stage = KEEPING;
    g->n_ring = 0;
    g->success = 0;
    sonde_learn_reopen(&g->model);
}

/* Reports whether a case is a success, and counts it. Before the first valid input, assumes are learned one after the
 * other: at first passing one is a success, then passing two, and so on. Afterwards only a valid input is a success.
 * Otherwise an assume that `sonde cc` splits into parts would teach the demands of one part, long after valid inputs
 * have shown more. */
static bool is_success(struct rl *g, const struct sonde_observation *seen)
{
    bool is_valid = sonde_is_valid_input(seen);
    if (seen->assumes_passed > g->deepest) g->deepest = seen->assumes_passed;
    if (is_valid && g->valid++ == 0) begin_validity(g);
    g->invalid += !is_valid;
    if (g->valid > 0 || g->stage >= KEEPING) return is_valid;
    if (g->level <= g->deepest && g->success > half && ++g->level <= g->deepest) g->success = after_a_level;
    return g->level <= g->deepest && seen->assumes_passed >= g->level;
}

/* Starts learning again, with more views of the state, because the usual views were not enough. The trie is cleared
 * too: the few known valid inputs are the best to learn from, so they may repeat. */
static void start_over(struct rl *g)
{
    g->stage = AGAIN;
    g->context.is_deep = true;
    sonde_learn_forget(&g->model);
    sonde_learn_trie_clear(g->trie);
    g->success = 0;
    g->n_ring = 0;
    g->own = 0;
    g->last_halving = g->runs;
    g->lenient_until = g->runs + 2 * SHALLOW;
    g->patience = (uint64_t)g->start_patience;
}

/* Judges whether learning works. Called when the number of cases since learning began has tripled, and sooner after an
 * attempt with few successes. Whether an attempt succeeds is a matter of luck, so a stuck one is given up for a longer
 * one. */
static void judge(struct rl *g)
{
    float wanted = g->stage == AGAIN ? hardly_any : half;
    bool is_stuck = g->own < OWN && g->valid > 0;
    g->judgement = g->runs + 2 * (g->runs - g->learned_since);
    if (is_stuck && g->success < wanted) g->judgement = g->runs + (3 + g->restarts++) * SHALLOW;
    if (g->success < wanted && g->valid > 0) start_over(g);
    /* adds views; the weights stay, since they are still useful */
    else if (g->success < excellent) g->context.is_deep = true;
}

/* Starts over when equations within spans are found while hardly anything succeeds: the weights were learned without
 * them, and blame what the equations explain. */
static void notice_relations(struct rl *g)
{
    uint32_t n = sonde_learn_context_relations(&g->context);
    if (n <= g->relations) return;
    g->relations = n;
    if (g->stage == AGAIN && g->success < hardly_any) start_over(g);
}

/* Reports whether a valid input was seen before, and so is not a success. For a while after a new start, known inputs
 * count as well. */
static bool is_stale(const struct rl *g, const struct sonde_run *run)
{
    bool is_new = run->interest.reasons & SONDE_NEW_VALID;
    return run->observation->verdict == SONDE_VALID && !is_new && g->runs >= g->lenient_until;
}

/* Reports whether another guide made a case. Of such cases only valid ones are learned: other guides fail in other
 * ways, and a repeated input of theirs is not wrong. Cases of `uniform`, which judge sonde_cover, do not count as
 * foreign. This guide draws the same way while it is idle, and independent draws fail as the generator does. */
static bool is_foreign(const struct sonde_run *run)
{
    return run->author && run->author->ops != &sonde_guide_rl && run->author->ops != &sonde_guide_uniform;
}

/* Reports whether this guide learns from a valid case of another guide. Once it succeeds by itself it does not, unless
 * the case shows more than a new input. Cases of others are praised, and nothing in them is ever blamed. So a stream of
 * them makes everything look right. When what it knows is used up, it learns from skeletons that it does not know. */
static bool is_wanted(struct rl *g, const struct sonde_run *run)
{
    if (g->own < OWN || run->interest.reasons & ~(uint32_t)(SONDE_NEW_VALID | SONDE_NEW_COMPARISON)) return true;
    if (g->stage == IDLE || g->success >= poor) return false;
    retrace(g, run->tape);
    return !sonde_learn_archive_knows(&g->archive);
}

static void rl_learn(struct sonde_guide *guide, const struct sonde_run *run);

/* Leaves the idle stage when enough cases were discarded; returns whether it did. Learning begins with the given inputs
 * held so far: one valid input is enough to begin with. While idle, the run is held if it was given. */
static bool leave_idle(struct rl *g, const struct sonde_run *last)
{
    if (g->invalid * (uint64_t)g->idle <= g->runs) {
        sonde_givens_add(&g->given, g->corpus, last);
        return false;
    }
    g->stage = g->valid > 0 ? KEEPING : APPROACHING;
    g->learned_since = g->runs;
    if (g->judgement <= g->runs) g->judgement = g->runs + SHALLOW;
    for (uint32_t i = 0; i < g->given.n; i++) {
        struct sonde_run run = sonde_givens_at(&g->given, i);
        rl_learn(&g->guide, &run);
    }
    sonde_givens_clear(&g->given, g->corpus);
    return true;
}

/* Learns from a case: the verdict, then the steps, the promises and the archive, then the weights, and now and then
 * whether learning works. Cases of other guides teach only if they are valid. While nearly everything is valid there is
 * nothing to learn, and the stage stays IDLE. */
static void rl_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct rl *g = (struct rl *)guide;
    const struct sonde_observation *seen = run->observation;
    if (seen->verdict == SONDE_MISUSE) return;
    /* is_success also counts, so it is called for foreign cases as well. */
    bool foreign = is_foreign(run), ok = is_success(g, seen);
    if (ok && is_stale(g, run)) ok = false;
    if (foreign && !(ok && seen->verdict == SONDE_VALID && is_wanted(g, run))) return;
    g->own += ok && run->author == &g->guide && sonde_is_valid_input(seen);
    g->runs++;
    if (g->stage == IDLE && !leave_idle(g, run)) return;
    if (!is_as_answered(g, run)) retrace(g, run->tape);
    bool is_own = run->author == &g->guide, is_free = !is_own || g->archive.way == LEARN_FREE;
    if (!foreign && is_free) {
        g->success += weight_of_a_case * ((ok ? 1.0f : 0.0f) - g->success);
        g->expected += weight_of_a_case * (probability(g) - g->expected);
    }
    sonde_learn_notes_end(g->notes, sonde_is_valid_input(seen));
    back_up(g, run);
    sonde_learn_archive_end(&g->archive, &g->rng,
                            (struct sonde_learn_outcome){.is_own = is_own,
                                                         .is_good = ok,
                                                         .is_valid = sonde_is_valid_input(seen)});
    /* The balance learns from validity, not from `ok`: if passing only the first assume counted, an equation that the
     * last assume needs would be lost. */
    sonde_learn_balance_learn(&g->context.balance, run->tape, sonde_is_valid_input(seen));
    sonde_learn_context_end(&g->context, run->tape, sonde_is_valid_input(seen));
    notice_relations(g);
    if (ok) {
        praise(g);
        if (g->success < excellent || g->valid % REMEMBERED == 0) keep_for_rehearsal(g);
    } else if (g->n_ring > 0 && is_free) {
        /* Only after the first success: before it nothing is known to be right, and everything would be blamed. */
        blame(g);
        rehearse(g);
        doubt_weights(g);
    }
    if (g->runs == g->judgement) judge(g);
}

/* ---- Saving for the next run: the weights and the progress. The trie is not saved: the code may have changed
 * since. */

enum { SAVED_VERSION = 1 };

/* Saves nothing if no input was valid: that is not worth a file. */
static void rl_save(struct sonde_guide *guide, struct sonde_bytes *out)
{
    struct rl *g = (struct rl *)guide;
    if (g->stage == IDLE || g->valid == 0) return;
    sonde_bytes_add_u32(out, SAVED_VERSION);
    sonde_bytes_add_u32(out, g->context.is_deep);
    sonde_bytes_add_u32(out, g->level);
    sonde_bytes_add_u32(out, g->deepest);
    sonde_bytes_add_float(out, g->success);
    sonde_learn_model_save(&g->model, out);
}

/* The ring and the trie start empty. Whether the loaded weights still work is judged after `shallow` cases. */
static bool rl_load(struct sonde_guide *guide, const uint8_t *data, size_t n)
{
    struct rl *g = (struct rl *)guide;
    struct sonde_reader from = sonde_reader(data, n);
    if (sonde_read_u32(&from) != SAVED_VERSION) return false;
    uint32_t is_deep = sonde_read_u32(&from), level = sonde_read_u32(&from), deepest = sonde_read_u32(&from);
    float success = sonde_read_float(&from);
    if (!sonde_learn_model_load(&g->model, &from)) return false;
    g->context.is_deep = is_deep != 0;
    g->level = level ? level : 1;
    g->deepest = deepest;
    g->success = success < 0 ? 0 : success > 1 ? 1 : success;
    g->stage = KEEPING; /* weights are saved only in this stage or later */
    g->judgement = SHALLOW;
    return true;
}

/* Reports whether the guide may still improve: it has not been judged yet, or was judged and has started again. */
static bool is_learning(const struct rl *g)
{
    return g->stage != IDLE && g->success < half && g->runs - g->learned_since < 4 * SHALLOW;
}

static void rl_stats(struct sonde_guide *guide, FILE *out)
{
    static const char *const names[LEARN_WAYS] = {"free", "dress", "change", "venture"};
    struct rl *g = (struct rl *)guide;
    fprintf(out, "cases=%" PRIu64 " valid=%" PRIu64 " success=%.3f amnesties=%" PRIu64 " trie_bytes=%zu%s%s%s\n",
            g->runs, g->valid, (double)g->success, g->halvings, sonde_learn_trie_bytes(g->trie),
            sonde_learn_trie_is_full(g->trie) ? " full" : "", g->stage == IDLE ? " idle" : "",
            is_learning(g) ? " still learning" : "");
    if (g->archive.n_known == 0) return;
    fprintf(out, "skeletons=%" PRIu64, g->archive.n_known);
    for (int i = 0; i < LEARN_WAYS; i++) {
        const struct sonde_learn_way_record *w = &g->archive.ways[i];
        fprintf(out, " %s: cases=%" PRIu64 " valid=%" PRIu64 " new=%" PRIu64, names[i], w->cases, w->valid, w->fresh);
    }
    fputc('\n', out);
}

static void rl_explain(struct sonde_guide *guide, const struct sonde_labels *names, FILE *out)
{
    sonde_learn_notes_print(((struct rl *)guide)->notes, names, out);
}

const struct sonde_guide_ops sonde_guide_rl = {
    .name = "rl",
    .summary = "learns which draws make inputs valid and new; for properties that discard most inputs",
    .create = rl_create,
    .destroy = rl_destroy,
    .start = rl_start,
    .choose = rl_choose,
    .fill = rl_fill,
    .learn = rl_learn,
    .wants = SONDE_NEW_VALID,
    .explain = rl_explain,
    .stats = rl_stats,
    .save = rl_save,
    .load = rl_load,
    .knobs = (const struct sonde_knob *const[]){knobs, NULL},
};
