/* Streams of stdio that fail and are tracked like the calls of transfers.h.
 *
 * The C library writes the buffer of a stream internally, where calls cannot be seen. So a stream that is opened while
 * files are tracked has sonde's functions (fopencookie). Whichever function fills its buffer, even putc_unlocked, the
 * bytes pass through write_stream. At a simulated crash, the streams lose their buffers and write nothing any more.
 * They are freed when the next sonde_crash or sonde_power_cut begins, since clean-up code may still close them.
 *
 * Streams that were opened before, or by calls that are not seen, are plain ones. If the code writes to them while
 * files are tracked, that is reported. */

/* A stream with sonde's functions. */
struct stream {
    FILE *file;
    int fd;
    bool is_dead;
    struct stream *next;
    char buffer[];
};

static struct stream *streams;

/* The stdio function that the code called, and its caller; NULL: another function of stdio. */
static struct {
    const char *name;
    const void *caller;
} stream_call;

static struct stream *find_stream(FILE *file)
{
    struct stream *s = streams;
    while (s && s->file != file) s = s->next;
    return s;
}

#undef fileno
DEFINE(int, fileno, (FILE * file))
{
    struct stream *s = find_stream(file);
    return s ? s->fd : REAL(fileno)(file);
}

#undef fileno_unlocked
DEFINE(int, fileno_unlocked, (FILE * file))
{
    struct stream *s = find_stream(file);
    return s ? s->fd : REAL(fileno_unlocked)(file);
}

/* ---- The functions of a stream */

static ssize_t read_stream(void *cookie, char *to, size_t n)
{
    struct stream *s = cookie;
    return s->is_dead ? 0 : REAL(read)(s->fd, to, n);
}

/* Writes to the file; returns 0 on an error, as fopencookie demands. A crash leaves this function by a jump. */
static ssize_t write_stream(void *cookie, const char *from, size_t n)
{
    struct stream *s = cookie;
    const char *name = stream_call.name ? stream_call.name : "stdio";
    if (s->is_dead) return (ssize_t)n;
    unsigned kind = ASKS ? ask(name, possible_transfer(WRITES, s->fd, n, false), stream_call.caller) : 0;
    size_t part = kind == SHORT ? n / 2 : kind ? 0 : n;
    ssize_t wrote = 0;
    if (part)
        wrote = CHANGE(ssize_t, REAL(write)(s->fd, from, part), SONDE_DISK_WRITE, name, .fd = s->fd, .offset = -1,
                       .n = part);
    if (kind) refuse(kind == SHORT ? NO_SPACE : kind);
    return wrote < 0 ? 0 : wrote;
}

static int seek_stream(void *cookie, off64_t *at, int whence)
{
    struct stream *s = cookie;
    off64_t result = s->is_dead ? 0 : lseek64(s->fd, *at, whence);
    if (result < 0) return -1;
    *at = result;
    return 0;
}

static int close_stream(void *cookie)
{
    struct stream *s = cookie;
    struct stream **at = &streams;
    while (*at && *at != s) at = &(*at)->next;
    if (*at) *at = s->next;
    int result = s->is_dead ? 0 : (forget(s->fd), REAL(close)(s->fd));
    free(s);
    return result;
}

/* Creates a stream, which owns the descriptor. Ignores the parts of the mode that fopencookie does not know. */
static FILE *make_stream(int fd, const char *mode)
{
    static const cookie_io_functions_t functions = {read_stream, write_stream, seek_stream, close_stream};
    char plain[3] = {mode[0], strchr(mode, '+') ? '+' : '\0', '\0'};
    struct stat info;
    size_t room =
        fstat(fd, &info) == 0 && info.st_blksize > 0 && info.st_blksize <= 65536 ? (size_t)info.st_blksize : 4096;
    struct stream *s = malloc(sizeof *s + room);
    if (!s) return NULL;
    *s = (struct stream){.fd = fd, .next = streams};
    s->file = fopencookie(s, plain, functions);
    if (!s->file) {
        free(s);
        return NULL;
    }
    setvbuf(s->file, s->buffer, _IOFBF, room);
    streams = s;
    return s->file;
}

/* ---- Opening */

static int flags_of(const char *mode)
{
    int access = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    int makes = *mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT | O_APPEND : 0;
    return access | makes | (strchr(mode, 'x') ? O_EXCL : 0) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

/* Returns whether to track a stream of this mode. The C library handles wide characters and invalid modes. */
static bool is_followed_mode(const char *mode)
{
    return FOLLOWS && *mode && strchr("rwa", *mode) && !strstr(mode, "ccs=");
}

/* Opens a tracked stream. Returns NULL, with errno set, if it cannot be opened. */
static FILE *open_stream(const char *path, const char *mode)
{
    int flags = flags_of(mode);
    int fd = follow(CHANGE(int, REAL(open)(path, flags, 0666), SONDE_DISK_OPEN, "fopen", .path = path, .flags = flags));
    if (fd < 0) return NULL;
    if (flags & O_APPEND) lseek(fd, 0, SEEK_END);
    FILE *file = make_stream(fd, mode);
    if (!file) forget(fd), REAL(close)(fd);
    return file;
}

#define DEFINE_FOPEN(name)                                                                                             \
    DEFINE(FILE *, name, (const char *path, const char *mode))                                                         \
    {                                                                                                                  \
        if (open_fails("fopen", AT_FDCWD, path, flags_of(mode), CALLER)) return NULL;                                  \
        return is_followed_mode(mode) ? open_stream(path, mode) : REAL(name)(path, mode);                              \
    }
DEFINE_FOPEN(fopen)

DEFINE(FILE *, fdopen, (int fd, const char *mode))
{
    int flags = is_followed_mode(mode) ? fcntl(fd, F_GETFL) : -1;
    return flags >= 0 && kind_of(fd) == A_FILE ? make_stream(fd, mode) : REAL(fdopen)(fd, mode);
}

#ifdef __GLIBC__
/* Reopens a tracked stream with another file. glibc keeps what a stream may do in its flags. */
static FILE *open_again(struct stream *s, const char *path, const char *mode, int (*flush)(FILE *file))
{
    enum { NO_READS = 4, NO_WRITES = 8, APPENDS = 4096 };
    int flags = flags_of(mode);
    flush(s->file);
    __fpurge(s->file);
    int fd =
        follow(CHANGE(int, REAL(open)(path, flags, 0666), SONDE_DISK_OPEN, "freopen", .path = path, .flags = flags));
    forget(s->fd);
    REAL(close)(s->fd);
    s->fd = fd;
    if (fd < 0) return NULL;
    int access = flags & O_ACCMODE;
    s->file->_flags &= ~(NO_READS | NO_WRITES | APPENDS);
    s->file->_flags |=
        (access == O_WRONLY ? NO_READS : 0) | (access == O_RDONLY ? NO_WRITES : 0) | (flags & O_APPEND ? APPENDS : 0);
    s->file->_offset = -1;
    clearerr(s->file);
    return s->file;
}
#else
/* Fails, so that the code sees that the stream cannot be reopened: other libraries have no way to change what a stream
 * may do. */
static FILE *open_again(struct stream *s, const char *path, const char *mode, int (*flush)(FILE *file))
{
    (void)path, (void)mode;
    flush(s->file);
    errno = ENOTSUP;
    return NULL;
}
#endif

/* Reports the reopening of a plain stream, because its writes are not seen. */
#define DEFINE_FREOPEN(name)                                                                                           \
    DEFINE(FILE *, name, (const char *path, const char *mode, FILE *file))                                             \
    {                                                                                                                  \
        struct stream *s = find_stream(file);                                                                          \
        struct sonde_disk_event event = {                                                                              \
            .act = SONDE_DISK_OTHER, .call = "freopen", .at = AT_FDCWD, .path = path, .fd = -1};                       \
        if (path && open_fails("freopen", AT_FDCWD, path, flags_of(mode), CALLER)) return NULL;                        \
        if (s && path) return open_again(s, path, mode, fflush);                                                       \
        FILE *result = REAL(name)(path, mode, file);                                                                   \
        if (!path || !result || *mode == 'r') return result;                                                           \
        begin_change(&event);                                                                                          \
        end_change(&event, 0);                                                                                         \
        return result;                                                                                                 \
    }
DEFINE_FREOPEN(freopen)

/* ---- Writing */

/* Sets errno and the stream's error indicator, which code may test by ferror() when all is written. Returns -1. */
static int refuse_stream(unsigned kind, FILE *file)
{
#ifdef __GLIBC__
    if (file) file->_flags |= _IO_ERR_SEEN;
#else
    if (file) __fseterr(file);
#endif
    return refuse(kind);
}

/* Returns the fault for a plain stream. A tracked stream fails where it writes. */
static unsigned stream_fails(const char *name, FILE *file, size_t n, const void *caller)
{
    return file && ASKS && !find_stream(file) ? ask(name, possible_stream(file, n), caller) : 0;
}

/* Begins a call that may write the buffer of a stream. Reports a plain stream: its file changes without a call that is
 * seen. */
static void enter_stream(const char *name, FILE *file, const void *caller)
{
    stream_call.name = name;
    stream_call.caller = caller;
    if (!file || !REPORTS || find_stream(file) || kind_of(fileno(file)) != A_FILE) return;
    struct sonde_disk_event event = {.act = SONDE_DISK_OTHER,
                                     .call = "a stream that was opened before run()",
                                     .fd = fileno(file)};
    begin_change(&event);
    end_change(&event, 0);
}

static void leave_stream(void)
{
    stream_call.name = NULL;
    stream_call.caller = NULL;
}

/* Makes a short write an error of the stream, too: it wrote as much as there was space for. */
DEFINE(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *to))
{
    SEEN(from, size * n, false);
    unsigned kind = stream_fails("fwrite", to, size * n, CALLER);
    enter_stream("fwrite", to, CALLER);
    size_t wrote = kind == SHORT ? REAL(fwrite)(from, size, n / 2, to) : kind ? 0 : REAL(fwrite)(from, size, n, to);
    leave_stream();
    if (kind) refuse_stream(NO_SPACE, to);
    return wrote;
}

/* Flushes the streams one by one: in fflush(NULL), a crash would leave the C library's list of streams locked. */
static int flush_all(int (*real)(FILE *file))
{
    int result = 0;
    for (struct stream *s = streams, *next; s; s = next) {
        next = s->next;
        if (!s->is_dead) result |= real(s->file);
    }
    return result | real(NULL);
}

DEFINE(int, fflush, (FILE * to))
{
    unsigned kind = stream_fails("fflush", to, 0, CALLER);
    if (kind) return refuse_stream(kind, to);
    if (!to && !streams) return REAL(fflush)(NULL);
    enter_stream("fflush", to, CALLER);
    int result = to ? REAL(fflush)(to) : flush_all(REAL(fflush));
    leave_stream();
    return result;
}

/* Closes the stream in any case; if that fails, its unwritten data is lost. */
DEFINE(int, fclose, (FILE * file))
{
    unsigned kind = stream_fails("fclose", file, 0, CALLER);
    if (!find_stream(file)) forget(fileno(file));
    if (kind) __fpurge(file);
    enter_stream("fclose", file, CALLER);
    int result = REAL(fclose)(file);
    leave_stream();
    return kind ? refuse(kind) : result;
}

/* ---- Wide characters: streams of fopencookie do not take them, so they are converted to bytes first */

static wint_t put_wide(wchar_t c, FILE *file)
{
    char encoded[MB_LEN_MAX];
    mbstate_t state = {0};
    size_t n = wcrtomb(encoded, c, &state);
    return n != (size_t)-1 && fwrite(encoded, 1, n, file) == n ? (wint_t)c : WEOF;
}

DEFINE(wint_t, fputwc, (wchar_t c, FILE *file))
{
    return find_stream(file) ? put_wide(c, file) : REAL(fputwc)(c, file);
}

DEFINE(wint_t, putwc, (wchar_t c, FILE *file))
{
    return find_stream(file) ? put_wide(c, file) : REAL(putwc)(c, file);
}

DEFINE(int, fputws, (const wchar_t *text, FILE *file))
{
    if (!find_stream(file)) return REAL(fputws)(text, file);
    while (*text)
        if (put_wide(*text++, file) == WEOF) return -1;
    return 0;
}

/* Retries with a larger buffer: vswprintf does not report how much is needed. */
DEFINE(int, vfwprintf, (FILE * file, const wchar_t *format, va_list args))
{
    if (!find_stream(file)) return REAL(vfwprintf)(file, format, args);
    for (size_t room = 256; room <= 1 << 22; room *= 4) {
        wchar_t *text = malloc(room * sizeof *text);
        va_list again;
        va_copy(again, args);
        int n = text ? vswprintf(text, room, format, again) : -1;
        va_end(again);
        if (n >= 0 && fputws(text, file) < 0) n = -1;
        free(text);
        if (n >= 0 || ferror(file)) return n;
    }
    return -1;
}

DEFINE(int, fwprintf, (FILE * file, const wchar_t *format, ...))
{
    va_list args;
    va_start(args, format);
    int n = vfwprintf(file, format, args);
    va_end(args);
    return n;
}

/* ---- Processes: their file operations are not seen */

static void tell_process(void)
{
    if (FOLLOWS) hook.on_process(&hook);
}

DEFINE(pid_t, fork, (void))
{
    tell_process();
    return REAL(fork)();
}

DEFINE(int, system, (const char *command))
{
    if (command) tell_process();
    return REAL(system)(command);
}

DEFINE(FILE *, popen, (const char *command, const char *mode))
{
    tell_process();
    return REAL(popen)(command, mode);
}

DEFINE(int, posix_spawn,
       (pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
        const posix_spawnattr_t *restrict attributes, char *const argv[], char *const environment[]))
{
    tell_process();
    return REAL(posix_spawn)(pid, path, actions, attributes, argv, environment);
}

DEFINE(int, posix_spawnp,
       (pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
        const posix_spawnattr_t *restrict attributes, char *const argv[], char *const environment[]))
{
    tell_process();
    return REAL(posix_spawnp)(pid, path, actions, attributes, argv, environment);
}

/* ---- The process that may die */

static void free_dead(void)
{
    for (struct stream *s = streams, *next; s; s = next) {
        next = s->next;
        if (s->is_dead) REAL(fclose)(s->file);
    }
}

static void begin_process(struct sonde_fault_hook *unused)
{
    (void)unused;
    free_dead();
    unmap_dead();
    opened.n = 0;
}

/* Unlocks the streams: the process may have died inside a function of stdio, with the stream locked. */
static void end_process(struct sonde_fault_hook *unused)
{
    (void)unused;
    leave_stream();
    for (struct stream *s = streams; s; s = s->next) {
        if (s->is_dead) continue;
        s->is_dead = true;
        __fsetlocking(s->file, FSETLOCKING_BYCALLER);
        __fpurge(s->file);
    }
    close_descriptors();
    mapped.n_dead = mapped.n;
}

#ifdef __GLIBC__
DEFINE_FOPEN(fopen64)
DEFINE_FREOPEN(freopen64)
#endif
