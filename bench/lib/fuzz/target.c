/* The properties of a suite as a target of libFuzzer; PROPERTIES names them, BENCH_PROPERTY in the environment says
 * which. With PLAIN_BYTES libFuzzer has its own mutators only, and its bytes answer the draws one after the other; else
 * it has our adapter's mutators. Its counts are written where BENCH_REPORT says, when the tests are over or one
 * failed. */
#include "case/case.h"
#include "feedback/unique.h"
#include "lib/edges.h"

#include <sonde/extend.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const sonde_property PROPERTIES[]; /* ends without a name */

static const sonde_property *asked; /* NULL until the first test */
static int report = -1;
static bool counts;      /* edges, draws and different inputs, which costs time */
static const sonde *ran; /* the case of the last test */
static uint64_t tests, valid, choices, identity;
static double started;
static bool has_failed;
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
    dprintf(report, "%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.9f\n", has_failed, tests, valid,
            counts ? sonde_unique_count(&inputs, &estimated) : 0, counts ? bench_edges_take() : 0, choices, cpu);
    report = -1;
}

static void start(void)
{
    const char *name = getenv("BENCH_PROPERTY"), *to = getenv("BENCH_REPORT");
    for (asked = PROPERTIES; asked->name && name && strcmp(asked->name, name) != 0;) asked++;
    if (!asked->name || !name) {
        fprintf(stderr, "BENCH_PROPERTY does not name a property of this suite\n");
        exit(2);
    }
    report = to ? atoi(to) : 2;
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
    enum sonde_verdict verdict = sonde_fuzz_run(fuzz, data, n);
    tests++;
    valid += verdict == SONDE_VALID;
    if (counts) {
        bench_edges_add();
        choices += ran->tape.n_choices;
        if (verdict == SONDE_VALID) sonde_unique_add(&inputs, identity);
    }
    if (verdict == SONDE_FAILED) {
        has_failed = true;
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
