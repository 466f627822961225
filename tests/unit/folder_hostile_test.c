#define _GNU_SOURCE /* syscall */
/* A shared directory in which others have put what no worker writes there, whose clock differs or which cannot rename:
 * nothing outside is read or written, no failure is hidden, and times are the file system's. */
#include "lib/mocka.h"

#include "base/limit.h"
#include "base/mem.h"
#include "share/place.h"
#include "store/files.h"
#include "store/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct sonde_place_ops *const ops = &sonde_folder_ops;
static char here[64];
static unsigned number;

/* ---- The system, as a test wants it */

static bool refuses_rename;
static long clock_ahead; /* seconds by which our clock is ahead of the file system's */
static long passed;      /* seconds that seem to have passed meanwhile */
static void (*before_rename)(void);

int renameat(int from, const char *old, int to, const char *new)
{
    if (refuses_rename) {
        errno = EPERM;
        return -1;
    }
    void (*hook)(void) = before_rename;
    before_rename = NULL;
    if (hook) hook();
    return (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

int clock_gettime(clockid_t id, struct timespec *out)
{
    int result = (int)syscall(SYS_clock_gettime, id, out);
    out->tv_sec += id == CLOCK_REALTIME ? clock_ahead : id == CLOCK_MONOTONIC ? passed : 0;
    return result;
}

/* ---- A directory */

static struct sonde_shared_place *join_as(const char *worker, bool is_read_only)
{
    char message[512] = "", name[128];
    snprintf(name, sizeof name, "dir:%s/place", here);
    struct sonde_shared_place *place = ops->open(&(struct sonde_place_setup){.name = name,
                                                                             .program = "prog",
                                                                             .property = "p",
                                                                             .worker = worker,
                                                                             .is_read_only = is_read_only},
                                                 message, sizeof message);
    if (!place) fail_msg("%s", message);
    return place;
}

static struct sonde_shared_place *join(const char *worker)
{
    return join_as(worker, false);
}

static int begin(void **state)
{
    (void)state;
    snprintf(here, sizeof here, "hostile-%ld-%u", (long)getpid(), number++);
    assert_int_equal(mkdir(here, 0777), 0);
    refuses_rename = false;
    clock_ahead = passed = 0;
    before_rename = NULL;
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", here, here);
    return system(command);
}

/* A path below the test's directory, in one of a few buffers that take turns. */
static const char *in(const char *path)
{
    static char paths[4][4096];
    static unsigned turn;
    char *to = paths[turn++ % 4];
    snprintf(to, sizeof paths[0], "%s/%s", here, path);
    return to;
}

static void make(const char *path)
{
    assert_int_equal(sonde_make_directories(in(path)), 0);
}

static void write_bytes(const char *path, const void *bytes, size_t n)
{
    int fd = open(in(path), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), (ssize_t)n);
    close(fd);
}

static void write_tape(const char *path, const char *token)
{
    size_t n;
    char *bytes = sonde_stored_write(&(struct sonde_stored){.kind = "check", .token = token}, &n);
    write_bytes(path, bytes, n);
    sonde_free(bytes);
}

static void link_to(const char *target, const char *path)
{
    char *whole = realpath(in(target), NULL);
    assert_int_equal(symlink(whole ? whole : target, in(path)), 0);
    free(whole);
}

/* ---- Everything that is read there */

static struct {
    char text[4096];
    struct sonde_shared_place *place;
    unsigned n, n_errors;
} told;

static bool fetch_it(void *context, const struct sonde_notice *notice)
{
    (void)context;
    struct sonde_shared_tape one = {.notice = *notice, .error = -1};
    ops->fetch(told.place, &one, 1);
    size_t at = strlen(told.text);
    told.n++;
    told.n_errors += one.error != 0;
    if (!one.error) snprintf(told.text + at, sizeof told.text - at, "%.*s ", (int)one.n, one.text);
    sonde_free(one.text);
    return true;
}

static bool hear(void *context, const struct sonde_shared_failure *f)
{
    (void)context;
    size_t at = strlen(told.text);
    told.n++;
    snprintf(told.text + at, sizeof told.text - at, "%s ", f->text);
    return true;
}

static const char *read_all(struct sonde_shared_place *place)
{
    memset(&told, 0, sizeof told);
    told.place = place;
    ops->look(place, fetch_it, NULL);
    ops->look_for_failures(place, hear, NULL);
    return told.text;
}

static void nothing_is_read_through_a_link(void **state)
{
    (void)state;
    make("secret/queue");
    make("secret/tapes/00");
    make("secret/failures");
    make("place/fuzzer/queue");
    make("place/linked_room");
    write_bytes("secret/key", "SECRET", 6);
    write_bytes("secret/queue/key", "SECRET", 6);
    write_tape("secret/tapes/00/0000000000000001-.tape", "s1:x=666");
    write_tape("secret/failures/0000000000000001.tape", "s1:x=666");
    write_bytes("place/fuzzer/queue/id:0", "good", 4);
    link_to("secret/key", "place/file");
    link_to("secret/key", "place/fuzzer/queue/id:1");
    link_to("secret", "place/queue");
    link_to("secret", "place/other");
    make("place/third");
    link_to("secret", "place/third/queue");
    assert_int_equal(symlink("/proc/self", in("place/fuzzer/proc")), 0);
    make("place/fourth");
    assert_int_equal(symlink("/proc/self", in("place/fourth/queue")), 0);
    struct sonde_shared_place *a = join("a");
    assert_string_equal(read_all(a), "good ");
    ops->close(a);
    /* Now its own directories, one after the other. */
    static const char *const linked[] = {"place/prog", "place/prog/p", "place/prog/p/tapes", "place/prog/p/tapes/00",
                                         "place/prog/p/failures"};
    static const char *const targets[] = {"secret/..", "secret", "secret/tapes", "secret/tapes/00", "secret/failures"};
    for (size_t i = 1; i < sizeof linked / sizeof *linked; i++) {
        char command[200];
        snprintf(command, sizeof command, "rm -rf '%s'", in("place/prog"));
        assert_int_equal(system(command), 0);
        char *parent = sonde_strdup(linked[i]);
        *strrchr(parent, '/') = '\0';
        make(parent);
        sonde_free(parent);
        link_to(targets[i], linked[i]);
        struct sonde_shared_place *b = join("b");
        const char *got = read_all(b);
        if (strstr(got, "666") || strstr(got, "SECRET")) fail_msg("%s was followed: %s", linked[i], got);
        ops->close(b);
    }
}

static void what_is_no_regular_file_is_not_waited_for(void **state)
{
    (void)state;
    make("place/f/queue/dir");
    make("place/prog/p/tapes/00/0000000000000002-.tape");
    make("place/prog/p/failures/0000000000000002.tape");
    make("place/prog/p/workers");
    make("place/prog/p/claims/0123456789abcdef");
    assert_int_equal(mkfifo(in("place/fifo"), 0666), 0);
    assert_int_equal(mkfifo(in("place/f/queue/fifo"), 0666), 0);
    assert_int_equal(mkfifo(in("place/prog/p/tapes/00/0000000000000001-.tape"), 0666), 0);
    assert_int_equal(mkfifo(in("place/prog/p/failures/0000000000000001.tape"), 0666), 0);
    assert_int_equal(mkfifo(in("place/prog/p/workers/fifo"), 0666), 0);
    assert_int_equal(mkfifo(in("place/prog/p/claims/1123456789abcdef"), 0666), 0);
    struct sonde_shared_place *a = join("a");
    assert_string_equal(read_all(a), "");
    ops->report(a, "{}");
    assert_true(ops->claim(a, "0123456789abcdef") < 0); /* neither ours nor another's: the run decides alone */
    assert_true(ops->claim(a, "1123456789abcdef") < 0);
    ops->release(a, "0123456789abcdef");
    ops->close(a);
}

static void nothing_is_written_through_a_link(void **state)
{
    (void)state;
    struct stat info;
    make("outside");
    make("place/prog/p/tapes");
    make("place/prog/p/claims");
    make("place/prog/p/failures");
    write_bytes("outside/file", "mine", 4);
    link_to("outside", "place/prog/p/tapes/00");
    link_to("outside", "place/prog/p/workers");
    link_to("outside/file", "place/prog/p/claims/0123456789abcdef");
    link_to("outside/file", "place/prog/p/failures/0123456789abcdef.tape");
    struct sonde_shared_place *a = join("a");
    struct sonde_notice notice = {.name = 1};
    char text[] = "s1:x=1";
    struct sonde_shared_tape one = {.notice = notice, .text = text};
    ops->put(a, &one, 1);
    assert_true(one.error < 0);
    assert_true(ops->report(a, "{}") < 0);
    assert_true(ops->claim(a, "0123456789abcdef") < 0);
    struct sonde_shared_failure f = {
        .id = "0123456789abcdef", .kind = "", .message = "", .place = "", .found = "", .text = "s1:x=1"};
    assert_int_equal(ops->put_failure(a, &f), 0); /* in place of the link */
    assert_int_equal(lstat(in("place/prog/p/failures/0123456789abcdef.tape"), &info), 0);
    assert_true(S_ISREG(info.st_mode));
    char *bytes;
    size_t n;
    assert_int_equal(sonde_read_file(in("outside/file"), 100, true, &bytes, &n), 0);
    assert_int_equal(n, 4);
    assert_memory_equal(bytes, "mine", 4);
    sonde_free(bytes);
    struct sonde_names names;
    assert_int_equal(sonde_below_list(in("outside"), SIZE_MAX, &names), 0);
    assert_int_equal(names.n, 1);
    sonde_names_clear(&names);
    ops->close(a);
}

static void the_path_itself_may_be_a_link(void **state)
{
    (void)state;
    make("real/fuzzer/queue");
    write_bytes("real/fuzzer/queue/id:0", "good", 4);
    link_to("real", "place");
    struct sonde_shared_place *a = join("a");
    assert_string_equal(read_all(a), "good ");
    assert_int_equal(ops->report(a, "{}"), 0);
    assert_int_equal(access(in("real/prog/p/workers/a"), F_OK), 0);
    ops->close(a);
}

static void a_version_that_is_a_link_is_refused(void **state)
{
    (void)state;
    char message[512] = "", name[128];
    make("place");
    write_bytes("file", "sonde share 1\n", 14);
    link_to("file", "place/sonde-share");
    snprintf(name, sizeof name, "dir:%s", in("place"));
    assert_null(ops->open(&(struct sonde_place_setup){.name = name, .program = "prog", .property = "p", .worker = "a"},
                          message, sizeof message));
    assert_non_null(strstr(message, "not a regular file"));
}

/* ---- Junk */

static void junk_does_not_hide_a_failure(void **state)
{
    (void)state;
    enum { JUNK = SONDE_LIMIT(4200, 500) };
    make("place/prog/p/failures");
    for (unsigned i = 0; i < JUNK; i++) {
        char name[100];
        snprintf(name, sizeof name, "place/prog/p/failures/%016x.tape", i);
        write_bytes(name, "junk", 4);
    }
    struct sonde_shared_place *a = join("a");
    read_all(a);   /* as a run that has been there for a while */
    usleep(20000); /* by a file system's clock, later than the junk */
    write_tape("place/prog/p/failures/ffffffffffffffff.tape", "s1:x=777");
    const char *got = "";
    for (unsigned looks = 0; looks < 100 && !strstr(got, "777"); looks++) got = read_all(a);
    assert_string_equal(got, "s1:x=777 ");
    assert_string_equal(read_all(a), "");
    ops->close(a);
    struct sonde_shared_place *tool = join_as("tool", true);
    assert_string_equal(read_all(tool), "s1:x=777 ");
    ops->close(tool);
}

static void the_newest_failure_is_read_first(void **state)
{
    (void)state;
    char token[32], name[100];
    make("place/prog/p/failures");
    for (unsigned i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "place/prog/p/failures/%016x.tape", i);
        snprintf(token, sizeof token, "s1:x=%u", i);
        write_tape(name, token);
    }
    usleep(20000);
    write_tape("place/prog/p/failures/ffffffffffffffff.tape", "s1:x=777");
    /* Its contents may be as old as they like. */
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, in("place/prog/p/failures/ffffffffffffffff.tape"), old, 0), 0);
    struct sonde_shared_place *a = join("a");
    unsigned looks = 0;
    while (looks++ < 10 && !strstr(read_all(a), "777")) continue;
#ifndef SONDE_HOSTILE
    assert_int_equal(looks, 1);
#endif
    ops->close(a);
}

static void a_junk_file_of_its_name_does_not_keep_a_failure_back(void **state)
{
    (void)state;
    struct sonde_shared_place *a = join("a"), *b = join("b");
    make("place/prog/p/failures");
    write_bytes("place/prog/p/failures/0123456789abcdef.tape", "junk", 4);
    assert_string_equal(read_all(b), "");
    struct sonde_shared_failure f = {
        .id = "0123456789abcdef", .kind = "", .message = "", .place = "", .found = "", .text = "s1:x=1"};
    usleep(20000);
    assert_int_equal(ops->put_failure(a, &f), 0);
    assert_string_equal(read_all(b), "s1:x=1 ");
    ops->close(a);
    ops->close(b);
}

static bool refuse_all(void *context, const struct sonde_shared_failure *f)
{
    (void)context, (void)f;
    return false;
}

static void a_failure_that_cannot_be_taken_comes_again(void **state)
{
    (void)state;
    make("place/prog/p/failures");
    write_tape("place/prog/p/failures/0123456789abcdef.tape", "s1:x=1");
    struct sonde_shared_place *a = join("a");
    assert_int_equal(ops->look_for_failures(a, refuse_all, NULL), 0);
    assert_string_equal(read_all(a), "s1:x=1 ");
    ops->close(a);
}

/* ---- Times */

static void set_time(const char *path, long seconds_ahead)
{
    struct timespec times[2];
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &times[0]);
    times[0].tv_sec += seconds_ahead;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, in(path), times, 0), 0);
}

static void note_age(void *context, const char *text, double age)
{
    (void)text;
    *(double *)context = age;
}

static void a_host_whose_clock_is_ahead_sees_workers_at_work(void **state)
{
    (void)state;
    double age = -1;
    struct sonde_shared_place *a = join("a");
    ops->report(a, "{}");
    clock_ahead = 45;
    struct sonde_shared_place *tool = join_as("tool", true), *b = join("b");
    assert_int_equal(ops->each_worker(tool, note_age, &age), 0);
    assert_true(age >= 0 && age < SONDE_SILENT_SECONDS);
    ops->report(b, "{}");
    ops->each_worker(b, note_age, &age);
    assert_true(age >= 0 && age < SONDE_SILENT_SECONDS);
    struct sonde_names names;
    assert_int_equal(sonde_below_list(in("place/prog/p/workers"), SIZE_MAX, &names), 0);
    assert_int_equal(names.n, 2); /* how the tool asked for the time has left nothing */
    sonde_names_clear(&names);
    ops->close(a);
    ops->close(b);
    ops->close(tool);
}

static void a_worker_that_lies_about_its_time_is_not_at_work_for_ever(void **state)
{
    (void)state;
    double age = -1;
    struct sonde_shared_place *a = join("a");
    ops->report(a, "{}");
    set_time("place/prog/p/workers/a", 1000);
    struct sonde_shared_place *tool = join_as("tool", true);
    assert_int_equal(ops->each_worker(tool, note_age, &age), 0);
    assert_true(age > SONDE_SILENT_SECONDS);
    ops->close(a);
    ops->close(tool);
}

static const char *const id = "0123456789abcdef";

static void a_claim_from_the_future_lapses(void **state)
{
    (void)state;
    struct sonde_shared_place *a = join("a"), *b = join("b");
    ops->report(b, "{}");
    assert_int_equal(ops->claim(a, id), 1);
    set_time("place/prog/p/claims/0123456789abcdef", 20);
    assert_int_equal(ops->claim(b, id), 0);
    set_time("place/prog/p/claims/0123456789abcdef", 100000);
    assert_int_equal(ops->claim(b, id), 1);
    assert_int_equal(ops->claim(a, id), 0);
    ops->close(a);
    ops->close(b);
}

static struct sonde_shared_place *third;

/* Another worker finds that the claim has lapsed and takes it, between our look at it and our rename. */
static void be_quicker(void)
{
    assert_int_equal(ops->claim(third, id), 1);
}

static void of_two_that_take_over_a_lapsed_claim_one_has_it(void **state)
{
    (void)state;
    struct sonde_shared_place *a = join("a"), *b = join("b");
    third = join("c");
    ops->report(b, "{}");
    ops->report(third, "{}");
    assert_int_equal(ops->claim(a, id), 1);
    set_time("place/prog/p/claims/0123456789abcdef", -1000);
    before_rename = be_quicker;
    assert_int_equal(ops->claim(b, id), 0);
    assert_int_equal(ops->claim(third, id), 1); /* it still has it */
    assert_int_equal(ops->claim(b, id), 0);
    struct sonde_names names;
    assert_int_equal(sonde_below_list(in("place/prog/p/claims"), SIZE_MAX, &names), 0);
    assert_int_equal(names.n, 1);
    sonde_names_clear(&names);
    ops->close(a);
    ops->close(b);
    ops->close(third);
}

/* ---- Mounts that cannot rename, or write */

static void where_renaming_is_refused_reports_are_renewed(void **state)
{
    (void)state;
    char *bytes;
    size_t n;
    refuses_rename = true;
    struct sonde_shared_place *a = join("a"), *b = join("b");
    assert_int_equal(ops->report(a, "first"), 0);
    assert_int_equal(ops->report(a, "second"), 0);
    assert_int_equal(sonde_read_file(in("place/prog/p/workers/a"), 100, true, &bytes, &n), 0);
    assert_int_equal(n, 6);
    assert_memory_equal(bytes, "second", 6);
    sonde_free(bytes);
    ops->report(b, "{}");
    assert_int_equal(ops->claim(a, id), 1);
    assert_int_equal(ops->claim(b, id), 0);
    set_time("place/prog/p/claims/0123456789abcdef", -1000);
    assert_int_equal(ops->claim(b, id), 1);
    ops->close(a);
    ops->close(b);
}

static void a_place_that_cannot_be_written_is_an_error_and_no_more(void **state)
{
    (void)state;
    if (geteuid() == 0) skip(); /* root may write everywhere */
    struct sonde_shared_place *a = join("a");
    make("place/prog/p/failures");
    assert_int_equal(chmod(in("place/prog/p/failures"), 0555), 0);
    assert_int_equal(chmod(in("place/prog/p"), 0555), 0);
    struct sonde_shared_failure f = {
        .id = "0123456789abcdef", .kind = "", .message = "", .place = "", .found = "", .text = "s1:x=1"};
    assert_int_equal(ops->put_failure(a, &f), -EACCES);
    assert_int_equal(ops->report(a, "{}"), -EACCES);
    ops->close(a);
}

/* ---- Room */

static int put_number(struct sonde_shared_place *place, uint64_t name)
{
    struct sonde_notice notice = {.name = name};
    char text[] = "s1:x=1";
    struct sonde_shared_tape one = {.notice = notice, .text = text, .error = -1};
    ops->put(place, &one, 1);
    return one.error;
}

static bool take(void *context, const struct sonde_notice *notice)
{
    (void)notice;
    ++*(unsigned *)context;
    return true;
}

static void a_place_that_was_full_takes_tapes_once_it_is_pruned(void **state)
{
    (void)state;
    enum { MOST = SONDE_LIMIT(1 << 17, 1 << 12) };
    if (MOST > 1 << 12 && !getenv("SONDE_TEST_LONG")) skip(); /* the hostile build has small limits */
    char name[100];
    unsigned n = 0;
    make("place/prog/p/tapes/00");
    for (unsigned i = 1; i <= MOST; i++) {
        snprintf(name, sizeof name, "place/prog/p/tapes/00/%016x-.tape", i);
        write_bytes(name, "", 0);
    }
    struct sonde_shared_place *a = join("a");
    for (unsigned i = 0; i < 20; i++) ops->look(a, take, &n);
    assert_int_equal(n, MOST);
    assert_int_equal(put_number(a, UINT64_C(1) << 63), -EFBIG);
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", in("place/prog/p/tapes/00"));
    assert_int_equal(system(command), 0);
    passed = 100; /* it does not count again for each tape */
    assert_int_equal(put_number(a, UINT64_C(1) << 63), 0);
    ops->close(a);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_read_through_a_link),
        TEST(what_is_no_regular_file_is_not_waited_for),
        TEST(nothing_is_written_through_a_link),
        TEST(the_path_itself_may_be_a_link),
        TEST(a_version_that_is_a_link_is_refused),
        TEST(junk_does_not_hide_a_failure),
        TEST(the_newest_failure_is_read_first),
        TEST(a_junk_file_of_its_name_does_not_keep_a_failure_back),
        TEST(a_failure_that_cannot_be_taken_comes_again),
        TEST(a_host_whose_clock_is_ahead_sees_workers_at_work),
        TEST(a_worker_that_lies_about_its_time_is_not_at_work_for_ever),
        TEST(a_claim_from_the_future_lapses),
        TEST(of_two_that_take_over_a_lapsed_claim_one_has_it),
        TEST(where_renaming_is_refused_reports_are_renewed),
        TEST(a_place_that_cannot_be_written_is_an_error_and_no_more),
        TEST(a_place_that_was_full_takes_tapes_once_it_is_pruned),
    };
    return cmocka_run_group_tests_name("folder_hostile", tests, NULL, NULL);
}
