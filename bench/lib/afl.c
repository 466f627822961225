/* AFL++ in the place of a guide. See fuzzer.h. */
#define _GNU_SOURCE
#include "lib/fuzz/counts.h"
#include "lib/fuzzer.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEED_BYTES = 1024, LOOK = 2000 /* microseconds between two looks */, PATHS = 64 };

/* Files of one search. */
struct place {
    char folder[PATHS], in[PATHS], out[PATHS], state[PATHS];
    volatile struct bench_counts *counts;
};

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

/* Writes random bytes: the one input that AFL++ starts from. */
static bool write_seed(const char *folder, uint64_t seed)
{
    char path[2 * PATHS];
    uint8_t bytes[SEED_BYTES];
    struct sonde_rng rng;
    sonde_rng_seed(&rng, seed, 0);
    for (int i = 0; i < SEED_BYTES; i++) bytes[i] = (uint8_t)sonde_rng_upto(&rng, UINT8_MAX);
    snprintf(path, sizeof path, "%s/seed", folder);
    FILE *f = mkdir(folder, 0777) == 0 ? fopen(path, "wb") : NULL;
    if (!f) return false;
    bool is_written = fwrite(bytes, 1, sizeof bytes, f) == sizeof bytes;
    return fclose(f) == 0 && is_written;
}

static bool prepare(struct place *p, const struct bench *b, uint64_t seed)
{
    *p = (struct place){.folder = "/tmp/bench-afl.XXXXXX"};
    if (!mkdtemp(p->folder)) return false;
    snprintf(p->in, sizeof p->in, "%.32s/in", p->folder);
    snprintf(p->out, sizeof p->out, "%.32s/out", p->folder);
    snprintf(p->state, sizeof p->state, "%.32s/state", p->folder);
    struct bench_counts counts = {.limit = b->tests};
    int file = open(p->state, O_RDWR | O_CREAT, 0666);
    if (file < 0 || write(file, &counts, sizeof counts) != (ssize_t)sizeof counts) return false;
    void *map = mmap(NULL, sizeof counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED) return false;
    p->counts = map;
    return write_seed(p->in, seed);
}

static void clear(struct place *p)
{
    if (p->counts) munmap((void *)(uintptr_t)p->counts, sizeof *p->counts);
    nftw(p->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* In the child. The mutators of adapters/afl_mutator.c are not loaded: AFL++ knows bytes only. */
SONDE_NORETURN static void become_afl(const struct bench *b, const struct bench_row *row, const struct place *p,
                                      const char *target)
{
    static const char *const settings[] = {"AFL_NO_UI",
                                           "AFL_SKIP_CPUFREQ",
                                           "AFL_NO_AFFINITY",
                                           "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES",
                                           "AFL_BENCH_UNTIL_CRASH",
                                           NULL};
    char seed[32];
    for (const char *const *s = settings; *s; s++) setenv(*s, "1", 1);
    setenv("BENCH_PROPERTY", row->row, 1);
    setenv("BENCH_STATE", p->state, 1);
    snprintf(seed, sizeof seed, "-s%" PRIu64, row->seed);
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, 0);
    dup2(b->stats ? 2 : nowhere, 1);
    if (!b->stats) dup2(nowhere, 2);
    execlp("afl-fuzz", "afl-fuzz", seed, "-t5000", "-mnone", "-i", p->in, "-o", p->out, "--", target, (char *)NULL);
    _exit(127);
}

static double cpu_of_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
           + 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Ends AFL++ when its tests are over. Processes that it leaves behind become our children and are waited for, so that their
 * time counts. The target may be one of them, stopped between two tests. */
static void wait_for(pid_t afl, const struct place *p)
{
    bool is_told = false, has_ended = false;
    for (;;) {
        int status;
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended < 0 && errno != EINTR) return;
        has_ended |= ended == afl;
        if (has_ended && p->counts->process > 0) kill((pid_t)p->counts->process, SIGKILL);
        if (ended != 0) continue;
        if (!is_told && !has_ended && bench_counts_are_over(p->counts)) is_told = kill(afl, SIGINT) == 0;
        usleep(LOOK);
    }
}

bool bench_run_afl(const struct bench *b, struct bench_row *row, const char *target)
{
    struct place p;
    bool is_ready = prepare(&p, b, row->seed);
    double before = cpu_of_children();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    pid_t afl = is_ready ? fork() : -1;
    if (afl == 0) become_afl(b, row, &p, target);
    if (afl > 0) wait_for(afl, &p);
    bool is_whole = afl > 0 && bench_counts_are_over(p.counts);
    if (is_whole) {
        row->searches = true;
        row->tests = p.counts->tests;
        row->valid = p.counts->valid;
        row->found = p.counts->has_failed;
        row->tests_to_failure = row->found ? row->tests : 0;
        row->discarded = row->tests - row->valid - row->found;
        row->stopped = row->found ? "found" : "tests";
        row->cpu_s = cpu_of_children() - before;
    } else fprintf(stderr, "%s: %s afl went wrong; --stats shows what it says\n", b->suite, row->row);
    clear(&p);
    return is_whole;
}
