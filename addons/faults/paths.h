/* Calls that open files, change names, sync, or change attributes that are not modelled. */

/* Reads the argument `mode`, which callers pass only if a file may be created. O_TMPFILE contains the bit of
 * O_DIRECTORY. */
#define MODE_OF(flags, mode)                                                                                           \
    va_list args;                                                                                                      \
    va_start(args, flags);                                                                                             \
    unsigned mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, unsigned) : 0;                \
    va_end(args)

/* Returns whether opening fails. */
static bool open_fails(const char *name, int at, const char *path, int flags, const void *caller)
{
    unsigned kind = ASKS ? ask(name, possible_open(at, path, flags), caller) : 0;
    return kind && refuse(kind);
}

#define OPEN(name_, at_, path_, flags_, made)                                                                          \
    (open_fails(name_, at_, path_, flags_, CALLER)                                                                     \
         ? -1                                                                                                          \
         : follow(CHANGE(int, made, SONDE_DISK_OPEN, name_, .at = (at_), .path = (path_), .flags = (flags_))))

#define DEFINE_OPEN(suffix)                                                                                            \
    DEFINE(int, open##suffix, (const char *path, int flags, ...))                                                      \
    {                                                                                                                  \
        MODE_OF(flags, mode);                                                                                          \
        return OPEN("open", AT_FDCWD, path, flags, REAL(open##suffix)(path, flags, mode));                             \
    }                                                                                                                  \
    DEFINE(int, openat##suffix, (int at, const char *path, int flags, ...))                                            \
    {                                                                                                                  \
        MODE_OF(flags, mode);                                                                                          \
        return OPEN("openat", at, path, flags, REAL(openat##suffix)(at, path, flags, mode));                           \
    }                                                                                                                  \
    DEFINE(int, creat##suffix, (const char *path, mode_t mode))                                                        \
    {                                                                                                                  \
        enum { FLAGS = O_CREAT | O_TRUNC | O_WRONLY };                                                                 \
        return OPEN("creat", AT_FDCWD, path, FLAGS, REAL(creat##suffix)(path, mode));                                  \
    }
DEFINE_OPEN()

/* ---- Temporary files. The path is known only after the call. */

static bool temporary_fails(const char *name, const void *caller)
{
    unsigned kind = ASKS ? ask(name, NO_OPEN | NO_SPACE | CRASH, caller) : 0;
    return kind && refuse(kind);
}

#define DEFINE_TEMPORARY(name, source, parameters, ...)                                                                \
    DEFINE(int, name, parameters)                                                                                      \
    {                                                                                                                  \
        if (temporary_fails(source, CALLER)) return -1;                                                                \
        return follow(CHANGE(int, REAL(name)(__VA_ARGS__), SONDE_DISK_OPEN, source, .path = path,                      \
                             .flags = O_RDWR | O_CREAT | O_EXCL));                                                     \
    }
#define DEFINE_TEMPORARIES(suffix)                                                                                     \
    DEFINE_TEMPORARY(mkstemp##suffix, "mkstemp", (char *path), path)                                                   \
    DEFINE_TEMPORARY(mkostemp##suffix, "mkostemp", (char *path, int flags), path, flags)                               \
    DEFINE_TEMPORARY(mkstemps##suffix, "mkstemps", (char *path, int n), path, n)                                       \
    DEFINE_TEMPORARY(mkostemps##suffix, "mkostemps", (char *path, int n, int flags), path, n, flags)
DEFINE_TEMPORARIES()

DEFINE(char *, mkdtemp, (char *path))
{
    if (ASKS) ask("mkdtemp", CRASH, CALLER);
    char *made = REAL(mkdtemp)(path);
    struct sonde_disk_event event = {.act = SONDE_DISK_MAKE, .call = "mkdtemp", .at = AT_FDCWD, .path = path, .fd = -1};
    if (!made) return NULL;
    begin_change(&event); /* the name did not exist before */
    end_change(&event, 0);
    return made;
}

/* ---- Names */

static bool rename_fails(const char *name, int at, const char *to, const void *caller)
{
    unsigned kind = ASKS ? ask(name, possible_rename(at, to), caller) : 0;
    return kind && refuse(kind);
}

DEFINE(int, rename, (const char *from, const char *to))
{
    if (rename_fails("rename", AT_FDCWD, to, CALLER)) return -1;
    return CHANGE(int, REAL(rename)(from, to), SONDE_DISK_RENAME, "rename", .path = from, .to = to);
}

DEFINE(int, renameat, (int from_at, const char *from, int to_at_, const char *to))
{
    if (rename_fails("renameat", to_at_, to, CALLER)) return -1;
    return CHANGE(int, REAL(renameat)(from_at, from, to_at_, to), SONDE_DISK_RENAME, "renameat", .at = from_at,
                  .path = from, .to_at = to_at_, .to = to);
}

/* Changes of names that only a crash can prevent. */
#define NAME(name, made, act, ...)                                                                                     \
    do {                                                                                                               \
        if (ASKS) ask(name, CRASH, CALLER);                                                                            \
        return CHANGE(int, made, act, name, __VA_ARGS__);                                                              \
    } while (0)

DEFINE(int, unlink, (const char *path))
{
    NAME("unlink", REAL(unlink)(path), SONDE_DISK_REMOVE, .path = path);
}

DEFINE(int, unlinkat, (int where, const char *path, int flags))
{
    NAME("unlinkat", REAL(unlinkat)(where, path, flags), SONDE_DISK_REMOVE, .at = where, .path = path);
}

DEFINE(int, remove, (const char *path))
{
    NAME("remove", REAL(remove)(path), SONDE_DISK_REMOVE, .path = path);
}

DEFINE(int, rmdir, (const char *path))
{
    NAME("rmdir", REAL(rmdir)(path), SONDE_DISK_REMOVE, .path = path);
}

DEFINE(int, mkdir, (const char *path, mode_t mode))
{
    NAME("mkdir", REAL(mkdir)(path, mode), SONDE_DISK_MAKE, .path = path);
}

DEFINE(int, mkdirat, (int where, const char *path, mode_t mode))
{
    NAME("mkdirat", REAL(mkdirat)(where, path, mode), SONDE_DISK_MAKE, .at = where, .path = path);
}

DEFINE(int, mkfifo, (const char *path, mode_t mode))
{
    NAME("mkfifo", REAL(mkfifo)(path, mode), SONDE_DISK_MAKE, .path = path);
}

DEFINE(int, link, (const char *from, const char *name))
{
    NAME("link", REAL(link)(from, name), SONDE_DISK_LINK, .path = from, .to = name);
}

DEFINE(int, linkat, (int from_at, const char *from, int where, const char *name, int flags))
{
    NAME("linkat", REAL(linkat)(from_at, from, where, name, flags), SONDE_DISK_LINK, .at = from_at, .path = from,
         .to_at = where, .to = name);
}

DEFINE(int, symlink, (const char *target, const char *path))
{
    NAME("symlink", REAL(symlink)(target, path), SONDE_DISK_MAKE, .path = path);
}

DEFINE(int, symlinkat, (const char *target, int where, const char *path))
{
    NAME("symlinkat", REAL(symlinkat)(target, where, path), SONDE_DISK_MAKE, .at = where, .path = path);
}

/* ---- Syncs */

/* Syncs a file. A drawn failure loses the data to be written: the kernel considers it clean, and the next fsync
 * succeeds without it. */
static int sync_file(const char *name, int fd, int (*real)(int fd), const void *caller)
{
    unsigned kind = ASKS ? ask(name, possible_sync(fd), caller) : 0;
    struct sonde_disk_event event = {.act = SONDE_DISK_SYNC, .call = name, .fd = fd};
    begin_change(&event);
    int result = kind ? refuse(kind) : real(fd);
    end_change(&event, kind ? -1 : result ? errno : 0);
    return result;
}

DEFINE(int, fsync, (int fd))
{
    return sync_file("fsync", fd, REAL(fsync), CALLER);
}

DEFINE(int, fdatasync, (int fd))
{
    return sync_file("fdatasync", fd, REAL(fdatasync), CALLER);
}

DEFINE(void, sync, (void))
{
    if (ASKS) ask("sync", CRASH, CALLER);
    struct sonde_disk_event event = {.act = SONDE_DISK_SYNC_ALL, .call = "sync", .fd = -1};
    begin_change(&event);
    REAL(sync)();
    end_change(&event, 0);
}

DEFINE(int, syncfs, (int fd_))
{
    if (ASKS) ask("syncfs", CRASH, CALLER);
    return CHANGE(int, REAL(syncfs)(fd_), SONDE_DISK_SYNC_ALL, "syncfs", .fd = fd_);
}

/* ---- Changes that are not modelled: mode, owner, times, attributes */

#define DEFINE_STATUS(name, act, parameters, arguments, ...)                                                           \
    DEFINE(int, name, parameters)                                                                                      \
    {                                                                                                                  \
        return CHANGE(int, REAL(name) arguments, act, #name, __VA_ARGS__);                                             \
    }
DEFINE_STATUS(chmod, SONDE_DISK_STATUS, (const char *p, mode_t mode), (p, mode), .path = p)
DEFINE_STATUS(fchmod, SONDE_DISK_STATUS, (int f, mode_t mode), (f, mode), .fd = f)
DEFINE_STATUS(fchmodat, SONDE_DISK_STATUS, (int d, const char *p, mode_t mode, int flags), (d, p, mode, flags), .at = d,
              .path = p)
DEFINE_STATUS(chown, SONDE_DISK_STATUS, (const char *p, uid_t user, gid_t group), (p, user, group), .path = p)
DEFINE_STATUS(fchown, SONDE_DISK_STATUS, (int f, uid_t user, gid_t group), (f, user, group), .fd = f)
DEFINE_STATUS(lchown, SONDE_DISK_STATUS, (const char *p, uid_t user, gid_t group), (p, user, group), .path = p)
DEFINE_STATUS(utimensat, SONDE_DISK_STATUS, (int d, const char *p, const struct timespec times[2], int flags),
              (d, p, times, flags), .at = d, .path = p)
DEFINE_STATUS(futimens, SONDE_DISK_STATUS, (int f, const struct timespec times[2]), (f, times), .fd = f)
DEFINE_STATUS(utime, SONDE_DISK_STATUS, (const char *p, const struct utimbuf *times), (p, times), .path = p)
DEFINE_STATUS(utimes, SONDE_DISK_STATUS, (const char *p, const struct timeval times[2]), (p, times), .path = p)
DEFINE_STATUS(setxattr, SONDE_DISK_OTHER, (const char *p, const char *name, const void *value, size_t size, int flags),
              (p, name, value, size, flags), .path = p)
DEFINE_STATUS(fsetxattr, SONDE_DISK_OTHER, (int f, const char *name, const void *value, size_t size, int flags),
              (f, name, value, size, flags), .fd = f)

#ifdef __GLIBC__
DEFINE(int, renameat2, (int from_at, const char *from, int to_at_, const char *to, unsigned flags_))
{
    if (rename_fails("renameat2", to_at_, to, CALLER)) return -1;
    return CHANGE(int, REAL(renameat2)(from_at, from, to_at_, to, flags_), SONDE_DISK_RENAME, "renameat2",
                  .at = from_at, .path = from, .to_at = to_at_, .to = to, .flags = (int)flags_);
}

DEFINE_OPEN(64)
DEFINE_TEMPORARIES(64)

/* For flags that are not constant. These functions reject a file that would be created without a mode. */
DEFINE(int, __open_2, (const char *path, int flags))
{
    return OPEN("open", AT_FDCWD, path, flags, REAL(__open_2)(path, flags));
}

DEFINE(int, __open64_2, (const char *path, int flags))
{
    return OPEN("open", AT_FDCWD, path, flags, REAL(__open64_2)(path, flags));
}

DEFINE(int, __openat_2, (int at, const char *path, int flags))
{
    return OPEN("openat", at, path, flags, REAL(__openat_2)(at, path, flags));
}

DEFINE(int, __openat64_2, (int at, const char *path, int flags))
{
    return OPEN("openat", at, path, flags, REAL(__openat64_2)(at, path, flags));
}
#endif
