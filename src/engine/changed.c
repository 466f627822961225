/* Counts changed lines by what reached them (--since). A line was reached if any block of its code was. */
#include "engine/engine.h"

#include "base/mem.h"

#include <string.h>

/* The facts known about a line. */
struct line_facts {
    uint8_t by;
    bool is_unknown; /* some of its code may have been reached without a trace */
};

/* Clang omits counters of blocks whose execution follows from other blocks. So where a function was entered, a block is
 * known to be missed only if it has a counter. gcc omits none: its counters are calls, known by several addresses. */
static bool may_be_omitted(const struct sonde_changed_code *code, const struct sonde_changed_part *p, uint32_t own)
{
    const struct sonde_code_range *at = &code->counters[own].at;
    return at->to - at->from == 1 && at->from != p->code.from;
}

static void look_at_part(const struct sonde_changed_code *code, const uint8_t *by, const struct sonde_changed_part *p,
                         struct line_facts *r)
{
    uint32_t own = p->first, k = p->first;
    uint8_t here = 0, in_function = 0;
    while (k < p->end && code->counters[k].at.from <= p->code.from) own = k++;
    for (k = own; k < p->end && (k == own || code->counters[k].at.from < p->code.to); k++) here |= by[k];
    for (k = p->first; k < p->end; k++) in_function |= by[k];
    r->by |= here;
    if (p->first == p->end) r->is_unknown = true;
    else if (in_function & ~here && may_be_omitted(code, p, own)) r->is_unknown = true;
}

static void add_missed(struct sonde_changed *out, struct sonde_changed_place **missed, uint32_t *cap, const char *file,
                       uint32_t line)
{
    struct sonde_changed_place *last = out->n_missed ? &(*missed)[out->n_missed - 1] : NULL;
    if (last && last->file == file && last->last + 1 == line) {
        last->last = line;
        return;
    }
    *missed = sonde_grow(*missed, cap, out->n_missed + 1, sizeof **missed);
    (*missed)[out->n_missed++] = (struct sonde_changed_place){.file = file, .first = line, .last = line};
}

void sonde_changed_measure(const struct sonde_changed_code *code, const uint8_t *by, struct sonde_changed *out)
{
    struct sonde_changed_place *missed = NULL;
    uint32_t cap = 0;
    *out = (struct sonde_changed){.since = code->since, .lines = code->n_lines};
    for (uint32_t i = 0; i < code->n_lines; i++) {
        const struct sonde_changed_line *line = &code->lines[i];
        struct line_facts r = {.by = 0};
        for (uint32_t k = 0; k < line->n_parts; k++) look_at_part(code, by, &code->parts[line->first_part + k], &r);
        if (r.by & SONDE_REACHED_VALID) out->valid++;
        else if (r.is_unknown) out->unknown++;
        else if (r.by) out->invalid_only++;
        else {
            out->never++;
            add_missed(out, &missed, &cap, code->files[line->file], line->line);
        }
    }
    out->missed = missed;
}

void sonde_changed_clear(struct sonde_changed *changed)
{
    sonde_free((void *)(uintptr_t)changed->missed);
    *changed = (struct sonde_changed){.since = NULL};
}
