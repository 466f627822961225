/* zoo: subjects by number. Each is a small property in C with a precondition and a fault of known difficulty, made up
 * by a grammar (zoo/grammar.h), compiled, and searched by each guide. The purpose: a guide cannot be tuned to it.
 * Numbers 1 to 9,999 are for development; a claim is made once, on numbers that the commit's hash decides (--claim).
 *
 *   default      up to eight faults in one subject ("canaries"), noted and not failing: one search is several measurements
 *   --one-bug    one fault and a claim that fails
 *
 * The two are never in one table. Rows are recorded as they come (build/zoo/rows-FORM.jsonl), so --continue resumes
 * where a run was ended. Tables are made of the record (zoo/tables.h). */
#include "lib/bench.h"
#include "zoo/log.h"
#include "zoo/process.h"
#include "zoo/tables.h"
#include "zoo/trial.h"
#include "zoo/workshop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *subjects = "1-100", *subject, *only_kinds, *without_kinds, *tables_of, *compared, *jobs = "2",
                  *claim, *record_path, *own_folder;
static bool is_one_bug, is_plain, continues, only_makes;

static const struct bench_flag flags[] = {
    {"--subjects", NULL, "A-B: these numbers (1-100)", &subjects},
    {"--subject", NULL, "N: print the source of one and end", &subject},
    {"--claim", NULL, "N: so many numbers that the commit's hash decides", &claim},
    {"--only-kinds", NULL, "comma-separated: subjects with one of these kinds", &only_kinds},
    {"--without-kinds", NULL, "comma-separated: subjects with none of these kinds", &without_kinds},
    {"--one-bug", &is_one_bug, "one fault that fails, instead of canaries", NULL},
    {"--plain", &is_plain, "compiled without instrumentation", NULL},
    {"--continue", &continues, "keep what is recorded, run what is missing", NULL},
    {"--record", NULL, "FILE: where rows are recorded (build/zoo/rows-FORM.jsonl)", &record_path},
    {"--folder", NULL, "DIR: where subjects are kept (build/zoo)", &own_folder},
    {"--make", &only_makes, "make and compile the subjects and end", NULL},
    {"--jobs", NULL, "N: processes that make subjects (2)", &jobs},
    {"--tables", NULL, "FILE: tables of recorded rows, and end", &tables_of},
    {"--compare", NULL, "OLD,NEW: two records of the same rows, and end", &compared},
    {NULL, NULL, NULL, NULL}};

SONDE_PRINTF(1, 2) SONDE_NORETURN static void refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "zoo: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(2);
}

/* ---- Which numbers */

static uint64_t whole_number(const char *option, const char *text, uint64_t max)
{
    char *rest;
    errno = 0;
    uint64_t n = strtoull(text, &rest, 10);
    if (rest == text || *rest || errno || *text == '-') refuse("%s: '%s' is no number", option, text);
    if (n < 1 || n > max) refuse("%s: '%s' should be between 1 and %" PRIu64, option, text, max);
    return n;
}

/* Numbers that no developer has looked at before, as long as the commit was not known. bench/run hands its hash
 * over. */
static unsigned numbers_of_claim(struct zoo_animal **animals)
{
    enum { FIRST = 10000, MOST = 100000 };
    const char *commit = getenv("ZOO_COMMIT");
    unsigned n = (unsigned)whole_number("--claim", claim, MOST);
    if (!commit || strlen(commit) < 16) refuse("--claim: there is no commit that could decide the numbers");
    if (getenv("ZOO_CHANGED")) refuse("--claim: the sources differ from the commit; commit first");
    char beginning[17];
    snprintf(beginning, sizeof beginning, "%.16s", commit);
    struct zoo_rng rng = {strtoull(beginning, NULL, 16)};
    *animals = calloc(n, sizeof **animals);
    if (!*animals) abort();
    for (unsigned i = 0; i < n; i++) (*animals)[i].number = FIRST + (zoo_next(&rng) >> 24);
    return n;
}

/* ---- Kinds */

static bool is_in_list(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == n && strncmp(at, name, n) == 0) return true;
    return false;
}

static bool has_kind(const struct zoo_animal *a, enum zoo_form form, const char *list)
{
    struct zoo_subject *z = zoo_make(a->number);
    const struct zoo_fault *faults;
    unsigned n = zoo_faults_of(&a->verdict, form, &faults);
    bool has = is_in_list(list, zoo_style_names[z->style]) || (z->noise && is_in_list(list, "noise"));
    for (unsigned i = 0; i < z->n_parts; i++) has |= is_in_list(list, z->types[i]);
    for (unsigned i = 0; i < z->n_required; i++)
        has |= is_in_list(list, z->required[i].class) || is_in_list(list, z->required[i].kind);
    has |= z->assumes_calls && (is_in_list(list, "state") || is_in_list(list, "calls-legal"));
    for (unsigned i = 0; i < n; i++) has |= is_in_list(list, zoo_bug_kind(z, faults[i].bug.atoms));
    zoo_free(z);
    return has;
}

static bool is_wanted(const struct zoo_animal *a, enum zoo_form form)
{
    if (a->missing) return false;
    if (only_kinds && !has_kind(a, form, only_kinds)) return false;
    return !without_kinds || !has_kind(a, form, without_kinds);
}

/* ---- Making them */

static struct zoo_workshop open_workshop(void)
{
    struct zoo_workshop shop = {.form = is_one_bug ? ZOO_ONE : ZOO_CANARY,
                                .is_plain = is_plain,
                                .jobs = (unsigned)whole_number("--jobs", jobs, ZOO_JOBS_MAX),
                                .is_simple = zoo_is_simple};
    int status = zoo_workshop_open(&shop, own_folder);
    if (status < 0) refuse("%s: %s", shop.folder, strerror(-status));
    return shop;
}

/* Reports on the numbers: how many are subjects, why others are not, and each that something went wrong with. */
static unsigned report_made(const struct zoo_animal *animals, unsigned n)
{
    const char *reasons[32];
    unsigned counts[32], n_reasons = 0, kept = 0, trouble = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct zoo_animal *a = &animals[i];
        unsigned k = 0;
        kept += !a->missing;
        if (!a->missing) continue;
        trouble += a->is_trouble;
        if (a->is_trouble && trouble <= 10)
            fprintf(stderr, "zoo: subject %" PRIu64 ": %s%s%s\n", a->number, a->missing,
                    access(a->log, F_OK) == 0 ? "; see " : "", access(a->log, F_OK) == 0 ? a->log : "");
        while (k < n_reasons && reasons[k] != a->missing) k++;
        if (k == n_reasons) reasons[n_reasons] = a->missing, counts[n_reasons++] = 0;
        counts[k]++;
    }
    fprintf(stderr, "zoo: %u of %u numbers are subjects (%.0f %%)\n", kept, n, 100.0 * kept / n);
    for (unsigned k = 0; k < n_reasons; k++) fprintf(stderr, "zoo:   %u not: %s\n", counts[k], reasons[k]);
    return trouble;
}

static int print_source(struct zoo_workshop *shop)
{
    static struct zoo_animal a;
    const struct zoo_fault *faults;
    a.number = whole_number("--subject", subject, UINT64_MAX);
    shop->jobs = 1;
    zoo_prepare(shop, &a, 1);
    unsigned n = zoo_faults_of(&a.verdict, shop->form, &faults);
    if (n == 0) {
        fprintf(stderr, "zoo: %" PRIu64 " is no subject: %s\n", a.number, a.missing);
        return 1;
    }
    struct zoo_subject *z = zoo_make(a.number);
    struct zoo_text text = zoo_source_of(z, &a.verdict, shop->form);
    printf("%s", text.s);
    printf("\n/* valid: %.3g of all inputs", a.verdict.p_valid);
    for (unsigned i = 0; i < n; i++) printf("; fault %u: %.3g (%s)", i, faults[i].p, zoo_how_names[faults[i].how]);
    printf(" */\n");
    if (a.missing) fprintf(stderr, "zoo: %" PRIu64 " is not searched: %s\n", a.number, a.missing);
    zoo_text_clear(&text);
    zoo_free(z);
    return 0;
}

/* ---- Searching them */

static int search_all(struct bench *b, const struct zoo_workshop *shop, const struct zoo_animal *animals, unsigned n)
{
    static struct zoo_log log;
    char path[PATH_MAX];
    const char *guide;
    unsigned lost = 0;
    if (record_path) snprintf(path, sizeof path, "%s", record_path);
    else snprintf(path, sizeof path, "%s/rows-%s.jsonl", shop->folder, zoo_form_names[shop->form]);
    int status = zoo_log_open(&log, path, continues);
    if (status < 0) refuse("%s: %s", path, strerror(-status));
    for (unsigned i = 0; i < n; i++)
        for (unsigned g = 0; is_wanted(&animals[i], shop->form) && (guide = bench_guide(b, g)) != NULL; g++)
            for (uint64_t seed = b->first_seed; seed <= b->last_seed; seed++) {
                struct zoo_text row = {0};
                status = zoo_search(&log, b, shop, &animals[i], guide, seed, &row);
                if (status < 0)
                    refuse("%s: %s; what is recorded stands, and --continue goes on", path, strerror(-status));
                lost += status == 0;
                if (b->json) printf("%s", zoo_text_of(&row));
                zoo_text_clear(&row);
            }
    if ((status = zoo_log_close(&log)) < 0) refuse("%s: %s", path, strerror(-status));
    status = b->json ? 0 : zoo_print_tables(path);
    return lost ? 1 : status;
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {NULL};
    static struct bench b = {.suite = "zoo",
                             .columns = columns,
                             .flags = flags,
                             .guides = "auto,cgpt,rl,random,zest,uniform,enumerate",
                             .tests = 20000,
                             .full_tests = 50000,
                             .seconds = 30,
                             .first_seed = 1,
                             .last_seed = 2};
    bench_start(&b, argc, argv);
    if (tables_of) return zoo_print_tables(tables_of);
    if (compared) return zoo_print_comparison(compared);
    struct zoo_workshop shop = open_workshop();
    if (subject) return print_source(&shop);
    struct zoo_animal *animals;
    unsigned n = claim ? numbers_of_claim(&animals) : zoo_read_range(subjects, &animals);
    if (n == 0) refuse("--subjects: '%s' should read A-B, from 1 on, and be at most 100000", subjects);
    zoo_prepare(&shop, animals, n);
    unsigned trouble = report_made(animals, n);
    int status = only_makes ? 0 : search_all(&b, &shop, animals, n);
    free(animals);
    return status ? status : trouble > 0;
}
