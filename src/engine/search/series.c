/* See series.h. */
#include "engine/search/series.h"

#include "base/clock.h"

#include <string.h>

static const double FIRST_DISTANCE = 0.001; /* seconds: about as often as a search looks at the clock */

/* ---- Writing */

static void turn(struct sonde_series *s)
{
    atomic_fetch_add_explicit(&s->turn, 1, memory_order_seq_cst);
}

void sonde_series_begin(struct sonde_series *s)
{
    if (s->every <= 0) s->every = FIRST_DISTANCE;
    if (atomic_load(&s->turn) & 1) turn(s); /* a process before this one died in the middle */
    s->cpu_before = s->n ? s->all[s->n - 1].cpu_s : 0;
    s->cpu_began = sonde_clock_cpu();
}

static void thin_out(struct sonde_series *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->n; i += 2) s->all[kept++] = s->all[i];
    s->n = kept;
    s->every *= 2;
}

void sonde_series_add(struct sonde_series *s, struct sonde_series_point moment)
{
    moment.cpu_s = s->cpu_before + sonde_clock_cpu() - s->cpu_began;
    turn(s);
    if (s->n == SONDE_SERIES_MAX) thin_out(s);
    s->all[s->n++] = moment;
    s->next = moment.seconds + s->every;
    turn(s);
}

/* ---- Reading */

bool sonde_series_copy(const struct sonde_series *from, struct sonde_series *to)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        unsigned before = atomic_load_explicit(&from->turn, memory_order_seq_cst);
        if (before & 1) continue;
        memcpy(to, from, sizeof *to);
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load_explicit(&from->turn, memory_order_seq_cst) == before && to->n <= SONDE_SERIES_MAX) return true;
    }
    return false;
}

/* ---- Several */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_up(struct sonde_series_point *to, const struct sonde_series_point *by)
{
    to->cpu_s += by->cpu_s;
    to->tests += by->tests;
    to->valid += by->valid;
    to->different += by->different;
    to->shapes += by->shapes;
    to->skeletons += by->skeletons;
    to->traces += by->traces;
    to->edges = larger(to->edges, by->edges);
    to->valid_edges = larger(to->valid_edges, by->valid_edges);
}

/* At the moments of the first, and at those of the second that come after the first has ended. */
void sonde_series_merge(struct sonde_series *s, const struct sonde_series *other)
{
    uint32_t k = 0, n = s->n;
    struct sonde_series_point last = n ? s->all[n - 1] : (struct sonde_series_point){0};
    for (uint32_t i = 0; i < n; i++) {
        while (k < other->n && other->all[k].seconds <= s->all[i].seconds) k++;
        if (k) add_up(&s->all[i], &other->all[k - 1]);
    }
    for (; k < other->n; k++) {
        struct sonde_series_point m = other->all[k];
        if (s->n == SONDE_SERIES_MAX) thin_out(s);
        add_up(&m, &last);
        s->all[s->n++] = m;
    }
}

static void at_most(uint64_t *count, uint64_t most)
{
    if (*count > most) *count = most;
}

void sonde_series_end(struct sonde_series *s, const struct sonde_stats *n, const char *guide)
{
    struct sonde_series_point end = s->n ? s->all[s->n - 1] : (struct sonde_series_point){0};
    end = (struct sonde_series_point){.seconds = n->seconds > end.seconds ? n->seconds : end.seconds,
                                      .cpu_s = n->cpu_s > end.cpu_s ? n->cpu_s : end.cpu_s,
                                      .tests = n->tests,
                                      .valid = n->valid,
                                      .different = n->unique_valid,
                                      .shapes = n->shapes,
                                      .skeletons = n->skeletons,
                                      .traces = n->traces,
                                      .edges = n->edges,
                                      .valid_edges = n->valid_edges,
                                      .guide = guide};
    if (s->n) memcpy(end.cost, s->all[s->n - 1].cost, sizeof end.cost);
    if (s->n) memcpy(end.earned, s->all[s->n - 1].earned, sizeof end.earned);
    for (uint32_t i = 0; i < s->n; i++) {
        at_most(&s->all[i].different, end.different);
        at_most(&s->all[i].shapes, end.shapes);
        at_most(&s->all[i].skeletons, end.skeletons);
        at_most(&s->all[i].traces, end.traces);
        at_most(&s->all[i].edges, end.edges);
        at_most(&s->all[i].valid_edges, end.valid_edges);
    }
    if (s->n == SONDE_SERIES_MAX) thin_out(s);
    s->all[s->n++] = end;
}
