/* See observed.h. Numbers are kept as digits: a change of a type, int to long, is then not a change of the value. */
#include "case/observed.h"

#include "base/buffer.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/mem.h"
#include "base/visible.h"
#include "tape/literal.h"

#include <stdlib.h>
#include <string.h>

/* ---- The list */

/* Copies bytes to the end of the list's memory and returns their offset. */
static uint32_t keep_bytes(struct sonde_observed *list, const void *bytes, size_t n)
{
    uint32_t at = list->mark.n_bytes;
    list->bytes = sonde_grow(list->bytes, &list->cap_bytes, (size_t)at + n + 1, 1);
    if (n) memcpy(list->bytes + at, bytes, n);
    list->mark.n_bytes += (uint32_t)n;
    return at;
}

void sonde_observed_add(struct sonde_observed *list, const char *name, enum sonde_observed_kind kind, const void *value,
                        size_t size)
{
    struct sonde_observed_mark *mark = &list->mark;
    size_t n_name = strlen(name) + 1, n = size < SONDE_OBSERVED_BYTES ? size : SONDE_OBSERVED_BYTES;
    uint64_t hash = sonde_hash_bytes(kind, value, size);
    /* After the first value that does not fit, no more values are kept, so that the list is the beginning of what was
     * observed. */
    bool fits = mark->n_all == mark->n && mark->n < SONDE_OBSERVED_VALUES
                && mark->n_bytes + n_name + n <= SONDE_OBSERVED_ALL_BYTES;
    mark->n_all++;
    mark->digest = sonde_hash_add(sonde_hash_text(mark->digest, name), hash);
    if (!fits) return;
    list->all = sonde_grow(list->all, &list->cap, (size_t)mark->n + 1, sizeof *list->all);
    struct sonde_observed_value *v = &list->all[mark->n];
    v->kind = kind;
    v->name = keep_bytes(list, name, n_name);
    v->at = keep_bytes(list, value, n);
    v->n = (uint32_t)n;
    v->draws = 0;
    v->size = size;
    v->hash = hash;
    mark->n++; /* last: if the process dies before this, the list is unchanged */
}

void sonde_observed_return(struct sonde_observed *list, const struct sonde_observed_mark *before)
{
    sonde_assert(before->n <= list->mark.n && before->n_bytes <= list->mark.n_bytes);
    list->mark = *before;
}

void sonde_observed_copy(struct sonde_observed *to, const struct sonde_observed *from)
{
    to->all = sonde_grow(to->all, &to->cap, (size_t)from->mark.n + 1, sizeof *to->all);
    to->bytes = sonde_grow(to->bytes, &to->cap_bytes, (size_t)from->mark.n_bytes + 1, 1);
    if (from->mark.n) memcpy(to->all, from->all, from->mark.n * sizeof *to->all);
    if (from->mark.n_bytes) memcpy(to->bytes, from->bytes, from->mark.n_bytes);
    to->mark = from->mark;
}

void sonde_observed_clear(struct sonde_observed *list)
{
    sonde_free(list->all);
    sonde_free(list->bytes);
    *list = (struct sonde_observed){.cap = 0};
}

bool sonde_observed_is_sound(const struct sonde_observed *list, const void *owner)
{
    const struct sonde_observed_mark *mark = &list->mark;
    if (mark->n > list->cap || mark->n_bytes > list->cap_bytes || mark->n > mark->n_all
        || !sonde_heap_holds(owner, list->all, list->cap * sizeof *list->all)
        || !sonde_heap_holds(owner, list->bytes, list->cap_bytes))
        return false;
    for (uint32_t i = 0; i < mark->n; i++) {
        const struct sonde_observed_value *v = &list->all[i];
        if ((unsigned)v->kind >= SONDE_OBSERVED_KINDS || v->at > mark->n_bytes || v->n > mark->n_bytes - v->at
            || v->name >= v->at || list->bytes[v->at - 1])
            return false;
    }
    return true;
}

/* ---- For people */

const char *sonde_observed_name(const struct sonde_observed *list, uint32_t i)
{
    return (const char *)list->bytes + list->all[i].name;
}

static void put_hex(struct sonde_sink *sink, unsigned char byte)
{
    sonde_put_char(sink, "0123456789abcdef"[byte >> 4]);
    sonde_put_char(sink, "0123456789abcdef"[byte & 15]);
}

/* Ends the string in the sink. A string that does not fit is cut between two characters, and "..." added. */
static const char *finish(struct sonde_sink *sink)
{
    size_t end = sink->n;
    if (end >= sink->size) {
        end = sink->size - sizeof "...";
        while (end > 0 && ((unsigned char)sink->out[end] & 0xc0) == 0x80) end--;
        memcpy(sink->out + end, "...", sizeof "...");
        return sink->out;
    }
    sink->out[end] = '\0';
    return sink->out;
}

/* Writes a string that a printer made, on one line. */
static void put_visible(struct sonde_sink *sink, const char *bytes, size_t n)
{
    size_t room = 6 * n + 1; /* a character becomes at most \\uNNNN */
    char *text = sonde_strndup(bytes, n), *line = sonde_malloc(room);
    sonde_visible(line, room, text);
    sonde_put_text(sink, line);
    sonde_free(line);
    sonde_free(text);
}

/* Writes a value from byte `from` on. */
static const char *print_from(const struct sonde_observed *list, uint32_t i, uint32_t from, char *out, size_t size)
{
    enum { SHOWN_BYTES = 32 }; /* bytes of a value that are shown: they fit into one line of a report */
    const struct sonde_observed_value *v = &list->all[i];
    struct sonde_sink sink = {.out = out, .size = size};
    const unsigned char *bytes = list->bytes + v->at;
    switch (v->kind) {
    case SONDE_OBSERVED_NULL: sonde_put_text(&sink, "NULL"); break;
    case SONDE_OBSERVED_TEXT:
        sonde_put_quoted(&sink, (const char *)bytes + from, v->n - from);
        if (v->n < v->size) sonde_put_text(&sink, "...");
        break;
    case SONDE_OBSERVED_MEMORY:
        sonde_put_char(&sink, '(');
        sonde_put_uint(&sink, v->size);
        sonde_put_text(&sink, v->size == 1 ? " byte)" : " bytes)");
        for (uint32_t k = from; k < v->n && k < from + SHOWN_BYTES; k++)
            sonde_put_char(&sink, ' '), put_hex(&sink, bytes[k]);
        if (v->size > from + SHOWN_BYTES || v->n < v->size) sonde_put_text(&sink, " ...");
        break;
    case SONDE_OBSERVED_NUMBER:
    case SONDE_OBSERVED_PRINTED:
    case SONDE_OBSERVED_KINDS:
        put_visible(&sink, (const char *)bytes + from, v->n - from);
        if (v->n < v->size) sonde_put_text(&sink, "...");
    }
    return finish(&sink);
}

const char *sonde_observed_print(const struct sonde_observed *list, uint32_t i, char *out, size_t size)
{
    return print_from(list, i, 0, out, size);
}

enum { SIDE = 200 }; /* characters of one side of a difference: both fit into one line of a report */

/* Returns the first byte at which the kept parts of two values differ; the length of the shorter if none does. */
static uint32_t first_difference(const struct sonde_observed *a, const struct sonde_observed *b, uint32_t i)
{
    const struct sonde_observed_value *v = &a->all[i], *w = &b->all[i];
    uint32_t end = v->n < w->n ? v->n : w->n, at = 0;
    while (at < end && a->bytes[v->at + at] == b->bytes[w->at + at]) at++;
    return at;
}

/* Writes how two runs of bytes differ. */
static void differ_in_bytes(const struct sonde_observed *got, const struct sonde_observed *want, uint32_t i, FILE *out)
{
    const struct sonde_observed_value *v = &got->all[i], *w = &want->all[i];
    uint32_t at = first_difference(got, want, i);
    if (at < v->n && at < w->n)
        fprintf(out, "byte %u got %02x, want %02x", at, got->bytes[v->at + at], want->bytes[w->at + at]);
    else if (v->size == w->size) fprintf(out, "differs after byte %u", at);
    if (v->size == w->size) return;
    fprintf(out, "%sgot %llu byte%s, want %llu", at < v->n && at < w->n ? "; " : "", (unsigned long long)v->size,
            v->size == 1 ? "" : "s", (unsigned long long)w->size);
}

/* Writes how two values of any other kind differ. Long strings are shown from just before the difference. */
static void differ_in_words(const struct sonde_observed *got, const struct sonde_observed *want, uint32_t i, FILE *out)
{
    /* a difference after more than LONG bytes is shown from BEFORE bytes before it on */
    enum { LONG = 60, BEFORE = 10 };
    const struct sonde_observed_value *v = &got->all[i], *w = &want->all[i];
    char a[SIDE], b[SIDE];
    uint32_t at = v->kind == w->kind ? first_difference(got, want, i) : 0, from = at > LONG ? at - BEFORE : 0;
    if (v->kind == w->kind && v->size == w->size && at == v->n) {
        fprintf(out, "differs after byte %u", at);
        return;
    }
    while (from && (got->bytes[v->at + from] & 0xc0) == 0x80) from--;
    if (from) fprintf(out, "from byte %u on ", from);
    fprintf(out, "got %s, ", print_from(got, i, from, a, sizeof a));
    fprintf(out, "want %s", print_from(want, i, from, b, sizeof b));
}

/* Writes "packed: ", with a number if the name was observed before. */
static void put_name(const struct sonde_observed *list, uint32_t i, FILE *out)
{
    uint32_t n = 1;
    for (uint32_t k = 0; k < i; k++) n += strcmp(sonde_observed_name(list, k), sonde_observed_name(list, i)) == 0;
    char name[SIDE];
    sonde_visible(name, sizeof name, sonde_observed_name(list, i));
    fputs(name, out);
    if (n > 1) fprintf(out, " (number %u)", n);
    fputs(": ", out);
}

/* Writes how two lists differ at index i, which at least one of them has. */
static void describe(const struct sonde_observed *got, const struct sonde_observed *want, uint32_t i, FILE *out)
{
    char side[SIDE];
    bool has_got = i < got->mark.n, has_want = i < want->mark.n;
    if (!has_got || (has_want && strcmp(sonde_observed_name(got, i), sonde_observed_name(want, i)) != 0)) {
        put_name(want, i, out);
        fprintf(out, "got nothing, want %s", print_from(want, i, 0, side, sizeof side));
        if (!has_got) return;
        sonde_visible(side, sizeof side, sonde_observed_name(got, i));
        fprintf(out, " (observed %s instead)", side);
        return;
    }
    put_name(got, i, out);
    if (!has_want) fprintf(out, "got %s, want nothing", print_from(got, i, 0, side, sizeof side));
    else if (got->all[i].kind == SONDE_OBSERVED_MEMORY && want->all[i].kind == SONDE_OBSERVED_MEMORY)
        differ_in_bytes(got, want, i, out);
    else differ_in_words(got, want, i, out);
}

static bool are_same(const struct sonde_observed *a, const struct sonde_observed *b, uint32_t i)
{
    return a->all[i].hash == b->all[i].hash && a->all[i].size == b->all[i].size && a->all[i].kind == b->all[i].kind
           && strcmp(sonde_observed_name(a, i), sonde_observed_name(b, i)) == 0;
}

uint32_t sonde_observed_first(const struct sonde_observed *a, const struct sonde_observed *b)
{
    uint32_t n = a->mark.n < b->mark.n ? a->mark.n : b->mark.n, i = 0;
    while (i < n && are_same(a, b, i)) i++;
    return i;
}

bool sonde_observed_differ(const struct sonde_observed *got, const struct sonde_observed *want, char *out, size_t size)
{
    if (size) *out = '\0';
    if (got->mark.digest == want->mark.digest && got->mark.n_all == want->mark.n_all) return false;
    uint32_t n = got->mark.n < want->mark.n ? got->mark.n : want->mark.n, i = sonde_observed_first(got, want);
    struct sonde_buffer words;
    FILE *to = sonde_buffer_open(&words);
    /* A list that reached its limit may have had more values, so a difference in length shows nothing. */
    bool is_cut = (i == got->mark.n && got->mark.n_all > i) || (i == want->mark.n && want->mark.n_all > i);
    if (i < n || (!is_cut && (i < got->mark.n || i < want->mark.n))) describe(got, want, i, to);
    else fprintf(to, "the first %u observed values are the same, a later one differs", i);
    snprintf(out, size, "%s", sonde_buffer_close(&words));
    sonde_buffer_clear(&words);
    return true;
}
