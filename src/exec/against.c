/* See exec.h and against.h. The order of questions about a case: did both draw the same? Which observed value is the
 * first that differs? Did the case end alike? So the report names the earliest difference, not its consequences. */
#include "exec/against.h"

#include "base/buffer.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/visible.h"
#include "exec/against_wire.h"
#include "exec/exec.h"
#include "exec/servers.h"
#include "tape/codec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ACCEPTED_MAX = 256, NAME_SHOWN = 256, ARGUMENTS = 10, NUMBER = 48 };

/* The name by which --accept knows a difference in how a case ended. */
static const char ending_name[] = "(ended)";

/* Seconds after which a server that has not answered is given up: to its greeting, and beyond the time that a case may
 * take. */
static const double greeting_seconds = 20, spare_seconds = 30;
/* After this many failed attempts in a row to reach a server, a worker stops trying. */
enum { ATTEMPTS = 3 };

/* Counts and findings that all processes of the run write. */
struct shared {
    atomic_ullong compared, draws_differ, lost, values;
    atomic_ullong first; /* digest of the values of some case; 0: none yet */
    atomic_bool varies;  /* another case showed other values */
    atomic_bool has_draws;
    char draws[256];
    char build[256];
    atomic_bool is_seen[ACCEPTED_MAX]; /* by accepted difference: some case showed it */
};

/* The comparison. Workers inherit it by fork; the last members are their own. */
static struct {
    struct sonde_against_setup setup;
    struct shared *shared;
    char *accepted[ACCEPTED_MAX]; /* names of observed values */
    size_t n_accepted;
    uint64_t identity;
    double patience;
    char numbers[4][NUMBER];
    const char *argv[ARGUMENTS];
    int fd; /* of the server; -1: none */
    pid_t owner;
    int failures;
    bool is_out_of_step;
    bool is_copy; /* the other program is this one, byte for byte */
} own = {.fd = -1};

bool sonde_against_is_open;

void sonde_against_pause(void)
{
    sonde_against_is_open = false;
}

/* ---- Accepted differences: lines of a property and the name of an observed value; # begins a comment */

SONDE_PRINTF(3, 4) static bool refuse(char *message, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, size, format, args);
    va_end(args);
    return false;
}

/* Reads one line, without its end. Returns false, with a message, if it is neither empty, a comment nor an entry. */
static bool read_accepted(char *line, unsigned number, char *message, size_t size)
{
    size_t n = strlen(line);
    while (n && strchr(" \t\r\n", line[n - 1])) line[--n] = '\0';
    line += strspn(line, " \t");
    if (!*line || *line == '#') return true;
    size_t property = strcspn(line, " \t");
    char *name = line + property + strspn(line + property, " \t");
    if (!*name)
        return refuse(
            message, size,
            "--accept: %.300s:%u: the name of an observed value is missing after '%.100s'; write PROPERTY NAME",
            own.setup.accepted, number, line);
    line[property] = '\0';
    if (strcmp(line, own.setup.property->name ? own.setup.property->name : "property") != 0) return true;
    if (own.n_accepted == ACCEPTED_MAX)
        return refuse(message, size, "--accept: %.300s:%u: more than %d differences of one property",
                      own.setup.accepted, number, ACCEPTED_MAX);
    own.accepted[own.n_accepted++] = sonde_strdup(name);
    return true;
}

static bool read_all_accepted(char *message, size_t size)
{
    if (!own.setup.accepted) return true;
    FILE *in = fopen(own.setup.accepted, "re");
    struct stat info;
    if (!in || fstat(fileno(in), &info) < 0 || !S_ISREG(info.st_mode)) {
        const char *why = !in ? strerror(errno) : "it is not a file";
        if (in) fclose(in);
        return refuse(
            message, size,
            "--accept: cannot read '%.300s': %s; create it, empty at first, and add the lines that reports of "
            "differences end with",
            own.setup.accepted, why);
    }
    char *line = NULL;
    size_t cap = 0;
    bool is_good = true;
    for (unsigned number = 1; is_good && getline(&line, &cap, in) >= 0; number++)
        is_good = read_accepted(line, number, message, size);
    free(line);
    fclose(in);
    return is_good;
}

/* Returns the index of the accepted difference with that name; -1: it is not accepted. */
static int accepted_at(const char *name)
{
    char shown[NAME_SHOWN];
    if (!own.n_accepted) return -1;
    sonde_visible(shown, sizeof shown, name);
    for (size_t i = 0; i < own.n_accepted; i++)
        if (!strcmp(own.accepted[i], shown)) return (int)i;
    return -1;
}

const char *sonde_against_unseen(size_t i)
{
    for (size_t k = 0; own.shared && k < own.n_accepted; k++)
        if (!atomic_load(&own.shared->is_seen[k]) && i-- == 0) return own.accepted[k];
    return NULL;
}

/* ---- Servers */

static void hang_up(void)
{
    sonde_servers_hang_up(own.fd);
    own.fd = -1;
}

/* Connects to a new server. Returns false if there is none; *message then has what it said, or is empty. */
static bool connect_server(char *message, size_t size)
{
    struct sonde_bytes words = {0};
    char type = 0;
    *message = '\0';
    own.fd = sonde_servers_connect();
    own.owner = getpid();
    own.is_out_of_step = false;
    const char *property = own.setup.property->name ? own.setup.property->name : "property";
    sonde_bytes_add_u32(&words, SONDE_AGAINST_VERSION);
    sonde_bytes_add(&words, property, strlen(property));
    bool is_there = own.fd >= 0 && sonde_against_send(own.fd, 'H', words.data, words.n)
                    && sonde_against_receive(own.fd, greeting_seconds, &words, &type);
    if (is_there) snprintf(message, size, "%.*s", (int)words.n, (const char *)words.data);
    sonde_bytes_clear(&words);
    if (is_there && type == 'G') return true;
    if (type != 'E') *message = '\0';
    hang_up();
    return false;
}

/* Returns whether this process has a server. A forked process must not talk to the server of its parent. */
static bool has_server(void)
{
    char message[1024];
    if (own.fd >= 0 && own.owner == getpid()) return true;
    if (own.owner != getpid()) own.failures = 0;
    own.fd = -1;
    if (own.failures >= ATTEMPTS) return false;
    if (connect_server(message, sizeof message)) {
        own.failures = 0;
        return true;
    }
    own.failures++;
    return false;
}

/* Runs a tape in the server, and reads its reply, whose list the caller clears. */
static bool ask(const struct sonde_tape *tape, const struct sonde_labels *labels, bool is_cut,
                struct sonde_against_reply *reply)
{
    struct sonde_bytes bytes = {0};
    char type = 0;
    size_t n;
    uint8_t *code = sonde_tape_encode(tape, labels, &n);
    sonde_bytes_add_u32(&bytes, is_cut);
    sonde_bytes_add(&bytes, code, n);
    sonde_free(code);
    bool is_there = sonde_against_send(own.fd, 'T', bytes.data, bytes.n)
                    && sonde_against_receive(own.fd, own.patience, &bytes, &type) && type == 'R';
    *reply = (struct sonde_against_reply){.draws_differ = false};
    bool is_good = is_there && sonde_against_read_reply(bytes.data, bytes.n, reply);
    if (is_there && !is_good) sonde_observed_clear(&reply->observed);
    sonde_bytes_clear(&bytes);
    if (!is_good) hang_up();
    if (!is_good) own.failures++;
    return is_good;
}

bool sonde_against_is_out_of_step(void)
{
    return sonde_against_is_open && own.is_out_of_step;
}

/* ---- Opening and closing */

static void set_command(void)
{
    const struct sonde_against_setup *s = &own.setup;
    size_t n = 0;
    snprintf(own.numbers[0], NUMBER, "--timeout=%.17g", s->cpu_seconds);
    snprintf(own.numbers[1], NUMBER, "--wall-timeout=%.17g", s->wall_seconds);
    snprintf(own.numbers[2], NUMBER, "--memory-limit=%" PRIu64, s->memory);
    snprintf(own.numbers[3], NUMBER, "--max-choices=%" PRIu64, s->max_choices);
    own.argv[n++] = s->program;
    own.argv[n++] = "--isolate=worker";
    for (size_t i = 0; i < 4; i++) own.argv[n++] = own.numbers[i];
    if (s->guards) own.argv[n++] = "--guard";
    own.argv[n] = NULL;
    own.patience = spare_seconds + 2 * (s->wall_seconds > s->cpu_seconds ? s->wall_seconds : s->cpu_seconds);
}

/* Returns a hash of the contents of the program's file; 0 if it cannot be read. */
static uint64_t hash_file(const char *path)
{
    char part[1 << 14];
    uint64_t hash = SONDE_AGAINST_VERSION;
    FILE *in = fopen(path, "re");
    for (size_t n; in && (n = fread(part, 1, sizeof part, in)) > 0;) hash = sonde_hash_bytes(hash, part, n);
    if (in) fclose(in);
    return in ? hash | 1 : 0;
}

static bool is_program(const char *path, char *message, size_t size)
{
    struct stat info, self;
    if (stat(path, &info) < 0)
        return refuse(message, size,
                      "--against: '%.300s': %s; give the file path of the program built from the old version", path,
                      strerror(errno));
    if (!S_ISREG(info.st_mode) || access(path, X_OK) != 0)
        return refuse(message, size, "--against: '%.300s' is not a program; give the one built from the old version",
                      path);
    if (stat("/proc/self/exe", &self) == 0 && self.st_dev == info.st_dev && self.st_ino == info.st_ino)
        return refuse(message, size, "--against: '%.300s' is this program; give the one built from the old version",
                      path);
    return true;
}

static bool try_server(char *message, size_t size)
{
    char words[512], said[256];
    if (connect_server(words, sizeof words)) {
        snprintf(own.shared->build, sizeof own.shared->build, "%.255s", words);
        hang_up();
        return true;
    }
    sonde_servers_complaints(said, sizeof said);
    if (*words) return refuse(message, size, "--against: '%.300s': %s", own.setup.program, words);
    return refuse(
        message, size,
        "--against: '%.300s' does not answer as a test program of sonde with --against does%s%s; build it from "
        "the old version of the code, with the same version of sonde and the same properties",
        own.setup.program, *said ? ". It printed: " : "", said);
}

bool sonde_against_open(const struct sonde_against_setup *setup, char *message, size_t size)
{
    own.setup = *setup;
    own.n_accepted = 0;
    if (!is_program(setup->program, message, size) || !read_all_accepted(message, size)) return false;
    void *memory = mmap(NULL, sizeof *own.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return refuse(message, size, "--against: no shared memory: %s", strerror(errno));
    own.shared = memory;
    own.identity = hash_file(setup->program);
    own.is_copy = own.identity && own.identity == hash_file("/proc/self/exe");
    set_command();
    int error = sonde_servers_open(own.argv);
    if (error < 0) return refuse(message, size, "--against: no process can be started: %s", strerror(-error));
    if (!try_server(message, size)) return false;
    return sonde_against_is_open = true;
}

void sonde_against_close(void)
{
    sonde_against_is_open = false;
    hang_up();
    sonde_servers_close();
    while (own.n_accepted) sonde_free(own.accepted[--own.n_accepted]);
    if (own.shared) munmap(own.shared, sizeof *own.shared);
    own.shared = NULL;
    own.identity = 0;
}

bool sonde_against_count(struct sonde_against_counts *counts)
{
    const struct shared *s = own.shared;
    if (!sonde_against_is_open) return false;
    *counts = (struct sonde_against_counts){.compared = atomic_load(&s->compared),
                                            .draws_differ = atomic_load(&s->draws_differ),
                                            .lost = atomic_load(&s->lost),
                                            .values = atomic_load(&s->values),
                                            .varies = atomic_load(&s->varies),
                                            .is_copy = own.is_copy};
    memcpy(counts->draws, s->draws, sizeof counts->draws);
    memcpy(counts->build, s->build, sizeof counts->build);
    return true;
}

uint64_t sonde_against_identity(void)
{
    return sonde_against_is_open ? own.identity : 0;
}

/* ---- Comparing */

/* Returns whether a case ended before it could make all of its draws. */
static bool is_cut(const sonde *t)
{
    return t->verdict != SONDE_VALID;
}

/* Copies the part of a list that counts: values observed after at most `draws` draws whose difference is not
 * accepted. The view borrows the bytes of the list; the caller frees view->all. */
static void view_of(struct sonde_observed *view, const struct sonde_observed *list, uint32_t draws)
{
    *view = *list;
    view->all = sonde_malloc((list->mark.n + 1u) * sizeof *view->all);
    view->mark.n = 0;
    bool is_whole = true;
    for (uint32_t i = 0; i < list->mark.n; i++) {
        bool is_in = list->all[i].draws <= draws;
        is_whole &= is_in;
        if (is_in && accepted_at(sonde_observed_name(list, i)) < 0) view->all[view->mark.n++] = list->all[i];
    }
    bool is_same = is_whole && view->mark.n == list->mark.n;
    if (!is_same) view->mark.n_all = view->mark.n;
    if (!is_same) view->mark.digest = 0;
}

/* Notes which accepted differences this case shows: by name, the values of one list and of the other. */
static void note_accepted(const struct sonde_observed *got, const struct sonde_observed *want)
{
    for (size_t k = 0; k < own.n_accepted; k++) {
        uint64_t hashes[2] = {0, 0};
        const struct sonde_observed *lists[2] = {got, want};
        if (atomic_load(&own.shared->is_seen[k])) continue;
        for (int side = 0; side < 2; side++)
            for (uint32_t i = 0; i < lists[side]->mark.n; i++)
                if (accepted_at(sonde_observed_name(lists[side], i)) == (int)k)
                    hashes[side] = sonde_hash_add(hashes[side] + 1, lists[side]->all[i].hash);
        if (hashes[0] != hashes[1]) atomic_store(&own.shared->is_seen[k], true);
    }
}

static const char *verdict_words(enum sonde_verdict verdict)
{
    switch (verdict) {
    case SONDE_VALID: return "valid";
    case SONDE_DISCARDED: return "discarded";
    case SONDE_FAILED: return "failed";
    case SONDE_OVERRUN: return "too large";
    case SONDE_MISUSE: return "misuse of sonde";
    }
    return "unknown";
}

/* Fails the case for an observed value: the i-th of both views. */
static void differ_in_value(sonde *t, const struct sonde_observed *got, const struct sonde_observed *want, uint32_t i)
{
    enum { MESSAGE = 900, SIDE = 400 };
    char message[MESSAGE], shown[NAME_SHOWN], sides[2][SIDE] = {"nothing", "nothing"};
    const struct sonde_observed *named = i < got->mark.n ? got : want;
    const char *name = i < named->mark.n ? sonde_observed_name(named, i) : "observed values";
    sonde_observed_differ(got, want, message, sizeof message);
    if (i < got->mark.n) sonde_observed_print(got, i, sides[0], SIDE);
    if (i < want->mark.n) sonde_observed_print(want, i, sides[1], SIDE);
    sonde_visible(shown, sizeof shown, name);
    sonde_case_differs(t, sonde_hash_text(SONDE_CLAIM_DIFFERENCE, name), shown, message,
                       (const char *const[]){sides[0], sides[1]});
}

/* Fails the case because it ended in another way. */
static void differ_in_ending(sonde *t, const struct sonde_against_reply *r)
{
    char message[900], got[400], want[400];
    const char *precondition = t->verdict == SONDE_DISCARDED ? t->rejection.condition : NULL;
    int at = accepted_at(ending_name);
    if (at >= 0) {
        atomic_store(&own.shared->is_seen[at], true);
        return;
    }
    snprintf(got, sizeof got, "%s%s%.300s", verdict_words(t->verdict), precondition ? ": " : "",
             precondition ? precondition : "");
    snprintf(want, sizeof want, "%s%s%.300s", verdict_words(r->verdict), *r->words ? ": " : "", r->words);
    snprintf(message, sizeof message, "the case ended differently: got %s, want %s", got, want);
    uint64_t what = sonde_hash_add(sonde_hash_text(SONDE_CLAIM_DIFFERENCE, ending_name),
                                   (uint64_t)t->verdict * (SONDE_MISUSE + 1) + (uint64_t)r->verdict);
    sonde_case_differs(t, sonde_hash_add(what, r->brief), ending_name, message, (const char *const[]){"", ""});
}

/* Notes that the other program drew other values; describes the first such case. */
static void note_draws(const struct sonde_against_reply *r)
{
    atomic_fetch_add(&own.shared->draws_differ, 1);
    if (atomic_exchange(&own.shared->has_draws, true)) return;
    memcpy(own.shared->draws, r->where.text, sizeof own.shared->draws);
}

/* Notes whether cases show different values at all. */
static void note_values(const struct sonde_observed *list)
{
    unsigned long long none = 0, digest = list->mark.digest + !list->mark.digest;
    if (!list->mark.n_all || atomic_load_explicit(&own.shared->varies, memory_order_relaxed)) return;
    if (!atomic_compare_exchange_strong(&own.shared->first, &none, digest) && none != digest)
        atomic_store(&own.shared->varies, true);
}

/* Compares a case that did not fail with the reply. Values that were observed before the draws differ are still of one
 * input. */
static void judge(sonde *t, const struct sonde_against_reply *r)
{
    struct sonde_observed got, want;
    view_of(&got, &t->observed, r->draws_differ ? r->where.in_first : UINT32_MAX);
    view_of(&want, &r->observed, r->draws_differ ? r->where.in_second : UINT32_MAX);
    if (own.n_accepted) note_accepted(&t->observed, &r->observed);
    note_values(&t->observed);
    uint32_t both = got.mark.n < want.mark.n ? got.mark.n : want.mark.n, i = sonde_observed_first(&got, &want);
    bool has_both = i < both, has_one = got.mark.n_all != want.mark.n_all || got.mark.digest != want.mark.digest;
    /* Of a list that was cut off, the values after the cut are known by a hash only. */
    atomic_fetch_add(&own.shared->values, got.mark.n > want.mark.n ? got.mark.n : want.mark.n);
    if (has_both) differ_in_value(t, &got, &want, i);
    else if (r->draws_differ) note_draws(r);
    else if (t->verdict != r->verdict) differ_in_ending(t, r);
    else if (has_one) differ_in_value(t, &got, &want, i);
    if (!r->draws_differ || has_both) atomic_fetch_add(&own.shared->compared, 1);
    sonde_free(got.all);
    sonde_free(want.all);
}

/* noinline: called for each case of a run that compares, and for no other. */
__attribute__((noinline)) void sonde_against_case(sonde *t)
{
    struct sonde_against_reply reply;
    if (t->verdict == SONDE_MISUSE) return;
    if (!has_server() || !ask(&t->tape, t->labels, is_cut(t), &reply)) {
        atomic_fetch_add(&own.shared->lost, 1);
        return;
    }
    /* The other program starts again after a death, without the state that its cases left. */
    own.is_out_of_step |= reply.verdict == SONDE_FAILED && reply.kind > SONDE_CLAIM_FAIL;
    if (t->verdict != SONDE_FAILED) judge(t, &reply);
    sonde_observed_clear(&reply.observed);
}

bool sonde_against_describe(const struct sonde_tape *const *tapes, uint32_t n, const sonde *t, char *out, size_t size)
{
    struct sonde_against_reply reply;
    if (!sonde_against_is_open || !n) return false;
    hang_up();
    bool is_known = has_server();
    for (uint32_t i = 0; i < n && is_known; i++) {
        if (i) sonde_observed_clear(&reply.observed);
        is_known = ask(tapes[i], t->labels, true, &reply);
    }
    if (!is_known) return false;
    const char *words = reply.words;
    if (reply.draws_differ) snprintf(out, size, "draws other values: %s", reply.where.text);
    else if (reply.verdict == SONDE_VALID) snprintf(out, size, "holds");
    else
        snprintf(out, size, "%s%s%s", reply.verdict == SONDE_FAILED ? "fails, too" : verdict_words(reply.verdict),
                 *words ? ": " : "", words);
    sonde_observed_clear(&reply.observed);
    hang_up();
    return true;
}
