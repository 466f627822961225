/* Every call that changes a file is a point where a crash can happen, and what it did may be lost by a power cut. ACT
 * is the number of the call. `dies` fails if the process can die at it; `is_lost` fails if its effect can be lost;
 * `is_told` holds, and the report says what was not followed. */
#define _GNU_SOURCE /* splice, copy_file_range, pwritev2, renameat2 */
#include <sonde.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static char folder[64];
static bool is_done;
static int act;
static FILE *before; /* a stream that is opened before run() */

static void must(bool holds)
{
    if (!holds) abort();
}

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}

/* All names, and what they stand for. */
static void describe(char *out, size_t size)
{
    static const char *const names[] = {"db", "src", "a", "b", "d", "d/x", "made"};
    char text[256];
    size_t n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct stat info;
        if (lstat(names[i], &info)) continue;
        int fd = S_ISREG(info.st_mode) ? open(names[i], O_RDONLY) : -1;
        ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text);
        if (fd >= 0) close(fd);
        unsigned sum = 0;
        for (ssize_t k = 0; k < got; k++) sum = sum * 31 + (unsigned char)text[k];
        n += (size_t)snprintf(out + n, size - n, "%s %o %ld %x;", names[i], info.st_mode & S_IFMT,
                              S_ISREG(info.st_mode) ? (long)info.st_size : 0L, sum);
    }
}

static void reset(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    must(system(command) == 0 && chdir(folder) == 0);
    put("db", "0123456789"), put("src", "abcdef"), put("a", "A"), put("b", "B"), must(mkdir("d", 0755) == 0);
    is_done = false;
}

/* ---- The calls */

static void by_pwritev(void)
{
    struct iovec parts[2] = {{"xx", 2}, {"yy", 2}};
    int fd = open("db", O_RDWR);
    must(pwritev(fd, parts, 2, 3) == 4), close(fd);
}
static void by_pwritev2(void)
{
    struct iovec part = {"xx", 2};
    int fd = open("db", O_RDWR);
    must(pwritev2(fd, &part, 1, 3, 0) == 2), close(fd);
}
static void by_copy_file_range(void)
{
    int from = open("src", O_RDONLY), to = open("db", O_RDWR);
    must(copy_file_range(from, NULL, to, NULL, 6, 0) == 6), close(from), close(to);
}
static void by_sendfile(void)
{
    int from = open("src", O_RDONLY), to = open("db", O_RDWR);
    must(sendfile(to, from, NULL, 6) == 6), close(from), close(to);
}
static void by_splice(void)
{
    int ends[2], to = open("db", O_RDWR);
    must(pipe(ends) == 0 && write(ends[1], "zzz", 3) == 3 && splice(ends[0], NULL, to, NULL, 3, 0) == 3);
    close(ends[0]), close(ends[1]), close(to);
}
static void by_truncate(void)
{
    must(truncate("db", 4) == 0);
}
static void by_ftruncate(void)
{
    int fd = open("db", O_RDWR);
    must(ftruncate(fd, 2000) == 0), close(fd);
}
static void by_fallocate(void)
{
    int fd = open("db", O_RDWR);
    must(fallocate(fd, 0, 0, 5000) == 0), close(fd);
}
static void by_posix_fallocate(void)
{
    int fd = open("db", O_RDWR);
    must(posix_fallocate(fd, 0, 5000) == 0), close(fd);
}
static void by_punch(void)
{
    int fd = open("db", O_RDWR);
    must(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 2, 4) == 0), close(fd);
}
static void by_dup(void)
{
    int fd = open("db", O_RDWR), copy = dup(fd), third = fcntl(fd, F_DUPFD, 50);
    close(fd), must(write(copy, "x", 1) == 1 && write(third, "y", 1) == 1), close(copy), close(third);
}
static void by_renameat(void)
{
    must(renameat(AT_FDCWD, "a", AT_FDCWD, "made") == 0);
}
static void by_exchange(void)
{
    must(renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE) == 0);
}
static void by_link(void)
{
    must(link("a", "made") == 0);
}
static void by_linkat(void)
{
    must(linkat(AT_FDCWD, "a", AT_FDCWD, "made", 0) == 0);
}
static void by_symlink(void)
{
    must(symlink("a", "made") == 0);
}
static void by_symlinkat(void)
{
    must(symlinkat("a", AT_FDCWD, "made") == 0);
}
static void by_mkfifo(void)
{
    must(mkfifo("made", 0600) == 0);
}
static void by_mkdir(void)
{
    must(mkdir("made", 0700) == 0);
}
static void by_mkdirat(void)
{
    must(mkdirat(AT_FDCWD, "made", 0700) == 0);
}
static void by_rmdir(void)
{
    must(rmdir("d") == 0);
}
static void by_unlinkat(void)
{
    must(unlinkat(AT_FDCWD, "a", 0) == 0);
}
static void by_remove(void)
{
    must(remove("a") == 0);
}
static void by_creat(void)
{
    close(creat("made", 0600));
}
static void by_openat(void)
{
    int d = open("d", O_RDONLY | O_DIRECTORY);
    close(openat(d, "x", O_WRONLY | O_CREAT, 0600)), close(d);
}
static void by_fprintf(void)
{
    FILE *f = fopen("db", "r+");
    must(f && fseek(f, 3, SEEK_SET) == 0 && fprintf(f, "%d", 77) == 2 && fclose(f) == 0);
}
static void by_putc(void)
{
    FILE *f = fopen("db", "r+");
    must(f && fseek(f, 0, SEEK_END) == 0 && putc('x', f) == 'x' && putc_unlocked('y', f) == 'y' && ftell(f) == 12
         && fflush(NULL) == 0 && fclose(f) == 0);
}
static void by_unbuffered(void)
{
    FILE *f = fopen("db", "r+");
    must(f && setvbuf(f, NULL, _IONBF, 0) == 0 && fputs("new", f) >= 0 && fclose(f) == 0);
}

static void by_freopen_of_ours(void)
{
    char c[2] = "";
    FILE *f = fopen("src", "r"), *same = f;
    must(f && fgetc(f) == 'a' && (f = freopen("db", "r+", f)) == same);
    must(fread(c, 1, 1, f) == 1 && c[0] == '0' && fseek(f, 0, SEEK_SET) == 0 && fputs("new", f) >= 0 && fclose(f) == 0);
}

static void by_wide(void)
{
    FILE *f = fopen("db", "r+");
    must(f && fputws(L"wi", f) >= 0 && fputwc(L'd', f) == L'd' && fwprintf(f, L"%d%ls", 7, L"e") == 2
         && fclose(f) == 0);
    int fd = open("db", O_RDONLY);
    char text[8] = "";
    must(read(fd, text, 5) == 5 && !strcmp(text, "wid7e")), close(fd);
}

/* Told */
static void by_chmod(void)
{
    must(chmod("db", 0600) == 0);
}
static void by_freopen(void)
{
    must(freopen("db", "w", before) == before && fputs("y", before) >= 0 && fflush(before) == 0);
}
static void by_old_stream(void)
{
    must(fwrite("x", 1, 1, before) == 1 && fflush(before) == 0);
}
static void by_other_program(void)
{
    must(system("echo other >>db") == 0);
}

static void by_fork(void)
{
    pid_t child = fork();
    if (child == 0) put("made", "x"), _exit(0);
    must(waitpid(child, NULL, 0) == child);
}
static void by_fsync(void)
{
    int fd = open("db", O_RDWR);
    must(fsync(fd) != 0 && errno == EIO);
    must(close(fd) == 0);
}

static void (*const acts[])(void) = {by_pwritev,
                                     by_pwritev2,
                                     by_copy_file_range,
                                     by_sendfile,
                                     by_splice,
                                     by_truncate,
                                     by_ftruncate,
                                     by_fallocate,
                                     by_posix_fallocate,
                                     by_punch,
                                     by_dup,
                                     by_renameat,
                                     by_exchange,
                                     by_link,
                                     by_linkat,
                                     by_symlink,
                                     by_symlinkat,
                                     by_mkfifo,
                                     by_mkdir,
                                     by_mkdirat,
                                     by_rmdir,
                                     by_unlinkat,
                                     by_remove,
                                     by_creat,
                                     by_openat,
                                     by_fprintf,
                                     by_putc,
                                     by_unbuffered,
                                     by_freopen_of_ours,
                                     by_wide,
                                     by_chmod,
                                     by_freopen,
                                     by_old_stream,
                                     by_other_program,
                                     by_fork,
                                     by_fsync};

static void run(void *unused)
{
    acts[act]();
    is_done = true;
    (void)unused;
}

SONDE_PROPERTY(dies)
{
    char old[1024] = "", new[1024] = "";
    reset(), describe(old, sizeof old);
    bool has_died = sonde_crash(t, "dies", run, NULL);
    describe(new, sizeof new);
    sonde_check(t, !(has_died && !is_done && !strcmp(old, new)));
}

SONDE_PROPERTY(is_lost)
{
    char old[1024] = "", new[1024] = "";
    reset(), describe(old, sizeof old);
    sonde_power_cut(t, "cut", run, NULL);
    describe(new, sizeof new);
    sonde_check(t, !(is_done && !strcmp(old, new)));
}

static void change_too(void *unused)
{
    int fd = open("db", O_RDWR);
    must(write(fd, "x", 1) == 1), close(fd);
    run(unused);
    fd = open("db", O_RDWR);
    must(write(fd, "y", 1) == 1), close(fd);
}

SONDE_PROPERTY(is_told)
{
    reset();
    before = fopen("a", "w");
    sonde_power_cut(t, "cut", change_too, NULL);
    fclose(before);
    sonde_check(t, access("db", F_OK) == 0);
}

/* A stream of the process that died writes nothing any more, and may be closed. */
static FILE *ghost;
static void leave_stream(void *unused)
{
    ghost = fopen("made", "w");
    fputs("GHOST", ghost);
    put("a", "v1");
    fclose(ghost);
    ghost = NULL;
    (void)unused;
}
SONDE_PROPERTY(nothing_comes_back)
{
    char text[32] = "";
    reset();
    sonde_classify(t, sonde_crash(t, "dies", leave_stream, NULL), "died");
    if (!ghost) return;
    int fd = open("b", O_RDWR | O_CREAT | O_TRUNC, 0644);
    must(write(fd, "ok", 2) == 2);
    fflush(NULL);
    if (sonde_bool(t, "closes")) fclose(ghost);
    ghost = NULL;
    must(pread(fd, text, 31, 0) >= 0);
    close(fd);
    sonde_check_eq(t, (const char *)text, "ok");
}

int main(int argc, char **argv)
{
    act = getenv("ACT") ? atoi(getenv("ACT")) : 0;
    if (argc > 1 && !strcmp(argv[1], "count")) return printf("%zu\n", sizeof acts / sizeof *acts) < 0;
    snprintf(folder, sizeof folder, "%s/sonde-calls-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) return 9;
    int status = sonde_main(argc, argv, NULL, 0);
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) ? 9 : status;
}
