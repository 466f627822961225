/* Implements globals.h. Copies without the C library, because a sanitizer's memcpy would report the gaps that it
 * keeps between variables.
 *
 * sonde_globals_keep lists the ranges of all loaded modules by their notes, first counting, then filling in, and
 * copies them. sonde_globals_restore copies them back, before each case except the first. The state belongs to the
 * process, and to the thread that runs cases; workers share nothing here. A case costs one plain copy of the
 * variables. */
#include "exec/globals.h"

#include "base/image.h"
#include "exec/worker.h"
#include "program/sites.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Kinds of notes, as sonde/globals.h writes them. */
enum note_kind { NOTE_MEMORY = 1, NOTE_THREAD = 2 };

/* A range of variables: at[0..size) in the program, copy[0..size) their saved values. Copies are adjacent and
 * unaligned. */
struct range {
    uint8_t *at, *copy;
    size_t size;
};

/* The saved values of this process, in one private mapping: in shared memory, several workers would overwrite each
 * other's. */
static struct {
    struct range *ranges;
    const void **blocks; /* heap blocks that the variables pointed to when they were saved; empty without a sanitizer */
    size_t n, n_blocks, mapped;
    uint64_t unloads;
    void *map;
    bool is_fresh; /* no case has run since the values were saved */
} kept;

/* Returns whether a heap block begins at `p`. Provided by a sanitizer that manages the heap. */
extern __attribute__((weak)) int __sanitizer_get_ownership(const volatile void *p);
/* Exempts the block that begins at `p`, and all blocks reachable from it, from leak detection. */
extern __attribute__((weak)) void __lsan_ignore_object(const void *p);

#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#define COPIES_SHADOW 1
#endif
#endif

/* Copies without a call that a sanitizer could intercept; except for MemorySanitizer, whose memcpy also copies which
 * bytes are initialised. */
static void copy_plainly(void *to, const void *from, size_t n)
{
#if defined(COPIES_SHADOW)
    memcpy(to, from, n);
#elif defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
#else
    volatile uint8_t *out = to;
    const volatile uint8_t *in = from;
    for (; n >= 8 && ((uintptr_t)out | (uintptr_t)in) % 8 == 0; n -= 8, out += 8, in += 8)
        *(volatile uint64_t *)out = *(const volatile uint64_t *)in;
    for (; n; n--) *out++ = *in++;
#endif
}

/* ---- Notes */

/* One pass over the modules. Without `ranges`, it only counts. With `wanted`, it searches for that range. */
struct listing {
    struct range *ranges; /* NULL: only count */
    size_t n, bytes, notes;
    const struct range *wanted; /* range to search for, or NULL */
    bool has_wanted;
};

static void add_range(struct listing *list, uint8_t *at, size_t size)
{
    if (!size) return;
    if (list->ranges) list->ranges[list->n] = (struct range){.at = at, .size = size};
    if (list->wanted && list->wanted->at == at && list->wanted->size == size) list->has_wanted = true;
    list->n++;
    list->bytes += size;
}

/* Adds the ranges of a note. Offsets are relative to the note itself, so they hold at any load address. Offsets of
 * thread-local variables are relative to the module's thread-local block. */
static void read_note(const struct sonde_note *note, void *user)
{
    struct listing *list = user;
    const uint8_t *words = note->content;
    list->notes++;
    for (size_t i = 0; i + 8 <= note->n; i += 8) {
        int32_t place;
        uint32_t size;
        memcpy(&place, words + i, 4);
        memcpy(&size, words + i + 4, 4);
        if (note->type == NOTE_MEMORY) add_range(list, (uint8_t *)(uintptr_t)(words + i) + place, size);
        if (note->type == NOTE_THREAD && note->thread) add_range(list, note->thread + place, size);
    }
}

/* ---- Keeping */

static bool is_block(const void *at)
{
    return at && __sanitizer_get_ownership(at) != 0;
}

typedef const void *loose_word __attribute__((aligned(1), may_alias));

/* Reads a word without AddressSanitizer, which keeps gaps between variables and would report a read there. */
__attribute__((no_sanitize_address)) static const void *word_at(const uint8_t *at)
{
    return *(const loose_word *)at;
}

/* Returns the offset of the first aligned word of a range. Variables are aligned, their copies are not. */
static size_t first_word(const struct range *r)
{
    return -(uintptr_t)r->at % sizeof(void *);
}

/* Lists the heap blocks that the variables point to; returns their number. The sanitizer tells whether a block begins
 * at an address, so a number may be mistaken for a pointer. That is harmless unless the block at that address is
 * freed. */
static size_t list_blocks(const void **to)
{
    size_t n = 0;
    for (const struct range *r = kept.ranges; r < kept.ranges + kept.n; r++)
        for (size_t k = first_word(r); k + sizeof(void *) <= r->size; k += sizeof(void *)) {
            const void *word = word_at(r->copy + k);
            if (is_block(word)) to[n++] = word;
        }
    return n;
}

/* Maps memory for the ranges, their copies, and as many blocks as they could point to. Then lists the ranges again,
 * with the same result: no user code has run, so no module was loaded in between. */
static bool make_room(const struct listing *list)
{
    size_t most = list->bytes / sizeof(void *);
    kept.mapped = list->n * sizeof(struct range) + most * sizeof(void *) + list->bytes + 1;
    kept.map = mmap(NULL, kept.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept.map == MAP_FAILED) {
        kept.map = NULL;
        return false;
    }
    kept.ranges = kept.map;
    kept.blocks = (const void **)(kept.ranges + list->n);
    uint8_t *copy = (uint8_t *)(kept.blocks + most);
    struct listing again = {.ranges = kept.ranges};
    sonde_notes_each("sonde", read_note, &again);
    kept.n = again.n;
    for (size_t i = 0; i < kept.n; copy += kept.ranges[i++].size) kept.ranges[i].copy = copy;
    return true;
}

bool sonde_globals_keep(void)
{
    struct listing list = {0};
    sonde_globals_forget();
    sonde_notes_each("sonde", read_note, &list);
    if (!list.notes || !make_room(&list)) return false;
    for (size_t i = 0; i < kept.n; i++) copy_plainly(kept.ranges[i].copy, kept.ranges[i].at, kept.ranges[i].size);
    kept.n_blocks = __sanitizer_get_ownership ? list_blocks(kept.blocks) : 0;
    kept.unloads = sonde_unload_count();
    kept.is_fresh = true;
    return true;
}

void sonde_globals_forget(void)
{
    if (kept.map) munmap(kept.map, kept.mapped);
    memset(&kept, 0, sizeof kept);
}

/* ---- Parts */

void sonde_globals_each(void (*visit)(uint8_t *at, size_t n))
{
    for (size_t i = 0; i < kept.n; i++) visit(kept.ranges[i].at, kept.ranges[i].size);
}

/* Reads a byte without AddressSanitizer, as word_at does. */
__attribute__((no_sanitize_address)) static uint8_t byte_at(const uint8_t *at)
{
    return *at;
}

/* Appends the runs of one range. Bytes that are less than a word apart are one run: they are mostly one variable. */
static uint32_t add_changes(const struct range *r, struct sonde_state_bytes *out, uint32_t n, uint32_t max)
{
    size_t last = 0;
    bool has_run = false;
    for (size_t i = 0; i < r->size; i++) {
        if (byte_at(r->at + i) == byte_at(r->copy + i)) continue;
        bool is_near = has_run && i - last < sizeof(void *) && n <= max;
        if (!is_near && n < max) out[n] = (struct sonde_state_bytes){.at = r->at + i};
        if (!is_near) n++;
        if (n <= max) out[n - 1].n = (size_t)(r->at + i + 1 - out[n - 1].at);
        last = i;
        has_run = true;
    }
    return n;
}

uint32_t sonde_globals_changed(struct sonde_state_bytes *out, uint32_t max)
{
    uint32_t n = 0;
    for (size_t i = 0; i < kept.n; i++) n = add_changes(&kept.ranges[i], out, n, max);
    return n;
}

void sonde_globals_return(uint8_t *at, size_t n)
{
    for (const struct range *r = kept.ranges; r < kept.ranges + kept.n; r++) {
        if (at < r->at || at >= r->at + r->size) continue;
        size_t from = (size_t)(at - r->at), some = n < r->size - from ? n : r->size - from;
        copy_plainly(at, r->copy + from, some);
    }
}

/* ---- Restoring */

/* Drops the ranges of libraries that a case has unloaded. Quadratic, but needed only after a case has unloaded
 * something. */
static void drop_unloaded(void)
{
    size_t n = 0;
    for (size_t i = 0; i < kept.n; i++) {
        struct listing now = {.wanted = &kept.ranges[i]};
        sonde_notes_each("sonde", read_note, &now);
        if (now.has_wanted) kept.ranges[n++] = kept.ranges[i];
    }
    kept.n = n;
    kept.unloads = sonde_unload_count();
}

/* Exempts blocks that only these variables lead to: they become unreachable now, but are not leaks. */
static void excuse_blocks(void)
{
    for (const struct range *r = kept.ranges; r < kept.ranges + kept.n; r++)
        for (size_t k = first_word(r); k + sizeof(void *) <= r->size; k += sizeof(void *)) {
            const void *word = word_at(r->at + k);
            if (word != word_at(r->copy + k) && is_block(word)) __lsan_ignore_object(word);
        }
}

/* Restores the variables, then checks that the blocks they point to still exist. So the misuse is reported with the
 * state that the next case would have had. */
static const char *restore(void)
{
    if (sonde_unload_count() != kept.unloads) drop_unloaded();
    if (__lsan_ignore_object && __sanitizer_get_ownership) excuse_blocks();
    for (size_t i = 0; i < kept.n; i++) copy_plainly(kept.ranges[i].at, kept.ranges[i].copy, kept.ranges[i].size);
    for (size_t i = 0; i < kept.n_blocks; i++) {
        if (!is_block(kept.blocks[i]))
            return ".reset = SONDE_GLOBALS: a case has freed a block of the heap that was allocated before the "
                   "first case, and a variable points to it again; allocate it in the case, "
                   "or leave .reset out and run with --isolate case";
    }
    return NULL;
}

const char *sonde_globals_restore(void)
{
    if (!kept.map && !sonde_globals_keep())
        return ".reset = SONDE_GLOBALS: no variables of the code under test are known. "
               "They are recorded only in code that `sonde cc` compiles, and not with -flto: "
               "compile with CC=\"sonde cc\" and without -flto";
    if (!kept.is_fresh) return restore();
    kept.is_fresh = false;
    return NULL;
}
