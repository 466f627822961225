#define _GNU_SOURCE /* dl_iterate_phdr */
/* See address.h. An address is a number in one of four ranges: the stack, the program itself, the heap of the C
 * library, and mapped memory. Libraries, large blocks and stacks of threads are mapped. The system moves each range
 * as a whole. So two addresses of one range have the same difference in every run, and addresses of two ranges do
 * not.
 *
 * A number of the code under test may lie in a range by chance. The ranges together are less than 2^38 of all 2^64
 * numbers, and far above the numbers that programs use. An exception is the heap of a program that is linked to run at
 * a fixed address: it lies anywhere in the first hundred megabytes. */
#include "observe/address.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK, PROGRAM, HEAP, MAPPED, RANGES }; /* in this order: the range of mapped memory may reach into the stack */

static struct sonde_addresses ranges[RANGES];
struct sonde_addresses sonde_addresses;

/* The end of the heap when this code was loaded: the heap begins here, or a little below if something was allocated
 * earlier. */
static uintptr_t first_break;

__attribute__((constructor)) static void note_break(void)
{
    first_break = (uintptr_t)sbrk(0);
}

/* Sets the range of the program, from its segments: the first module is the program. A program that is loaded where it
 * was linked has the same addresses in every run. */
static int find_program(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    uint64_t end = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && p->p_vaddr + p->p_memsz > end) end = p->p_vaddr + p->p_memsz;
    }
    ranges[PROGRAM] = (struct sonde_addresses){.from = info->dlpi_addr, .n = info->dlpi_addr ? end : 0};
    return 1;
}

/* Returns the range around an address. It is smaller where addresses are low, as under valgrind: small numbers must not
 * count as addresses. */
static struct sonde_addresses around(uintptr_t address, uint64_t below, uint64_t above)
{
    uint64_t most = address / 8;
    if (below > most) below = most;
    if (above > most) above = most;
    return (struct sonde_addresses){.from = address - below, .n = below + above};
}

/* Finds the ranges that do not grow. Between the stack and mapped memory the system leaves at least 128 MB. */
static void find_fixed(void)
{
    const uint64_t megabyte = 1 << 20, gigabyte = 1 << 30;
    void *page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    dl_iterate_phdr(find_program, NULL);
    if (page != MAP_FAILED) {
        munmap(page, 1);
        ranges[MAPPED] = around((uintptr_t)page, 64 * gigabyte, 64 * gigabyte);
    }
    ranges[STACK] = around((uintptr_t)&page, 100 * megabyte, 32 * gigabyte);
}

static void find_heap(void)
{
    /* Room for what was allocated before this code was loaded, and for what a case will allocate. */
    const uint64_t below = 1 << 20, above = 1 << 24;
    uint64_t program_end = ranges[PROGRAM].from + ranges[PROGRAM].n, from = first_break - below;
    if (from < program_end) from = program_end;
    ranges[HEAP] = (struct sonde_addresses){.from = from, .n = (uintptr_t)sbrk(0) + above - from};
}

void sonde_addresses_find(void)
{
    if (sizeof(uintptr_t) < sizeof(uint64_t)) return; /* there an address may be any number */
    if (!ranges[STACK].n) find_fixed();
    find_heap();
    uint64_t from = UINT64_MAX, end = 0;
    for (unsigned i = 0; i < RANGES; i++) {
        if (ranges[i].n && ranges[i].from < from) from = ranges[i].from;
        if (ranges[i].n && ranges[i].from + ranges[i].n > end) end = ranges[i].from + ranges[i].n;
    }
    sonde_addresses = (struct sonde_addresses){.from = from, .n = end - from};
}

/* Returns the range of a number; RANGES if it is not an address. */
static unsigned range_of(uint64_t x)
{
    unsigned i = 0;
    while (i < RANGES && x - ranges[i].from >= ranges[i].n) i++;
    return i;
}

bool sonde_is_address(uint64_t x)
{
    return range_of(x) < RANGES;
}

void sonde_addresses_hide_now(uint64_t *a, uint64_t *b)
{
    unsigned of_a = range_of(*a), of_b = range_of(*b);
    if (of_a == RANGES && of_b == RANGES) return;
    bool is_near = of_a == of_b;
    uint64_t above = *a > *b ? is_near ? *a - *b : 1 : 0, below = *b > *a ? is_near ? *b - *a : 1 : 0;
    *a = above;
    *b = below;
}
