#define _GNU_SOURCE /* link.h */
/* Finds the functions that a function calls, in its module and in others.
 *
 * Instructions are not decoded. At every position at which a call could begin, the target is looked up, and only the
 * exact start of a function counts. So other bytes are mistaken for a call only by a rare accident. */
#include "program/elf.h"
#include "program/place.h"

#include "base/mem.h"
#include "base/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of the global offset table that will hold the address of a function of another module. */
struct slot {
    uintptr_t address;
    const char *name;
};

struct sonde_code {
    struct sonde_elf elf; /* the mapped file, which holds the names */
    uintptr_t base;
    uintptr_t code, code_end;         /* executable memory of the module */
    struct sonde_function *functions; /* the functions, sorted by their start */
    uint32_t n, cap;
    struct slot *slots; /* in no order */
    uint32_t n_slots, cap_slots;
};

static bool add_function(const ElfW(Sym) * s, const char *name, void *user)
{
    struct sonde_code *c = user;
    if (!s->st_size) return false;
    c->functions = sonde_grow(c->functions, &c->cap, (size_t)c->n + 1, sizeof *c->functions);
    c->functions[c->n++] = (struct sonde_function){.name = name,
                                                   .start = c->base + s->st_value,
                                                   .end = c->base + s->st_value + s->st_size};
    return false;
}

static bool add_slot(const ElfW(Rela) * r, const char *name, void *user)
{
    struct sonde_code *c = user;
    c->slots = sonde_grow(c->slots, &c->cap_slots, (size_t)c->n_slots + 1, sizeof *c->slots);
    c->slots[c->n_slots++] = (struct slot){.address = c->base + r->r_offset, .name = name};
    return false;
}

static int by_start(const void *a, const void *b)
{
    const struct sonde_function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

struct sonde_code *sonde_code_open(const void *address)
{
#if !defined(__x86_64__) && !defined(__aarch64__)
    return NULL;
#endif
    struct sonde_module m = {.address = (uintptr_t)address};
    struct sonde_elf elf;
    sonde_module_find(&m);
    if (!m.is_found || !m.is_dynamic || !sonde_elf_open(&elf, m.path)) return NULL;
    struct sonde_code *c = sonde_calloc(1, sizeof *c);
    c->elf = elf;
    c->base = m.base;
    c->code = m.code;
    c->code_end = m.code_end;
    sonde_elf_functions(&elf, SHT_SYMTAB, add_function, c);
    sonde_elf_imports(&elf, add_slot, c);
    if (c->n) {
        qsort(c->functions, c->n, sizeof *c->functions, by_start);
        return c;
    }
    sonde_code_close(c);
    return NULL;
}

void sonde_code_close(struct sonde_code *c)
{
    if (!c) return;
    sonde_elf_close(&c->elf);
    sonde_free(c->functions);
    sonde_free(c->slots);
    sonde_free(c);
}

/* Returns the index after the last function that starts at or before the address; several functions may start at one
 * address. */
static uint32_t find(const struct sonde_code *c, uintptr_t address)
{
    uint32_t low = 0, high = c->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->functions[middle].start <= address) low = middle + 1;
        else high = middle;
    }
    return low; /* index after the function that was found */
}

bool sonde_code_function(const struct sonde_code *c, uintptr_t address, struct sonde_function *function)
{
    uint32_t at = find(c, address);
    if (!at || address >= c->functions[at - 1].end) return false;
    *function = c->functions[at - 1];
    return true;
}

void sonde_code_each(const struct sonde_code *c, bool (*each)(const struct sonde_function *function, void *user),
                     void *user)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!each(&c->functions[i], user)) return;
}

uintptr_t sonde_call_target(const unsigned char *code, const unsigned char *end)
{
#if defined(__x86_64__)
    int32_t by;
    if (end - code < 5 || (*code != 0xe8 && *code != 0xe9)) return 0; /* call, jmp */
    memcpy(&by, code + 1, sizeof by);
    return (uintptr_t)code + 5 + (uintptr_t)(intptr_t)by;
#elif defined(__aarch64__)
    uint32_t word;
    if (end - code < 4 || (uintptr_t)code % 4) return 0;
    memcpy(&word, code, sizeof word);
    if ((word & 0x7c000000) != 0x14000000) return 0; /* b, bl */
    return (uintptr_t)code + (uintptr_t)((intptr_t)(int32_t)(word << 6) >> 4);
#else
    (void)code, (void)end;
    return 0;
#endif
}

/* The code is read as it is loaded; sanitizers do not check such reads. */
void sonde_code_calls(const struct sonde_code *c, const struct sonde_function *function,
                      void (*each)(const struct sonde_function *target, void *user), void *user)
{
    const unsigned char *end = (const unsigned char *)function->end;
    for (const unsigned char *at = (const unsigned char *)function->start; at < end; at++) {
        uintptr_t target = sonde_call_target(at, end);
        if (!target || (target >= function->start && target < function->end)) continue;
        for (uint32_t i = find(c, target); i && c->functions[i - 1].start == target; i--)
            each(&c->functions[i - 1], user);
    }
}

/* Returns the address that the code at `at` loads a pointer from, or jumps or calls through; 0 if it does not. */
static uintptr_t loaded_from(const unsigned char *at, const unsigned char *end)
{
#if defined(__x86_64__)
    int32_t by;
    if (end - at < 6) return 0;
    bool jumps = at[0] == 0xff && (at[1] == 0x15 || at[1] == 0x25); /* call and jmp *by(%rip) */
    bool loads = at[0] == 0x8b && (at[1] & 0xc7) == 0x05;           /* mov by(%rip), register */
    memcpy(&by, at + 2, sizeof by);
    return jumps || loads ? (uintptr_t)at + 6 + (uintptr_t)(intptr_t)by : 0;
#elif defined(__aarch64__)
    enum { APART = 8 }; /* maximum number of instructions from adrp to the load that uses its register */
    uint32_t word, load;
    if (end - at < 8 || (uintptr_t)at % 4) return 0;
    memcpy(&word, at, sizeof word);
    if ((word & 0x9f000000) != 0x90000000) return 0; /* adrp */
    int32_t pages = (int32_t)((word >> 29 & 3) | (word >> 5 & 0x7ffff) << 2) << 11 >> 11;
    uintptr_t page = ((uintptr_t)at & ~(uintptr_t)0xfff) + (uintptr_t)((intptr_t)pages * 4096);
    for (int i = 1; i <= APART && end - at >= 4 * (i + 1); i++) {
        memcpy(&load, at + (size_t)4 * i, sizeof load);
        bool loads = (load & 0xffc00000) == 0xf9400000; /* ldr register, [register, #offset] */
        if (loads && (load >> 5 & 31) == (word & 31)) return page + (uintptr_t)(load >> 10 & 0xfff) * 8;
    }
    return 0;
#else
    (void)at, (void)end;
    return 0;
#endif
}

/* Returns the name of the function that the slot at an address is for; NULL if it is not a slot. */
static const char *name_of_slot(const struct sonde_code *c, uintptr_t address)
{
    for (uint32_t i = 0; address && i < c->n_slots; i++)
        if (c->slots[i].address == address) return c->slots[i].name;
    return NULL;
}

/* Returns the name of the function that a stub of the PLT jumps to; NULL if there is no stub at the address. */
static const char *name_of_stub(const struct sonde_code *c, uintptr_t stub)
{
    enum { PREFIX = 5 }; /* maximum number of bytes before the jump: endbr64 and a prefix, or bti */
    if (stub < c->code || stub >= c->code_end) return NULL;
    const unsigned char *at = (const unsigned char *)stub, *end = (const unsigned char *)c->code_end;
    const char *name = NULL;
    for (int i = 0; i <= PREFIX && !name; i++) name = name_of_slot(c, loaded_from(at + i, end));
    return name;
}

void sonde_code_imports(const struct sonde_code *c, const struct sonde_function *function,
                        void (*each)(const char *name, void *user), void *user)
{
    const unsigned char *end = (const unsigned char *)function->end;
    for (const unsigned char *at = (const unsigned char *)function->start; at < end; at++) {
        uintptr_t target = sonde_call_target(at, end);
        bool leaves = target && (target < function->start || target >= function->end);
        const char *name = leaves ? name_of_stub(c, target) : name_of_slot(c, loaded_from(at, end));
        if (name) each(name, user);
    }
}

static bool has_prefix(const ElfW(Rela) * r, const char *name, void *user)
{
    (void)r;
    return sonde_starts(name, user);
}

bool sonde_module_imports(const void *address, const char *prefix)
{
    struct sonde_module m = {.address = (uintptr_t)address};
    struct sonde_elf elf;
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s", prefix);
    sonde_module_find(&m);
    if (!m.is_found || !sonde_elf_open(&elf, m.path)) return false;
    bool found = sonde_elf_imports(&elf, has_prefix, wanted);
    sonde_elf_close(&elf);
    return found;
}
