/* Calls that read and write by a descriptor, or change the size of its file. */

/* Returns whether a transfer of *n bytes fails. Halves *n for a short transfer. */
static bool transfer_fails(const char *name, enum transfer transfer, int fd, size_t *n, const void *caller)
{
    if (!ASKS) return false;
    unsigned kind = ask(name, possible_transfer(transfer, fd, *n, false), caller);
    if (kind == SHORT) *n /= 2;
    return kind && kind != SHORT && refuse(kind);
}

/* Like transfer_fails, for sockets, where the flags of the call may ask not to wait. */
static bool message_fails(const char *name, enum transfer transfer, int fd, size_t *n, int flags, const void *caller)
{
    if (!ASKS) return false;
    unsigned kinds = possible_transfer(transfer, fd, *n, flags & MSG_DONTWAIT);
    unsigned kind = ask(name, flags & MSG_WAITALL ? kinds & ~(unsigned)SHORT : kinds, caller);
    if (kind == SHORT) *n /= 2;
    return kind && kind != SHORT && refuse(kind);
}

DEFINE(ssize_t, read, (int fd, void *to, size_t n))
{
    return transfer_fails("read", READS, fd, &n, CALLER) ? -1 : REAL(read)(fd, to, n);
}

DEFINE(ssize_t, write, (int fd, const void *from, size_t n))
{
    if (transfer_fails("write", WRITES, fd, &n, CALLER)) return -1;
    return CHANGE(ssize_t, REAL(write)(fd, from, n), SONDE_DISK_WRITE, "write", .fd = fd, .offset = -1, .n = n);
}

#define DEFINE_AT(off, suffix)                                                                                         \
    DEFINE(ssize_t, pread##suffix, (int fd, void *to, size_t n, off at))                                               \
    {                                                                                                                  \
        if (transfer_fails("pread", READS_AT, fd, &n, CALLER)) return -1;                                              \
        ssize_t got = REAL(pread##suffix)(fd, to, n, at);                                                              \
        if (got > 0) SEEN(to, (size_t)got, true);                                                                      \
        return got;                                                                                                    \
    }                                                                                                                  \
    DEFINE(ssize_t, pwrite##suffix, (int fd, const void *from, size_t n, off at))                                      \
    {                                                                                                                  \
        SEEN(from, n, false);                                                                                          \
        if (transfer_fails("pwrite", WRITES_AT, fd, &n, CALLER)) return -1;                                            \
        return CHANGE(ssize_t, REAL(pwrite##suffix)(fd, from, n, at), SONDE_DISK_WRITE, "pwrite", .fd = fd,            \
                      .offset = at, .n = n);                                                                           \
    }
DEFINE_AT(off_t, )

DEFINE(ssize_t, recv, (int fd, void *to, size_t n, int flags))
{
    return message_fails("recv", READS, fd, &n, flags, CALLER) ? -1 : REAL(recv)(fd, to, n, flags);
}

DEFINE(ssize_t, send, (int fd, const void *from, size_t n, int flags))
{
    SEEN(from, n, false);
    return message_fails("send", WRITES, fd, &n, flags, CALLER) ? -1 : REAL(send)(fd, from, n, flags);
}

DEFINE(ssize_t, recvfrom, (int fd, void *to, size_t n, int flags, address_out who, socklen_t *restrict size))
{
    return message_fails("recvfrom", READS, fd, &n, flags, CALLER) ? -1 : REAL(recvfrom)(fd, to, n, flags, who, size);
}

DEFINE(ssize_t, sendto, (int fd, const void *from, size_t n, int flags, address_in whom, socklen_t size))
{
    return message_fails("sendto", WRITES, fd, &n, flags, CALLER) ? -1 : REAL(sendto)(fd, from, n, flags, whom, size);
}

/* ---- Vectors */

static size_t length_of(const struct iovec *parts, int n)
{
    size_t all = 0;
    for (int i = 0; i < n; i++) all += parts[i].iov_len;
    return all;
}

/* Returns whether a vector transfer fails. A short transfer uses half of the parts; if there is only one, *half becomes
 * its first half. */
static bool vector_fails(const char *name, enum transfer transfer, int fd, const struct iovec **parts, int *n,
                         struct iovec *half, const void *caller)
{
    if (*n < 1) return false;
    *half = **parts;
    size_t all = length_of(*parts, *n), amount = all;
    if (transfer_fails(name, transfer, fd, &amount, caller)) return true;
    if (amount == all) return false;
    if (*n > 1) *n /= 2;
    else half->iov_len = amount, *parts = half;
    return false;
}

DEFINE(ssize_t, readv, (int fd, const struct iovec *to, int n))
{
    struct iovec half;
    return vector_fails("readv", READS, fd, &to, &n, &half, CALLER) ? -1 : REAL(readv)(fd, to, n);
}

DEFINE(ssize_t, writev, (int fd, const struct iovec *from, int n))
{
    struct iovec half;
    if (vector_fails("writev", WRITES, fd, &from, &n, &half, CALLER)) return -1;
    return CHANGE(ssize_t, REAL(writev)(fd, from, n), SONDE_DISK_WRITE, "writev", .fd = fd, .offset = -1,
                  .n = length_of(from, n));
}

/* Returns the flags of open() that match RWF_SYNC and RWF_DSYNC, which are O_SYNC and O_DSYNC for one call. */
static int flags_of_write(int flags)
{
    return flags & (RWF_SYNC | RWF_DSYNC) ? O_DSYNC : 0;
}

#define DEFINE_VECTOR_AT(off, suffix)                                                                                  \
    DEFINE(ssize_t, preadv##suffix, (int fd, const struct iovec *to, int n, off at))                                   \
    {                                                                                                                  \
        struct iovec half;                                                                                             \
        return vector_fails("preadv", READS_AT, fd, &to, &n, &half, CALLER) ? -1                                       \
                                                                            : REAL(preadv##suffix)(fd, to, n, at);     \
    }                                                                                                                  \
    DEFINE(ssize_t, pwritev##suffix, (int fd, const struct iovec *from, int n, off at))                                \
    {                                                                                                                  \
        struct iovec half;                                                                                             \
        if (vector_fails("pwritev", WRITES_AT, fd, &from, &n, &half, CALLER)) return -1;                               \
        return CHANGE(ssize_t, REAL(pwritev##suffix)(fd, from, n, at), SONDE_DISK_WRITE, "pwritev", .fd = fd,          \
                      .offset = at, .n = length_of(from, n));                                                          \
    }                                                                                                                  \
    DEFINE(ssize_t, pwritev##suffix##2, (int fd, const struct iovec *from, int n, off at, int flags))                  \
    {                                                                                                                  \
        struct iovec half;                                                                                             \
        if (vector_fails("pwritev2", WRITES_AT, fd, &from, &n, &half, CALLER)) return -1;                              \
        return CHANGE(ssize_t, REAL(pwritev##suffix##2)(fd, from, n, at, flags), SONDE_DISK_WRITE, "pwritev2",         \
                      .fd = fd, .flags = flags_of_write(flags), .offset = at, .n = length_of(from, n));                \
    }
DEFINE_VECTOR_AT(off_t, )

/* ---- From one descriptor to another */

DEFINE(ssize_t, copy_file_range, (int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags))
{
    if (ASKS) ask("copy_file_range", CRASH, CALLER);
    return CHANGE(ssize_t, REAL(copy_file_range)(from, from_at, to, to_at, n, flags), SONDE_DISK_WRITE,
                  "copy_file_range", .fd = to, .offset = to_at ? *to_at : -1, .n = n);
}

DEFINE(ssize_t, splice, (int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags))
{
    if (ASKS) ask("splice", kind_of(to) == A_FILE ? CRASH : 0, CALLER);
    return CHANGE(ssize_t, REAL(splice)(from, from_at, to, to_at, n, flags), SONDE_DISK_WRITE, "splice", .fd = to,
                  .offset = to_at ? *to_at : -1, .n = n);
}

#define DEFINE_SENDFILE(name, off)                                                                                     \
    DEFINE(ssize_t, name, (int to, int from, off *at, size_t n))                                                       \
    {                                                                                                                  \
        if (ASKS) ask("sendfile", kind_of(to) == A_FILE ? CRASH : 0, CALLER);                                          \
        return CHANGE(ssize_t, REAL(name)(to, from, at, n), SONDE_DISK_WRITE, "sendfile", .fd = to, .offset = -1,      \
                      .n = n);                                                                                         \
    }
DEFINE_SENDFILE(sendfile, off_t)

/* ---- Sizes */

/* Allocated space is not part of any guarantee: a file that grows may have the new length or the old one. */
#define ALLOCATE(name, made, mode, at_, n_)                                                                            \
    __extension__({                                                                                                    \
        if (ASKS) ask(name, CRASH, CALLER);                                                                            \
        bool keeps_ = (mode)&FALLOC_FL_KEEP_SIZE,                                                                      \
             moves_ = (mode) & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE);                                    \
        bool zeroes_ = (mode) & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE);                                         \
        (void)keeps_;                                                                                                  \
        struct sonde_disk_event event_ = {.act = moves_    ? SONDE_DISK_OTHER                                          \
                                                 : zeroes_ ? SONDE_DISK_WRITE                                          \
                                                           : SONDE_DISK_GROW,                                          \
                                          .call = name,                                                                \
                                          .fd = fd,                                                                    \
                                          .offset = (at_),                                                             \
                                          .n = (uint64_t)(n_)};                                                        \
        begin_change(&event_);                                                                                         \
        int result_ = (made);                                                                                          \
        end_change(&event_, zeroes_ && !result_ ? (int64_t)(n_) : result_);                                            \
        result_;                                                                                                       \
    })

#define DEFINE_SIZES(off, suffix)                                                                                      \
    DEFINE(int, ftruncate##suffix, (int fd, off size))                                                                 \
    {                                                                                                                  \
        if (ASKS) ask("ftruncate", CRASH, CALLER);                                                                     \
        return CHANGE(int, REAL(ftruncate##suffix)(fd, size), SONDE_DISK_RESIZE, "ftruncate", .fd = fd,                \
                      .n = (uint64_t)size);                                                                            \
    }                                                                                                                  \
    DEFINE(int, truncate##suffix, (const char *path, off size))                                                        \
    {                                                                                                                  \
        if (ASKS) ask("truncate", CRASH, CALLER);                                                                      \
        return CHANGE(int, REAL(truncate##suffix)(path, size), SONDE_DISK_RESIZE, "truncate", .path = path,            \
                      .n = (uint64_t)size);                                                                            \
    }                                                                                                                  \
    DEFINE(int, fallocate##suffix, (int fd, int mode, off at, off n))                                                  \
    {                                                                                                                  \
        return ALLOCATE("fallocate", REAL(fallocate##suffix)(fd, mode, at, n), mode, at, n);                           \
    }                                                                                                                  \
    DEFINE(int, posix_fallocate##suffix, (int fd, off at, off n))                                                      \
    {                                                                                                                  \
        return ALLOCATE("posix_fallocate", REAL(posix_fallocate##suffix)(fd, at, n), 0, at, n);                        \
    }
DEFINE_SIZES(off_t, )

/* ---- The same calls by the names that headers give them: with -D_FILE_OFFSET_BITS=64, and with -D_FORTIFY_SOURCE.
 * Their faults are drawn under the name that the source uses. */

#ifdef __GLIBC__
DEFINE_AT(off64_t, 64)
DEFINE_SIZES(off64_t, 64)
DEFINE_SENDFILE(sendfile64, off64_t)

DEFINE(ssize_t, preadv64, (int fd, const struct iovec *to, int n, off64_t at))
{
    struct iovec half;
    return vector_fails("preadv", READS_AT, fd, &to, &n, &half, CALLER) ? -1 : REAL(preadv64)(fd, to, n, at);
}

DEFINE(ssize_t, pwritev64, (int fd, const struct iovec *from, int n, off64_t at))
{
    struct iovec half;
    if (vector_fails("pwritev", WRITES_AT, fd, &from, &n, &half, CALLER)) return -1;
    return CHANGE(ssize_t, REAL(pwritev64)(fd, from, n, at), SONDE_DISK_WRITE, "pwritev", .fd = fd, .offset = at,
                  .n = length_of(from, n));
}

DEFINE(ssize_t, pwritev64v2, (int fd, const struct iovec *from, int n, off64_t at, int flags))
{
    struct iovec half;
    if (vector_fails("pwritev2", WRITES_AT, fd, &from, &n, &half, CALLER)) return -1;
    return CHANGE(ssize_t, REAL(pwritev64v2)(fd, from, n, at, flags), SONDE_DISK_WRITE, "pwritev2", .fd = fd,
                  .flags = flags_of_write(flags), .offset = at, .n = length_of(from, n));
}

DEFINE(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t room))
{
    return transfer_fails("read", READS, fd, &n, CALLER) ? -1 : REAL(__read_chk)(fd, to, n, room);
}

DEFINE(ssize_t, __pread_chk, (int fd, void *to, size_t n, off_t at, size_t room))
{
    return transfer_fails("pread", READS_AT, fd, &n, CALLER) ? -1 : REAL(__pread_chk)(fd, to, n, at, room);
}

DEFINE(ssize_t, __pread64_chk, (int fd, void *to, size_t n, off64_t at, size_t room))
{
    return transfer_fails("pread", READS_AT, fd, &n, CALLER) ? -1 : REAL(__pread64_chk)(fd, to, n, at, room);
}

DEFINE(ssize_t, __recv_chk, (int fd, void *to, size_t n, size_t room, int flags))
{
    return message_fails("recv", READS, fd, &n, flags, CALLER) ? -1 : REAL(__recv_chk)(fd, to, n, room, flags);
}

DEFINE(ssize_t, __recvfrom_chk,
       (int fd, void *to, size_t n, size_t room, int flags, address_out who, socklen_t *restrict size))
{
    return message_fails("recvfrom", READS, fd, &n, flags, CALLER)
               ? -1
               : REAL(__recvfrom_chk)(fd, to, n, room, flags, who, size);
}
#endif
