/* See seeds.h. */
#include "seeds.h"

#include "tape/label.h"
#include "tape/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The lines that may be selected, by slot of the filter. */
struct lines {
    char **all;
    uint32_t n;
};

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void hold(struct lines *lines, uint32_t slot, const char *line)
{
    if (slot == lines->n) {
        lines->all = realloc(lines->all, ((size_t)slot + 1) * sizeof *lines->all);
        if (!lines->all) abort();
        lines->all[lines->n++] = NULL;
    }
    free(lines->all[slot]);
    lines->all[slot] = strdup(line);
    if (!lines->all[slot]) abort();
}

static void offer_all(struct seeds *s, struct sonde_filter *filter, FILE *in, struct lines *lines)
{
    struct sonde_labels *labels = malloc(sizeof *labels);
    struct sonde_text_error error;
    struct sonde_tape tape;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    if (!labels) abort();
    sonde_labels_init(labels);
    sonde_tape_init(&tape);
    while ((n = getline(&line, &cap, in)) > 0 && line[n - 1] == '\n') {
        if (sonde_tape_from_text(&tape, labels, line, (size_t)n - 1, &error) < 0)
            abort(); /* a program of ours wrote it */
        uint32_t slot = sonde_filter_add(filter, &tape);
        s->offered++;
        if (slot != SONDE_FILTER_NONE) hold(lines, slot, line);
    }
    free(line);
    sonde_tape_clear(&tape);
    sonde_labels_clear(labels);
    free(labels);
}

static void write_selected(struct seeds *s, struct sonde_filter *filter, FILE *out, const struct lines *lines)
{
    uint32_t *slots = malloc(((size_t)sonde_filter_slots(filter) + 1) * sizeof *slots);
    if (!slots) abort();
    s->selected = sonde_filter_select(filter, slots);
    for (uint32_t i = 0; i < s->selected; i++) fputs(lines->all[slots[i]], out);
    free(slots);
}

static void copy_all(struct seeds *s, FILE *in, FILE *out)
{
    char *line = NULL;
    size_t cap = 0;
    for (; getline(&line, &cap, in) > 0; s->selected++) fputs(line, out);
    s->offered = s->selected;
    free(line);
}

static void filter_all(struct seeds *s, FILE *in, FILE *out)
{
    struct sonde_filter *filter = sonde_filter_create(s->by, s->size, s->seed);
    struct lines lines = {.n = 0};
    offer_all(s, filter, in, &lines);
    write_selected(s, filter, out, &lines);
    for (uint32_t i = 0; i < lines.n; i++) free(lines.all[i]);
    free(lines.all);
    sonde_filter_free(filter);
}

bool seeds_select(struct seeds *s, const char *from, const char *to)
{
    double began = cpu();
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    if (!in) perror(from);
    if (!out) perror(to);
    if (in && out) (s->by == SONDE_FILTER_GENERATOR ? copy_all : filter_all)(s, in, out);
    bool is_good = in && out;
    if (in) fclose(in);
    if (out) is_good &= fclose(out) == 0;
    s->cpu = cpu() - began;
    return is_good;
}
