/* The guide `rl`: learns from outside what makes inputs valid and new.
 *
 * It solves the diversifying guidance problem of RLCheck (section 3) and differs where that plateaus. RLCheck keeps the
 * average reward of each (state, choice) and takes the best: it repeats itself, its states are written by hand, its domains
 * must be tiny, and it needs a first valid input. Here:
 *   - an answer's chance to be right is the logistic of a sum over many views of the state (learn_context), and an
 *     input is valid if all its answers are right. So a failure is blamed on the answers not known to be good;
 *   - a *dead end*, a draw at which no answer looks good, is blamed on the answer before it;
 *   - what was tried lies in a trie, and every place knows what it still promises: used-up parts are worth nothing, and
 *     that is told backwards along the whole tape, before anyone returns;
 *   - answers are drawn in proportion to a power of (right x promise), the higher the power the better things go;
 *   - passing one assume after another is learned step by step, so that no valid input is needed to begin with;
 *   - every skeleton that was valid is kept with an input, and some cases start from one: so nothing that is possible is lost
 *     because something else was learned first.
 * As long as hardly anything is discarded there is nothing to learn, and it draws as `uniform` does.
 *
 * Its parts, each in a file of its own: learn_context (the state of a draw), learn_balance (counts and sums that come out
 * even in every valid input), learn_domain (the candidates of a draw), learn_model (weights, and the chance that an answer
 * is right), learn_trie (what was tried, and what each place still promises), learn_archive (valid skeletons,
 * and cases that start from them), learn_notes (what can be said about it in words), learn_value (answers as numbers). Here they are put together: score, draw, learn.
 *
 * | RLCheck | function | difference |
 * | 3, diversifying guidance | weigh, back_up | what is new is known before it is drawn, by promises |
 * | 4.1, average reward of a state and a choice | score, praise, blame | a logistic model over many views of the state |
 * | 4.1, epsilon-greedy choice | pick, power_for | in proportion to a power of right x promise |
 * | 4.3, state by the generator | learn_context.c | derived from spans; sonde_state is one more view |
 * | 6, one valid input to start from | learn_archive.c | it is kept, and some cases change it |
 * | 6, forgetting | forgive | what speaks against answers is halved |
 *
 * Order in a case: rl_start, then for each draw prepare (score, promises, weights), pick, pick_within
 * and finish; when it has ended rl_learn. Where a tape was not made by these very answers, retrace does
 * the same without picking. Nothing depends on addresses or time, and floats are only added,
 * multiplied, divided and rooted: the same seed gives the same cases on every machine. */
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
    LEARN_STEPS = 1024,   /* draws of a case that are learned; the rest is drawn as `uniform` would */
    RING = 128,           /* valid runs kept for rehearsal */
    RING_STEPS = 64,      /* of each, */
    RING_FEATURES = 2048, /* as far as there is room */
    SAMPLES = 4,          /* values looked at in an interval */
    EXACT = 1024,         /* values of an interval up to which one answer is a part of it */
    NOTED = 2000,         /* runs that are noted down for --explain; then one in */
    NOTED_SELDOM = 64,
    BLOB_BITS = 30,   /* of the hash that stands for a string */
    FULL_SIZE = 100,  /* of a case */
    MILD = 2,         /* the power of right x promise when nothing goes well */
    CLASS_SHIFT = 20, /* which bits of a hash say where a class of relations has its weights */
    RIGHT = 4,        /* the power of right where a kept input does not say */
    REMEMBERED = 8    /* when all goes well, one valid run in so many is kept for rehearsal */
};

/* Least values, so that nothing is given up: */
static const float least = 1e-5f;             /* of an answer, where anything is left behind it */
static const float floor_of_promise = 0.001f; /* of a place */
static const float least_weight = 1e-20f;     /* of all candidates together: below it floats are no shares */
static const float never = -100;              /* a sum whose logistic is next to nothing: candidates behind the last */
/* Chances: */
static const float hopeless = 0.3f;         /* below it no answer looks good */
static const float dead_end = 0.5f;         /* below it the answer before is to blame */
static const float small_step = 0.002f;     /* a correction below it is not made, */
static const float small_rehearsal = 0.02f; /* nor this one when a kept run is rehearsed */
static const float nearly_one = 0.9999f;
/* Success, the share of cases that pass as many assumes as is asked for now, lately: */
static const float weight_of_a_case = 0.01f; /* it is over about a hundred cases */
static const float poor = 0.1f;              /* below it what speaks against answers is halved after a while; */
static const float recovered = 0.3f;         /* above it that while is as long as in the beginning again */
static const float half = 0.5f;              /* above it one more assume is asked for; below it, it begins again */
static const float excellent = 0.9f;         /* above it few runs are kept for rehearsal, and no more views are taken */
static const float after_a_level = 0.2f;     /* what it is set to when one more assume has to be passed */
static const float hardly_any = 0.05f;       /* with all views of the state: nothing was learned */

/* How far it has come. It only goes up. */
enum stage {
    IDLE,        /* hardly anything was discarded: draws are plain and cost no call */
    APPROACHING, /* no valid input is known: it is a success to pass one more assume */
    KEEPING,     /* one is known: only another valid one is a success */
    AGAIN        /* the same with more views of the state, once the usual ones have failed */
};

/* A draw as it was answered. `features` are indices of weights; sigma is the logistic of their sum plus
 * the bias. The sums over the others are taken when the draw is answered, because candidates are not
 * kept. */
struct step {
    uint32_t choice;
    uint8_t n_features, power;
    float sigma, best;     /* of the answer; the highest there was */
    float others, others1; /* sums over the other candidates of mass * g^k, of mass * g^(k + 1) */
    float mass;            /* of the answer's candidate */
    float share, rest;     /* the answer's part of its candidate, and the promise of the other values in it */
    uint64_t index;
    uint32_t features[LEARN_FEATURES];
};

/* Only indices of weights, not tapes: what is rehearsed is judged with today's weights. */
struct rehearsal {
    uint8_t n, n_features[RING_STEPS];
    uint32_t features[RING_FEATURES]; /* of all steps, one after the other */
};

/* steps[0..n_steps) belong to the case at hand, in the order of choices; place is where the trie stands
 * after `placed` choices. */
struct rl {
    struct sonde_guide guide;
    struct sonde_rng rng;
    double bias, soft, idle, shallow, start_patience, sharp, budget, settle; /* knobs */
    enum stage stage;
    struct sonde_learn_model model;
    struct sonde_learn_context context;
    struct sonde_learn_trie *trie;
    struct sonde_learn_archive archive;
    struct sonde_learn_place place; /* of the case at hand, */
    uint32_t placed;                /* after so many choices */
    struct step *steps;
    uint32_t n_steps;
    /* Of the draw at hand. */
    struct sonde_learn_domain domain;
    float sums[LEARN_CANDIDATES]; /* what the chance to be right is the logistic of */
    float sigma[LEARN_CANDIDATES], promise[LEARN_CANDIDATES], powers[LEARN_CANDIDATES], g[LEARN_CANDIDATES];
    uint32_t equal[LEARN_CLASSES]; /* candidates that equal a member, as bits */
    uint32_t class_rows[LEARN_CLASSES];
    /* How it goes. */
    float success; /* moving average */
    uint64_t runs, valid, invalid;
    uint64_t learned_since, judgement; /* the run in which learning began, in which it is judged next */
    uint32_t level, deepest;           /* assumes that make a success, that have ever been passed */
    uint64_t last_amnesty, patience, amnesties;
    uint64_t lenient_until;
    struct rehearsal *ring;
    uint64_t n_ring;
    struct sonde_learn_answer *answers;
    uint32_t cap_answers;
    struct sonde_corpus *corpus; /* borrowed */
    struct sonde_givens given;   /* while it is plain */
    struct sonde_learn_notes *notes;
    bool takes_notes; /* of the case at hand */
    bool is_soft;     /* the case at hand may try what looks doubtful */
};

#define KNOB(name, field, ...) SONDE_KNOB(struct rl, field, name, __VA_ARGS__)

static const struct sonde_knob knobs[] = {
    KNOB("bias", bias, 2.5, -10, 10,
         "how right an answer is thought to be before anything is known, as the logistic's argument",
         "bench/KNOBS.md, rl"),
    KNOB("sharp", sharp, 4, 0, 20, "how much sharper good answers are preferred when all goes well",
         "bench/KNOBS.md, rl"),
    KNOB("soft", soft, 25, 1, 1e9, "of this many cases, one tries what looks doubtful", "bench/KNOBS.md, rl"),
    KNOB("idle", idle, 50, 0, 1e9, "nothing is learned while at most one in this many cases is discarded",
         "bench/KNOBS.md, rl"),
    KNOB("shallow", shallow, 1500, 1, 1e9, "cases after which half should succeed, or it begins again and looks deeper",
         "bench/KNOBS.md, rl"),
    KNOB("patience", start_patience, 200, 1, 1e9,
         "cases without success after which what speaks against answers is halved", "bench/KNOBS.md, rl"),
    KNOB(
        "budget", budget, 0.02, 0, 1,
        "part of the valid cases that may be lost to each way from known skeletons to others, where free cases have few; 0: no "
        "archive",
        "bench/KNOBS.md, rl"),
    KNOB("settle", settle, 20000, 1, 1e9, "cases over which the archive may come to its full part",
         "bench/KNOBS.md, rl"),
    {0},
};

/* All
 * memory but the trie is of fixed size, about 2 MB. */
static struct sonde_guide *rl_create(const struct sonde_guide_setup *setup)
{
    struct rl *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_rl;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_knobs_read(knobs, setup->options, g);
    sonde_learn_model_init(&g->model);
    g->trie = sonde_learn_trie_create(setup->memory);
    sonde_learn_archive_init(&g->archive);
    g->archive.budget = g->budget;
    g->archive.settle = g->settle;
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

/* For a case of its own and for retracing. */
static void begin(struct rl *g)
{
    sonde_learn_context_begin(&g->context);
    sonde_learn_archive_begin(&g->archive);
    g->place = sonde_learn_trie_root(g->trie);
    g->placed = 0;
    g->n_steps = 0;
    g->notes->n_pending = 0;
    /* Notes cost time: at first all cases, later few, which is enough for --explain. */
    g->takes_notes = g->runs - g->learned_since < NOTED || g->runs % NOTED_SELDOM == 0;
}

static enum sonde_plan rl_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    (void)script;
    struct rl *g = (struct rl *)guide;
    g->guide.plain = g->stage == IDLE ? &g->rng : NULL;
    if (g->stage == IDLE) return SONDE_PLAN_FRESH;
    g->is_soft = sonde_rng_upto(&g->rng, (uint64_t)g->soft - 1) == 0;
    sonde_learn_archive_choose(&g->archive, &g->rng, g->runs - g->learned_since);
    begin(g);
    return SONDE_PLAN_FRESH;
}

/* ---- Where the case stands in the trie */

/* An answer as the trie sees it. A blob stands for itself by a hash. */
static struct sonde_learn_answer answer_of(const struct sonde_tape *tape, const struct sonde_choice *c)
{
    if (c->kind != SONDE_KIND_BLOB) return (struct sonde_learn_answer){.index = c->index, .max = c->max};
    struct sonde_blob blob = sonde_choice_blob(tape, c);
    uint64_t hash = sonde_hash_bytes(blob.len, blob.symbols, (size_t)blob.len * sonde_alphabet_width(&blob.alphabet));
    return (struct sonde_learn_answer){.index = sonde_mix(hash) >> (64 - BLOB_BITS),
                                       .max = (1u << BLOB_BITS) - 1,
                                       .is_open = true};
}

/* The trie knows what was recorded, not what was answered: the two may differ. */
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

/* Not among the rows of context: relations have eight columns, one for each mask. */
static uint32_t class_row(const struct sonde_learn_class *class, const struct sonde_choice *point)
{
    return (uint32_t)(sonde_mix((uint64_t) class->key << 32 | point->site) >> CLASS_SHIFT) & (LEARN_STARTS - 1);
}

static inline int64_t value_at(const struct sonde_learn_domain *d, uint32_t j)
{
    return d->is_ascending ? d->lo[0] + j : d->lo[j];
}

/* Which of <, =, > occur between a candidate and the members of a class. */
static inline uint32_t mask_of(const struct rl *g, uint32_t class, uint32_t j)
{
    const struct sonde_learn_class *k = &g->context.classes[class];
    int64_t v = value_at(&g->domain, j);
    return (uint32_t)(v < k->max) | (g->equal[class] >> j & 1) << 1 | (uint32_t)(v > k->min) << 2;
}

/* Found once for each member instead of for each candidate and member. */
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

/* How many of the values of an ascending domain lie below x. */
static uint32_t count_below(const struct sonde_learn_domain *d, int64_t x)
{
    if (x <= d->lo[0]) return 0;
    uint64_t n = (uint64_t)x - (uint64_t)d->lo[0];
    return n < d->n ? (uint32_t)n : d->n;
}

/* Candidates are worked on four at a time; what lies behind the last has no mass. Below all members the
 * mask is 1, above all it is 4; only between them it is worked out. */
static void add_relation(struct rl *g, uint32_t k, float *sums)
{
    const struct sonde_learn_domain *d = &g->domain;
    const struct sonde_learn_class *class = &g->context.classes[k];
    const float *row = g->model.weights + g->class_rows[k];
    uint32_t j = 0, end = d->n;
    if (d->is_ascending) { /* below all members and above them there is nothing to ask */
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

/* Of a narrow domain four values at a time, and two rows: one of zeros follows the last, so that their number may be odd. */
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

/* The chance of each candidate to be right, next to nothing behind the last; answers the highest. */
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

/* What an interval promises, judged by a few of its values. */
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

/* By squaring; 0 stands for a half, the mildest preference. */
static float power(float x, unsigned k)
{
    if (k == 0) return sqrtf(x);
    float y = 1;
    for (; k; k >>= 1, x *= x)
        if (k & 1) y *= x;
    return y;
}

/* mass * g^k of all candidates. */
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

/* How sharply to prefer: the more the better things go; hardly at all where nothing looks good. */
static unsigned power_for(const struct rl *g, float best)
{
    float k = g->is_soft ? MILD : MILD + (float)g->sharp * g->success;
    if (best < hopeless) k *= best / hopeless;
    return (unsigned)(k + 0.5f);
}

/* g = right x promise, at least a little where anything is left; answers the highest. */
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

/* Everything about a draw that does not depend on the answer. The order matters: candidates need the
 * classes of the context, scores need the candidates, and the power needs the highest of right x
 * promise. */
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

/* ---- Answers */

/* Roulette-wheel selection. Rounding may leave `left` at 0 or above after the last, so the last one
 * with any weight is the answer. */
static uint32_t pick(struct rl *g)
{
    const struct sonde_learn_domain *d = &g->domain;
    sonde_four sums = sonde_four_of(0);
    for (uint32_t j = 0; j < d->n; j += 4) sums += sonde_four_load(g->powers + j);
    float sum = sum_of(sums);
    if (!(sum > 0)) { /* all of it is used up: any repeat will do, but a good one */
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

/* A value out of an interval: of a few the one that promises most, by chance. */
static uint64_t pick_within(struct rl *g, const struct sonde_view *view, struct step *s, uint32_t j)
{
    const struct sonde_learn_domain *d = &g->domain;
    s->rest = g->promise[j];
    s->share = 1;
    if (d->is_narrow) return j;
    if (d->lo[j] == d->hi[j]) return sonde_learn_index(view->tape, view->point, d->lo[j]);
    uint64_t spread = (uint64_t)d->hi[j] - (uint64_t)d->lo[j], best = 0;
    float sum = 0, total = 0;
    /* Of a large interval one value more or less changes nothing. */
    s->share = spread < EXACT ? 1 / (1 + (float)spread) : 0;
    for (int i = 0; i < SAMPLES; i++) {
        int64_t value = sonde_learn_sample(d, j, view->point, &g->rng);
        uint64_t index = sonde_learn_index(view->tape, view->point, value);
        if (!g->place.ref) return index;
        float promise = sonde_learn_trie_promise(g->trie, g->place, view->point->max, index);
        float weight = power(promise, s->power) + least_weight;
        total += weight;
        sum += promise;
        /* Weighted reservoir sampling of one. */
        if (i == 0 || (float)sonde_rng_unit(&g->rng) * total < weight) best = index;
    }
    s->rest = sum / SAMPLES;
    return best;
}

/* May write up to three more. */
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

/* What the update needs of this draw when the verdict is known: the features of the answer, and the sums over all other candidates
 * in its place. */
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

/* Blobs are no answers out of a domain, and weights of many alternatives would need as many columns. */
static bool is_learned(const struct rl *g, const struct sonde_choice *point)
{
    if (g->n_steps == LEARN_STEPS || point->kind == SONDE_KIND_BLOB) return false;
    return point->kind != SONDE_KIND_WEIGHTED || point->max < SONDE_LEARN_NARROW;
}

/* In a domain of intervals some interval has the value; of doubles there are only those drawn. */
static uint32_t candidate_of(struct rl *g, const struct sonde_view *view, uint64_t index)
{
    struct sonde_learn_domain *d = &g->domain;
    if (d->is_narrow) return (uint32_t)index;
    int64_t value = sonde_learn_value(view->tape, view->point, index);
    for (uint32_t j = 0; j < d->n; j++)
        if (d->lo[j] <= value && value <= d->hi[j]) return j;
    d->lo[0] = d->hi[0] = value; /* a double that was not among those drawn */
    return 0;
}

/* Of an answer that was not drawn by its chance, what is left is not known. */
static void as_given(struct rl *g, struct step *s, uint32_t j)
{
    s->rest = g->promise[j];
    s->share = g->domain.is_narrow || g->domain.lo[j] == g->domain.hi[j] ? 1 : 0;
}

/* An answer that was seldom seen here, in valid inputs and in ventures, whatever the model thinks of it. */
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
        as_given(g, s, *j);
        return *j;
    }
    *j = pick(g);
    return pick_within(g, view, s, *j);
}

/* Another candidate than `not`, as if what is uncertain went well. How large the next step of a weight would be says how
 * uncertain it is, and so it is in this context alone. */
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

/* By what is right alone, as far as anything is left. */
static uint32_t pick_right(struct rl *g)
{
    const struct sonde_learn_domain *d = &g->domain;
    for (uint32_t j = 0; j < d->n; j++)
        g->powers[j] = g->promise[j] > 0 ? d->mass[j] * power(g->sigma[j] + least, RIGHT) : 0;
    return pick(g);
}

/* A draw of a case that follows a kept input. What the answer would have been by chance stays known to the step. */
static uint64_t pick_by_archive(struct rl *g, const struct sonde_view *view, struct step *s, uint32_t *j)
{
    float powers[LEARN_CANDIDATES];
    struct sonde_learn_bone draw = bone_of(g, view->point, 0);
    uint64_t index = 0;
    enum sonde_learn_wish wish = sonde_learn_archive_wish(&g->archive, &draw, view->point->max, &index);
    memcpy(powers, g->powers, sizeof powers);
    if (wish == LEARN_AS_KEPT) {
        *j = candidate_of(g, view, index);
        as_given(g, s, *j);
    } else if (wish == LEARN_OTHER) {
        index = *j = pick_doubtful(g, (uint32_t)index);
        as_given(g, s, *j);
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
    if (g->domain.is_narrow && !view->weights) { /* recorded as it is: the next place can be fetched meanwhile */
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

/* ---- A case that another guide made, or that was recorded otherwise than answered: as if it had been answered so. */

static void retrace(struct rl *g, const struct sonde_tape *tape)
{
    begin(g);
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        struct sonde_view view = {.tape = tape, .point = &tape->choices[i], .size = FULL_SIZE};
        if (view.point->max == 0 || !is_learned(g, view.point)) continue;
        struct step *s = prepare(g, &view, i);
        uint32_t j = candidate_of(g, &view, view.point->index);
        as_given(g, s, j);
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

/* What is left behind each answer, from the end backwards, and the whole into the trie. The promise of
 * a draw is the mean of right x promise under the very choice that pick makes: sum of mass * g^(k+1)
 * over sum of mass * g^k. So it is policy evaluation, one step backwards per draw (Bellman), along one
 * tape. */
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
            /* A draw that is not learned: nothing is known about its other answers. */
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

/* Gradient ascent on log P(valid), P the product of all sigmas: the derivative by the sum of a step is
 * 1 - sigma. */
static void praise(struct rl *g)
{
    for (uint32_t i = 0; i < g->n_steps; i++) {
        const struct step *s = &g->steps[i];
        float d = 1 - s->sigma;
        if (d >= small_step) sonde_learn_nudge(&g->model, s->features, s->n_features, d);
    }
}

/* The chance that the answer was the culprit, given that there is one; and what a dead end adds. It is
 * the derivative of log(1 - P) by the sum of a step: -P / (1 - P) * (1 - sigma). */
static void blame(struct rl *g)
{
    float product = 1;
    for (uint32_t i = 0; i < g->n_steps; i++) product *= g->steps[i].sigma;
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

/* A ring of the latest ones; a long run is kept as far as there is room. */
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

/* Learns a valid run again, so that failures do not wear down what was known to work. */
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

/* When nothing succeeds any more, what was learned is a part of the space that is used up, and all else looks fatal. */
static void forgive(struct rl *g)
{
    if (g->success > recovered) g->patience = (uint64_t)g->start_patience;
    if (g->success >= poor || g->runs - g->last_amnesty < g->patience) return;
    sonde_learn_amnesty(&g->model);
    sonde_learn_trie_new_generation(g->trie);
    g->last_amnesty = g->runs;
    if (g->patience < 2 * (uint64_t)g->start_patience) g->patience *= 2;
    g->amnesties++;
}

/* With the first valid input the goal is another one: what was learned on the way stays, but is open again, and nothing that
 * only came near is learned once more. */
static void begin_validity(struct rl *g)
{
    g->judgement = g->runs + (uint64_t)g->shallow;
    if (g->stage >= KEEPING) return; /* it was loaded */
    if (g->stage == APPROACHING) g->stage = KEEPING;
    g->n_ring = 0;
    g->success = 0;
    sonde_learn_reopen(&g->model);
}

/* Before the first valid input, getting through the assumes is learned one after the other: at first it is a success to pass one,
 * then two, ... Afterwards only validity is one. Otherwise an assume that is cut into its parts, as `sonde cc` does, would
 * teach what one of them alone asks for, long after valid inputs have shown more. */
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

/* The usual views of the state do not do: begins again with more of them. What was tried is forgotten too, since the few
 * valid inputs known are the best there is to learn from. */
static void start_over(struct rl *g)
{
    g->stage = AGAIN;
    g->context.is_deep = true;
    sonde_learn_forget(&g->model);
    sonde_learn_trie_clear(g->trie);
    g->success = 0;
    g->n_ring = 0;
    g->last_amnesty = g->runs;
    g->lenient_until = g->runs + 2 * (uint64_t)g->shallow;
    g->patience = (uint64_t)g->start_patience;
}

/* Now and then: does it work at all? Each time it is three times as many runs since learning began. */
static void judge(struct rl *g)
{
    float wanted = g->stage == AGAIN ? hardly_any : half;
    if (g->success < wanted && g->valid > 0) start_over(g);
    else if (g->success < excellent) g->context.is_deep = true; /* what was learned still holds */
    g->judgement = g->runs + 2 * (g->runs - g->learned_since);
}

/* A valid input that counts as one seen before is no success. After a new start the old ones have to do. */
static bool is_stale(const struct rl *g, const struct sonde_run *run)
{
    bool is_new = run->interest.reasons & SONDE_NEW_VALID;
    return run->observation->verdict == SONDE_VALID && !is_new && g->runs >= g->lenient_until;
}

/* Of what another guide made, only that it is valid is a lesson: in what is not, others err in other ways, and what they
 * repeat is not wrong for that. The cases of `uniform`, which judge cover claims, are not another's: this guide draws the
 * same way until it has something to go by, and independent draws err as the generator does. */
static bool is_foreign(const struct sonde_run *run)
{
    return run->author && run->author->ops != &sonde_guide_rl && run->author->ops != &sonde_guide_uniform;
}

static void rl_learn(struct sonde_guide *guide, const struct sonde_run *run);

/* Where enough was discarded, learning begins, with what was given while there was nothing to learn: one valid input is enough to
 * go by. Else the run is held, if it was given. */
static bool wakes_up(struct rl *g, const struct sonde_run *asleep)
{
    if (g->invalid * (uint64_t)g->idle <= g->runs) {
        sonde_givens_add(&g->given, g->corpus, asleep);
        return false;
    }
    g->stage = g->valid > 0 ? KEEPING : APPROACHING;
    g->learned_since = g->runs;
    if (g->judgement <= g->runs) g->judgement = g->runs + (uint64_t)g->shallow;
    for (uint32_t i = 0; i < g->given.n; i++) {
        struct sonde_run run = sonde_givens_at(&g->given, i);
        rl_learn(&g->guide, &run);
    }
    sonde_givens_clear(&g->given, g->corpus);
    return true;
}

/* Cases of others teach only by what they got right. While nearly everything is valid there is nothing to learn, and it stays
 * plain; the order is: what was answered, how it went, what that says of each answer, and now and then whether all this pays. */
static void rl_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct rl *g = (struct rl *)guide;
    const struct sonde_observation *seen = run->observation;
    if (seen->verdict == SONDE_MISUSE) return;
    /* is_success counts, too, so it is asked for foreign runs as well. */
    bool foreign = is_foreign(run), ok = is_success(g, seen);
    if (ok && is_stale(g, run)) ok = false;
    if (foreign && !(ok && seen->verdict == SONDE_VALID)) return;
    g->runs++;
    if (g->stage == IDLE && !wakes_up(g, run)) return;
    if (!is_as_answered(g, run)) retrace(g, run->tape);
    bool is_own = run->author == &g->guide, is_free = !is_own || g->archive.way == LEARN_FREE;
    if (!foreign && is_free) g->success += weight_of_a_case * ((ok ? 1.0f : 0.0f) - g->success);
    sonde_learn_notes_end(g->notes, sonde_is_valid_input(seen));
    back_up(g, run);
    sonde_learn_archive_end(&g->archive, &g->rng,
                            (struct sonde_learn_outcome){.is_own = is_own,
                                                         .is_good = ok,
                                                         .is_valid = sonde_is_valid_input(seen)});
    /* Valid, not `ok`: an equation that only the last assume asks for is gone for good if passing the first counts. */
    sonde_learn_balance_learn(&g->context.balance, run->tape, sonde_is_valid_input(seen));
    if (ok) {
        praise(g);
        if (g->success < excellent || g->valid % REMEMBERED == 0) keep_for_rehearsal(g);
    } else if (g->n_ring > 0 && is_free) {
        /* Before the first success nothing is known to be right, and everything would be blamed. */
        blame(g);
        rehearse(g);
        forgive(g);
    }
    if (g->runs == g->judgement) judge(g);
}

/* ---- From run to run: the weights and how far it has come. What was tried is not kept: the code may have changed since. */

enum { SAVED_VERSION = 1 };

/* What was learned of nothing valid is not worth a file. */
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

/* The ring and the trie start empty. Whether what was loaded still works is judged after `shallow`
 * cases. */
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
    g->stage = KEEPING; /* or nothing would have been saved */
    g->judgement = (uint64_t)g->shallow;
    return true;
}

/* It may still get better: it has not yet been judged, or it was judged and has begun again. */
static bool is_learning(const struct rl *g)
{
    return g->stage != IDLE && g->success < half && g->runs - g->learned_since < 4 * (uint64_t)g->shallow;
}

static void rl_stats(struct sonde_guide *guide, FILE *out)
{
    static const char *const names[LEARN_WAYS] = {"free", "dress", "change", "venture"};
    struct rl *g = (struct rl *)guide;
    fprintf(out, "cases=%" PRIu64 " valid=%" PRIu64 " success=%.3f amnesties=%" PRIu64 " trie_bytes=%zu%s%s%s\n",
            g->runs, g->valid, (double)g->success, g->amnesties, sonde_learn_trie_bytes(g->trie),
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
