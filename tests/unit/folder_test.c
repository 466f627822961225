/* The directory that workers share: what one puts there another finds, once; claims are one worker's at a time; other
 * versions are refused; and whatever else lies there does no harm. */
#include "lib/mocka.h"

#include "base/limit.h"
#include "base/mem.h"
#include "share/place.h"
#include "store/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct sonde_place_ops *const ops = &sonde_folder_ops;

/* Each test begins with a separate directory in the current directory, which belongs to the test. */
static char here[64];
static unsigned number;

static struct sonde_shared_place *join(const char *worker)
{
    char message[512] = "", name[128];
    snprintf(name, sizeof name, "dir:%s", here);
    struct sonde_shared_place *place =
        ops->open(&(struct sonde_place_setup){.name = name, .program = "prog", .property = "p", .worker = worker},
                  message, sizeof message);
    if (!place) fail_msg("%s", message);
    return place;
}

static int begin(void **state)
{
    (void)state;
    snprintf(here, sizeof here, "share-%ld-%u", (long)getpid(), number++);
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", here);
    return system(command);
}

static bool count(void *context, const struct sonde_notice *notice)
{
    struct sonde_notice *last = context;
    uint64_t n = last->name + 1;
    *last = *notice;
    last->where = NULL;
    last->name = n;
    return true;
}

static unsigned look(struct sonde_shared_place *place, struct sonde_notice *last)
{
    *last = (struct sonde_notice){0};
    assert_int_equal(ops->look(place, count, last), 0);
    return (unsigned)last->name; /* how many */
}

static int put(struct sonde_shared_place *place, const struct sonde_notice *notice, const char *text)
{
    struct sonde_shared_tape one = {.notice = *notice, .text = (char *)(uintptr_t)text, .error = -1};
    ops->put(place, &one, 1);
    return one.error;
}

static int fetch(struct sonde_shared_place *place, const struct sonde_notice *notice, char **text, size_t *n)
{
    struct sonde_shared_tape one = {.notice = *notice, .error = -1};
    ops->fetch(place, &one, 1);
    *text = one.text;
    *n = one.n;
    return one.error;
}

static bool fetch_it(void *context, const struct sonde_notice *notice)
{
    void **both = context;
    char *text = NULL;
    size_t n;
    *(int *)both[1] = fetch(both[0], notice, &text, &n);
    if (text) snprintf(both[2], 100, "%.*s", (int)n, text);
    sonde_free(text);
    return true;
}

static void what_one_puts_there_another_finds_once(void **state)
{
    (void)state;
    struct sonde_shared_place *a = join("a"), *b = join("b");
    struct sonde_notice last, tape = {.name = UINT64_C(0xfedcba9876543210), .n_keys = 2, .keys = {7, 0xffffffff}};
    assert_int_equal(look(b, &last), 0);
    assert_int_equal(put(a, &tape, "s1:x=3"), 0);
    assert_int_equal(put(a, &tape, "s1:x=3"), 0);
    assert_int_equal(look(a, &last), 0); /* its own */
    assert_int_equal(look(b, &last), 1);
    assert_int_equal(last.n_keys, 2);
    assert_int_equal(last.keys[1], 0xffffffff);
    assert_int_equal(look(b, &last), 0);
    struct sonde_shared_place *c = join("c");
    char text[100] = "";
    int error = -1;
    void *both[] = {c, &error, text};
    ops->look(c, fetch_it, both);
    assert_int_equal(error, 0);
    assert_string_equal(text, "s1:x=3");
    ops->close(a);
    ops->close(b);
    ops->close(c);
}

static void a_visit_that_is_ended_goes_on_the_next_time(void **state)
{
    (void)state;
    struct sonde_shared_place *a = join("a"), *b = join("b");
    struct sonde_notice last;
    for (uint64_t i = 1; i <= 20; i++) assert_int_equal(put(a, &(struct sonde_notice){.name = i << 57}, "s1:x=1"), 0);
    unsigned n = look(b, &last);
    assert_int_equal(n, 20);
    ops->close(a);
    ops->close(b);
}

static bool keep_failure(void *context, const struct sonde_shared_failure *f)
{
    char *out = context;
    size_t n = strlen(out);
    snprintf(out + n, 200 - n, "%.4s%s=%s ", f->id, f->is_shrunk ? "!" : "", f->text);
    return true;
}

static void failures_are_told_as_found_and_as_shrunk(void **state)
{
    (void)state;
    struct sonde_shared_place *a = join("a"), *b = join("b");
    char told[200] = "";
    struct sonde_shared_failure f = {
        .id = "00000000deadbeef", .kind = "check", .message = "m\x1b", .place = "", .found = "", .text = "s1:x=99"};
    assert_int_equal(ops->put_failure(a, &f), 0);
    assert_int_equal(ops->look_for_failures(b, keep_failure, told), 0);
    assert_string_equal(told, "0000=s1:x=99 ");
    f.text = "s1:x=98";
    ops->put_failure(b, &f); /* the first counts */
    f.is_shrunk = true;
    f.text = "s1:x=1";
    assert_int_equal(ops->put_failure(a, &f), 0);
    told[0] = '\0';
    ops->look_for_failures(b, keep_failure, told);
    assert_string_equal(told, "0000!=s1:x=1 ");
    told[0] = '\0';
    ops->look_for_failures(a, keep_failure, told);
    assert_string_equal(told, "");
    ops->close(a);
    ops->close(b);
}

static void make_old(const char *id, long seconds)
{
    char *path = sonde_path("%s/prog/p/claims/%s", here, id);
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    sonde_free(path);
}

static void a_claim_is_one_workers_until_it_lapses(void **state)
{
    (void)state;
    const char *id = "0123456789abcdef";
    struct sonde_shared_place *a = join("a"), *b = join("b");
    ops->report(a, "{}\n"); /* which tells it what time it is there */
    ops->report(b, "{}\n");
    assert_int_equal(ops->claim(a, id), 1);
    assert_int_equal(ops->claim(b, id), 0);
    assert_int_equal(ops->claim(a, id), 1);
    make_old(id, SONDE_LEASE_SECONDS - 20);
    assert_int_equal(ops->claim(b, id), 0);
    assert_int_equal(ops->claim(a, id), 1); /* renewed */
    make_old(id, SONDE_LEASE_SECONDS + 20);
    assert_int_equal(ops->claim(b, id), 1);
    assert_int_equal(ops->claim(a, id), 0);
    ops->release(a, id); /* not its own any more */
    assert_int_equal(ops->claim(a, id), 0);
    ops->release(b, id);
    assert_int_equal(ops->claim(a, id), 1);
    ops->close(a);
    ops->close(b);
}

static void write_file(const char *name, const void *bytes, size_t n)
{
    char *path = sonde_path("%s/%s", here, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), (ssize_t)n);
    close(fd);
    sonde_free(path);
}

static void another_version_is_refused(void **state)
{
    (void)state;
    char message[512] = "";
    ops->close(join("a"));
    write_file("sonde-share", "sonde share 2\n", 14);
    struct sonde_place_setup setup = {.name = here, .program = "prog", .property = "p", .worker = "a"};
    assert_null(ops->open(&setup, message, sizeof message));
    assert_non_null(strstr(message, "another version of sonde"));
}

static void what_is_no_folder_is_refused(void **state)
{
    (void)state;
    char message[512] = "";
    int fd = open(here, O_WRONLY | O_CREAT, 0666);
    close(fd);
    struct sonde_place_setup setup = {.name = here, .program = "prog", .property = "p", .worker = "a"};
    assert_null(ops->open(&setup, message, sizeof message));
    assert_non_null(strstr(message, "cannot be used"));
}

static void queues_of_other_fuzzers_are_read(void **state)
{
    (void)state;
    struct sonde_notice last;
    struct sonde_shared_place *a = join("a");
    char *queue = sonde_path("%s/fuzzer01/queue", here);
    assert_int_equal(sonde_make_directories(queue), 0);
    write_file("fuzzer01/queue/id:000000,orig:seed", "abc", 3);
    write_file("fuzzer01/fuzzer_stats", "no input", 8);
    write_file("da39a3ee5e6b4b0d", "xyz", 3); /* libFuzzer's */
    assert_int_equal(look(a, &last), 2);
    assert_true(last.is_bytes);
    ops->close(a);
    sonde_free(queue);
}

/* Damaged files, as a user or a disk may leave them there. */
static void write_damaged(struct sonde_rng *rng, unsigned i)
{
    static const char good[] = "# sonde tape 1\n# kind: coverage\n# checksum: 0123456789abcdef\ns1:x=3\n";
    char bytes[sizeof good], name[200];
    uint64_t hash = sonde_rng_next(rng);
    memcpy(bytes, good, sizeof good);
    for (unsigned k = 0; k < i % 8; k++) bytes[sonde_rng_upto(rng, sizeof good - 2)] = (char)sonde_rng_upto(rng, 255);
    if (i % 16 == 7)
        snprintf(name, sizeof name, "prog/p/failures/%016llx%s", (unsigned long long)hash,
                 i % 32 == 7 ? ".tape" : ".min.tape");
    else if (i % 16 == 3)
        snprintf(name, sizeof name, "prog/p/tapes/%02x/%0*x", (unsigned)(hash >> 58), 1 + (int)(i % 150), i);
    else
        snprintf(name, sizeof name, "prog/p/tapes/%02x/%016llx-%08x.tape", (unsigned)(hash >> 58),
                 (unsigned long long)hash, i);
    write_file(name, bytes, sonde_rng_upto(rng, sizeof good - 1));
}

static bool fetch_any(void *context, const struct sonde_notice *notice)
{
    void **both = context;
    char *text = NULL;
    size_t n = 0;
    int error = fetch(both[0], notice, &text, &n);
    *(unsigned *)both[1] += error != 0;
    assert_true(error || strlen(text) == n);
    sonde_free(text);
    return true;
}

static bool count_failure(void *context, const struct sonde_shared_failure *f)
{
    *(unsigned *)context += strlen(f->id) == SONDE_FAILURE_ID && f->text != NULL;
    return true;
}

static void damaged_entries_do_no_harm(void **state)
{
    (void)state;
    /* fewer than the most that one visit reads */
    unsigned n = getenv("SONDE_TEST_LONG") ? SONDE_LIMIT(100000, 4000) : 2000, bad = 0, failures = 0;
    struct sonde_rng rng;
    struct sonde_shared_place *a = join("a");
    sonde_rng_seed(&rng, 25, 2);
    for (unsigned i = 0; i < 64; i++) {
        char *part = sonde_path("%s/prog/p/tapes/%02x", here, i);
        sonde_make_directories(part);
        sonde_free(part);
    }
    char *folder = sonde_path("%s/prog/p/failures", here);
    sonde_make_directories(folder);
    for (unsigned i = 0; i < n; i++) write_damaged(&rng, i);
    assert_int_equal(symlink("nowhere", "link"), 0);
    unlink("link");
    void *both[] = {a, &bad};
    assert_int_equal(ops->look(a, fetch_any, both), 0);
    for (unsigned i = 0; i < 10; i++) assert_int_equal(ops->look_for_failures(a, count_failure, &failures), 0);
    assert_true(bad > n / 2);
    assert_true(failures < n / 64); /* a damaged line of the checksum does not count */
    /* The shared directory still works as usual. */
    struct sonde_shared_place *b = join("b");
    assert_int_equal(put(b, &(struct sonde_notice){.name = 1}, "s1:x=1"), 0);
    struct sonde_notice last;
    assert_int_equal(look(a, &last), 1);
    ops->close(a);
    ops->close(b);
    sonde_free(folder);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(what_one_puts_there_another_finds_once),
        TEST(a_visit_that_is_ended_goes_on_the_next_time),
        TEST(failures_are_told_as_found_and_as_shrunk),
        TEST(a_claim_is_one_workers_until_it_lapses),
        TEST(another_version_is_refused),
        TEST(what_is_no_folder_is_refused),
        TEST(queues_of_other_fuzzers_are_read),
        TEST(damaged_entries_do_no_harm),
    };
    return cmocka_run_group_tests_name("folder", tests, NULL, NULL);
}
