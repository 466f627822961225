/* Ways to keep data on a disk: the right ones from the textbooks, and the same with one step left out or done wrongly.
 * Each property has a file "db" that holds the old value, and save() that is to replace it by the new one. Whenever the
 * power fails, the old or the new value is there, and the new one if save() had returned. Names that begin with `wrong`
 * do not hold. */
#define _GNU_SOURCE /* O_TMPFILE, renameat2, syncfs */
#include <sonde.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SIZE = 1500 }; /* more than two sectors */

static char folder[64];
static bool is_done;

/* ---- Steps */

static void fill(char *value, char c)
{
    memset(value, c, SIZE);
}

static void must(bool holds)
{
    if (!holds) abort();
}

static void sync_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    must(fd >= 0 && fsync(fd) == 0);
    close(fd);
}

static void put_all(int fd, const char *bytes, size_t n)
{
    must(write(fd, bytes, n / 2) == (ssize_t)(n / 2));
    must(write(fd, bytes + n / 2, n - n / 2) == (ssize_t)(n - n / 2));
}

static void put_file(const char *path, char c, int flags, bool syncs)
{
    char value[SIZE];
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | flags, 0644);
    must(fd >= 0);
    fill(value, c);
    put_all(fd, value, SIZE);
    if (syncs) must(fsync(fd) == 0);
    close(fd);
}

/* The letter that the file is full of; '-': it is not there; '?': anything else. */
static char get_file(const char *path)
{
    char value[SIZE + 1], whole[SIZE];
    int fd = open(path, O_RDONLY);
    if (fd < 0) return '-';
    ssize_t n = read(fd, value, sizeof value);
    close(fd);
    if (n != SIZE) return '?';
    fill(whole, value[0]);
    return memcmp(value, whole, SIZE) ? '?' : value[0];
}

/* ---- Replacing a file */

static void replace(void *unused)
{
    put_file("tmp", 'n', 0, true);
    must(rename("tmp", "db") == 0);
    sync_directory(".");
    is_done = true;
    (void)unused;
}
static void replace_unsynced(void *unused)
{
    put_file("tmp", 'n', 0, false);
    must(rename("tmp", "db") == 0);
    sync_directory(".");
    is_done = true;
    (void)unused;
}
static void replace_without_directory(void *unused)
{
    put_file("tmp", 'n', 0, true);
    must(renameat(AT_FDCWD, "tmp", AT_FDCWD, "db") == 0);
    is_done = true;
    (void)unused;
}
static void replace_by_o_sync(void *unused)
{
    put_file("tmp", 'n', O_SYNC, false);
    must(rename("tmp", "db") == 0);
    sync_directory(".");
    is_done = true;
    (void)unused;
}
static void replace_by_sync(void *unused)
{
    put_file("tmp", 'n', 0, false);
    sync();
    must(renameat2(AT_FDCWD, "tmp", AT_FDCWD, "db", 0) == 0);
    sync();
    is_done = true;
    (void)unused;
}
static void replace_by_syncfs(void *unused)
{
    int fd = open(".", O_RDONLY | O_DIRECTORY);
    put_file("tmp", 'n', 0, false);
    must(syncfs(fd) == 0 && rename("tmp", "db") == 0 && syncfs(fd) == 0);
    close(fd);
    is_done = true;
    (void)unused;
}
/* A stream: its buffer is written by fflush, and only then can fsync make it safe. */
static void replace_by_stream(void *unused)
{
    char value[SIZE];
    FILE *f = fopen("tmp", "w");
    fill(value, 'n');
    must(f && fwrite(value, 1, SIZE, f) == SIZE && fflush(f) == 0 && fsync(fileno(f)) == 0 && fclose(f) == 0);
    must(rename("tmp", "db") == 0);
    sync_directory(".");
    is_done = true;
    (void)unused;
}
static void replace_by_stream_without_fflush(void *unused)
{
    char value[SIZE];
    FILE *f = fopen("tmp", "w");
    fill(value, 'n');
    must(f && fprintf(f, "%.*s", SIZE, value) == SIZE && fsync(fileno(f)) == 0 && fclose(f) == 0);
    must(rename("tmp", "db") == 0);
    sync_directory(".");
    is_done = true;
    (void)unused;
}
/* A file without a name gets one when it is complete. */
static void replace_by_tmpfile(void *unused)
{
    char link[64], value[SIZE];
    int fd = open(".", O_TMPFILE | O_WRONLY, 0644);
    fill(value, 'n');
    must(fd >= 0);
    put_all(fd, value, SIZE);
    must(fsync(fd) == 0);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    must(linkat(AT_FDCWD, link, AT_FDCWD, "tmp", AT_SYMLINK_FOLLOW) == 0 && rename("tmp", "db") == 0);
    close(fd);
    sync_directory(".");
    is_done = true;
    (void)unused;
}
static void replace_by_mkstemp(void *unused)
{
    char path[] = "tmp-XXXXXX", value[SIZE];
    int fd = mkstemp(path);
    fill(value, 'n');
    FILE *f = fdopen(fd, "w");
    must(f && fputs("n", f) >= 0 && fwrite(value, 1, SIZE - 1, f) == SIZE - 1 && fflush(f) == 0 && fdatasync(fd) == 0);
    must(fclose(f) == 0 && rename(path, "db") == 0);
    sync_directory(".");
    is_done = true;
    (void)unused;
}
/* Written through a mapping, and made safe by msync. */
static void map_new(bool syncs)
{
    int fd = open("tmp", O_RDWR | O_CREAT | O_TRUNC, 0644);
    must(fd >= 0 && ftruncate(fd, SIZE) == 0 && fsync(fd) == 0);
    char *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(map != MAP_FAILED);
    fill(map, 'n');
    if (syncs) must(msync(map, SIZE, MS_SYNC) == 0);
    munmap(map, SIZE);
    close(fd);
    must(rename("tmp", "db") == 0);
    sync_directory(".");
    is_done = true;
}
static void replace_by_map(void *unused)
{
    map_new(true);
    (void)unused;
}
static void replace_by_map_without_msync(void *unused)
{
    map_new(false);
    (void)unused;
}

/* ---- In place */

static void write_in_place(void *unused)
{
    char value[SIZE];
    int fd = open("db", O_WRONLY);
    fill(value, 'n');
    put_all(fd, value, SIZE);
    must(fsync(fd) == 0);
    close(fd);
    is_done = true;
    (void)unused;
}
static void truncate_then_write(void *unused)
{
    put_file("db", 'n', 0, true);
    is_done = true;
    (void)unused;
}
static void unlink_then_link(void *unused)
{
    put_file("tmp", 'n', 0, true);
    must(unlink("db") == 0 && link("tmp", "db") == 0);
    sync_directory(".");
    is_done = true;
    (void)unused;
}

/* The old value is saved first, and put back by recovery. `journal` has a last byte that says that it is whole. */
static void write_journal(bool syncs, bool syncs_directory)
{
    char value[SIZE + 1];
    int fd = open("journal", O_WRONLY | O_CREAT | O_EXCL, 0644);
    fill(value, 'o');
    value[SIZE] = '!';
    must(fd >= 0);
    put_all(fd, value, SIZE);
    if (syncs) must(fsync(fd) == 0);
    must(write(fd, "!", 1) == 1);
    if (syncs) must(fsync(fd) == 0);
    close(fd);
    if (syncs_directory) sync_directory(".");
}
static void write_after_journal(bool syncs)
{
    char value[SIZE];
    int fd = open("db", O_WRONLY);
    fill(value, 'n');
    put_all(fd, value, SIZE);
    if (syncs) must(fsync(fd) == 0);
    close(fd);
    must(unlink("journal") == 0);
    sync_directory(".");
    is_done = true;
}
static void journal(void *unused)
{
    write_journal(true, true);
    write_after_journal(true);
    (void)unused;
}
static void journal_unsynced(void *unused)
{
    write_journal(false, true);
    write_after_journal(true);
    (void)unused;
}
static void journal_without_directory(void *unused)
{
    write_journal(true, false);
    write_after_journal(true);
    (void)unused;
}
static void journal_before_data(void *unused)
{
    write_journal(true, true);
    write_after_journal(false);
    (void)unused;
}
static void recover_journal(void)
{
    char value[SIZE + 1] = "";
    int from = open("journal", O_RDONLY), to;
    if (from < 0) return;
    bool is_whole = read(from, value, SIZE + 1) == SIZE + 1 && value[SIZE] == '!';
    close(from);
    if (!is_whole) return;
    to = open("db", O_WRONLY);
    put_all(to, value, SIZE);
    close(to);
}

/* ---- A log of records, the last whole one counts */

struct record {
    char value[SIZE];
    unsigned sum;
};

static unsigned sum_of(const char *value)
{
    unsigned sum = 17;
    for (size_t i = 0; i < SIZE; i++) sum = sum * 31 + (unsigned char)value[i];
    return sum;
}
static void append(void *unused)
{
    struct record r;
    int fd = open("log", O_WRONLY | O_APPEND);
    fill(r.value, 'n');
    r.sum = sum_of(r.value);
    struct iovec parts[2] = {{r.value, SIZE}, {&r.sum, sizeof r.sum}};
    must(writev(fd, parts, 2) == SIZE + (ssize_t)sizeof r.sum && fdatasync(fd) == 0);
    close(fd);
    is_done = true;
    (void)unused;
}
static void append_unsynced(void *unused)
{
    struct record r;
    FILE *f = fopen("log", "a");
    fill(r.value, 'n');
    r.sum = sum_of(r.value);
    must(fwrite(&r, SIZE + sizeof r.sum, 1, f) == 1 && fclose(f) == 0);
    is_done = true;
    (void)unused;
}

static void read_log(sonde *t, bool checks)
{
    struct record r;
    char last = 'o';
    int fd = open("log", O_RDONLY);
    while (read(fd, &r, SIZE + sizeof r.sum) == SIZE + (ssize_t)sizeof r.sum)
        if (!checks || r.sum == sum_of(r.value)) last = r.value[SIZE / 2];
    close(fd);
    sonde_check(t, last == 'n' || (last == 'o' && !is_done));
}

/* ---- In directories */

static void make_directory(bool syncs_parent)
{
    must(mkdir("sub", 0755) == 0);
    put_file("sub/db", 'n', 0, true);
    sync_directory("sub");
    if (syncs_parent) sync_directory(".");
    is_done = true;
}
static void directory_made(void *unused)
{
    make_directory(true);
    (void)unused;
}
static void directory_made_unsynced(void *unused)
{
    make_directory(false);
    (void)unused;
}
static void new_file_without_directory(void *unused)
{
    put_file("sub", 'n', 0, true);
    is_done = true;
    (void)unused;
}
static void forty_files(void *unused)
{
    char name[16];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "m%d", i);
        put_file(name, 'n', 0, i < 39);
    }
    sync_directory(".");
    is_done = true;
    (void)unused;
}

/* An fsync that failed has lost what it was to write. Calling fsync again does not help; writing again does. */
static void retry_fsync(bool writes_again)
{
    char value[SIZE];
    int fd = open("tmp", O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd < 0) return;
    fill(value, 'n');
    bool is_good = pwrite(fd, value, SIZE, 0) == SIZE && fsync(fd) == 0;
    if (!is_good) is_good = (!writes_again || pwrite(fd, value, SIZE, 0) == SIZE) && fsync(fd) == 0;
    close(fd);
    int directory = is_good && rename("tmp", "db") == 0 ? open(".", O_RDONLY | O_DIRECTORY) : -1;
    is_done = directory >= 0 && fsync(directory) == 0;
    if (directory >= 0) close(directory);
}
static void fsync_again(void *unused)
{
    retry_fsync(false);
    (void)unused;
}
static void write_again(void *unused)
{
    retry_fsync(true);
    (void)unused;
}

/* ---- Properties */

static void reset(void)
{
    char command[128];
    must(chdir(folder) == 0);
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    if (access("tmp", F_OK) == 0 || access("sub", F_OK) == 0 || access("m0", F_OK) == 0) must(system(command) == 0);
    unlink("journal");
    put_file("db", 'o', 0, false);
    struct record r;
    fill(r.value, 'o');
    r.sum = sum_of(r.value);
    int fd = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    must(write(fd, &r, SIZE + sizeof r.sum) == SIZE + (ssize_t)sizeof r.sum);
    close(fd);
    is_done = false;
}

static void cut(sonde *t, void (*run)(void *what))
{
    reset();
    sonde_classify(t, sonde_power_cut(t, "cut", run, NULL), "the power failed");
    sonde_classify(t, is_done, "saved");
}

static void check_file(sonde *t, void (*run)(void *what))
{
    cut(t, run);
    recover_journal();
    char value = get_file("db");
    sonde_check(t, value == 'n' || (value == 'o' && !is_done));
}

#define WAY(name, run)                                                                                                 \
    SONDE_PROPERTY(name)                                                                                               \
    {                                                                                                                  \
        check_file(t, run);                                                                                            \
    }

WAY(right_replace, replace)
WAY(right_replace_by_o_sync, replace_by_o_sync)
WAY(right_replace_by_sync, replace_by_sync)
WAY(right_replace_by_syncfs, replace_by_syncfs)
WAY(right_replace_by_stream, replace_by_stream)
WAY(right_replace_by_tmpfile, replace_by_tmpfile)
WAY(right_replace_by_mkstemp, replace_by_mkstemp)
WAY(right_replace_by_map, replace_by_map)
WAY(right_journal, journal)
SONDE_PROPERTY(right_log_with_sums)
{
    cut(t, append);
    read_log(t, true);
}
SONDE_PROPERTY(right_directory)
{
    cut(t, directory_made);
    sonde_check(t, !is_done || get_file("sub/db") == 'n');
}
SONDE_PROPERTY(right_write_again_after_failed_fsync)
{
    sonde_faults(t, "io", SONDE_FAULT_FSYNC);
    check_file(t, write_again);
}

WAY(wrong_no_fsync, replace_unsynced)
WAY(wrong_no_fsync_of_directory, replace_without_directory)
WAY(wrong_no_fflush, replace_by_stream_without_fflush)
WAY(wrong_no_msync, replace_by_map_without_msync)
WAY(wrong_in_place, write_in_place)
WAY(wrong_truncate, truncate_then_write)
WAY(wrong_unlink_first, unlink_then_link)
WAY(wrong_journal_no_fsync, journal_unsynced)
WAY(wrong_journal_no_fsync_of_directory, journal_without_directory)
WAY(wrong_journal_removed_before_data, journal_before_data)
SONDE_PROPERTY(wrong_log_without_sums)
{
    cut(t, append);
    read_log(t, false);
}
SONDE_PROPERTY(wrong_log_no_fsync)
{
    cut(t, append_unsynced);
    read_log(t, true);
}
SONDE_PROPERTY(wrong_directory)
{
    cut(t, directory_made_unsynced);
    sonde_check(t, !is_done || get_file("sub/db") == 'n');
}
SONDE_PROPERTY(wrong_new_file)
{
    cut(t, new_file_without_directory);
    sonde_check(t, !is_done || get_file("sub") == 'n');
}
SONDE_PROPERTY(wrong_fortieth_file)
{
    cut(t, forty_files);
    sonde_check(t, !is_done || get_file("m39") == 'n');
}
SONDE_PROPERTY(wrong_fsync_again)
{
    sonde_faults(t, "io", SONDE_FAULT_FSYNC);
    check_file(t, fsync_again);
}

int main(int argc, char **argv)
{
    snprintf(folder, sizeof folder, "%s/sonde-ways-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) return 9;
    int status = sonde_main(argc, argv, NULL, 0);
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) ? 9 : status;
}
