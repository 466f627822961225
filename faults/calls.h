/* The calls that can fail, for both ways to put them under a program: DEFINE(type, name, parameters) begins the function that takes
 * the place of one, REAL(name) is the one of the C library.
 *
 * What fails has no effect, except that a short call did a part. Functions of stdio are among them because what the C library
 * writes for itself is not seen. */
#include "base/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Found by the library, by this name (src/case/faults.c). */
struct sonde_fault_hook *sonde_fault_hook_(void) __attribute__((visibility("default")));

/* It cannot need memory itself, hence the model. */
static _Thread_local struct sonde_fault_hook hook __attribute__((tls_model("initial-exec")));

struct sonde_fault_hook *sonde_fault_hook_(void)
{
    return &hook;
}

/* As in sonde.h, which a preloaded library need not know. */
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

/* As <sys/socket.h> declares them: in glibc a union of pointers. */
#ifdef __GLIBC__
typedef __SOCKADDR_ARG address_out;
typedef __CONST_SOCKADDR_ARG address_in;
#else
typedef struct sockaddr *restrict address_out;
typedef const struct sockaddr *address_in;
#endif

#define CALLER __builtin_return_address(0)

static inline unsigned ask(const char *name, unsigned kinds, const void *caller)
{
    if (__builtin_expect(!hook.ask, 1)) return 0;
    int before = errno;
    unsigned kind = hook.ask(hook.t, &(struct sonde_fault_call){name, kinds, caller});
    errno = before;
    return kind;
}

/* Sets errno; -1. */
static int refuse(unsigned kind)
{
    errno = kind == INTERRUPTED ? EINTR
            : kind == AGAIN     ? EAGAIN
            : kind == NO_SPACE  ? ENOSPC
            : kind == NO_OPEN   ? EMFILE
            : kind == RESET     ? ECONNRESET
                                : EIO;
    return -1;
}

static bool is_socket(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

/* Whether a transfer of *n bytes fails; a short one is made shorter. */
static bool transfer_fails(const char *name, unsigned kinds, int fd, size_t *n, const void *caller)
{
    if (__builtin_expect(!hook.ask, 1)) return false;
    if (*n > 1) kinds |= SHORT;
    if (is_socket(fd)) kinds |= RESET;
    unsigned kind = ask(name, kinds, caller);
    if (kind == SHORT) *n /= 2;
    return kind && kind != SHORT && refuse(kind);
}

/* ---- Reports to who follows files */

#define REPORT(...)                                                                                                    \
    do {                                                                                                               \
        if (__builtin_expect(hook.disk != NULL, 0)) report(&(struct sonde_disk_event){__VA_ARGS__});                   \
    } while (0)

static void report(const struct sonde_disk_event *event)
{
    int before = errno;
    hook.disk(&hook, event);
    errno = before;
}

/* `made`: what a call that changes a file has returned. */
#define CHANGE(fd, made)                                                                                               \
    __extension__({                                                                                                    \
        REPORT(.act = SONDE_DISK_WILL_CHANGE, .fd = (fd));                                                             \
        __typeof__(made) result_ = (made);                                                                             \
        REPORT(.act = SONDE_DISK_CHANGED, .fd = (fd));                                                                 \
        result_;                                                                                                       \
    })

enum { READING = INTERRUPTED | AGAIN, WRITING = INTERRUPTED | AGAIN | NO_SPACE | CRASH };

DEFINE(ssize_t, read, (int fd, void *to, size_t n))
{
    return transfer_fails("read", READING, fd, &n, CALLER) ? -1 : REAL(read)(fd, to, n);
}

DEFINE(ssize_t, write, (int fd, const void *from, size_t n))
{
    return transfer_fails("write", WRITING, fd, &n, CALLER) ? -1 : CHANGE(fd, REAL(write)(fd, from, n));
}

DEFINE(ssize_t, pread, (int fd, void *to, size_t n, off_t at))
{
    return transfer_fails("pread", INTERRUPTED, fd, &n, CALLER) ? -1 : REAL(pread)(fd, to, n, at);
}

DEFINE(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at))
{
    return transfer_fails("pwrite", INTERRUPTED | NO_SPACE | CRASH, fd, &n, CALLER)
               ? -1
               : CHANGE(fd, REAL(pwrite)(fd, from, n, at));
}

DEFINE(ssize_t, recv, (int fd, void *to, size_t n, int flags))
{
    return transfer_fails("recv", READING, fd, &n, CALLER) ? -1 : REAL(recv)(fd, to, n, flags);
}

DEFINE(ssize_t, send, (int fd, const void *from, size_t n, int flags))
{
    return transfer_fails("send", INTERRUPTED | AGAIN, fd, &n, CALLER) ? -1 : REAL(send)(fd, from, n, flags);
}

DEFINE(ssize_t, recvfrom, (int fd, void *to, size_t n, int flags, address_out who, socklen_t *restrict size))
{
    return transfer_fails("recvfrom", READING, fd, &n, CALLER) ? -1 : REAL(recvfrom)(fd, to, n, flags, who, size);
}

DEFINE(ssize_t, sendto, (int fd, const void *from, size_t n, int flags, address_in whom, socklen_t size))
{
    return transfer_fails("sendto", INTERRUPTED | AGAIN, fd, &n, CALLER) ? -1
                                                                         : REAL(sendto)(fd, from, n, flags, whom, size);
}

/* A short one does half of the parts, or half of the only one, which is in `half` then. */
static bool vector_fails(const char *name, unsigned kinds, int fd, const struct iovec **parts, int *n,
                         struct iovec *half, const void *caller)
{
    if (__builtin_expect(!hook.ask, 1) || *n < 1) return false;
    *half = **parts;
    size_t amount = *n > 1 ? (size_t)*n : half->iov_len, before = amount;
    if (transfer_fails(name, kinds, fd, &amount, caller)) return true;
    if (amount == before) return false;
    if (*n > 1) *n = (int)amount;
    else half->iov_len = amount, *parts = half;
    return false;
}

DEFINE(ssize_t, readv, (int fd, const struct iovec *to, int n))
{
    struct iovec half;
    return vector_fails("readv", READING, fd, &to, &n, &half, CALLER) ? -1 : REAL(readv)(fd, to, n);
}

DEFINE(ssize_t, writev, (int fd, const struct iovec *from, int n))
{
    struct iovec half;
    return vector_fails("writev", WRITING, fd, &from, &n, &half, CALLER) ? -1 : CHANGE(fd, REAL(writev)(fd, from, n));
}

static unsigned opening(int flags)
{
    return NO_OPEN | INTERRUPTED | (flags & O_CREAT ? NO_SPACE : 0) | (flags & (O_CREAT | O_TRUNC) ? CRASH : 0);
}

/* Remembers a descriptor; returns it. */
static int follow(int fd)
{
    if (hook.follows_files && fd >= 0 && hook.n_files < SONDE_FAULT_FILES) hook.files[hook.n_files++] = fd;
    return fd;
}

/* The same, around a call that opens. */
#define OPEN_AT(folder_, path_, flags_, made)                                                                          \
    __extension__({                                                                                                    \
        REPORT(.act = SONDE_DISK_WILL_OPEN, .fd = -1, .flags = (flags_), .folder = (folder_), .path = (path_));        \
        int fd_ = follow(made);                                                                                        \
        if (fd_ >= 0)                                                                                                  \
            REPORT(.act = SONDE_DISK_OPENED, .fd = fd_, .flags = (flags_), .folder = (folder_), .path = (path_));      \
        fd_;                                                                                                           \
    })
#define OPEN(path_, flags_, made) OPEN_AT(AT_FDCWD, path_, flags_, made)

/* The mode is there only where a file may be made. */
#define MODE_OF(flags, mode)                                                                                           \
    va_list args;                                                                                                      \
    va_start(args, flags);                                                                                             \
    unsigned mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, unsigned) : 0;                \
    va_end(args)

DEFINE(int, open, (const char *path, int flags, ...))
{
    MODE_OF(flags, mode);
    unsigned kind = ask("open", opening(flags), CALLER);
    return kind ? refuse(kind) : OPEN(path, flags, REAL(open)(path, flags, mode));
}

DEFINE(int, openat, (int folder, const char *path, int flags, ...))
{
    MODE_OF(flags, mode);
    unsigned kind = ask("openat", opening(flags), CALLER);
    return kind ? refuse(kind) : OPEN_AT(folder, path, flags, REAL(openat)(folder, path, flags, mode));
}

DEFINE(int, creat, (const char *path, mode_t mode))
{
    enum { FLAGS = O_CREAT | O_TRUNC | O_WRONLY };
    unsigned kind = ask("creat", opening(FLAGS), CALLER);
    return kind ? refuse(kind) : OPEN(path, FLAGS, REAL(creat)(path, mode));
}

static void forget(int fd)
{
    for (int i = 0; i < hook.n_files; i++)
        if (hook.files[i] == fd) hook.files[i] = hook.files[--hook.n_files];
}

DEFINE(int, close, (int fd))
{
    forget(fd);
    return REAL(close)(fd);
}

DEFINE(int, unlink, (const char *path))
{
    ask("unlink", CRASH, CALLER);
    REPORT(.act = SONDE_DISK_WILL_NAME, .fd = -1, .folder = AT_FDCWD, .to_folder = AT_FDCWD, .path = path);
    int result = REAL(unlink)(path);
    if (result == 0)
        REPORT(.act = SONDE_DISK_REMOVED, .fd = -1, .folder = AT_FDCWD, .to_folder = AT_FDCWD, .path = path);
    return result;
}

DEFINE(int, ftruncate, (int fd, off_t size))
{
    ask("ftruncate", CRASH, CALLER);
    return CHANGE(fd, REAL(ftruncate)(fd, size));
}

DEFINE(int, rename, (const char *from, const char *to))
{
    unsigned kind = ask("rename", NO_RENAME | NO_SPACE | CRASH, CALLER);
    if (kind) return refuse(kind);
    REPORT(.act = SONDE_DISK_WILL_NAME, .fd = -1, .folder = AT_FDCWD, .to_folder = AT_FDCWD, .path = from, .to = to);
    int result = REAL(rename)(from, to);
    if (result == 0)
        REPORT(.act = SONDE_DISK_RENAMED, .fd = -1, .folder = AT_FDCWD, .to_folder = AT_FDCWD, .path = from, .to = to);
    return result;
}

static int synced(int fd, int result)
{
    if (result == 0) REPORT(.act = SONDE_DISK_SYNCED, .fd = fd);
    return result;
}

DEFINE(int, fsync, (int fd))
{
    unsigned kind = ask("fsync", NO_SYNC | NO_SPACE | CRASH, CALLER);
    return kind ? refuse(kind) : synced(fd, REAL(fsync)(fd));
}

DEFINE(int, fdatasync, (int fd))
{
    unsigned kind = ask("fdatasync", NO_SYNC | NO_SPACE | CRASH, CALLER);
    return kind ? refuse(kind) : synced(fd, REAL(fdatasync)(fd));
}

/* ---- stdio */

static int flags_of(const char *mode)
{
    return *mode == 'r' ? (strchr(mode, '+') ? O_RDWR : O_RDONLY)
                        : O_RDWR | O_CREAT | (*mode == 'w' ? O_TRUNC : O_APPEND);
}

static FILE *follow_stream(FILE *file, const char *path, const char *mode)
{
    if (!file) return NULL;
    follow(fileno(file));
    REPORT(.act = SONDE_DISK_OPENED, .fd = fileno(file), .flags = flags_of(mode), .folder = AT_FDCWD, .path = path);
    return file;
}

#define OPEN_STREAM(path_, mode, made)                                                                                 \
    __extension__({                                                                                                    \
        REPORT(.act = SONDE_DISK_WILL_OPEN, .fd = -1, .flags = flags_of(mode), .folder = AT_FDCWD, .path = (path_));   \
        follow_stream(made, path_, mode);                                                                              \
    })

DEFINE(FILE *, fopen, (const char *path, const char *mode))
{
    unsigned kind = ask("fopen", NO_OPEN | INTERRUPTED, CALLER);
    if (!kind) return OPEN_STREAM(path, mode, REAL(fopen)(path, mode));
    refuse(kind);
    return NULL;
}

/* Sets errno, and the stream's own sign of an error, which code may ask for by ferror() when all is written. -1. */
static int refuse_stream(unsigned kind, FILE *file)
{
#ifdef __GLIBC__
    if (file) file->_flags |= _IO_ERR_SEEN;
#else
    if (file) __fseterr(file);
#endif
    return refuse(kind);
}

/* A short one of a stream has failed, too: it wrote what there was room for. */
DEFINE(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *to))
{
    unsigned kind = ask("fwrite", NO_SPACE | (n > 1 ? SHORT : 0), CALLER);
    if (!kind) return REAL(fwrite)(from, size, n, to);
    size_t wrote = kind == SHORT ? REAL(fwrite)(from, size, n / 2, to) : 0;
    refuse_stream(NO_SPACE, to);
    return wrote;
}

DEFINE(int, fflush, (FILE * to))
{
    unsigned kind = ask("fflush", NO_SPACE, CALLER);
    if (kind) return refuse_stream(kind, to);
    int result = REAL(fflush)(to);
    if (to) REPORT(.act = SONDE_DISK_CHANGED, .fd = fileno(to));
    return result;
}

/* It closes in any case; what had not been written by then is lost if it fails. */
DEFINE(int, fclose, (FILE * file))
{
    unsigned kind = ask("fclose", NO_SPACE, CALLER);
    forget(fileno(file));
    if (kind) __fpurge(file);
    if (hook.disk) REAL(fflush)(file);
    REPORT(.act = SONDE_DISK_CHANGED, .fd = fileno(file));
    int result = REAL(fclose)(file);
    return kind ? refuse(kind) : result;
}

/* ---- The same calls by the names that headers give them: with -D_FILE_OFFSET_BITS=64, and with -D_FORTIFY_SOURCE. They are
 * drawn by the name that the source has. */

#ifdef __GLIBC__
DEFINE(ssize_t, pread64, (int fd, void *to, size_t n, off64_t at))
{
    return transfer_fails("pread", INTERRUPTED, fd, &n, CALLER) ? -1 : REAL(pread64)(fd, to, n, at);
}

DEFINE(ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t at))
{
    return transfer_fails("pwrite", INTERRUPTED | NO_SPACE | CRASH, fd, &n, CALLER)
               ? -1
               : CHANGE(fd, REAL(pwrite64)(fd, from, n, at));
}

DEFINE(int, open64, (const char *path, int flags, ...))
{
    MODE_OF(flags, mode);
    unsigned kind = ask("open", opening(flags), CALLER);
    return kind ? refuse(kind) : OPEN(path, flags, REAL(open64)(path, flags, mode));
}

DEFINE(int, openat64, (int folder, const char *path, int flags, ...))
{
    MODE_OF(flags, mode);
    unsigned kind = ask("openat", opening(flags), CALLER);
    return kind ? refuse(kind) : OPEN_AT(folder, path, flags, REAL(openat64)(folder, path, flags, mode));
}

DEFINE(int, ftruncate64, (int fd, off64_t size))
{
    ask("ftruncate", CRASH, CALLER);
    return CHANGE(fd, REAL(ftruncate64)(fd, size));
}

DEFINE(FILE *, fopen64, (const char *path, const char *mode))
{
    unsigned kind = ask("fopen", NO_OPEN | INTERRUPTED, CALLER);
    if (!kind) return OPEN_STREAM(path, mode, REAL(fopen64)(path, mode));
    refuse(kind);
    return NULL;
}

DEFINE(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t room))
{
    return transfer_fails("read", READING, fd, &n, CALLER) ? -1 : REAL(__read_chk)(fd, to, n, room);
}

DEFINE(ssize_t, __pread_chk, (int fd, void *to, size_t n, off_t at, size_t room))
{
    return transfer_fails("pread", INTERRUPTED, fd, &n, CALLER) ? -1 : REAL(__pread_chk)(fd, to, n, at, room);
}

DEFINE(ssize_t, __pread64_chk, (int fd, void *to, size_t n, off64_t at, size_t room))
{
    return transfer_fails("pread", INTERRUPTED, fd, &n, CALLER) ? -1 : REAL(__pread64_chk)(fd, to, n, at, room);
}

DEFINE(ssize_t, __recv_chk, (int fd, void *to, size_t n, size_t room, int flags))
{
    return transfer_fails("recv", READING, fd, &n, CALLER) ? -1 : REAL(__recv_chk)(fd, to, n, room, flags);
}

DEFINE(ssize_t, __recvfrom_chk,
       (int fd, void *to, size_t n, size_t room, int flags, address_out who, socklen_t *restrict size))
{
    return transfer_fails("recvfrom", READING, fd, &n, CALLER)
               ? -1
               : REAL(__recvfrom_chk)(fd, to, n, room, flags, who, size);
}

DEFINE(int, creat64, (const char *path, mode_t mode))
{
    enum { FLAGS = O_CREAT | O_TRUNC | O_WRONLY };
    unsigned kind = ask("creat", opening(FLAGS), CALLER);
    return kind ? refuse(kind) : OPEN(path, FLAGS, REAL(creat64)(path, mode));
}

/* Where the flags are no constant. They complain of a file that would be made without a mode. */
DEFINE(int, __open_2, (const char *path, int flags))
{
    unsigned kind = ask("open", opening(flags), CALLER);
    return kind ? refuse(kind) : OPEN(path, flags, REAL(__open_2)(path, flags));
}

DEFINE(int, __open64_2, (const char *path, int flags))
{
    unsigned kind = ask("open", opening(flags), CALLER);
    return kind ? refuse(kind) : OPEN(path, flags, REAL(__open64_2)(path, flags));
}

DEFINE(int, __openat_2, (int folder, const char *path, int flags))
{
    unsigned kind = ask("openat", opening(flags), CALLER);
    return kind ? refuse(kind) : OPEN_AT(folder, path, flags, REAL(__openat_2)(folder, path, flags));
}

DEFINE(int, __openat64_2, (int folder, const char *path, int flags))
{
    unsigned kind = ask("openat", opening(flags), CALLER);
    return kind ? refuse(kind) : OPEN_AT(folder, path, flags, REAL(__openat64_2)(folder, path, flags));
}
#endif
