/* The state of RLCheck's figure 3, read off the spans instead of written into the generator. See classic.h.
 *
 * In figure 3 the state of a choice lists the nodes on the path from the root. Each has its value, then "L" or "R" for
 * the next child. Here a node is a span, its value is its first choice, and a child is named by the draw before it
 * ("left" or "right"). Draws of earlier siblings are left out. The authors' generators of XML and JavaScript do not
 * enter the number of children either. So a list has no value, and a child in a list is named by the list. */
#include "classic.h"

/* Returns the child of `span` that choice `i` is in, or `span` itself. */
static uint32_t child_at(const struct sonde_tape *t, uint32_t span, uint32_t i)
{
    uint32_t s = t->choices[i].span;
    while (s != span && t->spans[s].parent != span) s = t->spans[s].parent;
    return s;
}

/* Returns whether choice i is a value of the node itself. Sizes and forced choices are not. */
static bool is_own(const struct sonde_tape *t, uint32_t span, uint32_t i)
{
    const struct sonde_choice *c = &t->choices[i];
    return c->span == span && c->kind != SONDE_KIND_SIZE && !(c->flags & SONDE_CHOICE_FORCED);
}

/* Returns the first choice before `end` that `span` drew itself; UINT32_MAX if there is none. */
static uint32_t first_own(const struct sonde_tape *t, uint32_t span, uint32_t end)
{
    uint32_t i = t->spans[span].start;
    while (i < end && !is_own(t, span, i)) {
        uint32_t child = child_at(t, span, i);
        i = child == span ? i + 1 : t->spans[child].end;
    }
    return i < end ? i : UINT32_MAX;
}

/* Returns the last choice before `end` that `span` drew itself; UINT32_MAX if there is none. */
static uint32_t last_own(const struct sonde_tape *t, uint32_t span, uint32_t end)
{
    uint32_t start = t->spans[span].start, i = end;
    while (i > start && !is_own(t, span, i - 1)) {
        uint32_t child = child_at(t, span, i - 1);
        i = child == span ? i - 1 : t->spans[child].start;
    }
    return i > start ? i - 1 : UINT32_MAX;
}

/* Returns the value of a choice; for a string, a hash of its symbols. */
static uint64_t value_of(const struct sonde_tape *t, const struct sonde_choice *c)
{
    if (c->kind != SONDE_KIND_BLOB) return c->index;
    struct sonde_blob blob = sonde_choice_blob(t, c);
    uint64_t hash = blob.len;
    for (uint32_t i = 0; i < blob.len; i++) hash = (hash ^ sonde_blob_symbol(&blob, i)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

/* Returns the number that names `span` among the children of its parent; 0: it needs no name. */
static uint32_t name_of(const struct sonde_tape *t, uint32_t span)
{
    const struct sonde_tape_span *s = &t->spans[span];
    if (s->flags & SONDE_SPAN_ELEMENT) return 0;
    if (s->flags & SONDE_SPAN_LIST) return s->label;
    uint32_t before = last_own(t, s->parent, s->start);
    return before == UINT32_MAX ? 0 : t->choices[before].site;
}

uint32_t classic_parents(const struct sonde_tape *t, uint32_t span, uint32_t end, struct classic_entry *entries,
                         uint32_t max)
{
    uint32_t n = 0;
    for (;;) {
        bool is_list = t->spans[span].flags & SONDE_SPAN_LIST;
        uint32_t first = is_list ? UINT32_MAX : first_own(t, span, end);
        if (first != UINT32_MAX && n < max)
            entries[n++] = (struct classic_entry){t->choices[first].site, true, value_of(t, &t->choices[first])};
        if (span == 0 || n == max) return n;
        uint32_t name = name_of(t, span);
        if (name) entries[n++] = (struct classic_entry){name, false, 0};
        end = t->spans[span].start;
        span = t->spans[span].parent;
    }
}
