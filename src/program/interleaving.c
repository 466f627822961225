/* Formats how the threads of a case took turns. For example:
 *
 *     thread 0             thread 1                thread 2
 *     counter.c:22 joins
 *                          counter.c:8 reads
 *                                                  counter.c:8 reads
 *                                                  counter.c:8 writes
 *                          counter.c:8 writes
 *
 * A turn is what one thread does before another is next; long ones are shown by their ends. Looking up a location
 * starts addr2line, so each site is looked up once, and only a limited number of them. */

#include "case/case.h"

#include "base/strings.h"
#include "program/place.h"

#include <string.h>

enum {
    COLUMNS = 5, /* if there are more threads, lines begin with the thread's number instead */
    WIDEST = 40,
    ENDS = 4, /* number of steps shown at the start and at the end of a turn; the others are left out */
    LINES = 120,
    PLACES = 100, /* maximum number of sites that are looked up */
    CELL = 96
};

/* The string being built: `text`, of length n, terminated. n_lines also counts lines beyond LINES. */
struct page {
    const struct sonde_schedule *s;
    uint32_t n_lines;
    uint32_t column[COLUMNS]; /* the thread of each column */
    uint32_t n_columns;       /* number of columns; COLUMNS + 1: there are too many threads for columns */
    size_t width;
    char *text;
    uint32_t n, cap;
};

/* Locations of sites. Looking up a site starts a process, so results are cached: the next report mostly has the same
 * sites. */
static struct {
    const void *site;
    char text[64];
} places[PLACES];
static uint32_t n_places;

/* Returns the location of a site. Returns "" if it is unknown, or if PLACES sites were looked up already. */
static const char *place_of(const void *site)
{
    struct sonde_place place;
    if (!site) return "";
    for (uint32_t i = 0; i < n_places; i++)
        if (places[i].site == site) return places[i].text;
    if (n_places == PLACES) return "";
    char *text = places[n_places].text;
    places[n_places++].site = site;
    sonde_place_of((void *[]){(void *)(uintptr_t)site}, 1, &place);
    if (*place.file) snprintf(text, sizeof places->text, "%.50s:%d ", sonde_last_part(place.file), place.line);
    else if (*place.function) snprintf(text, sizeof places->text, "%.50s() ", place.function);
    return text;
}

static void add(struct page *p, const char *text)
{
    size_t n = strlen(text);
    p->text = sonde_grow(p->text, &p->cap, p->n + n + 1, 1);
    memcpy(p->text + p->n, text, n + 1);
    p->n += (uint32_t)n;
}

static void write_cell(const struct sonde_moment *m, char *cell)
{
    snprintf(cell, CELL, "%s%s", place_of(m->site), m->what);
}

static uint32_t column_of(const struct page *p, uint32_t thread)
{
    uint32_t i = 0;
    while (i < p->n_columns && i < COLUMNS && p->column[i] != thread) i++;
    return i;
}

/* Chooses the columns, in the order of threads. Threads that did nothing get no column: a pool of idle threads would
 * leave no room. */
static void find_columns(struct page *p)
{
    for (uint32_t thread = 0; thread < p->s->n_threads && p->n_columns <= COLUMNS; thread++) {
        bool is_there = false;
        for (uint32_t i = 0; i < p->s->n_moments && !is_there; i++) is_there = p->s->moments[i].thread == thread;
        if (!is_there) continue;
        if (p->n_columns < COLUMNS) p->column[p->n_columns] = thread;
        p->n_columns++;
    }
}

static void add_line(struct page *p, uint32_t thread, const char *cell)
{
    char line[CELL + COLUMNS * WIDEST + 32];
    if (p->n_lines++ >= LINES) return;
    if (p->n_columns > COLUMNS) snprintf(line, sizeof line, "thread %-3u %s\n", thread, cell);
    else snprintf(line, sizeof line, "%*s%s\n", (int)(column_of(p, thread) * p->width), "", cell);
    add(p, line);
}

/* Adds a turn: steps [from, end) of one thread. A step that is repeated in a loop becomes one line. */
static void add_turn(struct page *p, uint32_t from, uint32_t end)
{
    const struct sonde_moment *all = p->s->moments;
    char cell[CELL], before[CELL] = "";
    for (uint32_t i = from; i < end; i++) {
        if (end - from > 2 * ENDS + 1 && i == from + ENDS) {
            add_line(p, all[i].thread, "...");
            i = end - ENDS - 1;
            continue;
        }
        write_cell(&all[i], cell);
        if (strcmp(cell, before) != 0) add_line(p, all[i].thread, cell);
        memcpy(before, cell, sizeof before);
    }
}

static void add_head(struct page *p)
{
    char name[32], cell[CELL];
    if (p->n_columns > COLUMNS) return;
    for (uint32_t i = 0; i < p->n_columns; i++) {
        snprintf(name, sizeof name, "thread %u", p->column[i]);
        snprintf(cell, sizeof cell, "%-*s", i + 1 < p->n_columns ? (int)p->width : 0, name);
        add(p, cell);
    }
    add(p, "\n");
}

/* Sets the width of columns to the longest cell, up to WIDEST. A wider cell shifts only its own line. */
static void find_width(struct page *p)
{
    char cell[CELL];
    p->width = 12;
    for (uint32_t i = 0; i < p->s->n_moments && i < LINES; i++) {
        write_cell(&p->s->moments[i], cell);
        if (strlen(cell) + 2 > p->width) p->width = strlen(cell) + 2;
    }
    if (p->width > WIDEST) p->width = WIDEST;
}

char *sonde_interleaving(const sonde *t)
{
    struct page *p = sonde_calloc(1, sizeof *p);
    p->s = &t->schedule;
    add(p, "");
    if (p->s->n_moments) {
        find_columns(p);
        find_width(p);
        add_head(p);
    }
    for (uint32_t i = 0, end; i < p->s->n_moments; i = end) {
        for (end = i + 1; end < p->s->n_moments && p->s->moments[end].thread == p->s->moments[i].thread;) end++;
        add_turn(p, i, end);
    }
    if (p->n_lines > LINES) add(p, "... (more turns)\n");
    char *text = p->text;
    sonde_free(p);
    return text;
}
