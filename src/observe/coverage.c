/* See coverage.h. Reading is one pass over the counters of all modules, 64 bytes at a time. Counters are cleared in
 * the same pass.
 *
 * Ids: the counters of a module are a block of ids, found by the module's build id when it is loaded again. Locations
 * whose instrumentation calls hooks get their ids when they are first read. Both happen in the order of execution, so
 * ids do not depend on addresses.
 *
 * Two kinds of data have different lifetimes. `registry` belongs to the process: addresses of counters, filled by
 * constructors before main. struct sonde_coverage belongs to a search and lies in its heap: ids and instability survive
 * the worker. A new worker of the same program registers its modules again and finds the blocks by image and offset.
 *
 * The engine calls begin before a case and end after it. It calls compare after it has run a tape twice, and merge and
 * translate to join the jobs' results. */
#include "observe/coverage.h"

#include "base/check.h"
#include "base/die.h"
#include "base/hash.h"
#include "base/image.h"
#include "base/mem.h"
#include "observe/trace.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Further modules are not counted: a program with more instrumented libraries loses only their coverage. */
enum { MODULES = 512 };

/* ---- The registry of the process: where counters lie. */

/* The counters of a module. */
struct module {
    uint8_t *start;       /* first counter; NULL: the module was unloaded */
    const uintptr_t *pcs; /* a pair for each counter: address of the code, and flags; may be NULL */
    uint32_t n;
    uint64_t image, offset; /* name of the module: its build, and the offset of the counters */
    uintptr_t base;
    bool is_program;
};

static struct {
    struct module modules[MODULES];
    uint32_t n;
    bool has_libraries;
    uint64_t unloads; /* value of sonde_unload_count when the registry was last known to be right */
} registry;

/* Returns the slot of a module. A library that is loaded again gets its old slot, so that dlopen in a loop does not
 * fill the table. */
static struct module *slot_for(const struct sonde_image *image, const uint8_t *start)
{
    uint64_t offset = (uintptr_t)start - image->base;
    for (uint32_t i = 0; i < registry.n; i++) {
        struct module *m = &registry.modules[i];
        if ((m->image == image->id && m->offset == offset) || m->start == start) return m;
    }
    return registry.n < MODULES ? &registry.modules[registry.n] : NULL;
}

SONDE_API void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);
SONDE_API void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);

/* Each module calls this as it is loaded, the program before main. */
void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop)
{
    struct sonde_image image = {.id = 0};
    if (start == stop || stop - start > INT32_MAX) return;
    sonde_image_at(start, &image);
    struct module *m = slot_for(&image, start);
    if (!m) return;
    *m = (struct module){.start = start,
                         .n = (uint32_t)(stop - start),
                         .image = image.id,
                         .offset = (uintptr_t)start - image.base,
                         .base = image.base,
                         .is_program = image.is_program};
    /* The program itself is never unloaded; only libraries require a check of the unload count after each case. */
    if (!registry.has_libraries) registry.unloads = sonde_unload_count();
    if (!m->is_program) registry.has_libraries = true;
    if (m == &registry.modules[registry.n]) registry.n++;
}

/* A module calls this right after it has registered its counters. */
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop)
{
    struct sonde_image image;
    if (start == stop || !sonde_image_at(start, &image)) return;
    for (uint32_t i = registry.n; i-- > 0;) {
        struct module *m = &registry.modules[i];
        /* Finds the newest module without a table that has the same image and length: a module calls both functions
         * in succession. */
        if (m->pcs || m->image != image.id || (size_t)(stop - start) != 2 * (size_t)m->n) continue;
        m->pcs = start;
        return;
    }
}

/* Forgets unloaded modules: their counters are no longer mapped. */
static void drop_unloaded(void)
{
    uint64_t unloads = sonde_unload_count();
    if (unloads == registry.unloads) return;
    registry.unloads = unloads;
    for (uint32_t i = 0; i < registry.n; i++) {
        struct module *m = &registry.modules[i];
        struct sonde_image image;
        if (!m->start || m->is_program) continue;
        if (!sonde_image_at(m->start, &image) || image.id != m->image || image.base != m->base) m->start = NULL;
    }
}

/* ---- The view of one search. */

/* The ids of a module's counters. */
struct block {
    uint64_t image, offset;
    uint32_t n, first;
};

/* The module that a slot of the registry had, and its first id. */
struct known {
    uint64_t image, offset;
    uint32_t first;
};

/* The coverage of a search. */
struct sonde_coverage {
    struct known known[MODULES]; /* the known module in each slot of the registry */
    struct block *blocks;
    uint32_t n_blocks, cap_blocks;
    struct sonde_trace *trace; /* table of hook calls; created once instrumented code has called a hook */
    uint32_t n_ids, n_comparisons;
    uint8_t *unstable; /* by id of the feature: whether it is unstable; NULL while all are stable */
    uint32_t cap_unstable, n_unstable;
    struct sonde_feature *features;
    struct sonde_hint *hints;
    struct sonde_hint_text texts[2 * 2 * SONDE_TRACE_PAIRS];
    uint32_t cap_features, cap_hints;
    struct sonde_coverage_view view;
    bool keeps_signs; /* cases record the signs of comparisons */
    bool keeps_log;   /* cases record the log of comparisons */
    const struct sonde_code_range *near;
    uint32_t n_near;
    uint8_t *saved; /* room for the counters of all modules; NULL: counters are not saved */
    uint32_t cap_saved, n_saved;
    enum { LAST_UNKNOWN, LAST_RUNS, LAST_SAVED, LAST_READ } last; /* state of the last case */
};

/* The coverage of the running case, if its counters are to be saved. */
static struct sonde_coverage *saving;

struct sonde_coverage *sonde_coverage_create(void)
{
    return sonde_calloc(1, sizeof(struct sonde_coverage));
}

void sonde_coverage_free(struct sonde_coverage *c)
{
    if (!c) return;
    sonde_trace_free(c->trace);
    sonde_free(c->blocks);
    sonde_free(c->unstable);
    sonde_free(c->features);
    sonde_free(c->hints);
    sonde_free(c->saved);
    if (saving == c) saving = NULL;
    sonde_free(c);
}

/* Returns the first id of the module's counters; adds a block of ids for a new module. Takes time linear in the number
 * of modules, so first_id remembers the result. */
static uint32_t block_of(struct sonde_coverage *c, const struct module *m)
{
    for (uint32_t i = 0; i < c->n_blocks; i++) {
        const struct block *b = &c->blocks[i];
        if (b->image == m->image && b->offset == m->offset && b->n == m->n) return b->first;
    }
    c->blocks = sonde_grow(c->blocks, &c->cap_blocks, (size_t)c->n_blocks + 1, sizeof *c->blocks);
    struct block *b = &c->blocks[c->n_blocks++];
    *b = (struct block){.image = m->image, .offset = m->offset, .n = m->n, .first = c->n_ids};
    c->n_ids += m->n;
    return b->first;
}

static uint32_t first_id(struct sonde_coverage *c, uint32_t slot)
{
    const struct module *m = &registry.modules[slot];
    struct known *k = &c->known[slot];
    if (k->image != m->image || k->offset != m->offset)
        *k = (struct known){.image = m->image, .offset = m->offset, .first = block_of(c, m)};
    return k->first;
}

/* ---- Reading */

enum { LINE = 64 }; /* counters that are read at a time: a line of the cache */

/* hits_in returns a bit for each counter of a line that is not zero. */
#ifdef __SSE2__
static inline __m128i load_16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline uint64_t clear_in(__m128i part)
{
    return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(part, _mm_setzero_si128()));
}

static inline uint64_t hits_in(const uint8_t *p)
{
    __m128i a = load_16(p), b = load_16(p + 16), c = load_16(p + 32), d = load_16(p + 48);
    /* Nearly all lines of 64 counters are zero. One test of the four parts, combined by OR, shows that. */
    if (clear_in(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) == 0xffff) return 0;
    return ~(clear_in(a) | clear_in(b) << 16 | clear_in(c) << 32 | clear_in(d) << 48);
}
#else
static inline uint64_t hits_in(const uint8_t *p)
{
    uint64_t words[LINE / 8], any = 0, hits = 0;
    memcpy(words, p, sizeof words);
    for (int i = 0; i < LINE / 8; i++) any |= words[i];
    for (int i = 0; any && i < LINE; i++) hits |= (uint64_t)(p[i] != 0) << i;
    return hits;
}
#endif

/* Returns a hash of a number. Callers add such hashes: the sum does not depend on the order of the features. */
static inline uint64_t spread(uint64_t x)
{
    x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* Counts up to 31 each have a mark, larger counts have eight marks per doubling. So a mark is below 64 and fits a bit
 * of the map of novelty. AFL's eight classes would hide loops that grow by one. */
static inline uint8_t mark_of(uint8_t value)
{
    if (value < 32) return value;
    unsigned octave = 31 - (unsigned)__builtin_clz(value); /* the octave is 5, 6 or 7 */
    return (uint8_t)(32 + (octave - 5) * 8 + ((value >> (octave - 3)) & 7));
}

bool sonde_coverage_is_unstable(const struct sonde_coverage *c, uint32_t id)
{
    return c->unstable && id < c->cap_unstable && c->unstable[id];
}

/* Adds a counter to the features, unless it is unstable or its value is 0. A counter that was nonzero a moment ago may
 * be 0 now, because a thread of the code under test may still be counting. */
static inline void add_counter(struct sonde_coverage *c, uint32_t id, uint8_t value)
{
    if (__builtin_expect(value == 0, 0)) return;
    if (sonde_coverage_is_unstable(c, id)) return;
    struct sonde_coverage_view *v = &c->view;
    sonde_assert(v->n_features < c->cap_features && id < c->n_ids);
    c->features[v->n_features++] =
        (struct sonde_feature){.id = id, .value = value, .mark = mark_of(value), .kind = SONDE_FEATURE_COUNTER};
    v->n_edges++;
    /* `edges` is a hash of the set of counters, `trace` a hash of the counters with their counts. Both are sums,
     * because another process may read modules in a different order. */
    uint64_t edge = spread(id);
    v->edges += edge;
    v->trace += (edge ^ value) * UINT64_C(0xd6e8feb86659fd93);
    v->executed += value;
}

/* Reads and clears a line of counters, without the first `skipped` of them. Counts that other threads add between
 * reading and clearing are lost. That does no harm: they do not depend on the input alone. */
static inline void read_line(struct sonde_coverage *c, uint8_t *p, uint32_t skipped, uint32_t id)
{
    uint64_t hits = hits_in(p) >> skipped << skipped;
    if (__builtin_expect(hits == 0, 1)) return;
    for (; hits; hits &= hits - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(hits);
        add_counter(c, id + k, p[k]);
    }
    memset(p, 0, LINE);
}

static void read_counters(struct sonde_coverage *c, uint8_t *p, uint32_t n, uint32_t id)
{
    uint32_t i = 0;
    for (; n - i >= LINE; i += LINE) read_line(c, p + i, 0, id + i);
    if (i && i < n) { /* the rest, as the end of a line that overlaps the previous line */
        read_line(c, p + n - LINE, LINE - (n - i), id + n - LINE);
        return;
    }
    for (; i < n; i++) {
        uint8_t value = p[i];
        if (!value) continue;
        add_counter(c, id + i, value);
        p[i] = 0;
    }
}

enum { CLASSES = 64, SIGNS = 2 }; /* numbers of bits in `classes` and `signs` */
_Static_assert(CLASSES == 8 * sizeof((struct sonde_site_calls){0}.classes),
               "there is room for a feature of each class");

/* Adds the features of a comparison, and a hint. A site whose sides are not integers (bytes == 0) gives no hint. */
static void add_comparison(struct sonde_coverage *c, const struct sonde_site *site,
                           const struct sonde_site_calls *calls)
{
    struct sonde_coverage_view *v = &c->view;
    for (uint64_t left = calls->classes; left; left &= left - 1) {
        uint8_t mark = (uint8_t)__builtin_ctzll(left);
        c->features[v->n_features++] =
            (struct sonde_feature){.id = site->id, .value = mark, .mark = mark, .kind = SONDE_FEATURE_COMPARISON};
    }
    for (uint8_t i = 0; i < SIGNS && site->signs; i++)
        if (site->signs & 1u << i)
            c->features[v->n_features++] = (struct sonde_feature){.id = site->id,
                                                                  .value = SONDE_MARK_LESS,
                                                                  .mark = (uint8_t)(SONDE_MARK_LESS + i),
                                                                  .kind = SONDE_FEATURE_COMPARISON};
    sonde_assert(v->n_features <= c->cap_features && v->n_hints < c->cap_hints);
    if (calls->a != calls->b && site->bytes)
        c->hints[v->n_hints++] =
            (struct sonde_hint){.a = calls->a, .b = calls->b, .bytes = site->bytes, .id = site->id};
}

static void read_texts(struct sonde_coverage *c, const struct sonde_trace_pair *pairs, uint32_t n)
{
    for (uint32_t i = 0; i < n && i < SONDE_TRACE_PAIRS; i++)
        for (unsigned side = 0; side < 2; side++)
            c->texts[c->view.n_texts++] = (struct sonde_hint_text){pairs[i].bytes[side], pairs[i].n[side]};
}

static bool is_near(const struct sonde_coverage *c, uintptr_t code)
{
    for (uint32_t i = 0; i < c->n_near; i++)
        if (code >= c->near[i].from && code < c->near[i].to) return true;
    return false;
}

/* Names the comparisons of the log by their ids, and leaves out those that change when the same tape runs again. */
static void read_log(struct sonde_coverage *c)
{
    struct sonde_trace *t = c->trace;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_log; i++) {
        uint32_t id = t->sites[t->log[i].id].id;
        if (sonde_coverage_is_unstable(c, id)) continue;
        bool near = is_near(c, sonde_trace_address(t->calls[t->log[i].id].pc));
        t->log[n] = t->log[i];
        t->log[n].is_near = near;
        t->log[n++].id = id;
    }
    c->view.log = t->log;
    c->view.n_log = n;
}

/* Locations get their ids here, in the order in which they first called a hook, which is the same in every run of a
 * seed. */
static void read_calls(struct sonde_coverage *c)
{
    struct sonde_trace *t = c->trace;
    c->hints = sonde_grow(c->hints, &c->cap_hints, t->n_touched, sizeof *c->hints);
    for (uint32_t i = 0; i < t->n_touched; i++) {
        struct sonde_site *site = &t->sites[t->touched[i]];
        const struct sonde_site_calls *calls = &t->calls[t->touched[i]];
        c->features =
            sonde_grow(c->features, &c->cap_features, c->view.n_features + CLASSES + SIGNS, sizeof *c->features);
        if (site->id == (uint32_t)SONDE_NO_ID) {
            site->id = c->n_ids++;
            c->n_comparisons += !site->is_edge;
        }
        if (site->is_edge) add_counter(c, site->id, (uint8_t)calls->classes);
        else if (!site->is_text && !sonde_coverage_is_unstable(c, site->id)) add_comparison(c, site, calls);
    }
    read_log(c);
    read_texts(c, t->newest, t->n_pairs);
    if (t->n_pairs > SONDE_TRACE_PAIRS) read_texts(c, t->sample, t->n_pairs - SONDE_TRACE_PAIRS);
}

static size_t count_counters(void)
{
    size_t n = 0;
    for (uint32_t i = 0; i < registry.n; i++) n += registry.modules[i].n;
    return n;
}

/* Makes room for all counters; read_calls makes room for calls. */
static void make_room(struct sonde_coverage *c)
{
    c->features = sonde_grow(c->features, &c->cap_features, count_counters(), sizeof *c->features);
}

/* Creates the trace as soon as code is known to be instrumented. Code with counters may call hooks as well. So
 * recording before the first hook call makes the first search like every later one. */
static void make_trace(struct sonde_coverage *c)
{
    if (!c->trace && (registry.n > 0 || sonde_trace_was_called())) c->trace = sonde_trace_create();
}

/* ---- Cases that end their process */

void sonde_coverage_keep(struct sonde_coverage *c, bool signs)
{
    c->keeps_signs |= signs;
    c->saved = sonde_grow(c->saved, &c->cap_saved, count_counters() + 1, 1);
    c->last = LAST_UNKNOWN;
}

/* Saves the counters. Runs in the process that ends, possibly in a signal handler. Modules that the case has loaded are
 * last in the registry; modules for which there is no room are left out. */
static void save(void)
{
    struct sonde_coverage *c = saving;
    if (!c) return;
    saving = NULL;
    for (uint32_t i = 0; i < registry.n; i++) {
        const struct module *m = &registry.modules[i];
        if (m->n > c->cap_saved - c->n_saved) break;
        if (m->start) memcpy(c->saved + c->n_saved, m->start, m->n);
        else memset(c->saved + c->n_saved, 0, m->n);
        c->n_saved += m->n;
    }
    c->last = LAST_SAVED;
}

static void make_room_to_save(struct sonde_coverage *c)
{
    c->saved = sonde_grow(c->saved, &c->cap_saved, count_counters() + 1, 1);
    c->n_saved = 0;
    c->last = LAST_RUNS;
    saving = c;
    sonde_at_death = save;
}

/* Reads the saved counters of a case whose process has ended. Only counters were saved: the table of hook calls is
 * already in the heap that the processes share. */
static void read_saved(struct sonde_coverage *c)
{
    uint32_t at = 0;
    make_room(c);
    c->view = (struct sonde_coverage_view){.texts = c->texts, .compared = !c->trace->ignores_comparisons};
    for (uint32_t i = 0; i < registry.n && registry.modules[i].n <= c->n_saved - at; i++) {
        read_counters(c, c->saved + at, registry.modules[i].n, first_id(c, i));
        at += registry.modules[i].n;
    }
    read_calls(c);
    c->view.features = c->features;
    c->view.hints = c->hints;
    c->view.n_ids = c->n_ids;
    sonde_trace_clear(c->trace);
}

const struct sonde_coverage_view *sonde_coverage_last(struct sonde_coverage *c)
{
    if (!c->trace || (c->last != LAST_SAVED && c->last != LAST_READ)) return NULL;
    if (c->last == LAST_SAVED) read_saved(c);
    c->last = LAST_READ;
    return &c->view;
}

void sonde_coverage_near(struct sonde_coverage *c, const struct sonde_code_range *ranges, uint32_t n)
{
    c->near = ranges;
    c->n_near = n;
}

void sonde_coverage_log(struct sonde_coverage *c, bool wants)
{
    c->keeps_log = wants;
}

/* Called with the heap of the search as the current one: the trace may be created here. */
void sonde_coverage_begin(struct sonde_coverage *c, bool compares)
{
    make_trace(c);
    if (c->trace) c->trace->ignores_comparisons = !compares;
    if (c->saved) make_room_to_save(c);
    if (c->trace) c->trace->keeps_signs = c->keeps_signs;
    if (c->trace) c->trace->keeps_log = c->keeps_log;
    if (c->keeps_log && c->trace && !c->trace->log)
        c->trace->log = sonde_malloc(SONDE_TRACE_LOG * sizeof *c->trace->log);
    sonde_trace_watch(c->trace);
}

/* Returns NULL while no code is known to be instrumented. Nothing is recorded while the counters are read: sonde's
 * comparisons do not belong to the input. */
const struct sonde_coverage_view *sonde_coverage_end(struct sonde_coverage *c)
{
    bool was_watched = c->trace != NULL;
    sonde_trace_watch(NULL);
    make_trace(c); /* the trace is created here, not when the next case begins: a process may run only one case */
    if (!c->trace) return NULL;
    if (registry.has_libraries) drop_unloaded();
    make_room(c);
    c->view =
        (struct sonde_coverage_view){.texts = c->texts, .compared = was_watched && !c->trace->ignores_comparisons};
    for (uint32_t i = 0; i < registry.n; i++) {
        const struct module *m = &registry.modules[i];
        if (m->start) read_counters(c, m->start, m->n, first_id(c, i));
    }
    read_calls(c);
    c->view.features = c->features;
    c->view.hints = c->hints;
    c->view.n_ids = c->n_ids;
    if (c->trace->n_touched) sonde_trace_clear(c->trace);
    if (saving == c) saving = NULL, c->last = LAST_READ;
    return &c->view;
}

/* Reads the counters and discards the result. Used after code under test ran outside of a case, as in a set-up. */
void sonde_coverage_reset(struct sonde_coverage *c)
{
    (void)sonde_coverage_end(c);
}

/* ---- Features that do not depend on the input alone */

static void add_marks(uint32_t *sums, const struct sonde_feature *features, size_t n, bool compared, uint32_t sign)
{
    for (size_t i = 0; i < n; i++)
        if (compared || features[i].kind != SONDE_FEATURE_COMPARISON)
            /* Sums have 32 bits: two different sets of marks have the same sum with a chance of 2^-32. Then one
             * unstable feature is kept. */
            sums[features[i].id] += sign * (uint32_t)spread(features[i].mark);
}

/* Sets a feature aside permanently: an unstable feature never becomes stable again. */
static void set_aside(struct sonde_coverage *c, uint32_t id)
{
    sonde_assert(id < c->n_ids);
    if (sonde_coverage_is_unstable(c, id)) return;
    c->unstable = sonde_grow_zeroed(c->unstable, &c->cap_unstable, c->n_ids, 1);
    c->unstable[id] = 1;
    c->n_unstable++;
}

/* Sets aside the features that differ; returns how many. The hashed marks of one run are added, and those from the
 * other run are subtracted. The sum is 0 if both had the same marks, in whatever order. */
uint32_t sonde_coverage_compare(struct sonde_coverage *c, const struct sonde_feature *first, size_t n, bool compared)
{
    uint32_t *sum = sonde_calloc(c->n_ids, sizeof *sum), found = 0;
    compared = compared && c->view.compared;
    add_marks(sum, first, n, compared, 1);
    add_marks(sum, c->features, c->view.n_features, compared, UINT32_MAX);
    for (uint32_t id = 0; id < c->n_ids; id++) found += sum[id] != 0;
    for (uint32_t id = 0; id < c->n_ids && found; id++)
        if (sum[id]) set_aside(c, id);
    sonde_free(sum);
    return found;
}

void sonde_coverage_merge(struct sonde_coverage *c, const struct sonde_coverage *other, const uint32_t *ids)
{
    for (uint32_t id = 0; id < other->n_ids; id++)
        if (sonde_coverage_is_unstable(other, id)) set_aside(c, ids[id]);
}

/* ---- Names */

static bool counter_name(const struct block *b, uint32_t i, struct sonde_feature_name *name)
{
    sonde_assert(i < b->n);
    *name = (struct sonde_feature_name){.module = b->image, .offset = b->offset + i};
    for (uint32_t k = 0; k < registry.n; k++) {
        const struct module *m = &registry.modules[k];
        if (m->image == b->image && m->offset == b->offset && m->start && m->pcs)
            name->offset = m->pcs[2 * (size_t)i] - m->base;
    }
    return true;
}

/* Takes time linear in the number of locations, so it is called when a corpus is written, not in a search. */
bool sonde_coverage_name(const struct sonde_coverage *c, uint32_t id, struct sonde_feature_name *name)
{
    for (uint32_t i = 0; i < c->n_blocks; i++) {
        const struct block *b = &c->blocks[i];
        if (id - b->first < b->n) return counter_name(b, id - b->first, name);
    }
    for (uint32_t i = 0; c->trace && i <= c->trace->mask; i++) {
        uintptr_t pc = sonde_trace_address(c->trace->calls[i].pc);
        struct sonde_image image;
        if (!pc || c->trace->sites[i].id != id || !sonde_image_at((const void *)pc, &image)) continue;
        *name = (struct sonde_feature_name){.module = image.id, .offset = pc - image.base};
        return true;
    }
    return false;
}

/* Returns the first id of a module that the search has met; UINT32_MAX for other modules. */
static uint32_t first_known(const struct sonde_coverage *c, const struct module *m)
{
    for (uint32_t i = 0; i < c->n_blocks; i++) {
        const struct block *b = &c->blocks[i];
        if (b->image == m->image && b->offset == m->offset && b->n == m->n) return b->first;
    }
    return UINT32_MAX;
}

void sonde_coverage_each_place(const struct sonde_coverage *c,
                               void (*visit)(void *user, const struct sonde_coverage_place *place), void *user)
{
    for (uint32_t k = 0; k < registry.n; k++) {
        const struct module *m = &registry.modules[k];
        uint32_t first = first_known(c, m);
        for (uint32_t i = 0; m->start && m->pcs && i < m->n; i++) {
            uintptr_t pc = m->pcs[2 * (size_t)i];
            if (pc < m->base) continue; /* pc 1: the compiler removed the block after it had given it a counter */
            visit(user, &(struct sonde_coverage_place){.id = first == UINT32_MAX ? first : first + i,
                                                       .module = m->image,
                                                       .offset = pc - m->base,
                                                       .address = pc});
        }
    }
    for (uint32_t i = 0; c->trace && i <= c->trace->mask; i++) {
        uintptr_t pc = sonde_trace_address(c->trace->calls[i].pc);
        struct sonde_image image;
        if (!pc || !c->trace->sites[i].is_edge || !sonde_image_at((const void *)pc, &image)) continue;
        visit(user, &(struct sonde_coverage_place){.id = c->trace->sites[i].id,
                                                   .module = image.id,
                                                   .offset = pc - image.base,
                                                   .address = pc,
                                                   .is_called = true});
    }
}

/* A call is known by its return address, so the code is the byte before that address. */
const void *sonde_coverage_code(const struct sonde_coverage *c, uint32_t id)
{
    for (uint32_t i = 0; i < registry.n; i++) {
        const struct module *m = &registry.modules[i];
        const struct known *k = &c->known[i];
        bool is_its = m->start && m->pcs && k->image == m->image && k->offset == m->offset;
        if (is_its && id - k->first < m->n) return (const void *)m->pcs[2 * (size_t)(id - k->first)];
    }
    for (uint32_t i = 0; c->trace && i <= c->trace->mask; i++) {
        uintptr_t pc = sonde_trace_address(c->trace->calls[i].pc);
        if (pc && c->trace->sites[i].id == id) return (const void *)(pc - 1);
    }
    return NULL;
}

const void *sonde_coverage_next(const struct sonde_coverage *c, const void *code)
{
    uintptr_t from = (uintptr_t)code + 1, next = UINTPTR_MAX;
    for (uint32_t i = 0; i < registry.n; i++) {
        const struct module *m = &registry.modules[i];
        for (size_t k = 0; m->start && m->pcs && k < m->n; k++)
            if (m->pcs[2 * k] > from && m->pcs[2 * k] < next) next = m->pcs[2 * k];
    }
    for (uint32_t i = 0; c->trace && i <= c->trace->mask; i++) {
        uintptr_t pc = c->trace->sites[i].is_edge ? sonde_trace_address(c->trace->calls[i].pc) : 0;
        if (pc > from && pc < next) next = pc;
    }
    return next < UINTPTR_MAX ? (const void *)(next - 1) : NULL;
}

/* Skips locations that called a hook but were never read: they have no id, and need none. */
static void translate_sites(struct sonde_coverage *c, const struct sonde_trace *theirs, uint32_t *ids)
{
    if (!c->trace) c->trace = sonde_trace_create();
    for (uint32_t i = 0; i <= theirs->mask; i++) {
        const struct sonde_site *from = &theirs->sites[i];
        if (!theirs->calls[i].pc || from->id == (uint32_t)SONDE_NO_ID) continue;
        struct sonde_site *to = sonde_trace_site(c->trace, theirs->calls[i].pc);
        if (to->id == (uint32_t)SONDE_NO_ID) to->id = c->n_ids++;
        ids[from->id] = to->id;
    }
}

uint32_t *sonde_coverage_translate(struct sonde_coverage *c, const struct sonde_coverage *other)
{
    uint32_t *ids = sonde_calloc(other->n_ids + 1u, sizeof *ids);
    for (uint32_t i = 0; i < other->n_blocks; i++) {
        const struct block *b = &other->blocks[i];
        uint32_t first = block_of(c, &(struct module){.image = b->image, .offset = b->offset, .n = b->n});
        for (uint32_t k = 0; k < b->n; k++) ids[b->first + k] = first + k;
    }
    if (other->trace) translate_sites(c, other->trace, ids);
    return ids;
}

struct sonde_coverage_size sonde_coverage_size(const struct sonde_coverage *c)
{
    return (struct sonde_coverage_size){.modules = c->n_blocks,
                                        .counters = c->n_ids - c->n_comparisons,
                                        .comparisons = c->n_comparisons,
                                        .unstable = c->n_unstable};
}
