#define _GNU_SOURCE /* uselocale */
/* See state.h. Copies are in mapped memory, so that the heap of the code under test stays as it is. */
#include "exec/state.h"

#include "exec/globals.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

extern char **environ;

enum {
    ROOM = 256 << 20, /* address space for copies; only touched pages take memory */
    BLOCKS = 65536,
    FILES = 1024,
    COPY_FROM = 800,   /* number of the first copy of a descriptor, which programs rarely use */
    STACK = 256 << 10, /* bytes of stack that are cleared: more than most cases use */
    SIGNALS = 65
};

/* A block of the heap that variables led to before the first case. `root` is the variable. */
struct block {
    uint8_t *at, *copy, *root;
    size_t n;
};

struct descriptor {
    bool is_open, is_copy;
    int copy;
    off_t offset;
    dev_t device;
    ino_t node;
};

/* The state before the first case of this process. */
static struct {
    uint8_t *room, *room_end, *free;
    struct block *blocks;
    size_t n_blocks;
    uint8_t *heap, *heap_end;
    int error;
    char locale[1024];
    locale_t thread_locale;
    char directory[4096];
    mode_t mask;
    sigset_t signals;
    struct sigaction handlers[SIGNALS];
    struct itimerval timer;
    char **environment;
    struct descriptor files[FILES];
} kept;

/* Returns memory for copies; NULL if there is no more. */
static void *take(size_t n)
{
    const size_t align = 16;
    uint8_t *at = kept.free;
    n = (n + align - 1) / align * align;
    if ((size_t)(kept.room_end - at) < n) return NULL;
    kept.free = at + n;
    return at;
}

/* ---- The heap: blocks that variables lead to, directly or through other blocks */

/* Finds the segment that the C library extends (brk). Blocks elsewhere are not seen. */
static void find_heap(void)
{
    char line[512];
    size_t n = 0;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (char c; fd >= 0 && read(fd, &c, 1) == 1;) {
        unsigned long from, to;
        if (c != '\n' && n + 1 < sizeof line) line[n++] = c;
        if (c != '\n') continue;
        line[n] = '\0';
        n = 0;
        if (!strstr(line, "[heap]") || sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
        kept.heap = (uint8_t *)(uintptr_t)from;
        kept.heap_end = (uint8_t *)(uintptr_t)to;
    }
    if (fd >= 0) close(fd);
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define KNOWS_BLOCKS 1
#endif

/* Returns the usable bytes of the block that begins at `p`; 0 if none seems to. Reads the size fields of the C library
 * in front of the block and of the next one. */
static size_t block_size(const uint8_t *p)
{
#ifdef KNOWS_BLOCKS
    const size_t align = 2 * sizeof(size_t), flags = 7, is_mapped = 2, is_used = 1;
    size_t size, next;
    if (p < kept.heap + align || p >= kept.heap_end || (uintptr_t)p % align) return 0;
    memcpy(&size, p - sizeof size, sizeof size);
    if (size & is_mapped) return 0;
    size &= ~flags;
    if (size < 2 * align || size % align || size > (size_t)(kept.heap_end - p)) return 0;
    memcpy(&next, p - sizeof size + size, sizeof next);
    return next & is_used ? size - sizeof size : 0;
#else
    (void)p;
    return 0;
#endif
}

static bool is_known(const uint8_t *p)
{
    for (size_t i = 0; i < kept.n_blocks; i++)
        if (p >= kept.blocks[i].at && p < kept.blocks[i].at + kept.blocks[i].n) return true;
    return false;
}

static void add_block(uint8_t *p, uint8_t *root)
{
    size_t n = block_size(p);
    if (!n || kept.n_blocks == BLOCKS || is_known(p)) return;
    uint8_t *copy = take(n);
    if (!copy) return;
    memcpy(copy, p, n);
    kept.blocks[kept.n_blocks++] = (struct block){p, copy, root, n};
}

/* Adds the blocks that words point to. `root`: the variable that led there; NULL: the word itself. */
static void follow_words(uint8_t *at, size_t n, uint8_t *root)
{
    for (size_t i = -(uintptr_t)at % sizeof(void *); i + sizeof(void *) <= n; i += sizeof(void *)) {
        uint8_t *word;
        memcpy(&word, at + i, sizeof word);
        if (word >= kept.heap && word < kept.heap_end) add_block(word, root ? root : at + i);
    }
}

static void follow_variables(uint8_t *at, size_t n)
{
    follow_words(at, n, NULL);
}

static void keep_heap(void)
{
    enum { FOLLOWED = 4096 }; /* blocks whose contents are followed: is_known takes time in proportion */
    find_heap();
    kept.blocks = take(BLOCKS * sizeof *kept.blocks);
    if (!kept.blocks || !kept.heap) return;
    sonde_globals_each(follow_variables);
    for (size_t i = 0; i < kept.n_blocks && i < FOLLOWED; i++)
        follow_words(kept.blocks[i].at, kept.blocks[i].n, kept.blocks[i].root);
}

/* Returns whether a block differs. A block that was freed since, or has another size, is left alone. */
static bool compare_heap(struct sonde_state_order *order, bool restores)
{
    bool has_changed = false;
    for (size_t i = 0; i < kept.n_blocks; i++) {
        const struct block *b = &kept.blocks[i];
        if (block_size(b->at) != b->n || memcmp(b->at, b->copy, b->n) == 0) continue;
        if (!has_changed) {
            order->block_of = b->root;
            order->block_size = b->n;
        }
        has_changed = true;
        if (restores) memcpy(b->at, b->copy, b->n);
    }
    return has_changed;
}

/* ---- Descriptors */

static void keep_descriptors(void)
{
    struct stat info;
    for (int fd = 0; fd < FILES; fd++) {
        struct descriptor *d = &kept.files[fd];
        if (fstat(fd, &info) < 0) continue;
        *d = (struct descriptor){.is_open = true, .copy = -1, .device = info.st_dev, .node = info.st_ino};
        d->offset = S_ISREG(info.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
    }
    for (int fd = STDERR_FILENO + 1; fd < COPY_FROM; fd++) {
        if (kept.files[fd].is_open) kept.files[fd].copy = fcntl(fd, F_DUPFD_CLOEXEC, COPY_FROM);
        int copy = kept.files[fd].copy;
        if (copy > 0 && copy < FILES) kept.files[copy].is_copy = true;
    }
}

/* Restores a descriptor that was closed or leads elsewhere. */
static void reopen(int fd)
{
    if (kept.files[fd].copy > 0) dup2(kept.files[fd].copy, fd);
}

static bool compare_descriptors(struct sonde_state_order *order, bool restores)
{
    bool has_changed = false;
    (void)order;
    for (int fd = 0; fd < FILES; fd++) {
        const struct descriptor *d = &kept.files[fd];
        struct stat info;
        bool is_open = fstat(fd, &info) == 0;
        bool is_same = is_open == d->is_open && (!is_open || (info.st_dev == d->device && info.st_ino == d->node));
        bool has_moved =
            is_same && is_open && fd > STDERR_FILENO && d->offset >= 0 && lseek(fd, 0, SEEK_CUR) != d->offset;
        if (d->is_copy || (is_same && !has_moved)) continue;
        has_changed = true;
        if (!restores) continue;
        if (has_moved) lseek(fd, d->offset, SEEK_SET);
        else if (d->is_open) reopen(fd);
        else close(fd);
    }
    return has_changed;
}

/* ---- The environment */

static void keep_environment(void)
{
    size_t n = 0;
    while (environ && environ[n]) n++;
    kept.environment = take((n + 1) * sizeof *kept.environment);
    for (size_t i = 0; kept.environment && i < n; i++) {
        size_t length = strlen(environ[i]) + 1;
        kept.environment[i] = take(length);
        if (kept.environment[i]) memcpy(kept.environment[i], environ[i], length);
    }
}

static bool compare_environment(struct sonde_state_order *order, bool restores)
{
    size_t i = 0;
    char **now = environ, **then = kept.environment;
    (void)order;
    if (!then) return false;
    while (then[i] && now && now[i] && !strcmp(now[i], then[i])) i++;
    if (!then[i] && (!now || !now[i])) return false;
    if (restores) clearenv();
    for (i = 0; restores && then[i]; i++) putenv(then[i]);
    return true;
}

/* ---- Other state of the process */

static bool compare_locale(struct sonde_state_order *order, bool restores)
{
    const char *now = setlocale(LC_ALL, NULL);
    bool has_changed = strcmp(now ? now : "", kept.locale) != 0 || uselocale((locale_t)0) != kept.thread_locale;
    (void)order;
    if (has_changed && restores) {
        setlocale(LC_ALL, kept.locale);
        uselocale(kept.thread_locale);
    }
    return has_changed;
}

static bool compare_directory(struct sonde_state_order *order, bool restores)
{
    char now[sizeof kept.directory] = "";
    bool has_changed = !getcwd(now, sizeof now) || strcmp(now, kept.directory) != 0;
    (void)order;
    if (has_changed && restores && chdir(kept.directory) < 0) return true;
    return has_changed;
}

static bool compare_umask(struct sonde_state_order *order, bool restores)
{
    mode_t now = umask(kept.mask);
    (void)order;
    if (!restores) umask(now);
    return now != kept.mask;
}

static bool compare_mask(struct sonde_state_order *order, bool restores)
{
    sigset_t now;
    bool has_changed = false;
    (void)order;
    sigprocmask(SIG_SETMASK, NULL, &now);
    for (int i = 1; i < SIGNALS; i++) has_changed |= sigismember(&now, i) != sigismember(&kept.signals, i);
    if (has_changed && restores) sigprocmask(SIG_SETMASK, &kept.signals, NULL);
    return has_changed;
}

static bool compare_handlers(struct sonde_state_order *order, bool restores)
{
    bool has_changed = false;
    (void)order;
    for (int i = 1; i < SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(i, NULL, &now) < 0 || now.sa_handler == kept.handlers[i].sa_handler) continue;
        has_changed = true;
        if (restores) sigaction(i, &kept.handlers[i], NULL);
    }
    return has_changed;
}

static bool is_on(const struct itimerval *timer)
{
    return timer->it_value.tv_sec || timer->it_value.tv_usec;
}

static bool compare_timer(struct sonde_state_order *order, bool restores)
{
    struct itimerval now;
    (void)order;
    if (getitimer(ITIMER_REAL, &now) < 0 || is_on(&now) == is_on(&kept.timer)) return false;
    if (restores) setitimer(ITIMER_REAL, &kept.timer, NULL);
    return true;
}

/* The state of the generator cannot be read, so it counts as changed. It is restored as in a program that never called
 * srand. */
static bool compare_random(struct sonde_state_order *order, bool restores)
{
    (void)order;
    if (restores) srandom(1);
    return true;
}

/* Overwrites the stack below this function, where the case will run. Its old contents count as changed. */
__attribute__((noinline)) static bool compare_stack(struct sonde_state_order *order, bool restores)
{
    (void)order;
    if (!restores) return true;
    volatile uint8_t below[STACK];
    for (size_t i = 0; i < sizeof below; i++) below[i] = 0;
    __asm__ volatile("" : : "r"(below) : "memory");
    return true;
}

/* ---- All kinds */

/* Returns whether state of a kind has changed, and restores it if asked. The stack comes last. */
static bool (*const compare[SONDE_STATE_KINDS])(struct sonde_state_order *order, bool restores) = {
    [SONDE_STATE_HEAP] = compare_heap,
    [SONDE_STATE_LOCALE] = compare_locale,
    [SONDE_STATE_DIRECTORY] = compare_directory,
    [SONDE_STATE_UMASK] = compare_umask,
    [SONDE_STATE_MASK] = compare_mask,
    [SONDE_STATE_HANDLERS] = compare_handlers,
    [SONDE_STATE_TIMER] = compare_timer,
    [SONDE_STATE_DESCRIPTORS] = compare_descriptors,
    [SONDE_STATE_ENVIRONMENT] = compare_environment,
    [SONDE_STATE_RANDOM] = compare_random,
    [SONDE_STATE_STACK] = compare_stack,
};

void sonde_state_keep(void)
{
    int error = errno;
    memset(&kept, 0, sizeof kept);
    sonde_globals_keep();
    void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    kept.room = kept.free = room == MAP_FAILED ? NULL : room;
    kept.room_end = kept.room ? kept.room + ROOM : NULL;
    if (kept.room) keep_heap();
    if (kept.room) keep_environment();
    const char *locale = setlocale(LC_ALL, NULL);
    snprintf(kept.locale, sizeof kept.locale, "%s", locale ? locale : "");
    kept.thread_locale = uselocale((locale_t)0);
    if (!getcwd(kept.directory, sizeof kept.directory)) kept.directory[0] = '\0';
    kept.mask = umask(0);
    umask(kept.mask);
    sigprocmask(SIG_SETMASK, NULL, &kept.signals);
    for (int i = 1; i < SIGNALS; i++) sigaction(i, NULL, &kept.handlers[i]);
    getitimer(ITIMER_REAL, &kept.timer);
    keep_descriptors();
    kept.error = errno = error;
}

void sonde_state_restore(struct sonde_state_order *o)
{
    int error = errno;
    o->changed_kinds = (uint32_t)(error != kept.error) << SONDE_STATE_ERRNO;
    o->n_changed = sonde_globals_changed(o->changed, SONDE_STATE_RUNS);
    for (uint32_t i = 0; i < o->n_variables; i++) sonde_globals_return(o->variables[i].at, o->variables[i].n);
    o->is_done = true;
    for (uint32_t kind = 0; kind < SONDE_STATE_KINDS; kind++)
        if (compare[kind] && compare[kind](o, o->restored >> kind & 1)) o->changed_kinds |= 1U << kind;
    errno = o->restored >> SONDE_STATE_ERRNO & 1 ? kept.error : error;
}
