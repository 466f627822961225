/* Memory, strings, lists and errors of sonde-derive, and the search for fields; declared in model.h. */
#include "model.h"

#include "base/die.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sonde_arena arena;

void *keep(size_t size)
{
    if (!arena.limit) sonde_arena_init(&arena, SIZE_MAX, false);
    return memset(sonde_arena_alloc(&arena, size), 0, size);
}

const char *keep_text(const char *text)
{
    return memcpy(keep(strlen(text) + 1), text, strlen(text) + 1);
}

const char *keep_format(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *text = keep((size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void push_(void **array, uint32_t *n, uint32_t *cap, size_t size)
{
    if (*n == *cap) {
        *cap = *cap ? 2 * *cap : 8;
        void *larger = keep(*cap * size);
        if (*n) memcpy(larger, *array, *n * size);
        *array = larger;
    }
    ++*n;
}

static const char *trimmed(const char *from, size_t n)
{
    while (n && isspace((unsigned char)*from)) from++, n--;
    while (n && isspace((unsigned char)from[n - 1])) n--;
    return keep_format("%.*s", (int)n, from);
}

/* Returns the end of a part of a list: the next comma outside of brackets and quotes, or the string's end. */
static const char *end_of_part(const char *at)
{
    int depth = 0;
    for (char quote = 0; *at && (quote || depth || *at != ','); at++) {
        if (quote && *at == '\\' && at[1]) at++;
        else if (quote) quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'') quote = *at;
        else if (strchr("([{", *at)) depth++;
        else if (strchr(")]}", *at)) depth--;
    }
    return at;
}

uint32_t split_list(const char *text, const char **parts, uint32_t max)
{
    uint32_t n = 0;
    while (n < max) {
        const char *end = end_of_part(text);
        parts[n++] = trimmed(text, (size_t)(end - text));
        if (!*end) break;
        text = end + 1;
    }
    return n == 1 && !*parts[0] ? 0 : n;
}

bool is_identifier(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_') return false;
    while (isalnum((unsigned char)*text) || *text == '_') text++;
    return !*text;
}

bool is_number(const char *text, unsigned long long *value)
{
    if (!*text || text[strspn(text, "0123456789")] || strlen(text) > 18) return false;
    *value = strtoull(text, NULL, 10);
    return true;
}

static unsigned n_complaints;
static const char *complainer = "sonde derive";
static bool is_holding;
static const char *held; /* the first error while is_holding */

void complain_as(const char *command)
{
    complainer = command;
}

void complain(struct place place, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (is_holding) {
        if (!held) held = keep_text(text);
        return;
    }
    if (place.file) sonde_complain("%s: %s:%u: %s", complainer, place.file, place.line, text);
    else sonde_complain("%s: %s", complainer, text);
    n_complaints++;
}

unsigned complaints(void)
{
    return is_holding ? held != NULL : n_complaints;
}

void complaints_hold(void)
{
    is_holding = true;
    held = NULL;
}

const char *complaints_release(void)
{
    is_holding = false;
    return held;
}

struct field *find_field(const struct record *record, const char *name)
{
    for (uint32_t i = 0; i < record->n; i++) {
        struct field *f = &record->fields[i];
        if (!strcmp(f->name, name)) return f;
        struct field *inner = !*f->name && f->type->kind == TYPE_RECORD ? find_field(f->type->record, name) : NULL;
        if (inner) return inner;
    }
    return NULL;
}

struct field *find_path(const struct record *record, const char *path)
{
    size_t n = strcspn(path, ".");
    struct field *field = find_field(record, keep_format("%.*s", (int)n, path));
    if (!field || !path[n]) return field;
    const struct type *type = field->type;
    while (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY) type = type->of;
    return type->kind == TYPE_RECORD ? find_path(type->record, path + n + 1) : NULL;
}

const char *record_name(const struct record *record)
{
    return record->name ? record->name : record->is_union ? "a union without a name" : "a struct without a name";
}
