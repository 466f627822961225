/* The guide `cgpt-classic`: FuzzChick's loop as published (section 3), the reference for `cgpt`.
 *
 * Algorithm 3: two queues of seeds with energy, valid ones first. The seed at the front is mutated until its energy is
 * spent; new seeds go to the back. When a discarded seed is spent, one fresh input is made. While both queues are
 * empty, all inputs are fresh. An input is interesting as in AFL: some counter has a new count, in classes (1, 2, 3,
 * 4-7, 8-15, 16-31, 32-127, more). Energy is computed as in AFL: more for quick runs and for runs that cover much; a
 * third for discarded ones.
 *
 * The program of April 2019 does two of these things differently; knobs select its behaviour. With `order=stack` new
 * seeds form the next batch, and the newest seed of a batch comes first. With `counts=raw` an input is interesting if a
 * bit of a plain count is new.
 *
 * One mutation per child, derived from types (section 3.2), here from spans. At a span these are equally likely:
 * - another constructor: the first choice, if it is one of a few alternatives; each other alternative is a separate
 * option;
 * - change one part, and so on down the tree;
 * - become a part of the same label. Numbers become 0 or fresh, and flags are flipped. A list loses or changes an
 * element, or gets fresh ones at its end. Nothing is copied, spliced or changed in two positions.
 *
 * Differences from the paper: a tape does not record which parts the other constructors have. So all constructors are
 * options, and parts that fit by their label are kept. (FuzzChick excludes constructors whose parts are neither a
 * subset nor a superset, footnote 8.) Cost replaces time. */
#include "classic.h"

#include <inttypes.h>
#include <string.h>

struct queue {
    struct seed {
        struct sonde_kept *kept;
        uint64_t energy;
    } * seeds;
    uint32_t first, n, cap; /* seeds [first, n), in order of arrival */
};

/* Algorithm 3 uses the two current queues; the other two are the next batch of a stack. */
enum { CURRENT_VALID, CURRENT_DISCARDED, NEXT_VALID, NEXT_DISCARDED, N_QUEUES };

struct classic {
    struct sonde_guide guide;
    struct sonde_guide *fresh; /* the guide `uniform`: makes the choices that a script leaves open */
    struct sonde_guide_setup setup;
    struct sonde_rng rng;
    struct queue queues[N_QUEUES];
    struct sonde_tape scratch;
    uint8_t *bits; /* for each feature, the bits of its counts that were seen */
    uint32_t cap_bits;
    double all_cost, all_runs, edges, interesting;
    size_t bytes, limit;
    uint64_t cases;
    double order, counts; /* knobs; their values are words */
};

enum { QUEUE, STACK };
enum { CLASSES, RAW };
static const char *const order_words[] = {"queue", "stack"};
static const char *const count_words[] = {"classes", "raw"};

static const struct sonde_knob knobs[] = {
    {"order", offsetof(struct classic, order), QUEUE, 0, 1,
     "which seed is mutated next: the oldest, as in the paper, or the newest of a batch, as in the program of 2019",
     "FuzzChick, algorithm 3", order_words},
    {"counts", offsetof(struct classic, counts), CLASSES, 0, 1,
     "what counts as new in a counter: a class of AFL, as in the paper, or a bit of the count, as in the program of "
     "2019",
     "FuzzChick, section 3.1", count_words},
    {0},
};

static struct sonde_guide *classic_create(const struct sonde_guide_setup *setup)
{
    struct classic *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_cgpt_classic;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    g->setup = sonde_guide_part(setup, 1);
    g->fresh = sonde_guide_find("uniform")->create(&g->setup);
    sonde_knobs_read(knobs, setup->options, g);
    g->limit = setup->memory;
    return &g->guide;
}

static bool is_empty(const struct queue *q)
{
    return q->first == q->n;
}

/* Returns the next seed. */
static struct seed *front(const struct classic *g, const struct queue *q)
{
    return &q->seeds[(int)g->order == QUEUE ? q->first : q->n - 1];
}

static void drop_front(struct classic *g, struct queue *q)
{
    struct seed *s = front(g, q);
    g->bytes -= sonde_tape_bytes(&s->kept->tape);
    sonde_corpus_drop(g->setup.corpus, s->kept);
    if ((int)g->order == QUEUE) q->first++;
    else q->n--;
    if (is_empty(q)) q->first = q->n = 0;
}

static void push(struct queue *q, struct seed seed)
{
    if (q->first > q->n / 2) {
        memmove(q->seeds, q->seeds + q->first, (q->n - q->first) * sizeof *q->seeds);
        q->n -= q->first;
        q->first = 0;
    }
    q->seeds = classic_grow(q->seeds, &q->cap, q->n + 1, sizeof *q->seeds);
    q->seeds[q->n++] = seed;
}

static void classic_destroy(struct sonde_guide *guide)
{
    struct classic *g = (struct classic *)guide;
    for (int i = 0; i < N_QUEUES; i++) {
        while (!is_empty(&g->queues[i])) drop_front(g, &g->queues[i]);
        sonde_free(g->queues[i].seeds);
    }
    g->fresh->ops->destroy(g->fresh);
    sonde_tape_clear(&g->scratch);
    sonde_free(g->bits);
    sonde_free(g);
}

/* ---- The seed to mutate */

/* A pick of more alternatives than this is a number, not a constructor. */
enum { FORMS = 256 };

static void switch_queues(struct classic *g, int current, int next)
{
    struct queue spent = g->queues[current];
    g->queues[current] = g->queues[next];
    g->queues[next] = spent; /* empty by now, so it can hold the next batch */
}

/* Returns the seed to mutate; NULL: make a fresh input. */
static struct seed *pick_seed(struct classic *g)
{
    struct queue *valid = &g->queues[CURRENT_VALID], *discarded = &g->queues[CURRENT_DISCARDED];
    for (int switches = 0; switches < 4; switches++) {
        while (!is_empty(valid) && front(g, valid)->energy == 0) drop_front(g, valid);
        if (!is_empty(valid)) return front(g, valid);
        if (!is_empty(&g->queues[NEXT_VALID])) {
            switch_queues(g, CURRENT_VALID, NEXT_VALID);
            continue;
        }
        if (!is_empty(discarded) && front(g, discarded)->energy == 0) {
            drop_front(g, discarded);
            return NULL;
        }
        if (!is_empty(discarded)) return front(g, discarded);
        if (is_empty(&g->queues[NEXT_DISCARDED])) return NULL;
        switch_queues(g, CURRENT_DISCARDED, NEXT_DISCARDED);
    }
    return NULL;
}

/* ---- Derived mutators */

static void mutate_choice(struct classic *g, struct sonde_choice *c)
{
    if (c->max == 1) {
        c->index ^= 1;
        c->flags ^= SONDE_CHOICE_TURNED;
    } else if (c->index != 0 && c->kind != SONDE_KIND_PICK && c->kind != SONDE_KIND_BLOB
               && classic_one_in(&g->rng, 2)) {
        c->index = 0;
    } else {
        c->flags |= SONDE_CHOICE_HOLE;
    }
}

/* The parts of a span: direct choices and child spans, except the choice of its constructor. */
struct parts {
    uint32_t n, same; /* number of all parts, and of children with the label of the span */
    uint32_t others;  /* number of other constructors that the span could have */
};

static uint32_t part_at(const struct sonde_tape *t, uint32_t span, uint32_t choice)
{
    uint32_t s = t->choices[choice].span;
    while (s != span && t->spans[s].parent != span) s = t->spans[s].parent;
    return s;
}

static struct parts count_parts(const struct sonde_tape *t, uint32_t span)
{
    struct parts p = {0};
    for (uint32_t i = t->spans[span].start; i < t->spans[span].end; p.n++) {
        uint32_t part = part_at(t, span, i);
        i = part == span ? i + 1 : t->spans[part].end;
    }
    for (uint32_t i = span + 1; i < t->spans[span].next; i = t->spans[i].next)
        p.same += span != 0 && t->spans[i].label == t->spans[span].label;
    if (p.n) {
        const struct sonde_choice *c = &t->choices[t->spans[span].start];
        bool has_forms = c->span == span && c->kind == SONDE_KIND_PICK && c->max > 0 && c->max < FORMS;
        p.others = has_forms ? (uint32_t)c->max : 0;
        p.n -= has_forms;
    }
    return p;
}

/* Returns the nth part: a choice in the span itself, or the first choice of a child. */
static uint32_t nth_part(const struct sonde_tape *t, uint32_t span, uint32_t nth)
{
    uint32_t i = t->spans[span].start;
    while (nth-- > 0) {
        uint32_t part = part_at(t, span, i);
        i = part == span ? i + 1 : t->spans[part].end;
    }
    return i;
}

static void become_part(struct classic *g, struct sonde_tape *t, uint32_t span, uint32_t nth)
{
    for (uint32_t i = span + 1; i < t->spans[span].next; i = t->spans[i].next) {
        if (t->spans[i].label != t->spans[span].label || nth-- > 0) continue;
        sonde_script_replace(&g->scratch, t, span, t, i);
        sonde_tape_swap(t, &g->scratch);
        return;
    }
}

/* Walks along the elements: changes one, drops one, or adds fresh ones at the end. Returns the element to change, or
 * the list itself if the mutation is done. */
static uint32_t mutate_list(struct classic *g, struct sonde_tape *t, uint32_t list)
{
    uint32_t left = 0, end = t->spans[list].next, length = sonde_list_length(t, list);
    for (uint32_t i = list + 1; i < end; i = t->spans[i].next) left++;
    for (uint32_t i = list + 1; i < end; i = t->spans[i].next, left--) {
        uint64_t x = sonde_rng_upto(&g->rng, left + 1);
        if (x == 0) return i;
        if (x > 1) continue;
        sonde_script_without(&g->scratch, t, &i, 1);
        sonde_tape_swap(t, &g->scratch);
        return list;
    }
    if (length != UINT32_MAX && t->choices[length].index < t->choices[length].max)
        t->choices[length].index +=
            1 + sonde_rng_upto(&g->rng, t->choices[length].max - t->choices[length].index - 1) % 7;
    return list;
}

static void mutate(struct classic *g, struct sonde_tape *t)
{
    uint32_t span = 0;
    for (;;) {
        if (t->spans[span].flags & SONDE_SPAN_LIST) {
            uint32_t element = mutate_list(g, t, span);
            if (element == span) return;
            span = element;
            continue;
        }
        struct parts p = count_parts(t, span);
        uint64_t options = (uint64_t)p.others + p.n + p.same;
        if (options == 0) return;
        uint64_t x = sonde_rng_upto(&g->rng, options - 1);
        if (x < p.others) {
            struct sonde_choice *c = &t->choices[t->spans[span].start];
            c->index = (c->index + 1 + x) % (c->max + 1);
            return;
        }
        x -= p.others;
        if (x >= p.n) {
            become_part(g, t, span, (uint32_t)(x - p.n));
            return;
        }
        uint32_t choice = nth_part(t, span, (uint32_t)x + (p.others > 0)), part = part_at(t, span, choice);
        if (part == span) {
            mutate_choice(g, &t->choices[choice]);
            return;
        }
        span = part;
    }
}

/* ---- Operations of the guide */

static enum sonde_plan classic_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct classic *g = (struct classic *)guide;
    g->cases++;
    struct seed *s = pick_seed(g);
    g->guide.plain = g->fresh->plain;
    if (!s) return SONDE_PLAN_FRESH;
    s->energy--;
    sonde_tape_copy(script, &s->kept->tape);
    mutate(g, script);
    return SONDE_PLAN_SCRIPT;
}

static uint64_t classic_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct sonde_guide *fresh = ((struct classic *)guide)->fresh;
    return fresh->ops->choose(fresh, view);
}

static size_t classic_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                           size_t max)
{
    struct sonde_guide *fresh = ((struct classic *)guide)->fresh;
    return fresh->ops->fill(fresh, view, symbols, min, max);
}

static bool is_interesting(struct classic *g, const struct sonde_coverage_view *view)
{
    return (int)g->counts == RAW ? classic_shows_new_bits(&g->bits, &g->cap_bits, view)
                                 : classic_shows_new_classes(&g->bits, &g->cap_bits, view);
}

/* Returns the energy by AFL's factors. Time is the cost of a run in choices and edges, so that no clock decides. */
static uint64_t energy_of(const struct classic *g, const struct sonde_observation *o)
{
    double speed = (double)o->cost / (g->all_cost / g->all_runs);
    double energy = classic_score(speed, (double)o->coverage->n_edges / (g->edges / g->interesting));
    if (o->verdict != SONDE_VALID) energy *= 0.33;
    return 10 * (uint64_t)(energy < 5 ? 5 : energy > 1600 ? 1600 : energy);
}

static void classic_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct classic *g = (struct classic *)guide;
    const struct sonde_observation *o = run->observation;
    if (!o->coverage || o->verdict > SONDE_DISCARDED) return;
    g->all_cost += (double)o->cost + 1;
    g->all_runs++;
    if (!is_interesting(g, o->coverage) || g->bytes > g->limit) return;
    g->edges += o->coverage->n_edges + 1;
    g->interesting++;
    int batch = (int)g->order == QUEUE ? CURRENT_VALID : NEXT_VALID;
    struct queue *q = &g->queues[batch + (o->verdict == SONDE_VALID ? 0 : CURRENT_DISCARDED)];
    push(q, (struct seed){.kept = sonde_corpus_keep(g->setup.corpus, run), .energy = energy_of(g, o)});
    g->bytes += sonde_tape_bytes(run->tape);
}

static uint32_t size_of(const struct queue *q)
{
    return q->n - q->first;
}

static void classic_stats(struct sonde_guide *guide, FILE *out)
{
    struct classic *g = (struct classic *)guide;
    fprintf(out, "cases=%" PRIu64 " interesting=%.0f valid=%" PRIu32 " discarded=%" PRIu32 "\n", g->cases,
            g->interesting, size_of(&g->queues[CURRENT_VALID]) + size_of(&g->queues[NEXT_VALID]),
            size_of(&g->queues[CURRENT_DISCARDED]) + size_of(&g->queues[NEXT_DISCARDED]));
}

const struct sonde_guide_ops sonde_guide_cgpt_classic = {
    .name = "cgpt-classic",
    .summary = "FuzzChick as published, for comparison",
    .create = classic_create,
    .destroy = classic_destroy,
    .start = classic_start,
    .choose = classic_choose,
    .fill = classic_fill,
    .learn = classic_learn,
    .wants = SONDE_NEW_COVERAGE,
    .stats = classic_stats,
    .knobs = (const struct sonde_knob *const[]){knobs, NULL},
};
