/* A journal with six errors that its code does not check: each is found within 10,000 cases, on ten seeds (on one,
 * unless SONDE_TEST_LONG is set). Every variant has one of them, so that none hides another; with none, the property
 * holds.
 *
 * The seeds are fixed, so this fails only when something changed. Needs failing calls; see the Makefile. */
#include <sonde.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDS = 64, CASES = 10000 };

static enum ignored { NOTHING, SHORT_WRITE, NO_SPACE, SHORT_READ, NO_SYNC, NO_RENAME, NO_OPEN, VARIANTS } ignored;
static const char *const names[] = {"nothing",         "a short write",    "a full disk",   "a short read",
                                    "a failing fsync", "a failing rename", "a failing open"};

/* ---- The code under test: records of two bytes, appended to a file. */

struct journal {
    char path[40], spare[48];
    bool is_stale; /* an fsync failed: what is on the disk is not known */
};

static bool put(int fd, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t wrote = write(fd, data, n);
        if (wrote < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (wrote < 0) return ignored == NO_SPACE;
        if (ignored == SHORT_WRITE) return true;
        data += wrote;
        n -= (size_t)wrote;
    }
    return true;
}

static bool sync_file(struct journal *j, int fd)
{
    if (fsync(fd) == 0) return true;
    j->is_stale = true;
    return ignored == NO_SYNC;
}

static bool append(struct journal *j, const char *record)
{
    int fd = open(j->path, O_WRONLY | O_APPEND);
    if (fd < 0) return false;
    off_t end = lseek(fd, 0, SEEK_END);
    bool is_done = put(fd, record, 2) && sync_file(j, fd);
    if (!is_done && ftruncate(fd, end) != 0) abort();
    close(fd);
    return is_done;
}

/* How many bytes; -1: it could not be read. */
static ssize_t load(const struct journal *j, char *to, size_t size)
{
    size_t n = 0;
    int fd = open(j->path, O_RDONLY);
    if (fd < 0) return ignored == NO_OPEN ? 0 : -1;
    size_t all = (size_t)lseek(fd, 0, SEEK_END);
    lseek(fd, 0, SEEK_SET);
    if (all > size) all = size;
    for (;;) {
        ssize_t got = read(fd, to + n, all - n);
        if (got == 0) break;
        if (got < 0 && errno != EINTR && errno != EAGAIN) n = (size_t)-1;
        if (got < 0 && errno != EINTR && errno != EAGAIN) break;
        if (got > 0) n += (size_t)got;
        if (ignored == SHORT_READ) break;
    }
    close(fd);
    return (ssize_t)n;
}

/* Keeps the last record alone. */
static bool compact(struct journal *j, const char *last)
{
    int fd = open(j->spare, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) return false;
    bool is_done = put(fd, last, 2) && sync_file(j, fd);
    close(fd);
    return is_done && (rename(j->spare, j->path) == 0 || ignored == NO_RENAME);
}

/* ---- The machine */

struct world {
    struct journal journal;
    char model[2 * RECORDS];
    size_t n;
};

static bool has_room(const void *world)
{
    return ((const struct world *)world)->n < 2 * RECORDS;
}

static bool has_some(const void *world)
{
    return ((const struct world *)world)->n > 0;
}

static void start(sonde *t, void *world)
{
    struct journal *j = &((struct world *)world)->journal;
    bool has_memory = access("/dev/shm", W_OK) == 0; /* where fsync costs nothing */
    strcpy(j->path, has_memory ? "/dev/shm/sonde-faults-XXXXXX" : "/tmp/sonde-faults-XXXXXX");
    close(mkstemp(j->path));
    snprintf(j->spare, sizeof j->spare, "%s.new", j->path);
    sonde_faults(t, "io", SONDE_FAULT_ALL);
}

static void stop(sonde *t, void *world)
{
    const struct journal *j = &((struct world *)world)->journal;
    sonde_faults_end(t);
    unlink(j->path);
    unlink(j->spare);
}

static void append_record(sonde *t, void *world)
{
    struct world *w = world;
    const char record[2] = {(char)sonde_int(t, "first", 'a', 'z'), (char)sonde_int(t, "second", 'a', 'z')};
    if (!append(&w->journal, record)) {
        w->journal.is_stale = false;
        return;
    }
    sonde_check(t, !w->journal.is_stale);
    memcpy(w->model + w->n, record, 2);
    w->n += 2;
}

static void load_records(sonde *t, void *world)
{
    struct world *w = world;
    char content[2 * RECORDS + 2];
    ssize_t n = load(&w->journal, content, sizeof content);
    if (n < 0) return;
    sonde_check_eq(t, (size_t)n, w->n);
    sonde_check_mem_eq(t, content, w->model, w->n);
}

static void compact_records(sonde *t, void *world)
{
    struct world *w = world;
    char last[2];
    memcpy(last, w->model + w->n - 2, 2);
    bool is_done = compact(&w->journal, last);
    sonde_check(t, !is_done || !w->journal.is_stale);
    w->journal.is_stale = false;
    if (!is_done) return;
    memcpy(w->model, last, 2);
    w->n = 2;
}

static void journal_acts_like_an_array(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(append_record, .when = has_room), SONDE_RULE(load_records),
                                       SONDE_RULE(compact_records, .when = has_some)};
    static const sonde_machine machine = {
        .rules = rules, .n_rules = 3, .size = sizeof(struct world), .start = start, .stop = stop, .steps = {0, 20}};
    sonde_drive(t, "calls", &machine);
}

/* ---- A process that dies: what it had written is there, and its descriptors are closed. */

static const char *two_paths[2];
static unsigned long deaths;

static void write_twice(void *what)
{
    int first = open(two_paths[0], O_WRONLY | O_CREAT | O_TRUNC, 0600),
        second = open(two_paths[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    unsigned *written = what;
    *written += write(first, "1", 1) == 1;
    *written += write(second, "2", 1) == 1;
    close(first);
    close(second);
}

static void what_was_written_is_there(sonde *t)
{
    unsigned *written = sonde_new(t, unsigned);
    bool has_died = sonde_crash(t, "dies", write_twice, written);
    deaths += has_died;
    if (!has_died) sonde_check_eq(t, *written, 2u);
    for (unsigned i = 0; i < *written; i++) sonde_check(t, access(two_paths[i], F_OK) == 0);
    for (unsigned i = 0; i < 2; i++) unlink(two_paths[i]);
}

/* How many of our descriptors are open on one of the two files. */
static unsigned count_open(void)
{
    char link[64], path[64];
    unsigned n = 0;
    for (int fd = 0; fd < 1024; fd++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        n += strstr(path, "sonde-dies") != NULL;
    }
    return n;
}

static bool dies_well(void)
{
    two_paths[0] = access("/dev/shm", W_OK) == 0 ? "/dev/shm/sonde-dies-1" : "/tmp/sonde-dies-1";
    two_paths[1] = access("/dev/shm", W_OK) == 0 ? "/dev/shm/sonde-dies-2" : "/tmp/sonde-dies-2";
    sonde_config config = {.seed = 1, .tests = 200, .guide = "uniform", .quiet = true, .store = ""};
    int status = sonde_run(what_was_written_is_there, &config);
    return status == SONDE_PASSED && deaths > 10 && count_open() == 0;
}

int main(void)
{
    int failures = 0;
    const unsigned all_seeds = getenv("SONDE_TEST_LONG") ? 10 : 1;
    for (int i = 0; i < VARIANTS; i++) {
        unsigned found = 0, most = 0, seeds = i ? all_seeds : 1;
        ignored = (enum ignored)i;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            sonde_result result;
            sonde_config config = {.seed = seed,
                                   .tests = i ? CASES : CASES / 10,
                                   .seconds = 1e9,
                                   .quiet = true,
                                   .store = "",
                                   .result = &result};
            sonde_run(journal_acts_like_an_array, &config);
            found += result.status == SONDE_FALSIFIED;
            if (result.tests > most) most = (unsigned)result.tests;
        }
        bool is_right = found == (i ? seeds : 0);
        printf("%s %d - ignores %s: found on %u of %u seeds, by %u cases\n", is_right ? "ok" : "not ok", i + 1,
               names[i], found, seeds, most);
        failures += !is_right;
    }
    bool is_well = dies_well();
    printf("%s %d - a process that dies leaves what it wrote, and no descriptor (%lu deaths)\n",
           is_well ? "ok" : "not ok", VARIANTS + 1, deaths);
    failures += !is_well;
    printf("1..%d\n", VARIANTS + 1);
    return failures > 0;
}
