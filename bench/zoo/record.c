/* See record.h. Rows are written by trial.c alone, so that a search for names is enough to read them. */
#include "zoo/record.h"

#include <stdlib.h>
#include <string.h>

/* ---- The file */

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int zoo_record_read(struct zoo_record *record, const char *path)
{
    struct zoo_text text = {0};
    *record = (struct zoo_record){0};
    int status = zoo_text_read(&text, path);
    if (status < 0 || !text.s) return status;
    size_t lines = 0;
    for (const char *at = text.s; *at; at++) lines += *at == '\n';
    record->text = text.s;
    record->is_cut = text.s[text.n - 1] != '\n';
    record->lines = calloc(lines + 1, sizeof *record->lines);
    if (!record->lines) abort();
    for (char *at = text.s, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        if (end > at && *at == '{' && end[-1] == '}') record->lines[record->n++] = at;
    }
    qsort(record->lines, record->n, sizeof *record->lines, compare_lines);
    return 0;
}

void zoo_record_clear(struct zoo_record *record)
{
    free(record->text);
    free(record->lines);
    *record = (struct zoo_record){0};
}

const char *zoo_record_find(const struct zoo_record *record, const char *beginning)
{
    size_t n = strlen(beginning), lo = 0, hi = record->n;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        int order = strncmp(record->lines[middle], beginning, n);
        if (order == 0) return record->lines[middle];
        if (order < 0) lo = middle + 1;
        else hi = middle;
    }
    return NULL;
}

/* ---- Its rows */

/* Behind `"name":`, or NULL. */
static const char *field(const char *line, const char *name)
{
    char quoted[48];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = strstr(line, quoted);
    return at ? at + strlen(quoted) : NULL;
}

static double number(const char *line, const char *name)
{
    const char *at = field(line, name);
    if (at && *at == '"') at++;
    return at ? strtod(at, NULL) : 0;
}

static void text(const char *line, const char *name, char *out, size_t size)
{
    const char *at = field(line, name);
    out[0] = '\0';
    if (at && *at == '"') snprintf(out, size, "%.*s", (int)strcspn(at + 1, "\""), at + 1);
}

/* The next item of a list of strings or numbers; NULL behind the last. */
static const char *next_item(const char *at, char *out, size_t size)
{
    while (*at == '[' || *at == ',') at++;
    if (*at == ']' || !*at) return NULL;
    bool is_quoted = *at == '"';
    size_t n = is_quoted ? strcspn(++at, "\"") : strcspn(at, ",]");
    snprintf(out, size, "%.*s", (int)n, at);
    return at + n + is_quoted;
}

static void add_tag(struct zoo_row *row, const char *name, const char *value)
{
    char tag[ZOO_TAG];
    snprintf(tag, sizeof tag, "%s %s", name, value);
    for (unsigned i = 0; i < row->n_tags; i++)
        if (strcmp(row->tags[i], tag) == 0) return;
    if (row->n_tags < ZOO_TAGS) memcpy(row->tags[row->n_tags++], tag, sizeof tag);
}

/* Of "class:kind" the class. */
static void add_tags(struct zoo_row *row, const char *line, const char *name, const char *tag)
{
    char item[ZOO_NAME];
    const char *at = field(line, name);
    bool has_any = false;
    while (at && (at = next_item(at, item, sizeof item)) != NULL) {
        item[strcspn(item, ":")] = '\0';
        add_tag(row, tag, item);
        has_any = true;
    }
    if (!has_any) add_tag(row, tag, "none");
}

static void read_bugs(struct zoo_row *row, const char *line)
{
    char item[ZOO_NAME];
    const char *p = field(line, "p"), *known = field(line, "known"), *first = field(line, "first"),
               *bugs = field(line, "bugs"), *written = field(line, "written");
    while (p && row->n_bugs < ZOO_BUGS && (p = next_item(p, item, sizeof item)) != NULL) {
        unsigned i = row->n_bugs++;
        row->p[i] = strtod(item, NULL);
        if (known && (known = next_item(known, item, sizeof item)) != NULL)
            row->is_counted[i] = strcmp(item, "counted") == 0;
        if (first && (first = next_item(first, item, sizeof item)) != NULL) row->first[i] = strtoull(item, NULL, 10);
        if (bugs && (bugs = next_item(bugs, item, sizeof item)) != NULL)
            snprintf(row->bug_tags[i][0], ZOO_TAG, "fault %.30s", item);
        if (written && (written = next_item(written, item, sizeof item)) != NULL)
            snprintf(row->bug_tags[i][1], ZOO_TAG, "written %.30s", item);
    }
}

static void read_counts(struct zoo_row *row, const char *line)
{
    row->number = (uint64_t)number(line, "row");
    row->seed = (uint64_t)number(line, "seed");
    row->limit = (uint64_t)number(line, "limit");
    row->tests = (uint64_t)number(line, "tests");
    row->valid = (uint64_t)number(line, "valid");
    row->payloads = (uint64_t)number(line, "payload");
    row->shapes = (uint64_t)number(line, "shape");
    row->cost = (uint64_t)number(line, "cost");
    row->tests_to_failure = (uint64_t)number(line, "tests_to_failure");
    row->cpu_s = number(line, "cpu_s");
}

bool zoo_row_read(const char *line, struct zoo_row *row)
{
    char item[ZOO_NAME];
    *row = (struct zoo_row){0};
    if (!strstr(line, "\"suite\":\"zoo\"") || !field(line, "stopped") || !field(line, "p_valid")) return false;
    read_counts(row, line);
    text(line, "form", row->form, sizeof row->form);
    text(line, "guide", row->guide, sizeof row->guide);
    text(line, "build", row->build, sizeof row->build);
    text(line, "library", row->library, sizeof row->library);
    text(line, "options", row->options, sizeof row->options);
    const char *found = field(line, "found");
    row->found = found && strncmp(found, "true", 4) == 0;
    text(line, "stopped", item, sizeof item);
    row->is_exhausted = strcmp(item, "exhausted") == 0;
    add_tags(row, line, "types", "type");
    add_tags(row, line, "preconditions", "assumes");
    text(line, "style", item, sizeof item);
    add_tag(row, "assumed as", item);
    text(line, "place", item, sizeof item);
    add_tag(row, "assumed", item);
    snprintf(item, sizeof item, "%d", (int)number(line, "noise"));
    add_tag(row, "noise", item);
    read_bugs(row, line);
    return row->n_bugs > 0 && row->limit > 0;
}

bool zoo_row_tests(const struct zoo_row *row, unsigned bug, double *tests)
{
    bool is_canary = strcmp(row->form, "canary") == 0;
    uint64_t met = is_canary ? row->first[bug] : row->found ? row->tests_to_failure : 0;
    *tests = (double)(met ? met : row->is_exhausted ? row->limit : row->tests);
    return met > 0;
}
