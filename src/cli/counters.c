/* See counters.h. With clang, counters are in a table. With gcc, each is a call of a hook, which is found in the
 * machine code. */
#include "cli/counters.h"

#include "base/mem.h"

#include <string.h>

enum {
    COUNTERS_MAX = 1 << 18, /* counters that are looked up */
    CALL_MAX = 8            /* bytes of a call instruction; its counter is known by the address after it */
};

static void add_counter(struct sonde_counters *c, uintptr_t from, uintptr_t to)
{
    if (c->n == COUNTERS_MAX) return;
    c->all = sonde_grow(c->all, &c->cap, (size_t)c->n + 1, sizeof *c->all);
    c->all[c->n++] = (struct sonde_code_range){from, to};
}

static void visit_place(void *user, const struct sonde_coverage_place *place)
{
    if (!place->is_called) add_counter(user, place->address, place->address + 1);
}

void __sanitizer_cov_trace_pc(void);

static bool visit_function(const struct sonde_function *f, void *user)
{
    uintptr_t hook = (uintptr_t)__sanitizer_cov_trace_pc;
    for (uintptr_t at = f->start; at < f->end; at++)
        if (sonde_call_target((const unsigned char *)at, (const unsigned char *)f->end) == hook)
            add_counter(user, at, at + CALL_MAX);
    return true;
}

void sonde_counters_find(struct sonde_counters *c, sonde_property_fn *run)
{
    const void *address;
    memcpy(&address, &run, sizeof address); /* C has no cast from a function pointer to void * */
    *c = (struct sonde_counters){.code = NULL};
    struct sonde_coverage *coverage = sonde_coverage_create();
    sonde_coverage_each_place(coverage, visit_place, c);
    sonde_coverage_free(coverage);
    c->code = sonde_code_open(address);
    if (c->code) sonde_code_each(c->code, visit_function, c);
}

void sonde_counters_clear(struct sonde_counters *c)
{
    if (c->code) sonde_code_close(c->code);
    sonde_free(c->all);
    *c = (struct sonde_counters){.code = NULL};
}
