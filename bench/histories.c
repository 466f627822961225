/* The cost of deciding whether calls that overlap can be explained by a model (sonde_together, case/linear.h):
 * histories of 50 calls to six structures, made by a schedule of drawn numbers. In *right* ones each call takes effect
 * at a moment between its beginning and its end. In *wrong* ones the last result is exchanged for one that no call can
 * have, so that every order has to be ruled out; in *swapped* ones two results are exchanged for each other, which may
 * or may not be explained. Each is judged twice, without and with .value, if the model has one: the verdicts must be
 * the same. Times are of the processor. */
#include "case/linear.h"

#include <sonde/extend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 50, KEYS = 8, THREADS_MAX = 8, NEVER = -2, NOTHING = -1 };

struct model {
    int n, items[CALLS];
};

enum { PUT, TAKE, LOOK, N_OPS };
struct call {
    int op, key, value, answer;
};

/* ---- Six models */

static int apply_to_register(struct model *m, const struct call *c)
{
    if (c->op == PUT) m->items[0] = c->value;
    return m->items[0];
}

static int apply_to_counter(struct model *m, const struct call *c)
{
    return m->items[0] += c->op == LOOK ? 0 : c->key;
}

static int apply_to_queue(struct model *m, const struct call *c)
{
    if (c->op == PUT) return m->items[m->n++] = c->value;
    if (!m->n) return NOTHING;
    int first = m->items[0];
    memmove(m->items, m->items + 1, (size_t)--m->n * sizeof *m->items);
    m->items[m->n] = 0; /* models are compared by their bytes */
    return first;
}

static int apply_to_stack(struct model *m, const struct call *c)
{
    if (c->op == PUT) return m->items[m->n++] = c->value;
    if (!m->n) return NOTHING;
    int last = m->items[--m->n];
    m->items[m->n] = 0;
    return last;
}

static int apply_to_set(struct model *m, const struct call *c)
{
    int had = m->items[c->key];
    if (c->op != LOOK) m->items[c->key] = c->op == PUT;
    return had;
}

static int apply_to_map(struct model *m, const struct call *c)
{
    if (c->op == PUT) m->items[c->key] = c->value;
    return m->items[c->key];
}

#define AGREES(name)                                                                                                   \
    static bool name##_agrees(void *model, const void *call)                                                           \
    {                                                                                                                  \
        return apply_to_##name(model, call) == ((const struct call *)call)->answer;                                    \
    }
AGREES(register)
AGREES(counter)
AGREES(queue)
AGREES(stack)
AGREES(set)
AGREES(map)

static uint64_t item_of(const void *call) /* one that found nothing stands alone */
{
    int answer = ((const struct call *)call)->answer;
    return answer == NOTHING ? 0 : (uint64_t)answer + 3;
}

static uint64_t key_of(const void *call)
{
    return (uint64_t)((const struct call *)call)->key + 1;
}

static uint64_t entry_of(const void *call)
{
    return ((uint64_t)((const struct call *)call)->key + 1) << 32 | (uint32_t)((const struct call *)call)->answer;
}

static const struct kind {
    const char *name;
    int (*apply)(struct model *m, const struct call *c);
    bool (*agrees)(void *model, const void *call);
    uint64_t (*value)(const void *call);
    uint64_t
        most; /* threads of which histories that are not right are judged without a value: with more it takes too long */
} kinds[] = {{"register", apply_to_register, register_agrees, item_of, 8},
             {"counter", apply_to_counter, counter_agrees, NULL, 8},
             {"queue", apply_to_queue, queue_agrees, item_of, 4},
             {"stack", apply_to_stack, stack_agrees, item_of, 4},
             {"set", apply_to_set, set_agrees, key_of, 8},
             {"map", apply_to_map, map_agrees, entry_of, 8}};

/* ---- Histories */

struct history {
    struct call calls[CALLS];
    struct sonde_linear_call times[CALLS];
};

static struct call draw_call(uint64_t clock, struct sonde_rng *rng)
{
    return (struct call){.op = (int)sonde_rng_upto(rng, 1) ? PUT
                               : sonde_rng_upto(rng, 1)    ? TAKE
                                                           : LOOK,
                         .key = (int)sonde_rng_upto(rng, KEYS - 1),
                         .value = (int)clock};
}

static void make_history(struct history *h, const struct kind *kind, uint64_t threads, struct sonde_rng *rng)
{
    enum { IDLE, BEGUN, DONE } state[THREADS_MAX] = {IDLE};
    size_t current[THREADS_MAX] = {0}, n = 0, n_ended = 0;
    struct model model = {.n = 0};
    for (uint64_t clock = 1; n_ended < CALLS; clock++) {
        uint64_t i = sonde_rng_upto(rng, threads - 1);
        struct call *c = &h->calls[current[i]];
        if (state[i] == IDLE && n < CALLS) {
            h->calls[n] = draw_call(clock, rng);
            h->times[n] = (struct sonde_linear_call){.began = clock, .call = &h->calls[n], .agrees = kind->agrees};
            current[i] = n++;
            state[i] = BEGUN;
        } else if (state[i] == BEGUN) {
            c->answer = kind->apply(&model, c);
            state[i] = DONE;
        } else if (state[i] == DONE) {
            h->times[current[i]].ended = clock;
            state[i] = IDLE;
            n_ended++;
        }
    }
}

/* The last answer, so that all before it can be explained, in many ways. */
static void spoil(struct history *h)
{
    size_t i = CALLS - 1;
    while (i > 0 && h->calls[i].op == PUT) i--;
    h->calls[i].answer = NEVER;
}

/* Exchanges the first two different results at or after a drawn position. */
static void swap(struct history *h, struct sonde_rng *rng)
{
    struct call *first = NULL;
    for (size_t i = sonde_rng_upto(rng, CALLS - 1); i < CALLS; i++) {
        struct call *c = &h->calls[i];
        if (c->op == PUT) continue;
        if (!first) first = c;
        else if (first->answer != c->answer) {
            int answer = c->answer;
            c->answer = first->answer;
            first->answer = answer;
            return;
        }
    }
}

static double processor_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* ---- Rows */

struct row {
    double sum, worst;
    long n, n_late, n_hold;
};

static bool judge(struct row *row, const struct history *h, const struct kind *kind, bool by_value)
{
    struct model empty = {.n = 0};
    double before = processor_us();
    enum sonde_linear_verdict verdict = sonde_linear_judge(&(struct sonde_linear){
        .calls = h->times, .n = CALLS, .model = &empty, .size = sizeof empty, .value = by_value ? kind->value : NULL});
    bool holds = verdict == SONDE_LINEAR_HOLDS;
    double used = processor_us() - before;
    row->sum += used;
    row->n++;
    row->n_late += used > 1000;
    row->n_hold += holds;
    if (used > row->worst) row->worst = used;
    return holds;
}

enum damage { RIGHT, WRONG, SWAPPED, N_DAMAGES };
static const char *const damages[] = {"right", "wrong", "swapped"};

static void print_row(const struct row *row, const char *model, uint64_t threads, const char *kind, bool by_value,
                      long n_misjudged, bool json)
{
    printf(json ? "{\"suite\": \"histories\", \"model\": \"%s\", \"threads\": %d, \"kind\": \"%s\", \"value\": %s, "
                  "\"histories\": %ld, \"mean_us\": %.1f, \"worst_us\": %.1f, \"above_1_ms\": %ld, \"linearizable\": "
                  "%ld, \"misjudged\": %ld}\n"
                : "%-9s %d threads  %-8s %-6s %ld histories: mean %.1f us, worst %.1f us, %ld above 1 ms, %ld "
                  "linearizable, misjudged %ld\n",
           model, (int)threads, kind,
           json       ? by_value ? "true" : "false"
           : by_value ? "value"
                      : "-",
           row->n, row->sum / (double)row->n, row->worst, row->n_late, row->n_hold, n_misjudged);
}

/* False: one was judged wrongly. */
static bool measure(const struct kind *kind, uint64_t threads, enum damage damage, long n, bool json)
{
    struct sonde_rng rng;
    struct row plain = {.n = 0}, by_value = {.n = 0};
    long n_misjudged = 0;
    sonde_rng_seed(&rng, 1, threads);
    for (long i = 0; i < n; i++) {
        struct history h;
        make_history(&h, kind, threads, &rng);
        if (damage == WRONG) spoil(&h);
        if (damage == SWAPPED) swap(&h, &rng);
        bool wanted = damage == RIGHT, is_plain = damage == RIGHT || threads <= kind->most;
        bool holds = is_plain && judge(&plain, &h, kind, false);
        if (damage == SWAPPED) wanted = is_plain ? holds : judge(&by_value, &h, kind, true);
        n_misjudged += is_plain && holds != wanted;
        if (kind->value && (is_plain || damage != SWAPPED)) n_misjudged += judge(&by_value, &h, kind, true) != wanted;
    }
    if (plain.n) print_row(&plain, kind->name, threads, damages[damage], false, n_misjudged, json);
    if (by_value.n) print_row(&by_value, kind->name, threads, damages[damage], true, n_misjudged, json);
    return !n_misjudged;
}

int main(int argc, char **argv)
{
    static const uint64_t threads[] = {2, 4, THREADS_MAX};
    bool json = false, passes = true;
    long n = 100;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) json = true;
        else if (strcmp(argv[i], "--histories") == 0 && i + 1 < argc && strtol(argv[i + 1], NULL, 10) > 0)
            n = strtol(argv[++i], NULL, 10);
        else {
            fprintf(stderr, "usage: bench/run histories [--json] [--histories N (100): of each row]\n");
            return strcmp(argv[i], "--help") == 0 ? 0 : 2;
        }
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
            for (enum damage d = RIGHT; d < N_DAMAGES; d++) passes &= measure(&kinds[k], threads[i], d, n, json);
    return passes ? 0 : 1;
}
