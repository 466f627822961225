/* etna: the tasks of ETNA's workloads BST, RBT and STLC (etna/etna.h), with naive generators, as its strategies Quick and type-based have
 * them. A row is a task, WORKLOAD/MUTANT/PROPERTY; a trial is a seed. A task is solved if every trial found the fault, and falls into
 * the bucket of the trial that took most tests; ETNA's buckets are seconds, and its trials ten.
 *
 *   bench/run etna --json       one object per trial, with ETNA's fields workload, strategy, mutant, property, foundbug, passed, discards, time
 *   bench/run etna --witnesses bench/etna/witnesses.txt    shows that every task has an input that fails, and the correct version none */
#include "lib/bench.h"
#include "etna/etna.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *workload, *witnesses, *written;

static const struct bench_flag flags[] = {{"--workload", NULL, "NAME: only the tasks of BST, RBT or STLC", &workload},
                                          {"--witnesses", NULL,
                                           "FILE: check the failing input of each task there, and end", &witnesses},
                                          {"--write", NULL, "FILE: the tests of all trials, one line per task",
                                           &written},
                                          {NULL, NULL, NULL, NULL}};

static const uint64_t limits[] = {100, 1000, 10000};
enum {
    LIMITS = sizeof limits / sizeof *limits,
    BUCKETS = LIMITS + 3,
    SOME = LIMITS + 1,
    NONE = LIMITS + 2,
    GUIDES = 16
};

static const struct etna_workload *const workloads[] = {&etna_bst, &etna_rbt, &etna_stlc};
enum { WORKLOADS = sizeof workloads / sizeof *workloads };
static unsigned buckets[WORKLOADS][GUIDES][BUCKETS];

/* ---- One task */

static void property(sonde *t)
{
    const struct etna_task *task = sonde_context(t);
    struct etna_input in = {0};
    etna_reset();
    task->workload->draw(t, task->property, &in);
    sonde_check(t, task->property->holds(&in));
}

static unsigned bucket_of(const uint64_t *tests, unsigned n)
{
    uint64_t most = 0;
    unsigned found = 0, k = 0;
    for (unsigned i = 0; i < n; i++) {
        found += tests[i] > 0;
        if (tests[i] > most) most = tests[i];
    }
    if (found < n) return found ? SOME : NONE;
    while (k < LIMITS && most > limits[k]) k++;
    return k;
}

static void report_trial(struct bench *b, const struct etna_task *task, struct bench_row r)
{
    char fields[512];
    snprintf(fields, sizeof fields,
             "\"workload\":\"%s\",\"strategy\":\"%s\",\"mutant\":\"%s\",\"property\":\"prop_%s\",\"foundbug\":%s,"
             "\"passed\":%" PRIu64 ",\"discards\":%" PRIu64 ",\"time\":%.6f",
             task->workload->name, r.guide, etna_mutant_names[task->mutant], task->property->name,
             r.found ? "true" : "false", r.valid, r.discarded, r.cpu_s);
    r.json = fields;
    bench_report(b, &r);
}

/* The trials of a task with one guide. Tests to the failure go to `tests`, 0 where there was none. */
static unsigned run_trials(struct bench *b, const struct etna_task *task, const char *row, const char *guide,
                           uint64_t *tests)
{
    unsigned n = 0;
    sonde_property p = {.run = property, .context = (void *)(uintptr_t)task};
    for (uint64_t seed = b->first_seed; seed <= b->last_seed; seed++) {
        struct bench_row r = bench_search(b, row, guide, seed, &p);
        tests[n++] = r.found ? r.tests_to_failure : 0;
        report_trial(b, task, r);
    }
    bench_line(b);
    return n;
}

static void write_trials(FILE *out, const char *guide, const uint64_t *tests, unsigned n)
{
    fprintf(out, ",\"%s\":[", guide);
    for (unsigned i = 0; i < n; i++) fprintf(out, "%s%" PRIu64, i ? "," : "", tests[i]);
    fputs("]", out);
}

static void run_task(struct bench *b, const struct etna_task *task, FILE *out)
{
    char row[128];
    const char *guide, *mutant = etna_mutant_names[task->mutant];
    unsigned w = 0;
    snprintf(row, sizeof row, "%s/%s/%s", task->workload->name, mutant, task->property->name);
    if ((workload && strcmp(workload, task->workload->name) != 0) || !bench_wants(b, row)) return;
    while (workloads[w] != task->workload) w++;
    etna_use(task->mutant);
    if (out) fprintf(out, "{\"task\":\"%s\"", row);
    for (unsigned g = 0; g < GUIDES && (guide = bench_guide(b, g)) != NULL; g++) {
        uint64_t tests[BENCH_SEEDS_MAX];
        unsigned n = run_trials(b, task, row, guide, tests);
        buckets[w][g][bucket_of(tests, n)]++;
        if (out) write_trials(out, guide, tests, n);
    }
    if (out) fputs("}\n", out);
    if (out) fflush(out);
}

static void print_buckets(const struct bench *b)
{
    const char *guide;
    printf("\nTasks by the tests of their slowest trial; some: not every trial found it\n%-6s %-15s", "", "guide");
    for (unsigned k = 0; k < LIMITS; k++) printf(" %7s%-6" PRIu64, "<= ", limits[k]);
    printf(" %8s %6s %6s %9s\n", "more", "some", "none", "solved");
    for (unsigned w = 0; w < WORKLOADS; w++)
        for (unsigned g = 0; g < GUIDES && (guide = bench_guide(b, g)) != NULL; g++) {
            const unsigned *in = buckets[w][g];
            unsigned all = 0, solved = 0;
            for (unsigned k = 0; k < BUCKETS; k++) all += in[k], solved += k < SOME ? in[k] : 0;
            if (all == 0) continue;
            printf("%-6s %-15s", workloads[w]->name, guide);
            for (unsigned k = 0; k < LIMITS; k++) printf(" %13u", in[k]);
            printf(" %8u %6u %6u %5u/%u\n", in[LIMITS], in[SOME], in[NONE], solved, all);
        }
}

/* ---- Is every task falsifiable? */

/* A line is WORKLOAD/MUTANT/PROPERTY and an input that fails with the mutant and holds without. */
static bool check_witness(const struct etna_task *task, const char *text)
{
    struct etna_input in;
    etna_reset();
    if (!etna_read(text, task->workload, task->property, &in)) return false;
    if (!task->workload->is_valid(task->property, &in)) return false;
    etna_use(task->mutant);
    bool fails = !task->property->holds(&in);
    etna_use(ETNA_base);
    return fails && task->property->holds(&in);
}

/* The correct version: all properties hold on random inputs. */
static unsigned search_base(struct bench *b)
{
    unsigned failed = 0;
    etna_use(ETNA_base);
    for (unsigned w = 0; w < WORKLOADS; w++)
        for (const struct etna_property *p = workloads[w]->properties; p->name; p++) {
            struct etna_task task = {workloads[w], ETNA_base, p};
            sonde_property run = {.run = property, .context = &task};
            struct bench_row r = bench_search(b, p->name, "auto", b->first_seed, &run);
            if (r.found || r.valid == 0)
                printf("not ok: %s/base/%s %s\n", workloads[w]->name, p->name,
                       r.found ? "fails" : "had no valid input");
            failed += r.found || r.valid == 0;
        }
    return failed;
}

static int check_witnesses(struct bench *b)
{
    const struct etna_task *tasks;
    unsigned n = etna_tasks(&tasks), shown = 0, failed = 0;
    char line[4096], name[128];
    FILE *in = fopen(witnesses, "r");
    if (!in) {
        fprintf(stderr, "etna: %s: %s\n", witnesses, strerror(errno));
        return 2;
    }
    for (unsigned i = 0; i < n && fgets(line, sizeof line, in); i++) {
        snprintf(name, sizeof name, "%s/%s/%s ", tasks[i].workload->name, etna_mutant_names[tasks[i].mutant],
                 tasks[i].property->name);
        bool is_shown = strncmp(line, name, strlen(name)) == 0 && check_witness(&tasks[i], line + strlen(name));
        if (!is_shown) printf("not ok: %s: %s", name, line);
        shown += is_shown;
    }
    fclose(in);
    failed = search_base(b);
    printf("%u of %u tasks have an input that fails; %u properties of the correct version fail\n", shown, n, failed);
    return shown == n && failed == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"found", "tests_to_failure", "valid_rate", "cpu_s", NULL};
    static struct bench b = {.suite = "etna",
                             .columns = columns,
                             .flags = flags,
                             .guides = "auto,random,rl,cgpt,target,zest,rl-classic,cgpt-classic,zest-bytes,uniform",
                             .tests = 10000,
                             .full_tests = 1000000,
                             .seconds = 60,
                             .first_seed = 1,
                             .last_seed = 10};
    const struct etna_task *tasks;
    bench_start(&b, argc, argv);
    if (witnesses) return check_witnesses(&b);
    unsigned n = etna_tasks(&tasks);
    FILE *out = written ? fopen(written, "w") : NULL;
    if (written && !out) {
        fprintf(stderr, "etna: %s: %s\n", written, strerror(errno));
        return 2;
    }
    for (unsigned i = 0; i < n; i++) run_task(&b, &tasks[i], out);
    if (out && fclose(out) != 0) return 2;
    if (!b.json) print_buckets(&b);
    return bench_end(&b);
}
