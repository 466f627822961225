/* See trial.h. */
#include "zoo/trial.h"

#include "base/hash.h"
#include "engine/search/search.h"
#include "tape/shape.h"
#include "zoo/process.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- In the process of the search: what is looked at in each case */

static struct {
    struct zoo_trial *trial;
    unsigned n_canaries, n_met;
    uint32_t met;                                  /* in the case that runs, as bits */
    struct sonde_unique shapes, skeletons, traces; /* exactly, where a search estimates them */
} watched;

/* Called by subjects with canaries. */
SONDE_API void zoo_note(int bug);
void zoo_note(int bug)
{
    watched.met |= 1u << bug;
}

static void count_different(const struct sonde_search *s)
{
    struct sonde_level_hashes hashes = sonde_tape_levels(&s->t->tape);
    sonde_unique_add(&watched.shapes, hashes.shape);
    sonde_unique_add(&watched.skeletons, hashes.skeleton);
    if (s->seen) sonde_unique_add(&watched.traces, sonde_mix(s->seen->trace));
}

static void execute(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    watched.met = 0;
    sonde_search_execute(s, guide, script);
    watched.trial->cost += s->t->tape.n_choices + (s->seen ? s->seen->executed : 0);
    if (s->t->verdict == SONDE_VALID) count_different(s);
    for (unsigned i = 0; i < watched.n_canaries; i++) {
        if (!(watched.met >> i & 1) || watched.trial->first[i]) continue;
        watched.trial->first[i] = s->stats.tests + 1;
        watched.n_met++;
    }
    if (!watched.n_canaries || watched.n_met < watched.n_canaries) return;
    s->pace.runs = s->stats.tests + 1; /* nothing is left to find */
    s->pace.quota = 0;
}

static sonde_property_fn *load(const char *library, uint64_t number)
{
    char name[64];
    snprintf(name, sizeof name, "subject_%" PRIu64, number);
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL), *symbol = loaded ? dlsym(loaded, name) : NULL;
    if (!symbol) fprintf(stderr, "zoo: %s\n", dlerror());
    sonde_property_fn *property = NULL;
    if (symbol) memcpy(&property, &symbol, sizeof property);
    return property;
}

static void search(struct bench *b, sonde_property_fn *run, const char *guide, uint64_t seed, struct zoo_trial *trial)
{
    bool is_estimated;
    sonde_property property = {.name = "subject", .run = run};
    watched.trial = trial;
    sonde_unique_init(&watched.shapes);
    sonde_unique_init(&watched.skeletons);
    sonde_unique_init(&watched.traces);
    b->execute = execute;
    struct bench_row r = bench_search(b, "subject", guide, seed, &property);
    trial->tests = r.tests;
    trial->valid = r.valid;
    trial->discarded = r.discarded;
    trial->unique_valid = trial->payloads = r.unique_valid;
    trial->cpu_s = r.cpu_s;
    trial->found = watched.n_canaries ? watched.n_met == watched.n_canaries : r.found;
    trial->tests_to_failure = r.found ? r.tests_to_failure : 0;
    trial->shapes = sonde_unique_count(&watched.shapes, &is_estimated);
    trial->skeletons = sonde_unique_count(&watched.skeletons, &is_estimated);
    trial->traces = sonde_unique_count(&watched.traces, &is_estimated);
    snprintf(trial->stopped, sizeof trial->stopped, "%s", trial->found ? "found" : r.stopped);
}

/* ---- In the program */

bool zoo_try(struct bench *b, const char *library, uint64_t number, unsigned n_canaries, const char *guide,
             uint64_t seed, struct zoo_trial *out)
{
    int ends[2];
    if (pipe(ends) < 0) return false;
    pid_t child = zoo_fork(b->seconds > 0 ? 2 * b->seconds + 10 : 0);
    if (child == 0) {
        struct zoo_trial trial = {0};
        sonde_property_fn *run = load(library, number);
        if (!run) _exit(1);
        watched.n_canaries = n_canaries;
        search(b, run, guide, seed, &trial);
        _exit(write(ends[1], &trial, sizeof trial) != (ssize_t)sizeof trial);
    }
    close(ends[1]);
    bool is_whole = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    return zoo_wait(child) && is_whole;
}

bool zoo_is_simple(const struct zoo_workshop *shop, const char *library, uint64_t number, unsigned n_bugs)
{
    static struct bench b = {.suite = "zoo", .tests = 20};
    struct zoo_trial trial;
    if (!zoo_try(&b, library, number, shop->form == ZOO_CANARY ? n_bugs : 0, "enumerate", 1, &trial)) return false;
    bool is_met = shop->form == ZOO_ONE && trial.found;
    for (unsigned i = 0; shop->form == ZOO_CANARY && i < n_bugs; i++) is_met |= trial.first[i] > 0;
    return is_met;
}

/* ---- Rows */

static void print_names(struct zoo_text *out, const char *name, const char *const *names, unsigned n)
{
    zoo_print(out, ",\"%s\":[", name);
    for (unsigned i = 0; i < n; i++) zoo_print(out, "%s\"%s\"", i ? "," : "", names[i]);
    zoo_print(out, "]");
}

static void print_preconditions(struct zoo_text *out, const struct zoo_subject *z)
{
    zoo_print(out, ",\"preconditions\":[");
    for (unsigned i = 0; i < z->n_required; i++)
        zoo_print(out, "%s\"%s:%s\"", i ? "," : "", z->required[i].class, z->required[i].kind);
    if (z->assumes_calls) zoo_print(out, "%s\"state:calls-legal\"", z->n_required ? "," : "");
    zoo_print(out, "],\"style\":\"%s\",\"place\":\"%s\"",
              z->n_required      ? zoo_style_names[z->style]
              : z->assumes_calls ? "each"
                                 : "none",
              z->is_early || z->assumes_calls ? "early" : "late");
}

const char *zoo_bug_kind(const struct zoo_subject *z, uint32_t atoms)
{
    const char *seen[ZOO_ATOMS] = {NULL};
    unsigned n = 0;
    for (unsigned i = 0; i < z->n_atoms; i++) {
        unsigned k = 0;
        if (!(atoms >> i & 1)) continue;
        while (k < n && strcmp(seen[k], z->atoms[i].class) != 0) k++;
        if (k == n) seen[n++] = z->atoms[i].class;
    }
    return n == 1 ? seen[0] : n == 2 ? "two kinds" : "coincidence";
}

static void print_faults(struct zoo_text *out, const struct zoo_subject *z, const struct zoo_fault *faults, unsigned n)
{
    zoo_print(out, ",\"bugs\":[");
    for (unsigned i = 0; i < n; i++) zoo_print(out, "%s\"%s\"", i ? "," : "", zoo_bug_kind(z, faults[i].bug.atoms));
    zoo_print(out, "],\"depths\":[");
    for (unsigned i = 0; i < n; i++) zoo_print(out, "%s%d", i ? "," : "", __builtin_popcount(faults[i].bug.atoms));
    zoo_print(out, "],\"written\":[");
    for (unsigned i = 0; i < n; i++) zoo_print(out, "%s\"%s\"", i ? "," : "", zoo_bug_style_names[faults[i].bug.style]);
    zoo_print(out, "],\"p\":[");
    for (unsigned i = 0; i < n; i++) zoo_print(out, "%s%.4g", i ? "," : "", faults[i].p);
    zoo_print(out, "],\"known\":[");
    for (unsigned i = 0; i < n; i++) zoo_print(out, "%s\"%s\"", i ? "," : "", zoo_how_names[faults[i].how]);
    zoo_print(out, "]");
}

static void print_result(struct zoo_text *out, const struct zoo_trial *r, unsigned n_canaries)
{
    zoo_print(out, ",\"found\":%s,\"tests\":%" PRIu64, r->found ? "true" : "false", r->tests);
    if (r->tests_to_failure) zoo_print(out, ",\"tests_to_failure\":%" PRIu64, r->tests_to_failure);
    zoo_print(out,
              ",\"cost\":%" PRIu64 ",\"cpu_s\":%.4f,\"valid\":%" PRIu64 ",\"discarded\":%" PRIu64
              ",\"unique_valid\":%" PRIu64,
              r->cost, r->cpu_s, r->valid, r->discarded, r->unique_valid);
    zoo_print(out,
              ",\"different\":{\"shape\":%" PRIu64 ",\"skeleton\":%" PRIu64 ",\"trace\":%" PRIu64
              ",\"payload\":%" PRIu64 "}",
              r->shapes, r->skeletons, r->traces, r->payloads);
    zoo_print(out, ",\"first\":[");
    for (unsigned i = 0; i < n_canaries; i++) zoo_print(out, "%s%" PRIu64, i ? "," : "", r->first[i]);
    zoo_print(out, "],\"stopped\":\"%s\"", r->stopped);
}

void zoo_print_row_key(struct zoo_text *out, const struct bench *b, uint64_t number, const struct zoo_workshop *shop,
                       const char *guide, uint64_t seed)
{
    zoo_print(out,
              "{\"suite\":\"zoo\",\"row\":\"%" PRIu64
              "\",\"generation\":%d,\"form\":\"%s\",\"guide\":\"%s\",\"seed\":%" PRIu64
              ",\"build\":\"%s\",\"library\":\"%016" PRIx64 "\",\"limit\":%" PRIu64 ",\"options\":\"%s\"",
              number, ZOO_GENERATION, zoo_form_names[shop->form], guide, seed, shop->is_plain ? "plain" : "cc",
              shop->library, b->tests, b->guide_options ? b->guide_options : "");
}

void zoo_print_row(struct zoo_text *out, const struct bench *b, const struct zoo_trial *trial,
                   const struct zoo_animal *a, const struct zoo_workshop *shop, const char *guide, uint64_t seed)
{
    const struct zoo_fault *faults;
    unsigned n = zoo_faults_of(&a->verdict, shop->form, &faults);
    struct zoo_subject *z = zoo_make(a->number);
    zoo_print_row_key(out, b, a->number, shop, guide, seed);
    print_result(out, trial, shop->form == ZOO_CANARY ? n : 0);
    print_names(out, "types", z->types, z->n_parts);
    print_preconditions(out, z);
    print_faults(out, z, faults, n);
    zoo_print(out, ",\"claim\":\"%s\",\"noise\":%d,\"p_valid\":%.4g,\"draws\":%.1f}\n",
              shop->form == ZOO_CANARY ? "none"
              : z->is_measured         ? "measured"
                                       : "plain",
              z->noise, a->verdict.p_valid, a->verdict.draws);
    zoo_free(z);
}
