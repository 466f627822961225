/* See traces.h. */
#include "mutate/traces.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

uint64_t sonde_counter_name(const struct sonde_coverage *coverage, uint32_t id)
{
    struct sonde_feature_name name;
    if (!sonde_coverage_name(coverage, id, &name)) return 0;
    return sonde_hash_add(sonde_hash_add(1, name.module), name.offset);
}

/* ---- Taking traces */

static void add_side(struct sonde_mutant_trace *trace, uint32_t id, uint64_t side)
{
    trace->sides = sonde_grow_zeroed(trace->sides, &trace->n_sides, (size_t)id + 1, sizeof *trace->sides);
    trace->sides[id] = sonde_hash_add(trace->sides[id], side) | 1;
}

/* Returns whether a number may be an address, which depends on earlier cases. */
static bool is_address(uint64_t x)
{
    return x >> 36 && x >> 47 == 0;
}

/* Of a comparison, the distances of its sides are known, and the last sides that were not equal. */
void sonde_mutant_trace_take(struct sonde_mutant_trace *trace, const struct sonde_coverage_view *seen)
{
    if (trace->n) memset(trace->counts, 0, trace->n);
    if (trace->n_sides) memset(trace->sides, 0, trace->n_sides * sizeof *trace->sides);
    for (size_t i = 0; seen && i < seen->n_features; i++) {
        const struct sonde_feature *f = &seen->features[i];
        if (f->kind == SONDE_FEATURE_COMPARISON) add_side(trace, f->id, f->mark);
        if (f->kind != SONDE_FEATURE_COUNTER) continue;
        trace->counts = sonde_grow_zeroed(trace->counts, &trace->n, (size_t)f->id + 1, 1);
        trace->counts[f->id] = f->value;
    }
    for (size_t i = 0; seen && i < seen->n_hints; i++) {
        const struct sonde_hint *h = &seen->hints[i];
        if (is_address(h->a) || is_address(h->b)) continue;
        add_side(trace, h->id, h->a);
        add_side(trace, h->id, h->b);
    }
}

static uint8_t count_at(const struct sonde_mutant_trace *trace, uint32_t id)
{
    return id < trace->n ? trace->counts[id] : 0;
}

static uint64_t sides_at(const struct sonde_mutant_trace *trace, uint32_t id)
{
    return id < trace->n_sides ? trace->sides[id] : 0;
}

/* Returns a number above all ids of two traces. */
static uint32_t ids_of(const struct sonde_mutant_trace *a, const struct sonde_mutant_trace *b)
{
    uint32_t n = a->n > b->n ? a->n : b->n, m = a->n_sides > b->n_sides ? a->n_sides : b->n_sides;
    return n > m ? n : m;
}

static bool differ_at(const struct sonde_mutant_trace *a, const struct sonde_mutant_trace *b, uint32_t id)
{
    return count_at(a, id) != count_at(b, id) || sides_at(a, id) != sides_at(b, id);
}

/* ---- Differences without the mutant */

static bool is_own(const struct sonde_mutant_own *own, uint32_t id)
{
    return id < own->n && own->is_own[id];
}

/* Compilers split functions, and name the parts f.cold or f.part.0. */
static uint64_t hash_of_function(const char *name)
{
    return sonde_hash_bytes(0, name, strcspn(name, "."));
}

static bool has_function(const struct sonde_mutant_own *own, uint64_t function)
{
    for (uint32_t i = 0; i < own->n_functions; i++)
        if (own->functions[i] == function) return true;
    return false;
}

static void add_function(struct sonde_mutant_own *own, uint64_t function)
{
    if (function && own->n_functions < SONDE_OWN_FUNCTIONS && !has_function(own, function))
        own->functions[own->n_functions++] = function;
}

void sonde_mutant_own_function(struct sonde_mutant_own *own, const char *name)
{
    add_function(own, hash_of_function(name));
}

/* Returns the function of a location; 0: not known. All functions of other modules count as one. */
static uint64_t function_of(const struct sonde_mutant_own *own, uint32_t id)
{
    struct sonde_function function;
    const void *code = own->code ? sonde_coverage_code(own->coverage, id) : NULL;
    if (!code) return 0;
    return sonde_code_function(own->code, (uintptr_t)code, &function) ? hash_of_function(function.name) : 1;
}

void sonde_mutant_own_add(struct sonde_mutant_own *own, const struct sonde_mutant_trace *a,
                          const struct sonde_mutant_trace *b)
{
    uint32_t n = ids_of(a, b);
    own->is_own = sonde_grow_zeroed(own->is_own, &own->n, n, 1);
    for (uint32_t id = 0; id < n; id++) own->is_own[id] |= differ_at(a, b, id);
}

void sonde_mutant_own_add_null(struct sonde_mutant_own *own, const struct sonde_mutant_trace *plain,
                               const struct sonde_mutant_trace *null)
{
    uint32_t n = ids_of(plain, null);
    for (uint32_t id = 0; id < n && own->n_functions < SONDE_OWN_FUNCTIONS; id++)
        if (count_at(plain, id) != count_at(null, id) && !is_own(own, id)) add_function(own, function_of(own, id));
    sonde_mutant_own_add(own, plain, null);
}

/* ---- Differences */

/* Returns whether a counter shows another path. Counters that no input reaches without a mutant do not: they are in the
 * mutant itself. */
static bool is_way(const struct sonde_mutant_own *own, const struct sonde_mutant_trace *plain,
                   const struct sonde_mutant_trace *other, uint32_t id)
{
    if (count_at(plain, id) == count_at(other, id)) return false;
    return sonde_map_get(own->known, sonde_counter_name(own->coverage, id)) > 0;
}

struct sonde_mutant_difference sonde_mutant_difference_of(const struct sonde_mutant_own *own,
                                                          const struct sonde_mutant_trace *plain,
                                                          const struct sonde_mutant_trace *other)
{
    struct sonde_mutant_difference found = {false, false, false};
    uint32_t n = ids_of(plain, other);
    for (uint32_t id = 0; id < n; id++) {
        if (is_own(own, id) || !differ_at(plain, other, id)) continue;
        bool way = is_way(own, plain, other, id),
             used = sides_at(plain, id) && sides_at(plain, id) != sides_at(other, id);
        found.is_way |= way;
        found.is_used |= used;
        if ((way || used) && !found.is_far) {
            uint64_t function = function_of(own, id);
            found.is_far = !own->code || (function && !has_function(own, function));
        }
    }
    return found;
}
