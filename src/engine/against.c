/* See against.h. */
#include "engine/against.h"

#include "base/digits.h"
#include "base/mem.h"
#include "exec/exec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Writes a word as a shell reads it. */
static size_t put_word(char *out, size_t size, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=:,@%";
    size_t n = 0;
    if (strspn(word, plain) == strlen(word)) return (size_t)snprintf(out, size, "%s", word);
    n += (size_t)snprintf(out, size, "'");
    for (; *word; word++)
        if (n < size) n += (size_t)snprintf(out + n, size - n, *word == '\'' ? "'\\''" : "%c", *word);
    if (n < size) n += (size_t)snprintf(out + n, size - n, "'");
    return n;
}

void sonde_engine_comparison(const struct sonde_options *o, char *out, size_t size)
{
    const char *const options[] = {" --against ", " --accept "}, *const values[] = {o->against, o->accepted};
    size_t n = 0;
    *out = '\0';
    for (size_t i = 0; i < 2; i++) {
        if (!values[i] || n >= size) continue;
        n += (size_t)snprintf(out + n, size - n, "%s", options[i]);
        if (n < size) n += put_word(out + n, size - n, values[i]);
    }
    if (n >= size) *out = '\0'; /* half a word would name another file */
}

bool sonde_engine_compare(struct sonde_engine *e)
{
    const struct sonde_options *o = &e->options;
    if (!o->against) return true;
    struct sonde_against_setup setup = {.program = o->against,
                                        .accepted = o->accepted,
                                        .property = e->property,
                                        .cpu_seconds = o->timeout_cpu,
                                        .wall_seconds = o->timeout_wall,
                                        .memory = o->memory_limit,
                                        .max_choices = o->max_choices,
                                        .guards = o->guard};
    return sonde_against_open(&setup, e->message, sizeof e->message);
}

/* Writes how the input of a confirmed failure ends in the other program. */
static void describe(struct sonde_engine *e, struct sonde_failure *f, const struct sonde_found *found)
{
    char words[1024], text[1400];
    uint32_t n = f->earlier;
    const struct sonde_tape **tapes = sonde_calloc(n + 1u, sizeof *tapes);
    for (uint32_t i = 0; i < n; i++) tapes[i] = &found->earlier[i];
    tapes[n] = &found->tape;
    if (sonde_against_describe(tapes, n + 1, e->search->t, words, sizeof words)) {
        snprintf(text, sizeof text, "%.300s %.1000s", e->options.against, words);
        f->against = sonde_strdup(text);
    }
    sonde_free(tapes);
}

void sonde_engine_compare_failures(struct sonde_engine *e)
{
    for (uint32_t i = 0; i < e->n_failures; i++) {
        struct sonde_failure *f = &e->failures[i];
        const struct sonde_found *found = NULL;
        char id[sizeof f->id];
        for (uint32_t k = 0; k < e->n_ours && !found; k++) {
            snprintf(id, sizeof id, "%016" PRIx64, e->ours[k]->identity);
            if (!strcmp(id, f->id)) found = e->ours[k];
        }
        bool is_told = !strcmp(f->kind, "difference"); /* both sides are in its message */
        if (found && !is_told && !f->against && f->earlier <= found->n_earlier) describe(e, f, found);
    }
}

void sonde_engine_report_compared(struct sonde_engine *e)
{
    struct sonde_against_counts n;
    if (!sonde_against_count(&n)) return;
    struct sonde_against_report *r = &e->report.against;
    char missed[SONDE_GROUPED], all[SONDE_GROUPED];
    memcpy(e->other_draws, n.draws, sizeof e->other_draws);
    memcpy(e->other_build, n.build, sizeof e->other_build);
    *r = (struct sonde_against_report){.program = e->options.against,
                                       .compared = n.compared,
                                       .draws_differ = n.draws_differ,
                                       .lost = n.lost,
                                       .values = n.values,
                                       .draws = e->other_draws,
                                       .varies = n.varies,
                                       .is_copy = n.is_copy};
    uint64_t n_missed = n.draws_differ + n.lost;
    if (n_missed <= n.compared) return;
    snprintf(e->not_compared, sizeof e->not_compared, "%s of %s cases could not be compared with %.200s%s%.200s",
             sonde_grouped(n_missed, missed), sonde_grouped(n_missed + n.compared, all), e->options.against,
             n.lost > n.draws_differ ? ", which did not answer" : ": the generator has changed; ",
             n.lost > n.draws_differ ? "" : n.draws);
}
