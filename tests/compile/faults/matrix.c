/* Which results calls have, by descriptor and flags. `drawn`: those that sonde_faults draws, one line per row. `real`: what the kernel does where the state can
 * be made, a line each. faults_matrix.sh has the table that both are compared with. */
#define _GNU_SOURCE /* accept4, pipe2 */
#include <sonde.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 8192 }; /* more than PIPE_BUF */

static char bytes[N];

/* ---- Descriptors: one to work on, and its other end */

struct ends {
    int fd, other;
};

static struct ends of_file(int flags)
{
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC | flags, 0600);
    if (write(fd, bytes, N) != N || lseek(fd, 0, SEEK_SET)) abort();
    return (struct ends){fd, -1};
}
static struct ends of_directory(int flags)
{
    return (struct ends){open(".", O_RDONLY | O_DIRECTORY | flags), -1};
}
static struct ends of_pipe_in(int flags)
{
    int fd[2];
    if (pipe(fd) || write(fd[1], bytes, N) != N || fcntl(fd[0], F_SETFL, flags)) abort();
    return (struct ends){fd[0], fd[1]};
}
static struct ends of_pipe_out(int flags)
{
    int fd[2];
    if (pipe(fd) || fcntl(fd[1], F_SETFL, O_WRONLY | flags)) abort();
    return (struct ends){fd[1], fd[0]};
}
static struct ends of_sockets(int type, int flags)
{
    int fd[2];
    if (socketpair(AF_UNIX, type, 0, fd) || send(fd[1], bytes, 1000, 0) != 1000) abort();
    fcntl(fd[0], F_SETFL, O_RDWR | flags);
    return (struct ends){fd[0], fd[1]};
}
static struct ends of_stream(int flags)
{
    return of_sockets(SOCK_STREAM, flags);
}
static struct ends of_datagram(int flags)
{
    return of_sockets(SOCK_DGRAM, flags);
}
static struct ends of_packet(int flags)
{
    return of_sockets(SOCK_SEQPACKET, flags);
}
static struct ends of_limited(int flags)
{
    struct ends e = of_sockets(SOCK_STREAM, flags);
    struct timeval limit = {.tv_usec = 20000};
    setsockopt(e.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(e.fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return e;
}
static struct ends of_unconnected(int flags)
{
    return (struct ends){socket(AF_INET, SOCK_STREAM | (flags ? SOCK_NONBLOCK : 0), 0), -1};
}
static struct ends of_terminal(int flags)
{
    struct ends e;
    if (openpty(&e.other, &e.fd, NULL, NULL, NULL) || write(e.other, "abcdefg\n", 8) != 8) abort();
    fcntl(e.fd, F_SETFL, O_RDWR | flags);
    return e;
}
static struct ends of_null(int flags)
{
    return (struct ends){open("/dev/null", O_RDWR | flags), -1};
}
static struct ends of_event(int flags)
{
    return (struct ends){eventfd(1, flags ? EFD_NONBLOCK : 0), -1};
}

/* ---- Calls: what they return; the size is what was asked for */

static ssize_t do_read(int fd, size_t n)
{
    return read(fd, bytes, n);
}
static ssize_t do_write(int fd, size_t n)
{
    return write(fd, bytes, n);
}
static ssize_t do_pread(int fd, size_t n)
{
    return pread(fd, bytes, n, 0);
}
static ssize_t do_pwrite(int fd, size_t n)
{
    return pwrite(fd, bytes, n, 0);
}
static ssize_t do_recv(int fd, size_t n)
{
    return recv(fd, bytes, n, 0);
}
static ssize_t do_recv_now(int fd, size_t n)
{
    return recv(fd, bytes, n, MSG_DONTWAIT);
}
static ssize_t do_send(int fd, size_t n)
{
    return send(fd, bytes, n, 0);
}
static ssize_t do_writev(int fd, size_t n)
{
    struct iovec parts[2] = {{bytes, n / 2}, {bytes + n / 2, n - n / 2}};
    return writev(fd, parts, 2);
}
static ssize_t do_fsync(int fd, size_t n)
{
    return fsync(fd) ? -1 : (ssize_t)n;
}
static ssize_t do_open(int fd, size_t n)
{
    int got = open(fd ? "file" : "new", O_RDWR | O_CREAT, 0600);
    int error = errno;
    if (got >= 0) close(got);
    if (!fd) unlink("new");
    errno = error;
    return got < 0 ? -1 : (ssize_t)n;
}
static ssize_t do_rename(int fd, size_t n)
{
    close(open("file", O_RDWR | O_CREAT, 0600));
    int got = rename("file", fd == 1 ? "file" : "other");
    int error = errno;
    unlink("other");
    errno = error;
    return got ? -1 : (ssize_t)n;
}
static ssize_t do_fwrite(int fd, size_t n)
{
    FILE *f = fdopen(dup(fd), "w");
    setvbuf(f, NULL, _IONBF, 0);
    size_t wrote = fwrite(bytes, 1, n, f);
    int error = errno;
    fclose(f);
    errno = error;
    return wrote == n ? (ssize_t)n : wrote ? (ssize_t)wrote : -1;
}

#define NAME_IS_THERE ((struct ends(*)(int))1)
#define NAME_IS_NEW ((struct ends(*)(int))2)

static const struct row {
    const char *name;
    ssize_t (*call)(int fd, size_t n);
    struct ends (*make)(int flags);
    int flags;
    size_t n;
} rows[] = {
    {"read file", do_read, of_file, 0, N},
    {"read file nonblock", do_read, of_file, O_NONBLOCK, N},
    {"read directory", do_read, of_directory, 0, N},
    {"read pipe", do_read, of_pipe_in, 0, N},
    {"read pipe nonblock", do_read, of_pipe_in, O_NONBLOCK, N},
    {"read pipe one", do_read, of_pipe_in, 0, 1},
    {"read stream", do_read, of_stream, 0, 1000},
    {"read stream nonblock", do_read, of_stream, O_NONBLOCK, 1000},
    {"read stream limited", do_read, of_limited, 0, 1000},
    {"read datagram", do_read, of_datagram, 0, 1000},
    {"read packet", do_read, of_packet, 0, 1000},
    {"read terminal", do_read, of_terminal, 0, 8},
    {"read terminal nonblock", do_read, of_terminal, O_NONBLOCK, 8},
    {"read null", do_read, of_null, 0, N},
    {"read event", do_read, of_event, 0, 8},
    {"read event nonblock", do_read, of_event, O_NONBLOCK, 8},
    {"write file", do_write, of_file, 0, N},
    {"write pipe", do_write, of_pipe_out, 0, N},
    {"write pipe nonblock", do_write, of_pipe_out, O_NONBLOCK, N},
    {"write pipe atomic", do_write, of_pipe_out, 0, 4096},
    {"write stream", do_write, of_stream, 0, 1000},
    {"write stream nonblock", do_write, of_stream, O_NONBLOCK, 1000},
    {"write datagram", do_write, of_datagram, 0, 1000},
    {"write null", do_write, of_null, 0, N},
    {"write event", do_write, of_event, 0, 8},
    {"pread file", do_pread, of_file, 0, N},
    {"pread pipe", do_pread, of_pipe_in, 0, N},
    {"pwrite file", do_pwrite, of_file, 0, N},
    {"pwrite pipe", do_pwrite, of_pipe_out, 0, N},
    {"recv stream", do_recv, of_stream, 0, 1000},
    {"recv stream dontwait", do_recv_now, of_stream, 0, 1000},
    {"recv unconnected", do_recv, of_unconnected, 0, 1000},
    {"send stream", do_send, of_stream, 0, 1000},
    {"send datagram nonblock", do_send, of_datagram, O_NONBLOCK, 1000},
    {"writev file", do_writev, of_file, 0, N},
    {"writev pipe", do_writev, of_pipe_out, 0, N},
    {"fsync file", do_fsync, of_file, 0, 1},
    {"fsync directory", do_fsync, of_directory, 0, 1},
    {"fsync pipe", do_fsync, of_pipe_out, 0, 1},
    {"fwrite file", do_fwrite, of_file, 0, N},
    {"fwrite pipe", do_fwrite, of_pipe_out, 0, N},
    {"open there", do_open, NAME_IS_THERE, 0, 1},
    {"open new", do_open, NAME_IS_NEW, 0, 1},
    {"rename new", do_rename, NAME_IS_NEW, 0, 1},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- Drawn */

static const struct {
    int error;
    const char *name;
} errors[] = {{EINTR, "EINTR"},   {EAGAIN, "EAGAIN"}, {ENOSPC, "ENOSPC"},
              {EMFILE, "EMFILE"}, {EIO, "EIO"},       {ECONNRESET, "ECONNRESET"}};
enum { ERRORS = sizeof errors / sizeof *errors };
static bool met[ROWS][ERRORS + 1]; /* the last: short */

static void one_row(sonde *t)
{
    size_t at = sonde_pick(t, "row", ROWS);
    const struct row *row = &rows[at];
    bool is_name = row->make == NAME_IS_THERE || row->make == NAME_IS_NEW;
    struct ends e = is_name ? (struct ends){row->make == NAME_IS_THERE ? 2 : 0, -1} : row->make(row->flags);
    if (is_name) close(open("file", O_RDWR | O_CREAT, 0600));
    sonde_faults(t, "io", SONDE_FAULT_ALL);
    errno = 0;
    ssize_t got = row->call(e.fd, row->n);
    int error = errno;
    sonde_faults_end(t);
    for (size_t i = 0; got < 0 && i < ERRORS; i++) met[at][i] |= errors[i].error == error;
    met[at][ERRORS] |= got > 0 && (size_t)got < row->n;
    if (!is_name) close(e.fd);
    if (e.other >= 0) close(e.other);
    sonde_check(t, got <= (ssize_t)row->n);
}

static void print_rows(void)
{
    for (size_t r = 0; r < ROWS; r++) {
        printf("= %s:%s", rows[r].name, met[r][ERRORS] ? " short" : "");
        for (size_t i = 0; i < ERRORS; i++)
            if (met[r][i]) printf(" %s", errors[i].name);
        printf("\n");
    }
}

/* ---- Real */

static void ignore(int signal)
{
    (void)signal;
}

static void say(const char *row, ssize_t got, size_t n)
{
    const char *name = got >= 0 ? (size_t)got < n ? "short" : "whole" : "other";
    for (size_t i = 0; got < 0 && i < ERRORS; i++)
        if (errors[i].error == errno) name = errors[i].name;
    printf("%s: %s\n", row, name);
}

/* The call is interrupted by a signal without SA_RESTART. Empty first, so that it waits. */
static void interrupted(const char *row, struct ends e, ssize_t (*call)(int, size_t), size_t n)
{
    struct itimerval soon = {.it_value = {.tv_usec = 20000}}, never = {0};
    setitimer(ITIMER_REAL, &soon, NULL);
    ssize_t got = call(e.fd, n);
    int error = errno;
    setitimer(ITIMER_REAL, &never, NULL);
    errno = error;
    say(row, got, n);
}

static void drain(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    while (read(fd, bytes, N) > 0) continue;
    fcntl(fd, F_SETFL, flags);
}

static void fill(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    while (write(fd, bytes, 1) > 0 || write(fd, bytes, N) > 0) continue;
    fcntl(fd, F_SETFL, flags);
}

static void real_waits(void)
{
    struct sigaction action = {.sa_handler = ignore};
    sigaction(SIGALRM, &action, NULL);
    struct ends e = of_pipe_in(0);
    drain(e.fd), interrupted("read pipe", e, do_read, N);
    e = of_pipe_in(O_NONBLOCK), drain(e.fd), say("read pipe nonblock", do_read(e.fd, N), N);
    e = of_pipe_out(0), interrupted("write pipe", e, do_write, N * 32); /* a part fits: short */
    e = of_pipe_out(0), fill(e.fd), interrupted("write pipe", e, do_write, N);
    e = of_pipe_out(O_NONBLOCK), fill(e.fd), say("write pipe nonblock", do_write(e.fd, N), N);
    e = of_stream(0), drain(e.fd), interrupted("read stream", e, do_read, 1000);
    e = of_stream(O_NONBLOCK), drain(e.fd), say("read stream nonblock", do_read(e.fd, 1000), 1000);
    e = of_stream(0), drain(e.fd), say("recv stream dontwait", do_recv_now(e.fd, 1000), 1000);
    e = of_limited(0), drain(e.fd), say("read stream limited", do_read(e.fd, 1000), 1000);
    e = of_stream(0), fill(e.fd), interrupted("send stream", e, do_send, 1000);
    e = of_datagram(0), drain(e.fd), interrupted("read datagram", e, do_read, 1000);
    e = of_event(0), drain(e.fd), interrupted("read event", e, do_read, 8);
    e = of_event(O_NONBLOCK), drain(e.fd), say("read event nonblock", do_read(e.fd, 8), 8);
    e = of_terminal(0), drain(e.fd), interrupted("read terminal", e, do_read, 8);
}

/* The other end closes with something unread. */
static void real_reset(void)
{
    struct ends e = of_stream(0);
    drain(e.fd);
    if (send(e.fd, bytes, 10, 0) != 10) abort();
    close(e.other);
    say("read stream", do_read(e.fd, 1000), 1000);
}

static void real_limits(void)
{
    struct rlimit limit = {.rlim_cur = N + 100, .rlim_max = RLIM_INFINITY};
    struct ends e = of_file(0);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    lseek(e.fd, 0, SEEK_END);
    say("write file", do_write(e.fd, N), N);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = (rlim_t)dup(e.fd);
    setrlimit(RLIMIT_NOFILE, &limit);
    while (dup(e.fd) >= 0) continue;
    say("open there", do_open(1, 1), 1);
}

/* FULL is a directory on a file system that has no room. */
static void real_full(const char *full)
{
    char path[256];
    ssize_t got = 0;
    snprintf(path, sizeof path, "%s/file", full);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 1000 && (got = write(fd, bytes, N)) == N; i++) continue;
    if (got >= 0) say("write file", got, N);
    say("write file", write(fd, bytes, N), N);
    close(fd);
}

int main(int argc, char **argv)
{
    sonde_property all = {.name = "one_row", .run = one_row};
    if (argc > 1 && !strcmp(argv[1], "real")) {
        real_waits(), real_reset();
        if (argc > 2) real_full(argv[2]);
        real_limits(); /* leaves no descriptors */
        return 0;
    }
    int status = sonde_main(argc, argv, &all, 1);
    print_rows();
    return status;
}
