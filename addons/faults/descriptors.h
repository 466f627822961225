/* Records the descriptors and mappings that the code opens while files are tracked, because a simulated crash closes
 * them. */

/* A descriptor that the code has opened, and the file it led to. */
struct opened {
    int fd;
    dev_t device;
    ino_t inode;
};

static struct {
    struct opened *all;
    size_t n, cap;
} opened;

static struct {
    struct mapped {
        void *at;
        size_t n;
    } * all;
    size_t n, cap, n_dead; /* the first n_dead entries belong to a process that died */
} mapped;

static void *grow(void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap) return array;
    size_t wanted = *cap ? 2 * *cap : 64;
    void *larger = realloc(array, wanted * size);
    if (larger) *cap = wanted;
    return larger ? larger : array;
}

/* Records a descriptor; returns it. */
static int follow(int fd)
{
    struct stat info;
    int before = errno;
    if (fd < 0 || !FOLLOWS || fstat(fd, &info)) return fd;
    opened.all = grow(opened.all, opened.n, &opened.cap, sizeof *opened.all);
    if (opened.n < opened.cap) opened.all[opened.n++] = (struct opened){fd, info.st_dev, info.st_ino};
    errno = before;
    return fd;
}

static void forget(int fd)
{
    for (size_t i = opened.n; i-- > 0;)
        if (opened.all[i].fd == fd) opened.all[i] = opened.all[--opened.n];
}

DEFINE(int, close, (int fd))
{
    if (opened.n) forget(fd);
    return REAL(close)(fd);
}

/* Closes all recorded descriptors. If a number now belongs to another file, an unseen call has closed it. */
static void close_descriptors(void)
{
    while (opened.n > 0) {
        struct opened o = opened.all[--opened.n];
        struct stat info;
        if (fstat(o.fd, &info) == 0 && info.st_dev == o.device && info.st_ino == o.inode) REAL(close)(o.fd);
    }
}

DEFINE(int, dup, (int fd))
{
    return follow(REAL(dup)(fd));
}

DEFINE(int, dup2, (int fd, int to))
{
    if (fd != to) forget(to);
    int result = REAL(dup2)(fd, to);
    return fd != to && to > 2 ? follow(result) : result; /* standard streams belong to the property */
}

DEFINE(int, dup3, (int fd, int to, int flags))
{
    forget(to);
    int result = REAL(dup3)(fd, to, flags);
    return to > 2 ? follow(result) : result;
}

/* The third argument is a number, a pointer or absent; each is passed in the same register. */
#define DEFINE_FCNTL(name)                                                                                             \
    DEFINE(int, name, (int fd, int what, ...))                                                                         \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        va_start(args, what);                                                                                          \
        void *argument = va_arg(args, void *);                                                                         \
        va_end(args);                                                                                                  \
        int result = REAL(name)(fd, what, argument);                                                                   \
        return what == F_DUPFD || what == F_DUPFD_CLOEXEC ? follow(result) : result;                                   \
    }
DEFINE_FCNTL(fcntl)

/* ---- Mappings. After a simulated crash the pages stay until the next sonde_crash or sonde_power_cut begins, since
 * clean-up code may still read them. */

static void *follow_map(void *at, size_t n)
{
    if (at == MAP_FAILED || !FOLLOWS) return at;
    mapped.all = grow(mapped.all, mapped.n, &mapped.cap, sizeof *mapped.all);
    if (mapped.n < mapped.cap) mapped.all[mapped.n++] = (struct mapped){at, n};
    return at;
}

#define DEFINE_MMAP(name, off)                                                                                         \
    DEFINE(void *, name, (void *at, size_t n, int protection, int flags, int fd, off from))                            \
    {                                                                                                                  \
        if (fd < 0 || flags & MAP_ANONYMOUS || (flags & MAP_TYPE) == MAP_PRIVATE)                                      \
            return REAL(name)(at, n, protection, flags, fd, from);                                                     \
        bool writes = protection & PROT_WRITE;                                                                         \
        if (!writes) return follow_map(REAL(name)(at, n, protection, flags, fd, from), n);                             \
        struct sonde_disk_event event = {.act = SONDE_DISK_MAP, .call = "mmap", .fd = fd, .offset = from, .n = n};     \
        begin_change(&event);                                                                                          \
        void *map = REAL(name)(at, n, protection, flags, fd, from);                                                    \
        end_change(&event, (int64_t)(intptr_t)map);                                                                    \
        return follow_map(map, n);                                                                                     \
    }
DEFINE_MMAP(mmap, off_t)

DEFINE(int, munmap, (void *at, size_t n))
{
    for (size_t i = mapped.n; i-- > mapped.n_dead;)
        if (mapped.all[i].at == at) mapped.all[i] = mapped.all[--mapped.n];
    return CHANGE(int, REAL(munmap)(at, n), SONDE_DISK_UNMAP, "munmap", .offset = (int64_t)(intptr_t)at);
}

static void unmap_dead(void)
{
    if (!mapped.n_dead) return;
    for (size_t i = 0; i < mapped.n_dead; i++) REAL(munmap)(mapped.all[i].at, mapped.all[i].n);
    mapped.n -= mapped.n_dead;
    memmove(mapped.all, mapped.all + mapped.n_dead, mapped.n * sizeof *mapped.all);
    mapped.n_dead = 0;
}

DEFINE(int, msync, (void *at, size_t n, int flags))
{
    if (!(flags & MS_SYNC)) return REAL(msync)(at, n, flags);
    if (ASKS) ask("msync", CRASH, CALLER);
    return CHANGE(int, REAL(msync)(at, n, flags), SONDE_DISK_SYNC_MAP, "msync", .offset = (int64_t)(intptr_t)at,
                  .n = n);
}

#ifdef __GLIBC__
DEFINE_FCNTL(fcntl64)
DEFINE_MMAP(mmap64, off64_t)
#endif
