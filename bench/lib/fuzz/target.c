/* The properties of a suite as a target of libFuzzer or AFL++; PROPERTIES names them, BENCH_PROPERTY in the environment says
 * which. With PLAIN_BYTES libFuzzer has its own mutators only, and its bytes answer the draws one after the other, as AFL++'s do;
 * else it has our adapter's mutators. libFuzzer's counts are written where BENCH_REPORT says, when the tests are over or one
 * failed; AFL++'s are in a file (fuzz/counts.h). */
#include "case/case.h"
#include "feedback/unique.h"
#include "lib/edges.h"
#include "lib/fuzz/counts.h"

#include <sonde/extend.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

extern const sonde_property PROPERTIES[]; /* ends without a name */

static const sonde_property *asked; /* NULL until the first test */
static int report = -1;
static bool counts;      /* edges, draws and different inputs, which costs time */
static const sonde *ran; /* the case of the last test */
static struct bench_counts in_process, *counted = &in_process;
static uint64_t choices, identity;
static double started;
static struct sonde_unique inputs;

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void tell(void)
{
    bool estimated;
    if (report < 0) return;
    double cpu = cpu_now() - started;
    dprintf(report, "%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.9f\n", counted->has_failed,
            counted->tests, counted->valid, counts ? sonde_unique_count(&inputs, &estimated) : 0,
            counts ? bench_edges_take() : 0, choices, cpu);
    report = -1;
}

/* Maps the counts of the processes before this one. */
static void map_counts(const char *path)
{
    int file = open(path, O_RDWR);
    void *map = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) {
        fprintf(stderr, "cannot map BENCH_STATE %s\n", path);
        exit(2);
    }
    counted = map;
    counted->process = getpid();
    close(file);
}

static void start(void)
{
    const char *name = getenv("BENCH_PROPERTY"), *to = getenv("BENCH_REPORT"), *state = getenv("BENCH_STATE");
    for (asked = PROPERTIES; asked->name && name && strcmp(asked->name, name) != 0;) asked++;
    if (!asked->name || !name) {
        fprintf(stderr, "BENCH_PROPERTY does not name a property of this suite\n");
        exit(2);
    }
    report = to ? atoi(to) : state ? -1 : 2;
    if (state) map_counts(state);
    counts = getenv("BENCH_COUNT") != NULL;
    sonde_unique_init(&inputs);
    atexit(tell);
    started = cpu_now();
}

static void property_asked_for(sonde *t)
{
    ran = t;
    asked->run(t);
    identity = sonde_case_identity(t);
}

/* The adapter's tests go through here. */
static enum sonde_verdict run_and_count(struct sonde_fuzz *fuzz, const uint8_t *data, size_t n)
{
    if (!asked) start();
    if (bench_counts_are_over(counted)) return SONDE_DISCARDED; /* AFL++ is about to be ended */
    enum sonde_verdict verdict = sonde_fuzz_run(fuzz, data, n);
    counted->tests++;
    counted->valid += verdict == SONDE_VALID;
    if (counts) {
        bench_edges_add();
        choices += ran->tape.n_choices;
        if (verdict == SONDE_VALID) sonde_unique_add(&inputs, identity);
    }
    if (verdict == SONDE_FAILED) {
        counted->has_failed = true;
        tell(); /* libFuzzer leaves without what is registered for the end */
    }
    return verdict;
}
#define sonde_fuzz_run run_and_count
#include "sonde_fuzz.h"

#ifdef PLAIN_BYTES
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    sonde_fuzz_input_(sonde_fuzz_target_(property_asked_for, "property_asked_for"), data, n);
    return 0;
}
#else
SONDE_FUZZ_TARGET(property_asked_for)
#endif
