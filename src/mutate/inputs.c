/* See inputs.h. One item per line, fields separated by tabs, numbers in a field by blanks:
 *
 *     sonde inputs 1 KEY
 *     check     LINE  FILE  CONDITION
 *     property  CASES VALID FILL CPU_LIMIT WALL_LIMIT  REFUSAL  TOKEN
 *     known     HASH HASH ...
 *     reached   SITE CASES SITE CASES ...
 *     input     SIZE  SITE SITE ...  TOKEN
 *     end       HASH
 *
 * The lines after a property are about it. Counters are known by name, as in trial.h. */
#include "mutate/inputs.h"

#include "base/buffer.h"
#include "base/hash.h"
#include "base/mem.h"
#include "mutate/collect.h"
#include "mutate/state.h"
#include "program/mutants.h"
#include "tape/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "sonde inputs 1", last[] = "end\t";

/* ---- Writing */

static void put_bank(FILE *out, const struct sonde_judge_of *of)
{
    const struct sonde_bank *bank = &of->bank;
    fputs("reached\t", out);
    for (uint32_t s = 1; s <= bank->n_sites; s++)
        if (bank->reached[s]) fprintf(out, "%" PRIu32 " %" PRIu64 " ", s, bank->reached[s]);
    fputc('\n', out);
    for (uint32_t i = 0; i < bank->n; i++) {
        char *token = sonde_tape_to_text(&bank->inputs[i].tape, &of->labels);
        fprintf(out, "input\t%" PRIu64 "\t", bank->inputs[i].size);
        for (uint32_t s = 1; s <= bank->n_sites; s++)
            if (sonde_set_has(bank->inputs[i].sites, s)) fprintf(out, "%" PRIu32 " ", s);
        fprintf(out, "\t%s\n", token);
        sonde_free(token);
    }
}

static void put_property(FILE *out, const struct sonde_judge_of *of, const struct sonde_mutation_property *p)
{
    fprintf(out, "property\t%" PRIu64 " %" PRIu64 " %d %a %a\t", p->cases, p->valid, of->fill, of->options.timeout_cpu,
            of->options.timeout_wall);
    sonde_state_put(out, p->refusal);
    fputc('\t', out);
    sonde_state_put(out, p->token);
    fputs("\nknown\t", out);
    for (uint32_t i = 0; i < of->known.cap; i++)
        if (of->known.entries[i].value) fprintf(out, "%" PRIx64 " ", of->known.entries[i].key);
    fputc('\n', out);
    put_bank(out, of);
}

char *sonde_inputs_write(const struct sonde_judge_of *of, const struct sonde_mutation *m, uint64_t key)
{
    struct sonde_buffer b = {0};
    FILE *out = sonde_buffer_open(&b);
    sonde_state_put_head(out, magic, m, key);
    for (uint32_t p = 0; p < m->n_properties; p++) put_property(out, &of[p], &m->properties[p]);
    const char *body = sonde_buffer_close(&b);
    size_t n = strlen(body), room = n + sizeof last + 20;
    char *text = sonde_malloc(room);
    snprintf(text, room, "%s%s%016" PRIx64 "\n", body, last, sonde_hash_bytes(key, body, n));
    sonde_buffer_clear(&b);
    return text;
}

/* ---- Reading. Lines are cut at their tabs. */

struct reading_inputs {
    struct sonde_judge_of *of;
    struct sonde_mutation *m;
    uint32_t n; /* number of properties so far */
    uint64_t *sites;
};

static bool read_property(struct reading_inputs *r, char **fields)
{
    if (r->n == r->m->n_properties) return false;
    struct sonde_judge_of *of = &r->of[r->n];
    struct sonde_mutation_property *p = &r->m->properties[r->n++];
    double cpu, wall;
    unsigned fill;
    if (sscanf(fields[1], "%" SCNu64 " %" SCNu64 " %u %la %la", &p->cases, &p->valid, &fill, &cpu, &wall) != 5)
        return false;
    of->fill = (unsigned char)fill;
    if (!of->options.timeout_cpu_given) of->options.timeout_cpu = cpu;
    if (!of->options.timeout_wall_given) of->options.timeout_wall = wall;
    p->refusal = *fields[2] ? sonde_strdup(fields[2]) : NULL;
    p->token = *fields[3] ? sonde_strdup(fields[3]) : NULL;
    sonde_bank_init(&of->bank, sonde_mutants_sites(), 0);
    return true;
}

static bool read_known(struct sonde_judge_of *of, char *text)
{
    char *end;
    for (uint64_t name; *text; text = end + 1) {
        name = strtoull(text, &end, 16);
        if (end == text || *end != ' ') return false;
        *sonde_map_at(&of->known, name) = 1;
    }
    return true;
}

static bool read_reached(struct sonde_judge_of *of, char *text)
{
    char *end;
    for (; *text; text = end + 1) {
        unsigned long site = strtoul(text, &end, 10);
        if (end == text || *end != ' ' || site < 1 || site > of->bank.n_sites) return false;
        of->bank.reached[site] = strtoull(end, &end, 10);
        if (*end != ' ') return false;
    }
    return true;
}

static bool read_input(struct reading_inputs *r, struct sonde_judge_of *of, char **fields)
{
    struct sonde_tape tape;
    uint32_t n = 0;
    char *text = fields[2], *end;
    memset(r->sites, 0, sonde_mutants_words() * sizeof *r->sites);
    for (; *text; text = end + 1, n++) {
        unsigned long site = strtoul(text, &end, 10);
        if (end == text || *end != ' ' || site < 1 || site > of->bank.n_sites) return false;
        r->sites[site / 64] |= UINT64_C(1) << site % 64;
    }
    sonde_tape_init(&tape);
    bool is_sound = sonde_tape_from_text(&tape, &of->labels, fields[3], strlen(fields[3]), NULL) == 0;
    if (is_sound) sonde_bank_add(&of->bank, &tape, r->sites, n);
    if (is_sound) of->bank.inputs[of->bank.n - 1].size = strtoull(fields[1], NULL, 10);
    sonde_tape_clear(&tape);
    return is_sound;
}

static bool read_line(struct reading_inputs *r, char *line)
{
    char *fields[4];
    size_t n = sonde_state_cut(line, fields, 4);
    struct sonde_judge_of *of = r->n ? &r->of[r->n - 1] : NULL;
    if (n == 4 && !strcmp(fields[0], "check")) {
        sonde_mutation_check_at(r->m, fields[2], atoi(fields[1]), fields[3]);
        return true;
    }
    if (n == 4 && !strcmp(fields[0], "property")) return read_property(r, fields);
    if (n == 2 && of && !strcmp(fields[0], "known")) return read_known(of, fields[1]);
    if (n == 2 && of && !strcmp(fields[0], "reached")) return read_reached(of, fields[1]);
    return n == 4 && of && !strcmp(fields[0], "input") && read_input(r, of, fields);
}

/* Returns the end of the lines between the first and the last, NULL if the hash or the key is another one. */
static char *end_of_lines(char *text, uint64_t key)
{
    char expected[64];
    size_t n = strlen(text), room = sizeof last - 1 + 17;
    if (n < room) return NULL;
    char *end = text + n - room;
    snprintf(expected, sizeof expected, "%s%016" PRIx64 "\n", last, sonde_hash_bytes(key, text, n - room));
    if (strcmp(end, expected) != 0) return NULL;
    snprintf(expected, sizeof expected, "%s %016" PRIx64 "\n", magic, key);
    return strncmp(text, expected, strlen(expected)) == 0 ? end : NULL;
}

bool sonde_inputs_read(struct sonde_judge_of *of, struct sonde_mutation *m, uint64_t key, char *text)
{
    struct reading_inputs r = {.of = of, .m = m, .sites = sonde_calloc(sonde_mutants_words(), sizeof *r.sites)};
    char *end = end_of_lines(text, key), *line = end ? strchr(text, '\n') + 1 : NULL;
    bool is_sound = end != NULL;
    while (is_sound && line < end) {
        char *next = strchr(line, '\n');
        *next = '\0';
        is_sound = read_line(&r, line);
        line = next + 1;
    }
    is_sound = is_sound && r.n == m->n_properties;
    for (uint32_t p = 0; is_sound && p < m->n_properties; p++) m->properties[p].tapes = of[p].bank.n;
    for (uint32_t p = 0; !is_sound && p < r.n; p++) { /* written by another version: the search starts from nothing */
        sonde_judge_of_clear(&of[p]);
        sonde_labels_init(&of[p].labels);
        sonde_free(m->properties[p].refusal);
        sonde_free(m->properties[p].token);
        m->properties[p] = (struct sonde_mutation_property){.name = m->properties[p].name};
    }
    sonde_free(r.sites);
    return is_sound;
}
