/* See results.h. */
#include "lib/results.h"

#include "zoo/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *bench_field(const char *line, const char *name, char *out, size_t size)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = strstr(line, quoted);
    out[0] = '\0';
    if (!at) return out;
    at += strlen(quoted);
    at += strspn(at, " ");
    bool is_text = *at == '"';
    at += is_text;
    snprintf(out, size, "%.*s", (int)strcspn(at, is_text ? "\"" : ",}]"), at);
    return out;
}

static double number(const char *line, const char *name)
{
    char text[64];
    return strtod(bench_field(line, name, text, sizeof text), NULL);
}

/* The geometric mean over the faults of a subject; censored if none of them was met. */
static struct bench_cost zoo_cost(const struct zoo_row *row)
{
    double sum = 0, tests;
    bool has_met = false;
    for (unsigned i = 0; i < row->n_bugs; i++) {
        has_met |= zoo_row_tests(row, i, &tests);
        sum += log(tests > 1 ? tests : 1);
    }
    return (struct bench_cost){exp(sum / row->n_bugs), !has_met};
}

static struct bench_cost cost_of(const char *line, const char *suite)
{
    struct zoo_row row;
    char found[16], accept[32];
    double tests = number(line, "tests");
    bool counts_inputs = strcmp(suite, "bst") == 0 || strncmp(suite, "learn", strlen("learn")) == 0;
    if (zoo_row_read(line, &row)) return zoo_cost(&row);
    if (*bench_field(line, "accept", accept, sizeof accept))
        return (struct bench_cost){1 / (strtod(accept, NULL) + 1e-6), false};
    if (counts_inputs || !*bench_field(line, "found", found, sizeof found))
        return (struct bench_cost){tests / (number(line, "unique_valid") + 0.5), false};
    bool is_found = strcmp(found, "true") == 0;
    return (struct bench_cost){is_found ? number(line, "tests_to_failure") : tests, !is_found};
}

static void add(struct bench_results *results, const char *line)
{
    if (results->n == results->cap) {
        results->cap = results->cap ? 2 * results->cap : 256;
        results->all = realloc(results->all, results->cap * sizeof *results->all);
        if (!results->all) abort();
    }
    struct bench_result *r = &results->all[results->n];
    bench_field(line, "suite", r->suite, sizeof r->suite);
    bench_field(line, "row", r->row, sizeof r->row);
    bench_field(line, "guide", r->guide, sizeof r->guide);
    r->seed = (uint64_t)number(line, "seed");
    r->cost = cost_of(line, r->suite);
    results->n += r->suite[0] && r->row[0] && r->guide[0] && r->cost.cost > 0;
}

void bench_results_read(struct bench_results *results, FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, in) > 0)
        if (line[0] == '{' && strchr(line, '\n')) add(results, line);
    free(line);
}

void bench_results_clear(struct bench_results *results)
{
    free(results->all);
    *results = (struct bench_results){0};
}
