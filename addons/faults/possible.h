/* Determines which failures the kernel can produce for a call, by the kind of its descriptor and its flags. It follows
 * the man pages of Linux (read.2, write.2, recv.2, send.2, open.2, rename.2, fsync.2, pipe.7, fifo.7, socket.7, unix.7,
 * tcp.7, signal.7). tests/compile/faults_matrix.sh compares it with a table written by hand, and with the kernel where
 * the state can be set up.
 *
 *   - EINTR needs a call that may wait indefinitely: pipes, sockets, terminals, event descriptors. A disk is never
 *     interrupted (signal.7).
 *   - EAGAIN needs O_NONBLOCK, MSG_DONTWAIT, or a time limit of the socket. A call that does not wait is not
 *     interrupted either.
 *   - ENOSPC needs a file, or a new name in a directory.
 *   - ECONNRESET needs a connection.
 *   - A short transfer needs bytes that can be split: not a datagram, not an event, not an atomic write to a pipe
 *     (PIPE_BUF). */
#ifndef SONDE_FAULTS_POSSIBLE_H
#define SONDE_FAULTS_POSSIBLE_H

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* Copies of constants of sonde.h, which a preloaded library does not include. */
enum {
    SHORT = 1,
    INTERRUPTED = 2,
    AGAIN = 4,
    NO_SPACE = 8,
    NO_OPEN = 16,
    NO_RENAME = 32,
    NO_SYNC = 64,
    RESET = 128,
    CRASH = 256
};

/* Kinds of descriptors. */
enum descriptor {
    A_FILE,
    A_DIRECTORY,
    A_PIPE,
    A_STREAM_SOCKET, /* connected stream socket */
    A_PACKET_SOCKET, /* connected socket of type SOCK_SEQPACKET */
    A_DATAGRAM_SOCKET,
    AN_UNCONNECTED_SOCKET,
    A_TERMINAL,
    A_DEVICE, /* character device such as /dev/null */
    AN_EVENT, /* eventfd, timerfd, signalfd, inotify */
    NO_DESCRIPTOR
};

/* Kinds of transfers; the last two have an offset, as pread. */
enum transfer { READS, WRITES, READS_AT, WRITES_AT };

/* How a read and a write can fail, by kind of descriptor. `waits`: the call may wait, so possible_transfer adds
 * INTERRUPTED or AGAIN, depending on the flags. */
static const struct {
    unsigned read, write;
    bool waits;
} possible_transfers[] = {
    [A_FILE] = {SHORT, SHORT | NO_SPACE | CRASH, false},
    [A_DIRECTORY] = {0, 0, false},
    [A_PIPE] = {SHORT, SHORT, true},
    [A_STREAM_SOCKET] = {SHORT | RESET, SHORT | RESET, true},
    [A_PACKET_SOCKET] = {RESET, RESET, true},
    [A_DATAGRAM_SOCKET] = {0, 0, true},
    [AN_UNCONNECTED_SOCKET] = {0, 0, false},
    [A_TERMINAL] = {SHORT, SHORT, true},
    [A_DEVICE] = {0, 0, false},
    [AN_EVENT] = {0, 0, true},
    [NO_DESCRIPTOR] = {0, 0, false},
};

static enum descriptor kind_of_socket(int fd)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int type = 0;
    socklen_t type_size = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size)) return NO_DESCRIPTOR;
    if (type == SOCK_DGRAM || type == SOCK_RAW) return A_DATAGRAM_SOCKET;
    if (getpeername(fd, (struct sockaddr *)&address, &size)) return AN_UNCONNECTED_SOCKET;
    return type == SOCK_SEQPACKET ? A_PACKET_SOCKET : A_STREAM_SOCKET;
}

static enum descriptor kind_of(int fd)
{
    struct stat info;
    if (fd < 0 || fstat(fd, &info)) return NO_DESCRIPTOR;
    switch (info.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFBLK: return A_FILE;
    case S_IFDIR: return A_DIRECTORY;
    case S_IFIFO: return A_PIPE;
    case S_IFSOCK: return kind_of_socket(fd);
    case S_IFCHR: return isatty(fd) ? A_TERMINAL : A_DEVICE;
    default: return AN_EVENT;
    }
}

/* Returns whether a socket has SO_RCVTIMEO or SO_SNDTIMEO: a call that waits too long returns EAGAIN. */
static bool has_time_limit(int fd, bool is_read)
{
    struct timeval limit = {0};
    socklen_t size = sizeof limit;
    return getsockopt(fd, SOL_SOCKET, is_read ? SO_RCVTIMEO : SO_SNDTIMEO, &limit, &size) == 0
           && (limit.tv_sec || limit.tv_usec);
}

/* Returns whether a descriptor allows this transfer. If it was not opened for that, the call always gives EBADF. */
static bool may_transfer(int flags, bool is_read)
{
    int access = flags & O_ACCMODE;
    return flags >= 0 && !(flags & O_PATH) && access != (is_read ? O_WRONLY : O_RDONLY);
}

/* Returns how a transfer of n bytes can fail. `no_wait`: the call itself asks not to wait (MSG_DONTWAIT,
 * RWF_NOWAIT). */
static unsigned possible_transfer(enum transfer transfer, int fd, size_t n, bool no_wait)
{
    bool is_read = transfer == READS || transfer == READS_AT, is_at = transfer == READS_AT || transfer == WRITES_AT;
    enum descriptor kind = kind_of(fd);
    int flags = fcntl(fd, F_GETFL);
    if (!may_transfer(flags, is_read) || (is_at && kind != A_FILE)) return 0; /* other kinds cannot seek */
    unsigned kinds = is_read ? possible_transfers[kind].read : possible_transfers[kind].write;
    bool is_blocking = !no_wait && !(flags & O_NONBLOCK);
    bool is_socket = A_STREAM_SOCKET <= kind && kind <= A_DATAGRAM_SOCKET;
    if (possible_transfers[kind].waits) kinds |= is_blocking ? INTERRUPTED : AGAIN;
    if (is_socket && is_blocking && has_time_limit(fd, is_read)) kinds |= AGAIN;
    if (n < 2 || (kind == A_PIPE && !is_read && n <= PIPE_BUF)) kinds &= ~(unsigned)SHORT;
    return n ? kinds : kinds & ~(unsigned)(NO_SPACE | CRASH);
}

/* Returns how opening can fail. It waits for the other end of a FIFO, and for some terminals. A new name needs space. A
 * crash is possible wherever the call may change something, so that leftover files do not change the draws. */
static unsigned possible_open(int at, const char *path, int flags)
{
    struct stat info;
    bool is_tmpfile = (flags & O_TMPFILE) == O_TMPFILE, is_there = fstatat(at, path, &info, 0) == 0;
    unsigned kinds = NO_OPEN | (flags & (O_CREAT | O_TRUNC) ? CRASH : 0);
    if (is_tmpfile) return kinds | NO_SPACE;
    if (!is_there) return flags & O_CREAT ? kinds | NO_SPACE : kinds;
    bool is_slow = S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode);
    if (is_slow && !(flags & O_NONBLOCK) && (flags & O_ACCMODE) != O_RDWR) kinds |= INTERRUPTED;
    return kinds;
}

/* Returns how renaming can fail. An existing name needs no more space. */
static unsigned possible_rename(int at, const char *path)
{
    struct stat info;
    return NO_RENAME | CRASH | (fstatat(at, path, &info, AT_SYMLINK_NOFOLLOW) ? NO_SPACE : 0);
}

/* Returns how a sync can fail. Descriptors that cannot be synced give EINVAL. */
static unsigned possible_sync(int fd)
{
    enum descriptor kind = kind_of(fd);
    return kind == A_FILE ? NO_SYNC | NO_SPACE | CRASH : kind == A_DIRECTORY ? NO_SYNC | CRASH : 0;
}

/* Returns how writing to a stream can fail. Only data that has to be written can fail. */
static unsigned possible_stream(FILE *file, size_t n)
{
    size_t pending = __fpending(file), room = __fbufsize(file);
    bool is_full = n ? pending + n > (room ? room : 4096) || __flbf(file) || room == 1 : pending > 0;
    return is_full && kind_of(fileno(file)) == A_FILE ? NO_SPACE | (n > 1 ? SHORT : 0) : 0;
}

#endif
