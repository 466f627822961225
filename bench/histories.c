/* What it costs to ask whether calls that overlap can be explained by a model (sonde_together, case/linear.h): histories of 50 calls to a register and
 * to a queue, made by a schedule of drawn numbers. In *right* ones each call takes effect at a moment between its beginning and its end; in *wrong*
 * ones an answer is then exchanged for one that was never put there, so that every order has to be ruled out. Times are of the processor. */
#include "case/linear.h"

#include <sonde/extend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 50, THREADS_MAX = 4, NEVER = -2, NOTHING = -1 };

struct model {
    int n, items[CALLS]; /* of a register, the first alone */
};

struct call {
    bool puts;
    int value; /* put, or taken: the answer */
};

/* ---- Two models */

static int apply_to_register(struct model *m, const struct call *c)
{
    if (c->puts) m->items[0] = c->value;
    return m->items[0];
}

static int apply_to_queue(struct model *m, const struct call *c)
{
    if (c->puts) return m->items[m->n++] = c->value;
    if (!m->n) return NOTHING;
    int first = m->items[0];
    memmove(m->items, m->items + 1, (size_t)--m->n * sizeof *m->items);
    m->items[m->n] = 0; /* models are compared by their bytes */
    return first;
}

static bool register_agrees(void *model, const void *call)
{
    return apply_to_register(model, call) == ((const struct call *)call)->value;
}

static bool queue_agrees(void *model, const void *call)
{
    return apply_to_queue(model, call) == ((const struct call *)call)->value;
}

static const struct kind {
    const char *name;
    int (*apply)(struct model *m, const struct call *c);
    bool (*agrees)(void *model, const void *call);
} kinds[] = {{"register", apply_to_register, register_agrees}, {"queue", apply_to_queue, queue_agrees}};

/* ---- Histories */

struct history {
    struct call calls[CALLS];
    struct sonde_linear_call times[CALLS];
};

static void make_history(struct history *h, const struct kind *kind, uint64_t threads, struct sonde_rng *rng)
{
    enum { IDLE, BEGUN, DONE } state[THREADS_MAX] = {IDLE};
    size_t current[THREADS_MAX] = {0}, n = 0, n_ended = 0;
    struct model model = {.n = 0};
    for (uint64_t clock = 1; n_ended < CALLS; clock++) {
        uint64_t i = sonde_rng_upto(rng, threads - 1);
        struct call *c = &h->calls[current[i]];
        if (state[i] == IDLE && n < CALLS) {
            h->calls[n] = (struct call){.puts = sonde_rng_upto(rng, 1), .value = (int)clock};
            h->times[n] = (struct sonde_linear_call){.began = clock, .call = &h->calls[n], .agrees = kind->agrees};
            current[i] = n++;
            state[i] = BEGUN;
        } else if (state[i] == BEGUN) {
            c->value = kind->apply(&model, c);
            state[i] = DONE;
        } else if (state[i] == DONE) {
            h->times[current[i]].ended = clock;
            state[i] = IDLE;
            n_ended++;
        }
    }
}

/* The last answer, so that all before it can be explained, in many ways. */
static bool spoil(struct history *h)
{
    for (size_t i = CALLS; i-- > 0;) {
        if (h->calls[i].puts) continue;
        h->calls[i].value = NEVER;
        return true;
    }
    return false;
}

static double processor_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* False: it was judged wrongly. */
static bool measure(const struct kind *kind, uint64_t threads, bool is_right, long n, bool json)
{
    struct sonde_rng rng;
    double sum = 0, worst = 0;
    long n_wrongly = 0;
    sonde_rng_seed(&rng, 1, threads);
    for (long i = 0; i < n; i++) {
        struct history h;
        struct model empty = {.n = 0};
        make_history(&h, kind, threads, &rng);
        bool wanted = is_right || !spoil(&h);
        double before = processor_us();
        bool holds = sonde_linear_holds(
            &(struct sonde_linear){.calls = h.times, .n = CALLS, .model = &empty, .size = sizeof empty});
        double used = processor_us() - before;
        n_wrongly += holds != wanted;
        sum += used;
        if (used > worst) worst = used;
    }
    printf(json
               ? "{\"suite\": \"histories\", \"model\": \"%s\", \"threads\": %d, \"kind\": \"%s\", \"histories\": %ld, "
                 "\"mean_us\": %.1f, \"worst_us\": %.1f, \"misjudged\": %ld}\n"
               : "%-9s %d threads  %-5s  %ld histories: mean %.1f us, worst %.1f us, misjudged %ld\n",
           kind->name, (int)threads, is_right ? "right" : "wrong", n, sum / (double)n, worst, n_wrongly);
    return !n_wrongly;
}

int main(int argc, char **argv)
{
    static const uint64_t threads[] = {2, THREADS_MAX};
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
            for (int is_right = 1; is_right >= 0; is_right--)
                passes &= measure(&kinds[k], threads[i], is_right, n, json);
    return passes ? 0 : 1;
}
