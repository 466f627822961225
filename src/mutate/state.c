/* See state.h. One line per mutant, fields separated by tabs; strings have no tabs and no line ends:
 *
 *     sonde mutation 3 KEY
 *     check  LINE  FILE  CONDITION
 *     mutant NUMBER FATE KILLER TAPE SHOWN_BY RUNS DISCARDED EFFECT COMPARED DIFFERED
 *                OTHER_WAY OBSERVED FAR USED LEAKED REACHED IN_SERIES SEARCHES  KILLS  TOKEN  MESSAGE
 *
 * KILLS has KIND:CHECK for each property; checks are numbered in the order of their lines. */
#include "mutate/state.h"

#include "base/buffer.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "sonde mutation 3";

void sonde_state_put(FILE *out, const char *text)
{
    for (; text && *text; text++) fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

static void put_mutant(FILE *out, const struct sonde_mutation *m, const struct sonde_mutant_result *r)
{
    fprintf(out, "mutant\t%" PRIu32 " %d %" PRIu32 " %" PRId32 " %" PRIu32 " %" PRIu32 " %" PRIu32, r->number,
            (int)r->fate, r->killer, r->tape, r->shown_by, r->runs, r->discarded);
    fprintf(out, " %d %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32, (int)r->effect,
            r->compared, r->differed, r->other_way, r->observed, r->far, r->used, r->leaked);
    fprintf(out, " %" PRIu64 " %d %" PRIu32 "\t", r->reached, r->in_series, r->searches);
    for (uint32_t p = 0; p < m->n_properties; p++)
        fprintf(out, "%d:%" PRIu32 " ", (int)r->kills[p].kind, r->kills[p].check);
    fputc('\t', out);
    sonde_state_put(out, r->token);
    fputc('\t', out);
    sonde_state_put(out, r->message);
    fputc('\n', out);
}

void sonde_state_put_head(FILE *out, const char *kind, const struct sonde_mutation *m, uint64_t key)
{
    fprintf(out, "%s %016" PRIx64 "\n", kind, key);
    for (uint32_t i = 0; i < m->n_checks; i++) {
        fprintf(out, "check\t%d\t", m->checks[i].line);
        sonde_state_put(out, m->checks[i].file);
        fputc('\t', out);
        sonde_state_put(out, m->checks[i].text);
        fputc('\n', out);
    }
}

char *sonde_state_write(const struct sonde_mutation *m, uint64_t key)
{
    struct sonde_buffer b = {0};
    FILE *out = sonde_buffer_open(&b);
    sonde_state_put_head(out, magic, m, key);
    for (uint32_t i = 0; i < m->n_mutants; i++)
        if (m->mutants[i].fate != SONDE_FATE_NOT_JUDGED) put_mutant(out, m, &m->mutants[i]);
    char *text = sonde_strdup(sonde_buffer_close(&b));
    sonde_buffer_clear(&b);
    return text;
}

/* ---- Reading. The line is a copy, which is cut at its tabs. */

struct reading {
    struct sonde_mutation *m;
    uint32_t *checks; /* checks[i]: index in `m` of the check that has number i in the file */
    uint32_t n_checks, cap_checks;
    struct sonde_mutant_result *read; /* by index in m->mutants; number 0: not read */
    long n;
};

size_t sonde_state_cut(char *line, char **fields, size_t n)
{
    size_t found = 0;
    while (found < n) {
        fields[found++] = line;
        line = strchr(line, '\t');
        if (!line) break;
        *line++ = '\0';
    }
    return found;
}

static bool read_check(struct reading *r, char *const *fields, size_t n)
{
    if (n != 4) return false;
    r->checks = sonde_grow(r->checks, &r->cap_checks, (size_t)r->n_checks + 1, sizeof *r->checks);
    r->checks[r->n_checks++] = sonde_mutation_check_at(r->m, fields[2], atoi(fields[1]), fields[3]);
    return true;
}

static bool read_kills(const struct reading *r, struct sonde_mutant_result *to, const char *text)
{
    for (uint32_t p = 0; p < r->m->n_properties; p++) {
        int kind, used = 0;
        uint32_t check;
        if (sscanf(text, "%d:%" SCNu32 " %n", &kind, &check, &used) != 2 || !used) return false;
        if (kind < 0 || kind >= SONDE_KILLS || (check != UINT32_MAX && check >= r->n_checks)) return false;
        to->kills[p].kind = (enum sonde_kill_kind)kind;
        to->kills[p].check = check == UINT32_MAX ? check : r->checks[check];
        text += used;
    }
    return true;
}

static struct sonde_mutant_result *find(const struct reading *r, uint32_t number)
{
    for (uint32_t i = 0; i < r->m->n_mutants; i++)
        if (r->m->mutants[i].number == number) return &r->read[i];
    return NULL;
}

static bool read_mutant(struct reading *r, char *const *fields, size_t n)
{
    struct sonde_mutant_result x = {0};
    int fate, effect, in_series;
    if (n != 5) return false;
    int got =
        sscanf(fields[1],
               "%" SCNu32 " %d %" SCNu32 " %" SCNd32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %d %" SCNu32 " %" SCNu32
               " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %d %" SCNu32,
               &x.number, &fate, &x.killer, &x.tape, &x.shown_by, &x.runs, &x.discarded, &effect, &x.compared,
               &x.differed, &x.other_way, &x.observed, &x.far, &x.used, &x.leaked, &x.reached, &in_series, &x.searches);
    struct sonde_mutant_result *to = got == 18 ? find(r, x.number) : NULL;
    bool is_sound = to && !to->number && fate > SONDE_FATE_NOT_JUDGED && fate < SONDE_FATES && effect >= 0
                    && effect < SONDE_EFFECTS && (x.killer == UINT32_MAX || x.killer < r->m->n_properties)
                    && x.shown_by < r->m->n_properties;
    if (!is_sound) return false;
    *to = x;
    to->fate = (enum sonde_mutant_fate)fate;
    to->effect = (enum sonde_mutant_effect)effect;
    to->in_series = in_series != 0;
    to->kills = sonde_calloc(r->m->n_properties + 1u, sizeof *to->kills);
    to->token = *fields[3] ? sonde_strdup(fields[3]) : NULL;
    to->message = *fields[4] ? sonde_strdup(fields[4]) : NULL;
    r->n++;
    bool needs_killer = fate == SONDE_FATE_KILLED;
    return read_kills(r, to, fields[2]) && (!needs_killer || (x.killer != UINT32_MAX && to->kills[x.killer].kind));
}

static bool read_line(struct reading *r, char *line)
{
    char *fields[6];
    size_t n = sonde_state_cut(line, fields, 6);
    if (!strcmp(fields[0], "check")) return read_check(r, fields, n);
    return !strcmp(fields[0], "mutant") && read_mutant(r, fields, n);
}

static void free_strings(struct sonde_mutant_result *r)
{
    sonde_free(r->kills);
    sonde_free(r->token);
    sonde_free(r->message);
}

/* Moves what was read to the result, or frees it. */
static void keep_read(struct reading *r, bool is_sound)
{
    for (uint32_t i = 0; i < r->m->n_mutants; i++) {
        struct sonde_mutant_result *from = &r->read[i], *to = &r->m->mutants[i];
        if (!from->number) continue;
        if (!is_sound) {
            free_strings(from);
            continue;
        }
        from->mutant = to->mutant;
        from->excuse = to->excuse;
        free_strings(to);
        *to = *from;
    }
    sonde_free(r->read);
    sonde_free(r->checks);
}

long sonde_state_read(struct sonde_mutation *m, uint64_t key, const char *text)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%s %016" PRIx64 "\n", magic, key);
    if (strncmp(text, expected, strlen(expected)) != 0) return -1;
    struct reading r = {.m = m, .read = sonde_calloc(m->n_mutants + 1u, sizeof *r.read)};
    char *copy = sonde_strdup(text + strlen(expected)), *line = copy;
    bool is_sound = true;
    while (is_sound && *line) {
        char *end = strchr(line, '\n');
        is_sound = end != NULL;
        if (!end) break;
        *end = '\0';
        is_sound = read_line(&r, line);
        line = end + 1;
    }
    keep_read(&r, is_sound);
    sonde_free(copy);
    return is_sound ? r.n : -1;
}
