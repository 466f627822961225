/* Reads which code was reached from an HTML report; the header shows the format. Modules are numbered within each
 * property, so a table maps these numbers to modules and is cleared at each `property` line. */
#include "places.h"

#include "base/check.h"
#include "base/mem.h"
#include "tape/literal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns a copy of a word with each %XX replaced by the byte XX, to be freed. A % without two digits remains, and so
 * does %00. */
static char *unescape(const char *text)
{
    char *out = sonde_strdup(text), *to = out;
    while (*text) {
        int high = *text == '%' ? sonde_hex_digit(text[1]) : -1, low = high >= 0 ? sonde_hex_digit(text[2]) : -1;
        bool is_byte = low >= 0 && (high || low);
        *to++ = is_byte ? (char)(high * 16 + low) : *text;
        text += is_byte ? 3 : 1;
    }
    *to = 0;
    return out;
}

/* Returns the index of the module with this id, adding it if it is new. */
static uint32_t module_of(struct sonde_page_modules *p, uint64_t id, const char *word)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->modules[i].id == id) return i;
    p->modules = sonde_grow(p->modules, &p->cap, (size_t)p->n + 1, sizeof *p->modules);
    p->modules[p->n] = (struct sonde_page_module){.id = id, .path = unescape(word)};
    return p->n++;
}

void sonde_page_add_place(struct sonde_page_module *m, struct sonde_page_place place)
{
    m->places = sonde_grow(m->places, &m->cap, (size_t)m->n + 1, sizeof *m->places);
    m->places[m->n++] = place;
}

/* Maximum number of modules of a property; lines about others are ignored. */
enum { NUMBERS_MAX = 512 };

/* Reads one line. numbers[] maps the numbers of modules in this property to modules; UINT32_MAX: none. */
static void read_line(struct sonde_page_modules *p, const char *line, uint32_t *property, uint32_t *numbers)
{
    char path[8192];
    uint32_t n, by, first;
    uint64_t id, offset;
    if (sscanf(line, "property %" SCNu32, &n) == 1) {
        *property = n;
        memset(numbers, 0xff, NUMBERS_MAX * sizeof *numbers);
    } else if (sscanf(line, "module %" SCNu32 " %" SCNx64 " %8191s", &n, &id, path) == 3) {
        if (n < NUMBERS_MAX) numbers[n] = module_of(p, id, path);
    } else if (sscanf(line, "called %" SCNu32, &n) == 1) {
        if (n < NUMBERS_MAX && numbers[n] < p->n) p->modules[numbers[n]].is_called = true;
    } else if (sscanf(line, "%" SCNu32 " %" SCNx64 " %" SCNu32 " %" SCNu32, &n, &offset, &by, &first) == 4) {
        if (n < NUMBERS_MAX && numbers[n] < p->n)
            sonde_page_add_place(&p->modules[numbers[n]], (struct sonde_page_place){offset, by & 7, first, *property});
    }
}

/* Asserts that ids are unique and that `by` has no unknown bits. */
static void modules_check(const struct sonde_page_modules *p)
{
    sonde_assert(p->n <= p->cap);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct sonde_page_module *m = &p->modules[i];
        sonde_assert(m->path && m->n <= m->cap);
        for (uint32_t k = 0; k < i; k++) sonde_assert(p->modules[k].id != m->id);
        for (uint32_t k = 0; k < m->n; k++) sonde_assert(m->places[k].by < 8);
    }
}

void sonde_page_modules_read(struct sonde_page_modules *to, char *text)
{
    uint32_t numbers[NUMBERS_MAX], property = 0;
    memset(numbers, 0xff, sizeof numbers);
    *to = (struct sonde_page_modules){0};
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        read_line(to, line, &property, numbers);
    }
    modules_check(to);
}

void sonde_page_modules_clear(struct sonde_page_modules *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        sonde_free(p->modules[i].path);
        sonde_free(p->modules[i].places);
    }
    sonde_free(p->modules);
    *p = (struct sonde_page_modules){0};
}
