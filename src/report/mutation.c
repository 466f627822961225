/* The terminal report of a mutation run (--mutate), in the order in which it is printed. Refused properties and the end
 * of a partial run come first, then counts per file and the first survivors, then properties and checks. All data comes
 * from mutate/result.h. */
#include "report/report.h"

#include "mutate/result.h"
#include "report/mutation.h"
#include "report/write.h"

#include <inttypes.h>
#include <string.h>

enum { TOKEN_MAX = 400 }; /* maximum length of a token in characters; a longer one is not printed */

struct printing {
    FILE *out;
    const struct sonde_mutation *m;
    bool all;
};

static void print_count(const struct printing *p, const char *before, uint64_t n, const char *after)
{
    char digits[SONDE_GROUPED];
    fprintf(p->out, "%s%s%s", before, sonde_grouped(n, digits), after);
}

/* ---- Refused properties, and mutants that were not judged */

static void print_refused(const struct printing *p)
{
    for (uint32_t i = 0; i < p->m->n_properties; i++) {
        const struct sonde_mutation_property *property = &p->m->properties[i];
        if (!property->refusal) continue;
        fputs("refused ", p->out);
        sonde_write_line(p->out, property->name);
        fputs(": it fails without a mutant: ", p->out);
        sonde_write_line(p->out, property->refusal);
        fputs("; run it without --mutate first\n", p->out);
    }
}

static void print_end(const struct printing *p)
{
    uint32_t left = p->m->fates[SONDE_FATE_NOT_JUDGED];
    if (p->m->end == SONDE_MUTATION_WHOLE) return;
    fputs(p->m->end == SONDE_MUTATION_TIME ? "Partial: the time was up" : "Partial: interrupted", p->out);
    if (left) print_count(p, " before ", left, " mutants were judged; --continue judges them\n");
    else fputs(" before the long searches of all survivors; --continue does the rest\n", p->out);
}

static void print_since(const struct printing *p)
{
    if (!p->m->since) return;
    print_count(p, "", p->m->n_mutants, " of ");
    print_count(p, "", p->m->n_all, " mutants are on lines that changed since ");
    sonde_write_line(p->out, p->m->since);
    fputc('\n', p->out);
}

/* ---- Counts */

static void print_fates(const struct printing *p, const uint32_t *fates)
{
    uint64_t killed = fates[SONDE_FATE_KILLED], tried = killed + fates[SONDE_FATE_SURVIVED];
    print_count(p, "", killed, " killed");
    if (tried) fprintf(p->out, " (%" PRIu64 " %% of those tried)", killed * 100 / tried);
    print_count(p, ", ", fates[SONDE_FATE_SURVIVED], " survived");
    print_count(p, ", ", fates[SONDE_FATE_NEVER_REACHED], " never reached");
    print_count(p, ", ", fates[SONDE_FATE_NOT_TRIED], " not tried");
    if (fates[SONDE_FATE_NOT_CONFIRMED])
        print_count(p, ", ", fates[SONDE_FATE_NOT_CONFIRMED], " not confirmed (noticed once, not again)");
    if (fates[SONDE_FATE_NOT_JUDGED]) print_count(p, ", ", fates[SONDE_FATE_NOT_JUDGED], " not judged");
    fputc('\n', p->out);
}

static void print_files(const struct printing *p)
{
    for (uint32_t i = 0; i < p->m->n_files; i++) {
        const struct sonde_mutation_file *f = &p->m->files[i];
        sonde_write_line(p->out, f->name);
        print_count(p, ": ", f->mutants, f->mutants == 1 ? " mutant: " : " mutants: ");
        print_fates(p, f->fates);
    }
    if (p->m->n_files <= 1) return;
    print_count(p, "all: ", p->m->n_mutants, " mutants: ");
    print_fates(p, p->m->fates);
}

static void print_kinds(const struct printing *p)
{
    static const char *const words[SONDE_KILLS] = {"",
                                                   " by a check",
                                                   " by a crash",
                                                   " by a sanitizer",
                                                   " by a hang",
                                                   " by an exit",
                                                   " by a limit of memory or file size",
                                                   " in another way"};
    const char *between = "\nkilled: ";
    for (int i = SONDE_KILL_CHECK; i < SONDE_KILLS; i++) {
        if (!p->m->kills[i]) continue;
        print_count(p, between, p->m->kills[i], words[i]);
        between = ", ";
    }
    if (between[0] == ',') fputc('\n', p->out);
    if (p->m->n_in_series)
        print_count(p, "", p->m->n_in_series,
                    " of these only after other inputs in the same process: memory was damaged, or a state was kept; "
                    "--sanitize may show the cause\n");
}

/* ---- Survivors */

void sonde_mutation_effect(FILE *out, const struct sonde_mutant_result *r)
{
    static const char *const words[SONDE_EFFECTS] = {
        "showed another value", "", "took another path", "computed another value", "", "computed another value", ""};
    uint32_t n = r->effect == SONDE_EFFECT_OBSERVED ? r->observed
                 : r->effect == SONDE_EFFECT_WAY    ? r->other_way
                                                    : r->differed;
    if (r->effect == SONDE_EFFECT_NONE) fputs("nothing differed", out);
    else if (r->effect == SONDE_EFFECT_LEAK) fputs("left memory in use, and no check failed", out);
    else if (r->effect == SONDE_EFFECT_UNKNOWN) fputs("the code took the same path", out);
    else if (r->effect == SONDE_EFFECT_LOST)
        fprintf(out, "computed another value in %" PRIu32 " of %" PRIu32 " inputs, and nothing depended on it", n,
                r->compared);
    else fprintf(out, "%s in %" PRIu32 " of %" PRIu32 " inputs, and no check failed", words[r->effect], n, r->compared);
}

static void print_change(const struct printing *p, char sign, const char *text)
{
    fprintf(p->out, "      %c ", sign);
    if (*text) sonde_write_plain(p->out, text, strlen(text), 8);
    else fputs("(nothing)", p->out);
    fputc('\n', p->out);
}

/* A long token is left out: the command then searches. */
void sonde_mutation_command(FILE *out, const struct sonde_mutation *m, const struct sonde_mutant_result *r)
{
    bool fits = r->token && strlen(r->token) <= TOKEN_MAX;
    sonde_write_shell(out, m->program ? m->program : "./test");
    if (m->n_properties > 1 && r->token) {
        fputs(" --filter ", out);
        sonde_write_shell(out, m->properties[r->shown_by].name);
    }
    fprintf(out, " --mutant %" PRIu32, r->number);
    if (fits) fprintf(out, " --replay '%s'", r->token); /* a token has no quotes and no control characters */
}

static void print_survivor(const struct printing *p, const struct sonde_mutant_result *r)
{
    const struct sonde_mutant_ *mutant = r->mutant;
    fprintf(p->out, "\n  #%" PRIu32 " ", r->number);
    sonde_write_line(p->out, mutant->file);
    fprintf(p->out, ":%" PRIu32 " in ", (uint32_t)mutant->line);
    sonde_write_line(p->out, mutant->function);
    if (mutant->macro) {
        fputs(", macro ", p->out);
        sonde_write_line(p->out, mutant->macro);
    }
    fputs(": ", p->out);
    sonde_mutation_effect(p->out, r);
    fputc('\n', p->out);
    print_change(p, '-', mutant->before);
    print_change(p, '+', mutant->after);
    print_count(p, "      reached in ", r->reached, r->reached == 1 ? " valid case" : " valid cases");
    fprintf(p->out, "; %s\n", sonde_advice_text(r->advice));
    fputs("      ", p->out);
    sonde_mutation_command(p->out, p->m, r);
    fputc('\n', p->out);
}

static void print_survivors(const struct printing *p)
{
    const struct sonde_mutation *m = p->m;
    uint32_t n = p->all ? m->n_ranked : m->n_first_screen;
    if (!n) return;
    fputs("\nSurvivors, the likeliest gaps in the properties first", p->out);
    if (n < m->n_ranked) {
        print_count(p, " (", n, " of ");
        print_count(p, "", m->n_ranked, ", at most one per statement; --verbose prints all)");
    }
    fputs(":\n", p->out);
    for (uint32_t i = 0; i < n; i++) print_survivor(p, &m->mutants[m->ranked[p->all ? i : m->first_screen[i]]]);
}

static void print_effects(const struct printing *p)
{
    static const char *const words[SONDE_EFFECTS] = {" showed the property another value",
                                                     " left memory in use",
                                                     " took another path",
                                                     " computed another value, but took the same path",
                                                     " took the same path, and values could not be compared",
                                                     " computed another value that nothing depended on",
                                                     " never differed (possibly equivalent)"};
    const char *between = "\nsurvivors: ";
    for (int i = 0; i < SONDE_EFFECTS; i++) {
        if (!p->m->effects[i]) continue;
        print_count(p, between, p->m->effects[i], words[i]);
        between = ", ";
    }
    if (p->m->n_excused) print_count(p, between, p->m->n_excused, " judged equivalent by a person");
    if (p->m->n_excused || between[0] == ',') fputc('\n', p->out);
    if (between[0] == ',' && !p->m->sees_code)
        fputs("No code is instrumented, so the path of a survivor is not known; build with sonde cc.\n", p->out);
}

/* ---- Mutants that are neither killed nor survived */

/* Prints the mutants of one fate, one line for each line of code. */
static void print_others(const struct printing *p, enum sonde_mutant_fate fate, const char *heading)
{
    const struct sonde_mutant_result *before = NULL;
    if (!p->m->fates[fate]) return;
    fprintf(p->out, "\n%s:", heading);
    for (uint32_t i = 0; i < p->m->n_mutants; i++) {
        const struct sonde_mutant_result *r = &p->m->mutants[i];
        if (r->fate != fate) continue;
        bool is_same = before && !strcmp(before->mutant->file, r->mutant->file) && !r->message
                       && before->mutant->line == r->mutant->line
                       && !strcmp(before->mutant->function, r->mutant->function);
        if (!is_same) {
            fputs("\n  ", p->out);
            sonde_write_line(p->out, r->mutant->file);
            fprintf(p->out, ":%" PRIu32 " in ", (uint32_t)r->mutant->line);
            sonde_write_line(p->out, r->mutant->function);
            fputc(':', p->out);
        }
        fprintf(p->out, " #%" PRIu32, r->number);
        if (r->message) {
            fputs(": ", p->out);
            sonde_write_line(p->out, r->message);
        }
        before = r;
    }
    fputc('\n', p->out);
}

static void print_all_others(const struct printing *p)
{
    print_others(p, SONDE_FATE_NEVER_REACHED, "Never reached by a valid input");
    print_others(p, SONDE_FATE_NOT_TRIED, "Not tried: with these mutants no valid input reaches their code");
    print_others(p, SONDE_FATE_NOT_CONFIRMED, "Not confirmed: noticed once, and not again in a fresh process");
}

/* ---- Properties and checks */

static void print_properties(const struct printing *p)
{
    fputc('\n', p->out);
    for (uint32_t i = 0; i < p->m->n_properties; i++) {
        const struct sonde_mutation_property *property = &p->m->properties[i];
        if (property->refusal) continue;
        sonde_write_line(p->out, property->name);
        print_count(p, p->m->has_matrix ? ": killed " : ": was first to kill ", property->kills, "");
        if (p->m->has_matrix) print_count(p, ", ", property->alone, " that no other property killed");
        print_count(p, " (", property->tapes, property->tapes == 1 ? " input kept of " : " inputs kept of ");
        print_count(p, "", property->valid, property->valid == 1 ? " valid case)\n" : " valid cases)\n");
    }
}

static void print_check(const struct printing *p, const struct sonde_mutation_check *check)
{
    fputs("  ", p->out);
    sonde_write_line(p->out, check->file);
    fprintf(p->out, ":%d ", check->line);
    sonde_write_line(p->out, check->text);
    if (check->kills) print_count(p, ": ", check->kills, "");
    if (check->kills && p->m->has_matrix) print_count(p, ", ", check->alone, " that nothing else noticed");
    fputc('\n', p->out);
}

static void print_checks(const struct printing *p, bool that_killed)
{
    bool has_heading = false;
    for (uint32_t i = 0; i < p->m->n_checks; i++) {
        if ((p->m->checks[i].kills > 0) != that_killed) continue;
        if (!has_heading)
            fputs(that_killed ? "\nMutants that a check was first to notice:\n"
                              : "\nChecks that were evaluated, but never the first to notice a mutant:\n",
                  p->out);
        has_heading = true;
        print_check(p, &p->m->checks[i]);
    }
}

void sonde_mutation_print(FILE *out, const struct sonde_mutation *m, bool all)
{
    struct printing p = {out, m, all};
    print_refused(&p);
    print_end(&p);
    print_since(&p);
    if (!m->n_mutants) return;
    print_files(&p);
    print_survivors(&p);
    print_effects(&p);
    if (all) print_all_others(&p);
    print_kinds(&p);
    print_properties(&p);
    if (all || m->has_matrix) print_checks(&p, true);
    print_checks(&p, false);
    char took[SONDE_GROUPED];
    fprintf(out, "\n%s, seed %" PRIu64 ". A score is not a verdict: some survivors are equivalent to the original.\n",
            sonde_duration(m->seconds, took), m->seed);
}
