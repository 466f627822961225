/* See measure.h. The code under test may print anything: the replies have a separate descriptor.
 *
 * Why a conversation over pipes: the tools (sonde min, merge and cov) must run the property in the program that has it.
 * They must run many tapes in one process, or start-up would cost more than the runs. One line in is one tape. One line
 * out is its verdict, its size, the features that it reached as hashes, and the tape as it was recorded.
 *
 * The hash of a feature does not depend on addresses: module and offset name the counter, and counts are in classes of
 * powers of two. So replies of several processes can be compared. */
#define _GNU_SOURCE
#include "engine/measure.h"

#include "base/descriptor.h"
#include "base/hash.h"
#include "base/image.h"
#include "base/mem.h"
#include "engine/search/search.h"
#include "exec/exec.h"
#include "tape/text.h"

#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The state of a conversation, in the C library's memory: there are no workers, and a crash ends the conversation. */
struct measure {
    struct sonde_search search;
    struct sonde_tape script;
    FILE *out;
    struct reached {
        /* number of tapes that reached the feature; number of the last such tape, counted from 1 */
        uint32_t tapes, last;
    } * reached; /* by feature */
    uint32_t cap_reached, n;
};

/* The words that the tools read. */
static const char *verdict_name(enum sonde_verdict verdict)
{
    switch (verdict) {
    case SONDE_VALID: return "valid";
    case SONDE_DISCARDED: return "discarded";
    case SONDE_FAILED: return "failed";
    default: return "overrun";
    }
}

static uint64_t name_hash(struct sonde_feature_name name, const struct sonde_feature *feature)
{
    uint64_t parts[] = {name.module, name.offset, 31 - (unsigned)__builtin_clz(feature->value | 1u)};
    return sonde_hash_bytes(0, parts, sizeof parts);
}

/* Counts a feature once per tape, however many marks it had. */
static void count_reached(struct measure *m, uint32_t id)
{
    m->reached = sonde_grow_zeroed(m->reached, &m->cap_reached, (size_t)id + 1, sizeof *m->reached);
    if (m->reached[id].last == m->n) return;
    m->reached[id].last = m->n;
    m->reached[id].tapes++;
}

/* Writes the reply to one tape. Flushes it, because the tool waits for it before it sends the next tape. */
static void answer(struct measure *m)
{
    struct sonde_search *s = &m->search;
    const struct sonde_coverage_view *seen = s->seen;
    m->n++;
    fprintf(m->out, "%s %" PRIu64, verdict_name(s->t->verdict), sonde_tape_size(&s->t->tape));
    for (size_t i = 0; seen && i < seen->n_features; i++) {
        const struct sonde_feature *f = &seen->features[i];
        struct sonde_feature_name name;
        count_reached(m, f->id);
        if (f->kind != SONDE_FEATURE_COUNTER || !sonde_coverage_name(s->coverage, f->id, &name)) continue;
        fprintf(m->out, " %" PRIx64, name_hash(name, f));
    }
    char *token = sonde_tape_to_text(&s->t->tape, &s->labels);
    fprintf(m->out, "\t%s\n", token);
    sonde_free(token);
    fflush(m->out);
}

/* Runs in this process, without isolation: a tape that crashes ends the conversation, and the tool starts again after
 * that tape. */
static void measure_token(struct measure *m, const char *token)
{
    struct sonde_search *s = &m->search;
    if (sonde_tape_from_text(&m->script, &s->labels, token, strlen(token), NULL) < 0) {
        fputs("unreadable\n", m->out);
        fflush(m->out);
        return;
    }
    sonde_coverage_reset(s->coverage);
    sonde_coverage_begin(s->coverage, true);
    sonde_exec_inline(s->t, s->property, s->simplest, &m->script);
    s->seen = sonde_coverage_end(s->coverage);
    answer(m);
}

/* ---- Locations */

struct sought {
    uint64_t id;
    char path[PATH_MAX];
};

/* The main program has no name in the list; /proc/self/exe has it. */
static int look_at_module(struct dl_phdr_info *info, size_t size, void *user)
{
    struct sought *sought = user;
    struct sonde_image image;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        const void *start = (const void *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        if (!sonde_image_at(start, &image) || image.id != sought->id) return 0;
        snprintf(sought->path, sizeof sought->path, "%s", info->dlpi_name);
        if (!info->dlpi_name[0]) {
            ssize_t n = readlink("/proc/self/exe", sought->path, sizeof sought->path - 1);
            sought->path[n > 0 ? n : 0] = 0;
        }
        return 1;
    }
    return 0;
}

/* Consecutive features are mostly in one module, so the last module that was looked up is kept. */
static void tell_places(struct measure *m)
{
    struct sonde_coverage_size size = sonde_coverage_size(m->search.coverage);
    struct sought sought = {.id = 0};
    for (uint32_t id = 0; id < size.counters + size.comparisons; id++) {
        struct sonde_feature_name name;
        uint32_t reached = id < m->cap_reached ? m->reached[id].tapes : 0;
        if (!sonde_coverage_name(m->search.coverage, id, &name)) continue;
        if (name.module != sought.id || !sought.path[0]) {
            sought = (struct sought){.id = name.module};
            dl_iterate_phdr(look_at_module, &sought);
        }
        fprintf(m->out, "place %" PRIx64 " %" PRIu32 " %s\n", name.offset, reached, sought.path);
    }
}

/* If SONDE_MEASURE is in the environment by accident, the program would otherwise wait forever. */
static bool is_asked(char **line, size_t *cap)
{
    if (getline(line, cap, stdin) > 0 && !strcmp(*line, SONDE_MEASURE_REQUEST "\n")) return true;
    sonde_say("SONDE_MEASURE is set, but the program was not started by a sonde command that measures tapes; unset it "
              "to run the tests");
    free(*line);
    return false;
}

enum sonde_status sonde_measure(const sonde_property *property, const struct sonde_options *options)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    if (!is_asked(&line, &cap)) return SONDE_USAGE;
    struct measure *m = sonde_calloc(1, sizeof *m);
    /* Sanitizers and the code under test may print anything; the tool reads only `out`. */
    FILE *nowhere = freopen("/dev/null", "w", stderr);
    int copy = sonde_descriptor_hide(dup(STDOUT_FILENO), false);
    m->out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!m->out || !nowhere || !freopen("/dev/null", "w", stdout)) return SONDE_INTERNAL;
    sonde_search_init(&m->search, property, options, 0);
    sonde_tape_init(&m->script);
    if (property->worker_setup) property->worker_setup(property->context);
    sonde_warm_up(property);
    fprintf(m->out, "%s\n", SONDE_MEASURE_GREETING);
    fflush(m->out);
    while ((n = getline(&line, &cap, stdin)) >= 0) {
        while (n && line[n - 1] == '\n') line[--n] = 0;
        measure_token(m, line);
    }
    tell_places(m);
    if (property->worker_teardown) property->worker_teardown(property->context);
    sonde_descriptor_forget(copy);
    enum sonde_status status = fclose(m->out) == 0 ? SONDE_PASSED : SONDE_INTERNAL;
    free(line);
    sonde_tape_clear(&m->script);
    sonde_search_clear(&m->search);
    sonde_free(m->reached);
    sonde_free(m);
    return status;
}
