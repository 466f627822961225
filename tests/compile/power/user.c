/* A power cut undoes what run() did, where it did it, and nothing else. Files named `mine` stand for what the user has: run() never names them, though it
 * uses the same names relative to other directories. */
#define _GNU_SOURCE /* renameat2 */
#include <sonde.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[64];

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd)) abort();
}

static const char *get(sonde *t, const char *path)
{
    char *text = sonde_alloc(t, 64);
    int fd = open(path, O_RDONLY | O_NOFOLLOW);
    if (fd < 0) return "(none)";
    ssize_t n = read(fd, text, 63);
    close(fd);
    text[n < 0 ? 0 : n] = '\0';
    return text;
}

static void into(const char *path)
{
    if (chdir(path)) abort();
}

static void reset(void)
{
    into(top);
    mkdir("work", 0755), mkdir("moved", 0755);
    unlink("work/mine"), unlink("work/other"), unlink("moved/mine"), unlink("link"), unlink("tmp");
    put("mine", "USER"), put("other", "USER");
}

static void make(void *t)
{
    into("work"), put("mine", "x"), into("..");
    (void)t;
}
static void drop(void *t)
{
    into("work"), unlink("mine"), into("..");
    (void)t;
}
static void replace(void *t)
{
    into("work"), put("other", "x");
    if (rename("other", "mine")) abort();
    into("..");
    (void)t;
}
static void make_at(void *t)
{
    int work = open("work", O_RDONLY | O_DIRECTORY), fd = openat(work, "mine", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || write(fd, "x", 1) != 1) abort();
    close(fd), close(work);
    (void)t;
}
/* The directory itself gets another name, and its old one belongs to another. */
static void make_and_move(void *t)
{
    put("moved/mine", "x");
    if (renameat2(AT_FDCWD, "moved", AT_FDCWD, "work", RENAME_EXCHANGE)) abort();
    (void)t;
}
static void replace_link(void *t)
{
    put("tmp", "x");
    if (rename("tmp", "link")) abort();
    (void)t;
}
static void make_then_lose(void *t)
{
    put("tmp", "x");
    into("work"), into("..");
    (void)t;
}

static void run(sonde *t, void (*run)(void *what))
{
    sonde_classify(t, sonde_power_cut(t, "cut", run, t), "the power failed");
    into(top);
    sonde_check_eq(t, get(t, "mine"), "USER");
    sonde_check_eq(t, get(t, "other"), "USER");
}

SONDE_PROPERTY(made_elsewhere)
{
    reset();
    run(t, make);
}
SONDE_PROPERTY(removed_elsewhere)
{
    reset(), put("work/mine", "TEST");
    run(t, drop);
}
SONDE_PROPERTY(renamed_elsewhere)
{
    reset(), put("work/mine", "TEST");
    run(t, replace);
    sonde_check(t, strcmp(get(t, "work/mine"), "(none)") != 0);
}
SONDE_PROPERTY(made_by_openat)
{
    reset();
    run(t, make_at);
}
SONDE_PROPERTY(directory_moved)
{
    reset(), put("work/mine", "USER");
    run(t, make_and_move);
    sonde_check(t, !strcmp(get(t, "work/mine"), "USER") || !strcmp(get(t, "moved/mine"), "USER"));
}
SONDE_PROPERTY(link_is_replaced)
{
    struct stat info;
    reset();
    if (symlink("mine", "link")) abort();
    run(t, replace_link);
    sonde_check(t, lstat("link", &info) == 0);
}
SONDE_PROPERTY(nothing_is_left_open)
{
    reset();
    run(t, make_then_lose);
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    sonde_check(t, fd < 30);
    sonde_int(t, "case", 0, 1 << 30);
}

int main(int argc, char **argv)
{
    snprintf(top, sizeof top, "%s/sonde-user-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(top)) return 9;
    int status = sonde_main(argc, argv, NULL, 0);
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", top);
    return system(command) ? 9 : status;
}
