/* The draws. Each draw is a point with a domain: a script or the guide supplies an index, which is recorded and turned
 * into a value. Most of the time of a fast property is spent in `choose`, so all rare cases are out of line.
 *
 * There are three paths to a value. choose_quickly is taken when the label was met before in this span and the guide
 * offers its random stream. follow is taken when the script continues with this draw. Neither makes a call. choose, the
 * third, runs point (check the caller, find label and site), get_index (script, then guide) and record (tape and hash).
 * All write the same tape, so a property cannot see which was taken.
 *
 * A choice becomes part of the tape only in record, by n_choices + 1. If the guide or the script crashes before that,
 * the tape ends with the previous draw. */
#include "case/case.h"

#include "base/float.h"
#include "base/image.h"

#include <math.h>
#include <string.h>

#define unlikely(x) __builtin_expect(!!(x), 0)

/* Returns the cache key of a point. The keys of two kinds are further apart than two labels are likely to be. The
 * thread is part of the key, so that a draw from another thread misses the cache and is checked in full. A label of
 * NULL does not give 0, which is the key of a free slot. */
static inline uint64_t point_key(const sonde *t, const char *label, enum sonde_kind kind)
{
    /* The prime of FNV. It puts the keys of two kinds at least 16 MB apart. */
    const uint64_t apart = 0x1000193;
    return (uintptr_t)label + t->span_key + (uintptr_t)sonde_this_thread() + (kind + 1) * apart;
}

/* Returns the id of a label and caches the id for this point, if the label cannot change. If the label can change, its
 * address is remembered instead. */
static uint32_t cache_label(sonde *t, const char *function, const char *label, enum sonde_kind kind)
{
    uint32_t id = sonde_label_id(t->labels, label);
    if (!id) sonde_case_misplaced(t, function, label);
    /* sonde_is_immutable searches the program headers. Without this cache a label in a buffer would pay for that at
     * each draw. */
    const char **changing = &t->changing[(uintptr_t)label % SONDE_CHANGING_LABELS];
    if (*changing == label) return id;
    if (!sonde_case_has_label(t, label) && !sonde_is_immutable(label)) {
        *changing = label;
        return id;
    }
    uint64_t key = point_key(t, label, kind);
    t->known.keys[key % SONDE_POINT_CACHE] = key;
    t->known.points[key % SONDE_POINT_CACHE] =
        (struct sonde_known_point){.site = sonde_site(id, t->span_label, kind), .label = id};
    return id;
}

/* Returns the point to be drawn: its slot on the tape. */
static struct sonde_choice *point(sonde *t, const char *function, const char *label, enum sonde_kind kind)
{
    if (unlikely(!t || t->owner != sonde_this_thread() || !label || t->schedule.is_elsewhere))
        sonde_case_misplaced(t, function, label);
    /* This comes before `c` is set, because growing moves the array. */
    if (unlikely(t->tape.n_choices >= t->tape.cap_choices)) sonde_case_more_choices(t);
    uint64_t key = point_key(t, label, kind);
    size_t slot = key % SONDE_POINT_CACHE;
    struct sonde_choice *c = &t->tape.choices[t->tape.n_choices];
    if (t->known.keys[slot] == key) {
        c->label = t->known.points[slot].label;
        c->site = t->known.points[slot].site;
    } else {
        c->label = cache_label(t, function, label, kind);
        c->site = sonde_site(c->label, t->span_label, kind);
    }
    c->span = t->span;
    c->kind = (uint8_t)kind;
    c->flags = 0;
    c->state = t->state;
    t->view.point = c;
    return c;
}

/* Returns an index for a point: from the script's choice `from`, or from the guide if `from` is NULL. The code under
 * test may have set another rounding mode, or flush-to-zero. Guides must compute the same in every property. */
static uint64_t compute_index(sonde *t, const struct sonde_choice *c, const struct sonde_choice *from)
{
    sonde_float_env users = sonde_float_enter();
    uint64_t index = from ? sonde_script_index(t->script, from, &t->tape, c) : t->choose(t->guide, &t->view);
    sonde_float_leave(users);
    return index > c->max ? index % (c->max + 1) : index;
}

/* Adds a choice to the hash. Rotate, xor, multiply: each choice moves the bits of all earlier choices. The final mixing
 * is in sonde_case_mix. */
static inline uint64_t fold_identity(uint64_t identity, uint64_t x)
{
    return (((identity << 5) | (identity >> 59)) ^ x) * UINT64_C(0x9e3779b97f4a7c15);
}

/* ---- Avoiding repeated cases (ended.h) */

/* Returns how the case would end with this choice, if that is known. `identity` is the hash of the choices before this
 * one. */
static inline enum sonde_end end_at(const sonde *t, uint64_t identity, uint64_t index)
{
    return sonde_ended_at(t->ended, sonde_case_mix(fold_identity(identity, index), t->tape.n_choices + 1));
}

enum { TRIES = 256 }; /* number of values to try; a domain with more values is never exhausted */

/* Returns the next index that does not repeat a known case. If every index repeats a known case, marks the choices
 * before this draw as leading to nothing new. */
static SONDE_COLD __attribute__((noinline)) uint64_t find_other(sonde *t, uint64_t max, uint64_t index)
{
    enum sonde_end end = end_at(t, t->identity, index);
    bool is_valid = end == SONDE_END_VALID;
    if (!sonde_ended_changes(t->ended, end)) return index;
    for (uint64_t i = 0; i < TRIES && i < max && end != SONDE_END_NONE; i++) {
        index = index < max ? index + 1 : 0;
        end = end_at(t, t->identity, index);
        is_valid |= end == SONDE_END_VALID;
    }
    if (end != SONDE_END_NONE && max < TRIES) sonde_ended_add(t->ended, sonde_case_hash(t), is_valid);
    return index;
}

static inline uint64_t avoid_repeat(sonde *t, uint64_t max, uint64_t index)
{
    return t->ended && unlikely(end_at(t, t->identity, index)) ? find_other(t, max, index) : index;
}

static uint64_t fold_symbols(uint64_t identity, const uint32_t *symbols, size_t n)
{
    for (size_t i = 0; i < n; i++) identity = fold_identity(identity, symbols[i]);
    return identity;
}

/* Like find_other, for a blob: changes one symbol, and tries the last symbol first. */
static SONDE_COLD __attribute__((noinline)) void find_other_blob(sonde *t, uint32_t size, size_t min, size_t n)
{
    uint64_t before = t->identity;
    if (!sonde_ended_changes(t->ended, end_at(t, fold_symbols(before, t->symbols, n), n - min))) return;
    for (size_t i = 0; i < TRIES && i < n; i++) {
        uint32_t *symbol = &t->symbols[n - 1 - i], old = *symbol;
        *symbol = old + 1 < size ? old + 1 : 0;
        if (!end_at(t, fold_symbols(before, t->symbols, n), n - min)) return;
        *symbol = old;
    }
}

/* Returns the index for a point, which the caller still has to record. */
static uint64_t get_index(sonde *t, struct sonde_choice *c, uint64_t max, uint64_t base)
{
    const struct sonde_choice *from = NULL;
    c->max = max;
    c->base = base;
    /* A forced draw must consume the script's choice too. Otherwise the next draw with this label would get that
     * choice. */
    if (t->script) from = sonde_script_next(t->script, c->label);
    if (max == 0) {
        c->flags |= SONDE_CHOICE_FORCED;
        return 0;
    }
    if (from && sonde_script_is_same(t->script, from, &t->tape, c)) return from->index;
    return compute_index(t, c, from);
}

static inline uint64_t record(sonde *t, struct sonde_choice *c, uint64_t index)
{
    sonde_assert(c == &t->tape.choices[t->tape.n_choices]);      /* c is the slot that `point` returned last */
    sonde_assert(c->kind == SONDE_KIND_BLOB || index <= c->max); /* a custom guide may exceed the length of a blob */
    c->index = index;
    t->identity = fold_identity(t->identity, index);
    t->tape.n_choices++;
    return index;
}

void sonde_case_rehash(sonde *t)
{
    t->identity = 0;
    for (uint32_t i = 0; i < t->tape.n_choices; i++) {
        const struct sonde_choice *c = &t->tape.choices[i];
        if (c->kind == SONDE_KIND_BLOB) {
            struct sonde_blob blob = sonde_choice_blob(&t->tape, c);
            for (uint32_t k = 0; k < blob.len; k++)
                t->identity = fold_identity(t->identity, sonde_blob_symbol(&blob, k));
        }
        t->identity = fold_identity(t->identity, c->index);
    }
}

/* Returns the script's choice, after recording it, if the draw is cached and the script's next choice has the same
 * domain. This holds for most draws. Else returns NULL, and the script must be searched. Makes no calls and cannot
 * fail. */
static inline const struct sonde_choice *follow(sonde *t, const char *label, enum sonde_kind kind, uint64_t max,
                                                uint64_t base)
{
    if (!t || !t->script || t->owner != sonde_this_thread() || t->schedule.is_elsewhere) return NULL;
    uint64_t key = point_key(t, label, kind);
    size_t slot = key % SONDE_POINT_CACHE;
    uint32_t n = t->tape.n_choices;
    if (t->known.keys[slot] != key || n >= t->tape.cap_choices || max == 0) return NULL;
    const struct sonde_choice *from = sonde_script_peek(t->script, t->known.points[slot].label);
    if (!from || from->kind != kind || from->max != max || from->base != base || from->index > max) return NULL;
    if (t->ended && unlikely(end_at(t, t->identity, from->index))) return NULL; /* the choice repeats a case */
    struct sonde_choice *c = &t->tape.choices[n];
    *c = (struct sonde_choice){.index = from->index,
                               .max = max,
                               .base = base,
                               .site = t->known.points[slot].site,
                               .label = from->label,
                               .span = t->span,
                               .kind = (uint8_t)kind,
                               .state = t->state};
    sonde_script_take(t->script);
    record(t, c, c->index);
    return c;
}

/* Chooses and records an index without the quick path. choose_slowly and choose are noinline, so that the quick path
 * saves no registers for them. */
static __attribute__((noinline)) uint64_t choose_slowly(sonde *t, const char *function, const char *label,
                                                        enum sonde_kind kind, uint64_t max, uint64_t base)
{
    struct sonde_choice *c = point(t, function, label, kind);
    uint64_t index = get_index(t, c, max, base);
    /* The quick path avoids no repeats. Whether a draw takes it depends on addresses, and the value must not. */
    bool is_quick_elsewhere = t->plain_end > 0 && max > 0;
    return record(t, c, is_quick_elsewhere ? index : avoid_repeat(t, max, index));
}

static __attribute__((noinline)) uint64_t choose(sonde *t, const char *function, const char *label,
                                                 enum sonde_kind kind, uint64_t max, uint64_t base)
{
    const struct sonde_choice *followed = follow(t, label, kind, max, base);
    return followed ? followed->index : choose_slowly(t, function, label, kind, max, base);
}

/* Replaces the last index, which sonde_rng_upto() would have rejected, by an index from that function. This is done
 * after recording, so that the quick path makes no call while it holds live registers. */
static SONDE_COLD __attribute__((noinline)) uint64_t correct(sonde *t)
{
    struct sonde_choice *c = &t->tape.choices[t->tape.n_choices - 1];
    c->index = sonde_rng_upto_(t->plain, c->max);
    sonde_case_rehash(t);
    return c->index;
}

/* Draws by the quick path: the draw is cached, and the guide offers its stream for plain numbers. Makes no calls and
 * cannot fail. Returns false if choose() must make the draw. Callers test max > 0, so a forced point never gets here
 * and flags are 0. */
static inline __attribute__((always_inline)) bool choose_quickly(sonde *t, const char *label, enum sonde_kind kind,
                                                                 uint64_t max, uint64_t base, uint64_t *index)
{
    if (unlikely(!t)) return false;
    uint64_t key = point_key(t, label, kind);
    size_t slot = key % SONDE_POINT_CACHE;
    uint32_t n = t->tape.n_choices;
    if (unlikely(t->known.keys[slot] != key || n >= t->plain_end)) return false;
    struct sonde_choice *c = &t->tape.choices[n];
    t->tape.n_choices = n + 1;
    c->max = max;
    c->base = base;
    c->site = t->known.points[slot].site;
    c->label = t->known.points[slot].label;
    c->span = t->span;
    c->kind = (uint8_t)kind;
    c->flags = 0;
    c->state = t->state;
    uint64_t low, x = sonde_rng_next(t->plain);
    c->index = *index = max == UINT64_MAX ? x : sonde_multiply(x, max + 1, &low);
    t->identity = fold_identity(t->identity, *index);
    if (max != UINT64_MAX && unlikely(low <= max)) *index = correct(t);
    return true;
}

/* ---- Numbers */

bool sonde_bool(sonde *t, const char *label)
{
    uint64_t index;
    if (choose_quickly(t, label, SONDE_KIND_BOOL, 1, 0, &index)) return index != 0;
    return choose(t, "sonde_bool", label, SONDE_KIND_BOOL, 1, 0) != 0;
}

bool sonde_chance(sonde *t, const char *label, double p)
{
    uint64_t bits;
    /* The condition is written so that NaN is refused, too. */
    if (!(p >= 0 && p <= 1)) {
        if (!t || t->owner != sonde_this_thread() || !label) sonde_case_misplaced(t, "sonde_chance", label);
        sonde_misuse_(t, "sonde_chance(\"%s\"): %g is not a probability; give one from 0 to 1", label, p);
    }
    memcpy(&bits, &p, sizeof bits);
    /* Does not use the quick path, because the two values are not equally likely. */
    struct sonde_choice *c = point(t, "sonde_chance", label, SONDE_KIND_CHANCE);
    return record(t, c, get_index(t, c, p > 0 && p < 1, bits)) != 0 || p == 1;
}

static SONDE_COLD SONDE_NORETURN void empty_range(sonde *t, const char *function, const char *label, const char *lo,
                                                  const char *hi)
{
    if (!t || t->owner != sonde_this_thread() || !label) sonde_case_misplaced(t, function, label);
    sonde_misuse_(t, "%s(\"%s\"): the range %s..%s is empty; lo must not exceed hi", function, label, lo, hi);
}

static SONDE_COLD SONDE_NORETURN void empty_int_range(sonde *t, const char *function, const char *label, int64_t lo,
                                                      int64_t hi)
{
    char a[32], b[32];
    snprintf(a, sizeof a, "%lld", (long long)lo);
    snprintf(b, sizeof b, "%lld", (long long)hi);
    empty_range(t, function, label, a, b);
}

/* noinline: keeps the quick path of sonde_int small. */
static __attribute__((noinline)) int int_slowly(sonde *t, const char *label, int lo, int hi)
{
    if (lo > hi) empty_int_range(t, "sonde_int", label, lo, hi);
    uint64_t max = (uint64_t)((int64_t)hi - lo);
    return (int)sonde_int_value(lo, max, choose(t, "sonde_int", label, SONDE_KIND_INT, max, (uint64_t)(int64_t)lo));
}

static __attribute__((noinline)) int signed_value(int lo, uint64_t max, uint64_t index)
{
    return (int)sonde_int_value(lo, max, index);
}

int sonde_int(sonde *t, const char *label, int lo, int hi)
{
    uint64_t index;
    uint32_t max = (uint32_t)hi - (uint32_t)lo;
    /* lo == hi takes the slow path, which marks the choice as forced. */
    if (unlikely(lo >= hi || !choose_quickly(t, label, SONDE_KIND_INT, max, (uint64_t)(int64_t)lo, &index)))
        return int_slowly(t, label, lo, hi);
    if (unlikely(lo < 0)) return signed_value(lo, max, index);
    return lo + (int)index;
}

int64_t sonde_i64(sonde *t, const char *label, int64_t lo, int64_t hi)
{
    uint64_t index, max = (uint64_t)hi - (uint64_t)lo;
    if (unlikely(lo > hi)) empty_int_range(t, "sonde_i64", label, lo, hi);
    if (max == 0 || !choose_quickly(t, label, SONDE_KIND_INT, max, (uint64_t)lo, &index))
        index = choose(t, "sonde_i64", label, SONDE_KIND_INT, max, (uint64_t)lo);
    return sonde_int_value(lo, max, index);
}

uint64_t sonde_u64(sonde *t, const char *label, uint64_t lo, uint64_t hi)
{
    if (unlikely(lo > hi)) {
        char a[32], b[32];
        snprintf(a, sizeof a, "%llu", (unsigned long long)lo);
        snprintf(b, sizeof b, "%llu", (unsigned long long)hi);
        empty_range(t, "sonde_u64", label, a, b);
    }
    uint64_t index;
    if (lo != hi && choose_quickly(t, label, SONDE_KIND_UINT, hi - lo, lo, &index)) return lo + index;
    return lo + choose(t, "sonde_u64", label, SONDE_KIND_UINT, hi - lo, lo);
}

/* Ends the case as an overrun if n more bytes would exceed the limit of the tape's byte array. */
static void need_bytes(sonde *t, uint64_t n)
{
    if (n > t->limits.bytes || t->tape.n_bytes + n > t->limits.bytes) sonde_case_overrun(t, "bytes");
}

/* Draws a double. For a float, rounds the value to the nearest float, which lies within the bounds because they are
 * floats. The tape records the rounded value, so that a float prints and replays exactly. */
static double draw_double(sonde *t, const char *function, const char *label, struct sonde_double_bounds bounds,
                          bool is_float)
{
    struct sonde_choice *c = point(t, function, label, SONDE_KIND_DOUBLE);
    need_bytes(t, sizeof bounds);
    uint32_t base = sonde_tape_add_bytes(&t->tape, &bounds, sizeof bounds);
    sonde_float_env users = sonde_float_enter();
    /* `point` reserved the choice before the bounds were appended; get_index does not move the choice. */
    double value = sonde_double_value(bounds, get_index(t, c, sonde_double_max(bounds), base));
    if (is_float) value = (double)(float)value;
    /* Several indices may name one value (order.h). The tape gets the first of them, so that equal values compare
     * equal. */
    record(t, c, sonde_double_index(bounds, value));
    sonde_float_leave(users);
    return value;
}

static void need_finite(sonde *t, const char *function, const char *label, double lo, double hi)
{
    char a[32], b[32];
    if (lo <= hi && !isinf(lo) && !isinf(hi)) return;
    snprintf(a, sizeof a, "%g", lo);
    snprintf(b, sizeof b, "%g", hi);
    if (!(lo <= hi) || !t || t->owner != sonde_this_thread() || !label) empty_range(t, function, label, a, b);
    sonde_misuse_(t, "%s(\"%s\"): the range %s..%s is not finite; give finite limits, or use sonde_any_%s", function,
                  label, a, b, function + strlen("sonde_"));
}

double sonde_double(sonde *t, const char *label, double lo, double hi)
{
    need_finite(t, "sonde_double", label, lo, hi);
    return draw_double(t, "sonde_double", label, (struct sonde_double_bounds){lo, hi}, false);
}

float sonde_float(sonde *t, const char *label, float lo, float hi)
{
    need_finite(t, "sonde_float", label, (double)lo, (double)hi);
    return (float)draw_double(t, "sonde_float", label, (struct sonde_double_bounds){(double)lo, (double)hi}, true);
}

double sonde_any_double(sonde *t, const char *label)
{
    return draw_double(t, "sonde_any_double", label, (struct sonde_double_bounds){-INFINITY, INFINITY}, false);
}

float sonde_any_float(sonde *t, const char *label)
{
    return (float)draw_double(t, "sonde_any_float", label, (struct sonde_double_bounds){-INFINITY, INFINITY}, true);
}

/* ---- Alternatives */

size_t sonde_pick(sonde *t, const char *label, size_t n)
{
    if (unlikely(n == 0)) {
        if (!t || t->owner != sonde_this_thread() || !label) sonde_case_misplaced(t, "sonde_pick", label);
        sonde_misuse_(t, "sonde_pick(\"%s\"): there is nothing to pick from; n must be at least 1", label);
    }
    uint64_t index;
    if (n > 1 && choose_quickly(t, label, SONDE_KIND_PICK, n - 1, 0, &index)) return (size_t)index;
    return (size_t)choose(t, "sonde_pick", label, SONDE_KIND_PICK, n - 1, 0);
}

/* Multiplies the probability of the case's weighted draws by weight / sum, in sonde's floating-point environment. */
static void weigh(sonde *t, double weight, double sum)
{
    sonde_float_env users = sonde_float_enter();
    t->weighted_p *= weight / sum;
    sonde_float_leave(users);
}

size_t sonde_weighted(sonde *t, const char *label, const unsigned *weights, size_t n)
{
    struct sonde_choice *c = point(t, "sonde_weighted", label, SONDE_KIND_WEIGHTED);
    uint64_t sum = 0;
    if (n && !weights) sonde_misuse_(t, "sonde_weighted(\"%s\"): the weights are NULL; give an array of n", label);
    size_t last = 0; /* the domain ends with the last weight above 0 */
    for (size_t i = 0; i < n; i++) {
        sum += weights[i];
        if (weights[i]) last = i;
    }
    if (sum == 0) sonde_misuse_(t, "sonde_weighted(\"%s\"): every weight is 0; give at least one above 0", label);
    t->view.weights = weights;
    t->view.weight_sum = sum;
    size_t index = (size_t)get_index(t, c, last, 0);
    t->view.weights = NULL;
    while (!weights[index]) index = (index + 1) % n; /* alternatives of weight 0 are never taken */
    weigh(t, (double)weights[index], (double)sum);
    return (size_t)record(t, c, index);
}

/* The domain is all rules, even those that do not apply now, so that an index means the same rule in every call. */
size_t sonde_case_rule(sonde *t, const unsigned *weights, size_t n, unsigned sum)
{
    struct sonde_choice *c = point(t, "sonde_drive", "rule", SONDE_KIND_WEIGHTED);
    const struct sonde_choice *from = t->script ? sonde_script_next(t->script, c->label) : NULL;
    size_t index = 0;
    c->max = n - 1;
    c->base = 0;
    c->flags = SONDE_CHOICE_RULE;
    if (n == 1) c->flags |= SONDE_CHOICE_FORCED;
    /* machine.c decides what to do with a rule that does not apply. */
    if (from && n > 1) return (size_t)record(t, c, sonde_script_index(t->script, from, &t->tape, c));
    t->view.weights = weights;
    t->view.weight_sum = sum;
    sonde_float_env users = sonde_float_enter();
    if (n > 1) index = (size_t)t->choose(t->guide, &t->view) % n;
    sonde_float_leave(users);
    t->view.weights = NULL;
    while (!weights[index]) index = (index + 1) % n;
    weigh(t, (double)weights[index], (double)sum);
    return (size_t)record(t, c, index);
}

/* The size is drawn at the first call, then constant for the case. It is a choice like any other, so a replay has the
 * same size. */
int sonde_size(sonde *t)
{
    if (t && t->has_size && t->owner == sonde_this_thread()) return (int)t->view.size;
    struct sonde_choice *c = point(t, "sonde_size", SONDE_LABEL_SIZE, SONDE_KIND_SIZE);
    c->site = sonde_site(t->size_label, 0, SONDE_KIND_SIZE); /* one site for all calls of sonde_size */
    t->size_at = t->tape.n_choices;
    t->view.size = (uint32_t)record(t, c, get_index(t, c, SONDE_SIZE_MAX, 0));
    t->has_size = true;
    return (int)t->view.size;
}

/* ---- Blobs: one choice, many symbols */

/* Returns the array for symbols. All blobs of the case share it, and it is kept between cases. */
static uint32_t *symbol_room(sonde *t, size_t n)
{
    t->symbols = sonde_grow(t->symbols, &t->cap_symbols, n, sizeof *t->symbols);
    return t->symbols;
}

static size_t fill_by_guide(sonde *t, size_t min, size_t max)
{
    /* A guide without `fill` chooses the length and then each symbol as a separate pick; the guide never sees a
     * blob. */
    if (t->guide->ops->fill) return t->guide->ops->fill(t->guide, &t->view, t->symbols, min, max);
    size_t n = min + (size_t)t->choose(t->guide, &t->view);
    struct sonde_choice *c = &t->tape.choices[t->tape.n_choices];
    struct sonde_choice symbol = *c;
    symbol.kind = SONDE_KIND_PICK;
    symbol.max = t->view.alphabet->size - 1;
    t->view.point = &symbol;
    for (size_t i = 0; i < n; i++) t->symbols[i] = symbol.max ? (uint32_t)t->choose(t->guide, &t->view) : 0;
    t->view.point = c;
    return n;
}

static size_t symbols_from_script(sonde *t, const struct sonde_choice *c, size_t min, size_t max)
{
    const struct sonde_choice *from = sonde_script_next(t->script, c->label);
    if (!from) return fill_by_guide(t, min, max);
    size_t n = sonde_script_symbols(t->script, from, t->view.alphabet, t->symbols, (uint32_t)max);
    /* The script had fewer symbols; symbol 0 is the simplest. */
    while (n < min) t->symbols[n++] = 0;
    return n;
}

/* Draws a blob and records it; returns its choice. */
static struct sonde_choice *draw_blob(sonde *t, const char *function, const char *label, struct sonde_alphabet alphabet,
                                      size_t min, size_t max)
{
    struct sonde_choice *c = point(t, function, label, SONDE_KIND_BLOB);
    if (min > max)
        sonde_misuse_(t, "%s(\"%s\"): the shortest length %zu exceeds the longest, %zu; min must not exceed max",
                      function, label, min, max);
    if (max == SONDE_ANY) c->flags |= SONDE_CHOICE_OPEN;
    unsigned width = sonde_alphabet_width(&alphabet);
    need_bytes(t, min > t->limits.bytes ? UINT64_MAX : (uint64_t)min * width);
    /* The room left on the tape limits the domain, so that a long string makes later ones shorter instead of ending the
     * case. */
    size_t room = (t->limits.bytes - t->tape.n_bytes) / width;
    size_t longest = max - min > SONDE_OPEN_LENGTH && c->flags & SONDE_CHOICE_OPEN ? min + SONDE_OPEN_LENGTH : max;
    if (longest > room) longest = room;
    symbol_room(t, longest + 1);
    c->max = longest - min;
    c->base = 0;
    t->view.alphabet = &alphabet;
    size_t n = t->script ? symbols_from_script(t, c, min, longest) : fill_by_guide(t, min, longest);
    t->view.alphabet = NULL;
    uint64_t identity = fold_symbols(t->identity, t->symbols, n);
    if (t->ended && unlikely(end_at(t, identity, n - min))) {
        find_other_blob(t, alphabet.size, min, n);
        identity = fold_symbols(t->identity, t->symbols, n);
    }
    struct sonde_blob shape = {.alphabet = alphabet, .min = (uint32_t)min, .max = (uint32_t)longest};
    /* Bytes needed on the tape: size and characters of a custom alphabet, and 16 bytes for the header of a blob's
     * record (tape.c). */
    uint64_t extra = alphabet.kind == SONDE_ALPHABET_CUSTOM ? sizeof alphabet.size + strlen(alphabet.text) + 1 : 0;
    need_bytes(t, n * width + 16 + extra);
    c->base = sonde_tape_add_blob(&t->tape, &shape, t->symbols, (uint32_t)n);
    t->identity = identity;
    record(t, c, n - min);
    return c;
}

/* Returns the value in a block that ends where the value ends: after the last byte, or after the NUL of a string.
 * Without a tool that detects overruns, bytes also get a NUL, so that code that reads beyond them does the same in
 * every run. The value is first built in the array for symbols, whose entries of four bytes hold any character. */
static char *blob_text(sonde *t, const struct sonde_choice *c, size_t *len)
{
    struct sonde_blob blob = sonde_choice_blob(&t->tape, c);
    char *made = (char *)symbol_room(t, (size_t)blob.len + 1);
    *len = sonde_blob_text(&blob, made);
    sonde_assert(*len < sizeof(uint32_t) * ((size_t)blob.len + 1)); /* with its NUL */
    size_t size = *len + (blob.alphabet.kind != SONDE_ALPHABET_BYTES || !sonde_arena_is_exact(&t->arena));
    return memcpy(sonde_case_memory(t, size), made, size);
}

uint8_t *sonde_bytes(sonde *t, const char *label, size_t min, size_t max, size_t *len)
{
    struct sonde_alphabet bytes = sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL);
    if (!len) {
        point(t, "sonde_bytes", label, SONDE_KIND_BLOB);
        sonde_misuse_(t, "sonde_bytes(\"%s\"): the address for the length is NULL; give the address of a size_t",
                      label);
    }
    return (uint8_t *)blob_text(t, draw_blob(t, "sonde_bytes", label, bytes, min, max), len);
}

char *sonde_string(sonde *t, const char *label, size_t min, size_t max)
{
    size_t len;
    struct sonde_alphabet printable = sonde_alphabet_make(SONDE_ALPHABET_PRINTABLE, NULL);
    return blob_text(t, draw_blob(t, "sonde_string", label, printable, min, max), &len);
}

char *sonde_string_of(sonde *t, const char *label, const char *alphabet, size_t min, size_t max)
{
    size_t len;
    if (!alphabet || !*alphabet) {
        point(t, "sonde_string_of", label, SONDE_KIND_BLOB);
        sonde_misuse_(t, "sonde_string_of(\"%s\"): the alphabet is empty; give at least one character", label);
    }
    struct sonde_alphabet custom = sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, alphabet);
    return blob_text(t, draw_blob(t, "sonde_string_of", label, custom, min, max), &len);
}

char *sonde_utf8(sonde *t, const char *label, size_t min, size_t max)
{
    size_t len;
    struct sonde_alphabet utf8 = sonde_alphabet_make(SONDE_ALPHABET_UTF8, NULL);
    return blob_text(t, draw_blob(t, "sonde_utf8", label, utf8, min, max), &len);
}

/* ---- Lists */

/* Returns the label of a list's elements: the list's label plus "[]", the same for all elements. */
static uint32_t element_label(sonde *t, uint32_t list)
{
    uint32_t slot = list % SONDE_ELEMENT_CACHE;
    if (t->elements[slot].list == list) return t->elements[slot].element;
    char text[SONDE_LABEL_LENGTH_MAX + 3];
    int n = snprintf(text, sizeof text, "%s[]", sonde_label_text(t->labels, list));
    sonde_assert(n > 0 && (size_t)n < sizeof text); /* labels are shorter than `text` */
    uint32_t element = sonde_label_intern_n(t->labels, text, (size_t)n);
    t->elements[slot].list = list;
    /* If the table of labels is full, elements share the label of their list. */
    t->elements[slot].element = element ? element : list;
    return t->elements[slot].element;
}

sonde_list sonde_list_of(sonde *t, const char *label, size_t min, size_t max)
{
    if (!t || t->owner != sonde_this_thread() || !label) sonde_case_misplaced(t, "sonde_list_of", label);
    uint32_t id = sonde_label_id(t->labels, label);
    if (!id) sonde_case_misplaced(t, "sonde_list_of", label);
    if (min > max)
        sonde_misuse_(
            t, "sonde_list_of(\"%s\"): the shortest length %zu exceeds the longest, %zu; min must not exceed max",
            label, min, max);
    sonde_list xs = {.t = t, .i = SIZE_MAX, .min = min, .depth = t->view.depth, .element = element_label(t, id)};
    sonde_case_open(t, id, SONDE_SPAN_LIST);
    struct sonde_choice *c = point(t, "sonde_list_of", SONDE_LABEL_LENGTH, SONDE_KIND_LENGTH);
    if (max == SONDE_ANY) c->flags |= SONDE_CHOICE_OPEN;
    /* Without a limit from the user, a length may be up to SONDE_OPEN_LENGTH. The flag OPEN tells guides that this
     * limit is arbitrary. */
    uint64_t spread = max == SONDE_ANY ? SONDE_OPEN_LENGTH : max - min;
    xs.n = min + (size_t)record(t, c, avoid_repeat(t, spread, get_index(t, c, spread, min)));
    return xs;
}

/* Closes spans that the last element left open, then opens the next element or closes the list. A rejected element is
 * drawn again at the same index, so `i` does not move. */
static bool more(sonde_list *xs, uint32_t flags)
{
    sonde *t = xs->t;
    if (unlikely(!t || t->owner != sonde_this_thread())) sonde_case_misplaced(t, "sonde_more", "list");
    if (t->view.depth <= xs->depth) return false; /* the list has ended, or an enclosing span was closed */
    /* depth + 1 is the list, depth + 2 its element: anything deeper should have been closed. */
    if (unlikely(t->view.depth > xs->depth + 2)) sonde_case_note_unclosed(t, xs->depth + 2);
    if (t->view.depth > xs->depth + 1) sonde_case_close_to(t, xs->depth + 1);
    if (!xs->taken_back) {
        xs->i++;
        xs->rejected = 0;
    }
    xs->taken_back = false;
    if (xs->i < xs->n) {
        sonde_case_open(t, xs->element, SONDE_SPAN_ELEMENT | flags);
        return true;
    }
    sonde_case_close_to(t, xs->depth);
    return false;
}

bool sonde_more(sonde_list *xs)
{
    return more(xs, 0);
}

bool sonde_case_more_calls(sonde_list *calls)
{
    return more(calls, SONDE_SPAN_CALL);
}

/* The element's draws stay on the tape, marked as rejected: a guide has made them, and a replay must follow them. After
 * SONDE_PATIENCE rejected elements in a row the list ends, so that a condition that never holds cannot repeat the loop
 * forever. */
void sonde_list_reject(sonde_list *xs)
{
    sonde *t = xs->t;
    if (!t || t->owner != sonde_this_thread()) sonde_case_misplaced(t, "sonde_list_reject", "list");
    if (t->view.depth < xs->depth + 2)
        sonde_misuse_(t, "sonde_list_reject: there is no element to take back; call it inside the sonde_more loop");
    t->tape.spans[t->path[xs->depth + 1]].flags |= SONDE_SPAN_REJECTED;
    xs->taken_back = true;
    if (++xs->rejected < SONDE_PATIENCE) return;
    if (xs->i < xs->min) sonde_discard_(t, NULL, 0, "sonde_list_reject: too many elements rejected");
    xs->n = xs->i; /* the list ends here, shorter than its drawn length */
}
