#define _GNU_SOURCE /* program_invocation_name */
/* Threads whose schedule is drawn: programs with one bug each (bench/threads/programs.c), by how many schedules it takes to find it, to how
 * few switches it shrinks, and whether it replays. Runs itself for each program and seed, so that none sees another's memory. */
#include "threads/programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct program *current;

static void property(sonde *t)
{
    sonde_threads(t, "run", current->run, NULL);
}

static const struct program *find(const char *name)
{
    for (const struct program *p = programs; p->name; p++)
        if (strcmp(p->name, name) == 0) return p;
    for (const struct program *p = right_programs; p->name; p++)
        if (strcmp(p->name, name) == 0) return p;
    fprintf(stderr, "threads: there is no program '%s'\n", name);
    exit(SONDE_USAGE);
}

/* ---- In a separate process */

/* threads --program NAME [options of a test program] */
static int run_program(int argc, char **argv)
{
    current = find(argv[2]);
    argv[2] = argv[0];
    return sonde_main(argc - 2, argv + 2, &(sonde_property){.name = current->name, .run = property}, 1);
}

/* threads --again NAME TOKEN TIMES: prints how often it fails. */
static int replay_program(char **argv)
{
    long failed = 0, times = strtol(argv[4], NULL, 10);
    current = find(argv[2]);
    for (long i = 0; i < times; i++) failed += sonde_replay(property, argv[3]) == SONDE_FALSIFIED;
    printf("%ld\n", failed);
    return SONDE_PASSED;
}

/* ---- In the one that measures */

struct options {
    long seeds, tests, replays, right;
    bool json;
};

struct outcome {
    bool found, is_flaky, needs_earlier;
    long schedules, switches, replayed;
    double per_second; /* of processor time */
};

static double number_after(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtod(at + strlen(name), NULL) : 0;
}

/* Reads the output of the command, at most so much. */
static void read_all(const char *command, char *text, size_t size)
{
    FILE *in = popen(command, "r");
    size_t n = in ? fread(text, 1, size - 1, in) : 0;
    text[n] = '\0';
    if (in) pclose(in);
}

static long replay(const char *name, const char *json, long times)
{
    static const char before[] = "\"token\": \"";
    char command[4096], text[64], token[1024];
    const char *from = strstr(json, before);
    if (!from || !times) return 0;
    snprintf(token, sizeof token, "%.*s", (int)strcspn(from + strlen(before), "\""), from + strlen(before));
    snprintf(command, sizeof command, "'%s' --again %s '%s' %ld 2>/dev/null", program_invocation_name, name, token,
             times);
    read_all(command, text, sizeof text);
    return strtol(text, NULL, 10);
}

static struct outcome measure(const struct program *p, long seed, long tests, long replays)
{
    static char text[1 << 18];
    char command[1024];
    snprintf(command, sizeof command, "'%s' --program %s --seed %ld --tests %ld --time 0 --no-store --json 2>/dev/null",
             program_invocation_name, p->name, seed, tests);
    read_all(command, text, sizeof text);
    struct outcome o = {.found = strstr(text, "\"verdict\": \"falsified\"") != NULL};
    double seconds = number_after(text, "\"cpu_s\": ");
    o.per_second = seconds > 0 ? number_after(text, "\"tests\": ") / seconds : 0;
    if (!o.found) return o;
    o.schedules = (long)number_after(text, "\"tests_to_failure\": ");
    o.switches = (long)number_after(text, "\"schedule\": {\"switches\": ");
    o.is_flaky = strstr(text, "\"flaky\": true") != NULL;
    o.needs_earlier = number_after(text, "\"earlier_cases\": ") > 0;
    o.replayed = replay(p->name, text, replays);
    return o;
}

static int by_size(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

struct totals {
    long programs, found, runs, minimal, replayed, flaky, needs_earlier;
};

static void measure_program(const struct program *p, const struct options *o, struct totals *sum)
{
    long schedules[64], found = 0, minimal = 0, replayed = 0, most = 0;
    for (long seed = 1; seed <= o->seeds; seed++) {
        struct outcome r = measure(p, seed, o->tests, seed == 1 ? o->replays : 0);
        if (r.found) schedules[found++] = r.schedules;
        minimal += r.found && r.switches <= p->switches;
        replayed += r.replayed;
        if (r.found && r.switches > most) most = r.switches;
        sum->flaky += r.is_flaky;
        sum->needs_earlier += r.needs_earlier;
    }
    qsort(schedules, (size_t)found, sizeof *schedules, by_size);
    long median = found ? schedules[found / 2] : 0, worst = found ? schedules[found - 1] : 0;
    if (o->json)
        printf(
            "{\"suite\": \"threads\", \"program\": \"%s\", \"seeds\": %ld, \"found\": %ld, \"schedules\": %ld, \"worst\": "
            "%ld, \"switches\": %ld, \"fewest\": %d, \"minimal\": %ld, \"replayed\": %ld}\n",
            p->name, o->seeds, found, median, worst, most, p->switches, minimal, replayed);
    else
        printf("%-22s found %ld/%ld  schedules %5ld (worst %5ld)  switches %ld (fewest %d)  replayed %ld\n", p->name,
               found, o->seeds, median, worst, most, p->switches, replayed);
    fflush(stdout);
    sum->programs++;
    sum->runs += o->seeds;
    sum->found += found;
    sum->minimal += minimal;
    sum->replayed += replayed;
}

static bool measure_right(const struct program *p, const struct options *o)
{
    struct outcome r = measure(p, 1, o->right, 0);
    if (o->json)
        printf(
            "{\"suite\": \"threads\", \"program\": \"%s\", \"passes\": %s, \"schedules\": %ld, \"per_second\": %.0f}\n",
            p->name, r.found ? "false" : "true", o->right, r.per_second);
    else
        printf("%-22s %s %ld schedules, %.0f a second of processor time\n", p->name, r.found ? "FAILS in" : "passes",
               o->right, r.per_second);
    fflush(stdout);
    return !r.found;
}

static struct options read_options(int argc, char **argv)
{
    struct options o = {.seeds = 5, .tests = 10000, .replays = 1000, .right = 100000};
    for (int i = 1; i < argc; i++) {
        long value = i + 1 < argc ? strtol(argv[i + 1], NULL, 10) : 0;
        if (strcmp(argv[i], "--json") == 0) o.json = true;
        else if (strcmp(argv[i], "--seeds") == 0 && value > 0 && value <= 64) o.seeds = value, i++;
        else if (strcmp(argv[i], "--tests") == 0 && value > 0) o.tests = value, i++;
        else if (strcmp(argv[i], "--replays") == 0) o.replays = value, i++;
        else if (strcmp(argv[i], "--right") == 0) o.right = value, i++;
        else {
            fprintf(stderr,
                    "usage: bench/run threads [--json] [--seeds N (5)] [--tests N (10000)] [--replays N (1000)] "
                    "[--right N (100000): schedules of programs without a bug]\n");
            exit(strcmp(argv[i], "--help") == 0 ? SONDE_PASSED : SONDE_USAGE);
        }
    }
    return o;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--program") == 0) return run_program(argc, argv);
    if (argc > 4 && strcmp(argv[1], "--again") == 0) return replay_program(argv);
    struct options o = read_options(argc, argv);
    struct totals sum = {0};
    bool passes = true;
    for (const struct program *p = programs; p->name; p++) measure_program(p, &o, &sum);
    for (const struct program *p = right_programs; o.right && p->name; p++) passes &= measure_right(p, &o);
    if (o.json)
        printf(
            "{\"suite\": \"threads\", \"programs\": %ld, \"runs\": %ld, \"found\": %ld, \"minimal\": %ld, \"replayed\": %ld, "
            "\"flaky\": %ld, \"needs_earlier\": %ld, \"right\": %s}\n",
            sum.programs, sum.runs, sum.found, sum.minimal, sum.replayed, sum.flaky, sum.needs_earlier,
            passes ? "true" : "false");
    else
        printf(
            "%ld programs: found %ld of %ld, as few switches as can be in %ld, replayed %ld, flaky %ld, dependent on "
            "earlier cases %ld\n",
            sum.programs, sum.found, sum.runs, sum.minimal, sum.replayed, sum.flaky, sum.needs_earlier);
    return sum.found == sum.runs && passes ? SONDE_PASSED : SONDE_FALSIFIED;
}
