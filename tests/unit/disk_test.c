/* The state of real files after a power cut, by the model alone: each draw is answered here, so what is lost is
 * known. */
#include "lib/mocka.h"

#include "base/heap.h"
#include "base/mem.h"
#include "case/case.h"
#include "case/disk/model.h"
#include "lib/disk_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SECTOR = 512, ALL = 0, NOTHING = 1, SOME = 2 }; /* what "loses" draws */

static char folder[] = "/tmp/sonde_disk_XXXXXX";
static int at; /* the directory */

/* ---- A case whose draws are answered by label: `loses` first, 0 unless the test says otherwise. */

static struct {
    const char *label;
    uint64_t index;
} answers[4];

static struct sonde_labels labels;

static uint64_t choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    (void)guide;
    const char *label = sonde_label_text(&labels, view->point->label);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i].label && strcmp(answers[i].label, label) == 0) return answers[i].index;
    return 0;
}

static const struct sonde_guide_ops ops = {.name = "answers", .choose = choose};
static const sonde_property property = {.name = "property"};
static struct sonde_guide guide = {.ops = &ops};
static sonde *t;

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(strcpy(folder, "/tmp/sonde_disk_XXXXXX"))) return -1;
    at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    memset(answers, 0, sizeof answers);
    sonde_labels_init(&labels);
    t = sonde_case_create(&labels, (struct sonde_limits){.choices = 1000, .spans = 100, .bytes = 1000, .memory = 1000});
    sonde_case_begin(t, &property, &guide, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[64];
    sonde_disk_forget(t);
    sonde_case_end(t);
    sonde_case_free(t);
    sonde_labels_clear(&labels);
    close(at);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void answer(const char *label, uint64_t index)
{
    size_t i = 0;
    while (answers[i].label) i++;
    answers[i].label = label;
    answers[i].index = index;
}

/* A file of n sectors of one letter, that is safe. */
static int safe_file(const char *name, char letter, size_t sectors)
{
    char bytes[8 * SECTOR];
    int fd = openat(at, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    memset(bytes, letter, sizeof bytes);
    assert_int_equal(write(fd, bytes, sectors * SECTOR), sectors * SECTOR);
    return fd;
}

static void write_sector(int fd, char letter, size_t sector)
{
    char bytes[SECTOR];
    memset(bytes, letter, sizeof bytes);
    assert_int_equal(disk_write(fd, bytes, sizeof bytes, (int64_t)(sector * SECTOR)), SECTOR);
}

/* The first letter of each sector. */
static const char *letters(int fd)
{
    static char text[16];
    char bytes[SECTOR];
    size_t n = 0;
    while (pread(fd, bytes, sizeof bytes, (off_t)(n * SECTOR)) > 0) {
        for (size_t i = 1; i < sizeof bytes; i++) assert_int_equal(bytes[i], bytes[0]);
        text[n++] = bytes[0] ? bytes[0] : '.';
    }
    text[n] = '\0';
    return text;
}

static bool is_there(const char *name)
{
    return faccessat(at, name, F_OK, 0) == 0;
}

/* ---- Contents */

static void what_was_written_since_the_last_fsync_is_lost(void **state)
{
    (void)state;
    int fd = safe_file("f", 'a', 3);
    disk_begin(t);
    write_sector(fd, 'b', 0);
    disk_sync(fd, 0);
    write_sector(fd, 'c', 1);
    write_sector(fd, 'd', 3); /* behind the end */
    answer("loses", NOTHING);
    disk_cut(t);
    assert_string_equal(letters(fd), "baa");
    close(fd);
}

static void nothing_is_drawn_if_all_is_safe(void **state)
{
    (void)state;
    int fd = safe_file("f", 'a', 2);
    disk_begin(t);
    write_sector(fd, 'b', 1);
    disk_sync(fd, 0);
    answer("loses", NOTHING);
    disk_cut(t);
    assert_int_equal(t->tape.n_choices, 0);
    assert_string_equal(letters(fd), "ab");
    close(fd);
}

static void a_sector_may_hold_any_value_since_the_last_fsync(void **state)
{
    static const char *const want[] = {"cz", "bz", "az"};
    for (uint64_t version = 0; version < 3; version++) {
        set_up(state);
        int fd = safe_file("f", 'a', 2);
        disk_begin(t);
        write_sector(fd, 'z', 1);
        disk_sync(fd, 0);
        write_sector(fd, 'b', 0);
        write_sector(fd, 'c', 0);
        answer("loses", SOME);
        answer("block", version);
        disk_cut(t);
        assert_string_equal(letters(fd), want[version]);
        close(fd);
        tear_down(state);
    }
}

static void a_truncation_comes_back_with_its_length(void **state)
{
    (void)state;
    int fd = safe_file("f", 'a', 3);
    disk_begin(t);
    disk_resize(fd, SECTOR);
    disk_resize(fd, (uint64_t)3 * SECTOR);
    assert_string_equal(letters(fd), "a..");
    answer("loses", NOTHING);
    disk_cut(t);
    assert_string_equal(letters(fd), "aaa");
    close(fd);
}

static void an_fsync_that_failed_makes_nothing_safe_later(void **state)
{
    (void)state;
    int fd = safe_file("f", 'a', 3);
    disk_begin(t);
    write_sector(fd, 'b', 0);
    write_sector(fd, 'b', 1);
    disk_sync(fd, -1);
    write_sector(fd, 'c', 1); /* written again */
    disk_sync(fd, 0);
    answer("loses", NOTHING);
    disk_cut(t);
    assert_string_equal(letters(fd), "aca");
    close(fd);
}

static void a_real_failure_of_fsync_is_told_and_drops_nothing(void **state)
{
    (void)state;
    int fd = safe_file("f", 'a', 2);
    disk_begin(t);
    write_sector(fd, 'b', 0);
    disk_sync(fd, EINTR);
    assert_string_equal(t->not_followed, "not followed: f: fsync failed: Interrupted system call");
    disk_sync(fd, 0); /* tried again, as after a signal */
    write_sector(fd, 'c', 1);
    disk_sync(fd, EIO);
    answer("loses", NOTHING);
    disk_cut(t);
    assert_string_equal(letters(fd), "ba");
    close(fd);
}

static void a_part_of_a_record_is_safe_by_itself(void **state)
{
    (void)state;
    char bytes[3 * SECTOR];
    int fd = safe_file("f", 'a', 3), direct = openat(at, "f", O_RDWR | O_DSYNC | O_CLOEXEC);
    memset(bytes, 'b', sizeof bytes);
    disk_begin(t);
    disk_write(fd, bytes, sizeof bytes, 0);
    write_sector(direct, 'c', 1);
    answer("loses", NOTHING);
    disk_cut(t);
    assert_string_equal(letters(fd), "aca");
    close(fd);
    close(direct);
}

/* ---- Names */

static void a_new_name_is_lost_without_an_fsync_of_its_directory(void **state)
{
    (void)state;
    disk_begin(t);
    int one = disk_open(at, "one", O_RDWR | O_CREAT);
    disk_sync(at, 0);
    int two = disk_open(at, "two", O_RDWR | O_CREAT);
    answer("loses", NOTHING);
    disk_cut(t);
    assert_true(is_there("one"));
    assert_false(is_there("two"));
    close(one);
    close(two);
}

/* The textbook: write a new file, fsync it, rename it over the old one. */
static void a_rename_leaves_the_old_or_the_new_file(void **state)
{
    for (uint64_t n_lost = 0; n_lost < 2; n_lost++) {
        set_up(state);
        close(safe_file("f", 'a', 1));
        disk_begin(t);
        int fd = disk_open(at, "tmp", O_RDWR | O_CREAT);
        write_sector(fd, 'b', 0);
        disk_sync(fd, 0);
        disk_rename(at, "tmp", "f");
        close(fd);
        answer("loses", SOME);
        answer("names", n_lost);
        disk_cut(t);
        fd = openat(at, "f", O_RDONLY | O_CLOEXEC);
        assert_string_equal(letters(fd), n_lost ? "a" : "b");
        assert_int_equal(is_there("tmp"), n_lost == 1);
        close(fd);
        tear_down(state);
    }
}

static void a_file_that_was_removed_comes_back(void **state)
{
    (void)state;
    close(safe_file("f", 'a', 2));
    disk_begin(t);
    disk_remove(at, "f");
    assert_false(is_there("f"));
    answer("loses", NOTHING);
    disk_cut(t);
    int fd = openat(at, "f", O_RDONLY | O_CLOEXEC);
    assert_string_equal(letters(fd), "aa");
    close(fd);
}

/* ---- Memory */

static void its_memory_is_of_the_c_library(void **state)
{
    (void)state;
    struct sonde_heap *heap = sonde_heap_create((size_t)1 << 24);
    int fd = safe_file("f", 'a', 1);
    sonde_heap_use(heap);
    disk_begin(t);
    write_sector(fd, 'b', 0);
    int other = disk_open(at, "g", O_RDWR | O_CREAT);
    const struct disk *d = t->disk;
    const void *blocks[] = {d,          d->nodes, d->nodes[0],    d->nodes[0]->records, d->nodes[0]->records[0].old,
                            d->entries, d->ops,   d->ops[0].path, d->by_inode.entries,  d->by_name.entries};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        assert_non_null(blocks[i]);
        assert_false(sonde_heap_has(heap, blocks[i]));
    }
    sonde_heap_use(NULL);
    sonde_disk_forget(t);
    sonde_heap_destroy(heap);
    close(fd);
    close(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_written_since_the_last_fsync_is_lost),
        TEST(nothing_is_drawn_if_all_is_safe),
        cmocka_unit_test(a_sector_may_hold_any_value_since_the_last_fsync),
        TEST(a_truncation_comes_back_with_its_length),
        TEST(an_fsync_that_failed_makes_nothing_safe_later),
        TEST(a_real_failure_of_fsync_is_told_and_drops_nothing),
        TEST(a_part_of_a_record_is_safe_by_itself),
        TEST(a_new_name_is_lost_without_an_fsync_of_its_directory),
        cmocka_unit_test(a_rename_leaves_the_old_or_the_new_file),
        TEST(a_file_that_was_removed_comes_back),
        TEST(its_memory_is_of_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
