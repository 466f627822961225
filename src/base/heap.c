#define _GNU_SOURCE /* memfd_create */
/* See heap.h. Blocks come in size classes, four per doubling. A freed block goes to the list of its class; a new
 * block is cut off the unused end. So a block is at most a quarter larger than requested, and no list is searched.
 * The price is that a freed block serves only its class. */
#include "base/heap.h"

#include "base/descriptor.h"
#include "base/die.h"
#include "base/valgrind.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGN = 16, CLASSES = 160 };

/* The head of a block. */
struct block {
    uint64_t class; /* index of the size class of the block */
    uint64_t free;  /* keeps the following data aligned; in checked builds, FREED while the block is in a list */
};

#define FREED UINT64_C(0x6672656564626c6b)

_Static_assert(sizeof(struct block) == ALIGN, "the data after the head of a block is aligned like the head");

#ifdef SONDE_CHECKED
static void mark(struct block *b, uint64_t free)
{
    b->free = free;
}
#else
static inline void mark(struct block *b, uint64_t free)
{
    (void)b, (void)free;
}
#endif

/* The link of a free list, stored in the freed block where its data was. */
struct free_block {
    struct free_block *next;
};
_Static_assert(sizeof(struct free_block) <= ALIGN, "the smallest block has room for the link of a free list");

/* The head of a heap, at the start of the mapping, so that every process that maps the heap has the head. The code
 * under test may overwrite the head; `mapped` below is the copy that this process trusts. */
struct sonde_heap {
    int fd;
    size_t size;
    size_t used; /* bytes used so far, including this struct */
    struct free_block *free[CLASSES];
};

/* The current heap is per thread: threads of the code under test must never allocate from a heap. */
static _Thread_local struct sonde_heap *current;

/* The heaps that this process has mapped. The supervisor creates and destroys all but one. The table lies outside
 * the heaps, because the code under test may overwrite anything in them. */
enum { HEAPS_MAX = 80 };
static struct mapped {
    struct sonde_heap *heap;
    size_t size;
    int fd;
} mapped[HEAPS_MAX];
static size_t n_mapped;

static _Thread_local size_t current_size; /* size of the current heap, as it was mapped */

/* Returns the mapping that p lies in; NULL if p lies in none. */
static const struct mapped *mapping_of(const void *p)
{
    for (size_t i = 0; i < n_mapped; i++) {
        const char *start = (const char *)mapped[i].heap;
        if ((const char *)p >= start && (const char *)p < start + mapped[i].size) return &mapped[i];
    }
    return NULL;
}

size_t sonde_heap_size(const struct sonde_heap *heap)
{
    const struct mapped *m = heap == current ? NULL : mapping_of(heap);
    return heap == current ? current_size : m ? m->size : 0;
}

struct sonde_heap *sonde_heap_use(struct sonde_heap *heap)
{
    struct sonde_heap *before = current;
    if (heap != before) {
        const struct mapped *m = heap ? mapping_of(heap) : NULL;
        current_size = m ? m->size : 0;
        current = heap;
    }
    return before;
}

void sonde_heap_adopt(struct sonde_heap *heap)
{
    sonde_heap_use(heap);
}

struct sonde_heap *sonde_heap_current(void)
{
    return current;
}

/* Older systems lack MAP_FIXED_NOREPLACE. There the address is only a hint, and the kernel may map elsewhere. */
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

/* Reserves addresses only: PROT_NONE without reserve costs nothing. */
static void *map_at(size_t size, void *where)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (where ? MAP_FIXED_NOREPLACE : 0);
    void *p = mmap(where, size, PROT_NONE, flags, -1, 0);
    if (p == MAP_FAILED || !where || p == where) return p;
    munmap(p, size);
    errno = EEXIST;
    return MAP_FAILED;
}

/* Maps the heap between two inaccessible stretches. The system may put a block of the code under test beside the
 * heap. An overrun of that block then crashes before it reaches the heap. */
static void *map_shared(int fd, size_t size, void *where)
{
    const size_t guard = SONDE_HEAP_GUARD;
    char *whole = map_at(size + 2 * guard, where ? (char *)where - guard : NULL);
    if (whole == MAP_FAILED) return MAP_FAILED;
    void *p = mmap(whole + guard, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0);
    if (p == MAP_FAILED) munmap(whole, size + 2 * guard);
    return p;
}

/* Sets the size of a memory file. The limit on file sizes applies to memory files, and exceeding the limit raises a
 * signal that would end the program. */
static int set_size(int fd, size_t size)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    sigemptyset(&ignored.sa_mask);
    sigaction(SIGXFSZ, &ignored, &before);
    int status = ftruncate(fd, (off_t)size);
    int reason = errno;
    sigaction(SIGXFSZ, &before, NULL);
    errno = reason;
    return status;
}

/* Seals the file: a process with the descriptor cannot resize the heap. `is_final` also forbids writing by the
 * descriptor and mapping the file again for writing, which workers started by exec must do. Old kernels lack that
 * seal; there the file stays without it. */
static void seal_file(int fd, bool is_final)
{
    const int always = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if (is_final && fcntl(fd, F_ADD_SEALS, always | F_SEAL_FUTURE_WRITE) == 0) return;
    fcntl(fd, F_ADD_SEALS, always);
}

/* Adds a mapping to the table. sonde_heap_create fails before the table is full; a worker that joins starts with an
 * empty table. */
static void remember(struct sonde_heap *heap, size_t size, int fd)
{
    if (n_mapped < HEAPS_MAX) mapped[n_mapped++] = (struct mapped){.heap = heap, .size = size, .fd = fd};
}

struct sonde_heap *sonde_heap_create(size_t size)
{
    return sonde_heap_create_at(size, NULL);
}

/* memfd, not MAP_ANONYMOUS: workers started by exec (--spawn) inherit the descriptor and map the same memory. */
struct sonde_heap *sonde_heap_create_at(size_t size, void *where)
{
    if (n_mapped == HEAPS_MAX) {
        errno = ENFILE;
        return NULL;
    }
    int fd = sonde_descriptor_hide(memfd_create("sonde heap", MFD_CLOEXEC | MFD_ALLOW_SEALING), true);
    if (fd < 0) return NULL;
    void *p = MAP_FAILED;
    if (set_size(fd, size) == 0) p = map_shared(fd, size, where);
    if (p == MAP_FAILED) {
        int reason = errno;
        sonde_descriptor_forget(fd);
        close(fd);
        errno = reason;
        return NULL;
    }
    seal_file(fd, !where);
    struct sonde_heap *heap = p;
    heap->fd = fd;
    heap->size = size;
    heap->used = (sizeof *heap + ALIGN - 1) / ALIGN * ALIGN;
    remember(heap, size, fd);
    sonde_heap_check(heap);
    return heap;
}

int sonde_heap_join(int descriptor, size_t size, void *where)
{
    if (map_shared(descriptor, size, where) == MAP_FAILED) return -errno;
    remember(where, size, descriptor);
    return 0;
}

int sonde_heap_descriptor(const struct sonde_heap *heap)
{
    const struct mapped *m = mapping_of(heap);
    return m ? m->fd : -1;
}

void sonde_heap_destroy(struct sonde_heap *heap)
{
    if (!heap) return;
    if (current == heap) current = NULL;
    for (size_t i = 0; i < n_mapped; i++) {
        struct mapped m = mapped[i];
        /* Size and descriptor come from `mapped`, never from the heap, which may be damaged. */
        if (m.heap != heap) continue;
        mapped[i] = mapped[--n_mapped];
        sonde_descriptor_forget(m.fd);
        close(m.fd);
        munmap((char *)heap - SONDE_HEAP_GUARD, m.size + 2 * SONDE_HEAP_GUARD);
        return;
    }
}

bool sonde_heap_has(const struct sonde_heap *heap, const void *p)
{
    return heap && (const char *)p >= (const char *)heap
           && (const char *)p < (const char *)heap + sonde_heap_size(heap);
}

/* sonde_free needs the owner of any block. The owner usually is the current heap, and there are few other heaps. */
struct sonde_heap *sonde_heap_of(const void *p)
{
    if (sonde_heap_has(current, p)) return current;
    const struct mapped *m = mapping_of(p);
    return m ? m->heap : NULL;
}

bool sonde_heap_holds(const void *owner, const void *p, size_t n)
{
    if (n == 0) return true;
    const struct mapped *m = mapping_of(p);
    if (!m) return p && !mapping_of(owner);
    return n <= m->size - (size_t)((const char *)p - (const char *)m->heap);
}

void sonde_heap_mark_all(uintptr_t request)
{
    for (size_t i = 0; i < n_mapped; i++) sonde_valgrind_mark(request, mapped[i].heap, mapped[i].size);
}

__attribute__((noreturn)) void sonde_heap_exit(int status)
{
    sonde_heap_mark_all(SONDE_MEMCHECK_NO_ACCESS);
    _exit(status);
}

/* Returns the block size of a class. Class k holds (4 + k % 4) * 2^(k / 4) * 4 bytes: 16, 20, 24, 28, 32, 40, ...
 * rounded up to ALIGN. */
static size_t class_size(unsigned class)
{
    size_t size = ((size_t)4 + class % 4) << (class / 4 + 2);
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/* Returns the smallest class for a size. Each size must have one class: a freed block serves only its class, so a
 * size with two classes would waste memory. */
static unsigned class_of(size_t size)
{
    if (size <= 16) return 0;
    unsigned bits = 63 - (unsigned)__builtin_clzll(size - 1); /* 2^bits < size <= 2^(bits + 1) */
    unsigned class = (bits - 4) * 4;
    while (class_size(class) < size) class ++;
    sonde_assert(class_size(class - 1) < size);
    return class;
}

/* Returns whether a block can begin at p. The code under test can overwrite the heap's head and the heads of blocks. */
static bool is_block(const struct sonde_heap *heap, const void *p)
{
    size_t at = (size_t)((const char *)p - (const char *)heap);
    return sonde_heap_has(heap, p) && at >= sizeof *heap + sizeof(struct block) && at % ALIGN == 0;
}

/* Not thread-safe and not async-signal-safe: one thread of one process uses a heap at a time (heap.h). After a crash
 * in the middle of this function the heap may have lost one block, but never handed out one twice. */
void *sonde_heap_alloc(struct sonde_heap *heap, size_t size)
{
    size_t most = sonde_heap_size(heap);
    if (size > most) return NULL;
    unsigned class = class_of(size);
    if (class >= CLASSES) return NULL;
    struct free_block *again = heap->free[class];
    if (again) {
        if (!is_block(heap, again) || ((struct block *)again - 1)->class != class) sonde_die_overwritten();
        heap->free[class] = again->next;
        mark((struct block *)again - 1, 0);
        return again;
    }
    size_t whole = sizeof(struct block) + class_size(class);
    if (heap->used < sizeof *heap || heap->used > most || heap->used % ALIGN) sonde_die_overwritten();
    if (most - heap->used < whole) return NULL;
    struct block *b = (struct block *)((char *)heap + heap->used);
    heap->used += whole;
    b->class = class;
    return b + 1;
}

void sonde_heap_free(struct sonde_heap *heap, void *p)
{
    struct block *b = (struct block *)p - 1;
    struct free_block *f = p;
    if (!is_block(heap, p) || b->class >= CLASSES) sonde_die_overwritten();
    sonde_assert(b->free != FREED); /* the block is not freed twice */
    mark(b, FREED);
    f->next = heap->free[b->class];
    heap->free[b->class] = f;
}

/* A block stays in place while its class has room, so an array that grows by doubling moves once per doubling. */
void *sonde_heap_resize(struct sonde_heap *heap, void *old, size_t size)
{
    if (!old) return sonde_heap_alloc(heap, size);
    uint64_t class = ((struct block *)old - 1)->class;
    if (!is_block(heap, old) || class >= CLASSES) sonde_die_overwritten();
    size_t room = class_size((unsigned)class);
    /* Blocks never shrink. */
    if (size <= room) return old;
    void *p = sonde_heap_alloc(heap, size);
    if (!p) return NULL;
    if (!sonde_heap_holds(heap, old, room)) sonde_die_overwritten();
    memcpy(p, old, room);
    sonde_heap_free(heap, old);
    return p;
}

void sonde_heap_detach(struct sonde_heap *heap)
{
    const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED;
    size_t size = sonde_heap_size(heap);
    int fd = sonde_heap_descriptor(heap);
    /* If the code under test has closed the descriptor, no copy can be made; accesses then fault. */
    if (mmap(heap, size, prot, flags, fd, 0) == MAP_FAILED) mprotect(heap, size, PROT_NONE);
}

#ifdef SONDE_CHECKED
static size_t first_block(const struct sonde_heap *heap)
{
    return (sizeof *heap + ALIGN - 1) / ALIGN * ALIGN;
}

void sonde_heap_check(const struct sonde_heap *heap)
{
    size_t freed = 0, at = first_block(heap);
    while (at < heap->used) {
        const struct block *b = (const struct block *)((const char *)heap + at);
        sonde_assert(b->class < CLASSES);
        freed += b->free == FREED;
        at += sizeof *b + class_size((unsigned)b->class);
    }
    sonde_assert(at == heap->used && at <= heap->size);
    for (unsigned class = 0; class < CLASSES; class ++) {
        for (const struct free_block *f = heap->free[class]; f; f = f->next) {
            sonde_assert(sonde_heap_has(heap, f) && (size_t)((const char *)f - (const char *)heap) < heap->used);
            const struct block *b = (const struct block *)(const void *)f - 1;
            sonde_assert(b->class == class && b->free == FREED);
            sonde_assert(freed > 0); /* otherwise a list has a loop, or a block is in two lists */
            freed--;
        }
    }
    sonde_assert(freed == 0); /* every freed block is in the list of its class */
}
#endif
