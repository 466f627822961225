/* See record.h. Reads only what it writes itself. */
#include "record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const more_names[] = {"seconds",  "diverse_valid", "sem_all",  "sem_valid",
                                         "crashes",  "valid_percent", "edges",    "sem_edges",
                                         "unstable", "syn_all",       "syn_valid"};
/* Of arms that start from seeds: inputs that were made, and the valid ones of them; seeds selected, run, and valid; seconds until all
 * had been made and selected, and until all had been run; edges that seeds reached, all of them and valid ones. */
static const char *const seed_names[] = {"seeds_made",  "seeds_made_valid", "seeds_selected",
                                         "seeds_end",   "seeds_valid",      "seeds_made_s",
                                         "seeds_end_s", "seeds_sem_all",    "seeds_sem_valid"};

/* Of the sources that a row depends on; bench/run says. */
static const char *commit(void)
{
    const char *name = getenv("PROGRAMS_COMMIT");
    return name && *name ? name : "unknown";
}

void record_add(const char *path, const struct bench *b, struct bench_row *row, double seconds, const struct measure *m)
{
    char *text = NULL, *series = NULL;
    size_t n = 0, n_series = 0;
    FILE *points = open_memstream(&series, &n_series), *out = open_memstream(&text, &n);
    if (!points || !out) abort();
    fprintf(points, "\"commit\":\"%s\",\"series\":[", commit());
    for (uint32_t i = 0; i < m->n_series; i++) {
        const struct measure_counts *p = &m->series[i];
        fprintf(points, "%s[%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
                i ? "," : "", p->cpu, p->runs, p->valid, p->unique_valid, p->diverse_valid, p->sem_all, p->sem_valid);
    }
    fprintf(points, "]");
    fclose(points);
    const double more[] = {seconds,
                           (double)m->now.diverse_valid,
                           (double)m->now.sem_all,
                           (double)m->now.sem_valid,
                           (double)m->crashes,
                           m->now.runs ? 100.0 * (double)m->now.valid / (double)m->now.runs : 0,
                           m->n_edges,
                           m->n_sem,
                           m->n_unstable,
                           (double)m->syn_all,
                           (double)m->syn_valid};
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++) bench_more(row, more_names[i], more[i]);
    row->json = series;
    bench_print_json(out, b, row);
    fclose(out);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, text, n) != (ssize_t)n) perror(path);
    if (file >= 0) close(file);
    row->json = NULL;
    free(text);
    free(series);
}

static double number(const char *line, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(line, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

static bool has_text(const char *line, const char *name, const char *value)
{
    char key[160];
    snprintf(key, sizeof key, "\"%s\":\"%s\"", name, value);
    return strstr(line, key) != NULL;
}

static void read_series(const char *line, struct record *r)
{
    const char *at = strstr(line, "\"series\":[");
    r->n_series = 0;
    if (!at) return;
    at += strlen("\"series\":[");
    struct measure_counts p;
    int used;
    while (r->n_series < MEASURE_SERIES
           && sscanf(at, "[%lf,%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 "]%n", &p.cpu,
                     &p.runs, &p.valid, &p.unique_valid, &p.diverse_valid, &p.sem_all, &p.sem_valid, &used)
                  == 7) {
        r->series[r->n_series++] = p;
        at += used;
        if (*at == ',') at++;
    }
}

static void read_row(const char *line, const struct bench_row *asked, double seconds, struct record *r)
{
    *r = (struct record){.seconds = seconds};
    snprintf(r->names[0], sizeof r->names[0], "%s", asked->row);
    snprintf(r->names[1], sizeof r->names[1], "%s", asked->guide);
    r->row = (struct bench_row){.row = r->names[0],
                                .guide = r->names[1],
                                .seed = asked->seed,
                                .tests = (uint64_t)number(line, "tests"),
                                .valid = (uint64_t)number(line, "valid"),
                                .discarded = (uint64_t)number(line, "discarded"),
                                .unique_valid = (uint64_t)number(line, "unique_valid"),
                                .cpu_s = number(line, "cpu_s"),
                                .searches = strstr(line, "\"found\":") != NULL,
                                .found = strstr(line, "\"found\":true") != NULL,
                                .tests_to_failure = (uint64_t)number(line, "tests_to_failure"),
                                .stopped = has_text(line, "stopped", "found") ? "found" : "time"};
    for (unsigned i = 0; i < sizeof more_names / sizeof *more_names; i++)
        bench_more(&r->row, more_names[i], number(line, more_names[i]));
    for (unsigned i = 0; i < sizeof seed_names / sizeof *seed_names && strstr(line, seed_names[0]); i++)
        bench_more(&r->row, seed_names[i], number(line, seed_names[i]));
    read_series(line, r);
    const char *rest = strstr(line, "\"commit\":");
    size_t n = rest ? strcspn(rest, "}\n") : 0;
    if (!n || n >= sizeof r->json) return;
    memcpy(r->json, rest, n);
    r->json[n] = '\0';
    r->row.json = r->json;
}

bool record_find(const char *path, const struct bench_row *row, double seconds, struct record *found)
{
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;
    bool is_there = false;
    while (in && !is_there && getline(&line, &cap, in) > 0) {
        if (!has_text(line, "row", row->row) || !has_text(line, "guide", row->guide)
            || !has_text(line, "commit", commit()) || (uint64_t)number(line, "seed") != row->seed
            || number(line, "seconds") != seconds)
            continue;
        is_there = true;
        if (found) read_row(line, row, seconds, found);
    }
    free(line);
    if (in) fclose(in);
    return is_there;
}
