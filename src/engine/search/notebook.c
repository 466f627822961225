/* See notebook.h. */
#include "engine/search/notebook.h"

#include "base/clock.h"
#include "base/image.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct sonde_notebook *sonde_notebook_create(void)
{
    return sonde_calloc(1, sizeof(struct sonde_notebook));
}

static void free_view(struct sonde_notebook *b)
{
    for (uint32_t i = 0; i < b->n_modules; i++) sonde_free((char *)(uintptr_t)b->modules[i].path);
    sonde_free(b->modules);
    sonde_free(b->tried);
    sonde_free(b->inputs);
    sonde_free(b->reached);
}

void sonde_notebook_free(struct sonde_notebook *b)
{
    if (!b) return;
    free_view(b);
    for (uint32_t i = 0; i < b->n_kept; i++) sonde_free((char *)(uintptr_t)b->kept[i].shown.token);
    sonde_free(b->kept);
    sonde_firsts_clear(&b->firsts);
    sonde_free(b);
}

void sonde_notebook_recover(struct sonde_notebook *b)
{
    b->firsts = (struct sonde_firsts){0};
}

/* ---- Writing */

void sonde_notebook_sample(struct sonde_notebook *b, const sonde *t)
{
    sonde_draws_add(&b->draws, &t->tape, t->verdict == SONDE_VALID);
}

void sonde_notebook_first(struct sonde_notebook *b, const sonde *t, const struct sonde_coverage_view *seen,
                          uint64_t test)
{
    sonde_firsts_add(&b->firsts, t, seen, test);
}

/* Maximum number of inputs, and of bytes of their tokens, that the notebook shows. */
enum { KEPT_MAX = SONDE_LIMIT(1024, 8), KEPT_BYTES = SONDE_LIMIT(1 << 20, 4096) };

static void keep(struct sonde_notebook *b, struct sonde_notebook_input input, size_t *bytes)
{
    *bytes += strlen(input.shown.token) + 1;
    if (b->n_kept == KEPT_MAX || *bytes > KEPT_BYTES) {
        sonde_free((char *)(uintptr_t)input.shown.token);
        b->kept_left_out++;
        return;
    }
    b->kept = sonde_grow(b->kept, &b->cap_kept, (size_t)b->n_kept + 1, sizeof *b->kept);
    b->kept[b->n_kept++] = input;
}

static size_t bytes_kept(const struct sonde_notebook *b)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < b->n_kept; i++) bytes += strlen(b->kept[i].shown.token) + 1;
    return bytes;
}

void sonde_notebook_keep(struct sonde_notebook *b, const struct sonde_saved *saved, const struct sonde_labels *labels)
{
    size_t bytes = bytes_kept(b);
    for (uint32_t i = 0; i < SONDE_SAVED_MAX; i++) {
        const struct sonde_saved_tape *h = saved->slots[i];
        if (!h) continue;
        struct sonde_notebook_input input = {.order = h->order};
        input.shown = (struct sonde_shown_input){.why = sonde_saved_word(h->what),
                                                 .owns = h->owner.owns,
                                                 .n_choices = h->kept->tape.n_choices,
                                                 .is_valid = h->kept->is_valid};
        input.shown.token = sonde_firsts_token(&h->kept->tape, labels, &input.shown.is_cut);
        keep(b, input, &bytes);
    }
}

void sonde_notebook_merge(struct sonde_notebook *b, const struct sonde_notebook *other, const uint32_t *ids)
{
    size_t bytes = bytes_kept(b);
    sonde_series_merge(&b->series, &other->series);
    sonde_draws_merge(&b->draws, &other->draws);
    sonde_firsts_merge(&b->firsts, &other->firsts, ids);
    b->kept_left_out += other->kept_left_out;
    for (uint32_t i = 0; i < other->n_kept; i++) {
        struct sonde_notebook_input input = other->kept[i];
        input.shown.token = sonde_strdup(input.shown.token);
        keep(b, input, &bytes);
    }
}

/* ---- Reading */

static void open_draws(struct sonde_notebook *b, const struct sonde_labels *labels)
{
    uint32_t n = b->draws.n < SONDE_DRAWS_MAX ? b->draws.n : SONDE_DRAWS_MAX;
    sonde_free(b->tried);
    b->tried = sonde_calloc((size_t)n + 1, sizeof *b->tried);
    for (uint32_t i = 0; i < n; i++) b->tried[i] = sonde_draws_show(&b->draws.all[i], labels);
    b->view.tried = b->tried;
    b->view.n_tried = n;
    b->view.tried_left_out = b->draws.left_out;
}

static int by_order(const void *a, const void *b)
{
    const struct sonde_notebook_input *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Fills the view's inputs. Those that first reached a location come first, since locations refer to them by index. */
static void open_inputs(struct sonde_notebook *b)
{
    size_t n = 0;
    b->inputs = sonde_calloc((size_t)b->firsts.n + b->n_kept + 1, sizeof *b->inputs);
    for (uint32_t i = 0; i < b->firsts.n; i++) {
        const struct sonde_first *f = &b->firsts.all[i];
        b->inputs[n++] = (struct sonde_shown_input){.token = f->token,
                                                    .why = "first",
                                                    .owns = f->owns,
                                                    .n_choices = f->n_choices,
                                                    .test = f->test,
                                                    .is_valid = f->is_valid,
                                                    .is_cut = f->is_cut};
    }
    if (b->n_kept) qsort(b->kept, b->n_kept, sizeof *b->kept, by_order);
    for (uint32_t i = 0; i < b->n_kept; i++) b->inputs[n++] = b->kept[i].shown;
    b->view.inputs = b->inputs;
    b->view.n_inputs = n;
    b->view.inputs_left_out = (size_t)b->firsts.left_out + b->kept_left_out;
}

const struct sonde_insight *sonde_notebook_glance(struct sonde_notebook *b, const struct sonde_notebook *other,
                                                  const struct sonde_labels *labels)
{
    struct sonde_series *series = sonde_malloc(sizeof *series);
    struct sonde_draws *draws = sonde_malloc(sizeof *draws);
    memcpy(draws, &other->draws, sizeof *draws);
    if (draws->n > SONDE_DRAWS_MAX) draws->n = 0;
    sonde_draws_merge(&b->draws, draws);
    if (sonde_series_copy(&other->series, series)) sonde_series_merge(&b->series, series);
    sonde_free(draws);
    sonde_free(series);
    open_draws(b, labels);
    b->view.series = b->series.all;
    b->view.n_series = b->series.n;
    return &b->view;
}

static uint32_t module_of(struct sonde_notebook *b, const struct sonde_coverage_place *place)
{
    uint32_t i = 0;
    while (i < b->n_modules && b->modules[i].id != place->module) i++;
    if (i == b->n_modules) {
        char path[4096] = "";
        sonde_image_path((const void *)place->address, path, sizeof path);
        b->modules = sonde_grow(b->modules, &b->cap_modules, (size_t)i + 1, sizeof *b->modules);
        b->modules[b->n_modules++] = (struct sonde_code_module){.id = place->module, .path = sonde_strdup(path)};
    }
    b->modules[i].is_called |= place->is_called;
    return i;
}

static void add_place(void *user, const struct sonde_coverage_place *place)
{
    enum { MOST = 1 << 20 }; /* maximum number of locations in the view */
    struct sonde_notebook *b = user;
    const struct sonde_firsts *f = &b->firsts;
    if (b->n_reached == MOST) return;
    struct sonde_reached r = {.module = module_of(b, place), .offset = place->offset};
    if (place->id < f->cap_by && place->id < f->cap_first) {
        r.by = f->by[place->id];
        r.first = f->first[place->id];
    }
    b->reached = sonde_grow(b->reached, &b->cap_reached, (size_t)b->n_reached + 1, sizeof *b->reached);
    b->reached[b->n_reached++] = r;
}

const struct sonde_insight *sonde_notebook_open(struct sonde_notebook *b, const struct sonde_coverage *coverage,
                                                const struct sonde_labels *labels, struct sonde_guide *guide)
{
    open_draws(b, labels);
    open_inputs(b);
    sonde_coverage_each_place(coverage, add_place, b);
    b->view.series = b->series.all;
    b->view.n_series = b->series.n;
    b->view.shares = b->shares;
    if (guide && guide->ops->shares) b->view.n_shares = guide->ops->shares(guide, b->shares, SONDE_INSIGHT_SHARES);
    b->view.reached = b->reached;
    b->view.n_reached = b->n_reached;
    b->view.modules = b->modules;
    b->view.n_modules = b->n_modules;
    return &b->view;
}

/* ---- Series: how the search went */

static const double FIRST_DISTANCE =
    0.001; /* seconds between two points at first: about as often as a search reads the clock */

static void turn(struct sonde_series *s)
{
    atomic_fetch_add_explicit(&s->turn, 1, memory_order_seq_cst);
}

void sonde_series_begin(struct sonde_series *s)
{
    if (s->every <= 0) s->every = FIRST_DISTANCE;
    if (atomic_load(&s->turn) & 1) turn(s); /* an earlier process died while writing */
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

bool sonde_series_copy(const struct sonde_series *from, struct sonde_series *to)
{
    enum { TRIES = 100 }; /* a writer that died in the middle leaves `turn` odd: then no attempt succeeds */
    for (int i = 0; i < TRIES; i++) {
        unsigned before = atomic_load_explicit(&from->turn, memory_order_seq_cst);
        if (before & 1) continue;
        memcpy(to, from, sizeof *to);
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load_explicit(&from->turn, memory_order_seq_cst) == before && to->n <= SONDE_SERIES_MAX) return true;
    }
    return false;
}

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

/* The result has the points of the first series, and those points of the second that come after the end of the
 * first. */
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
