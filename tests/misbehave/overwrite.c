/* Properties whose code writes where sonde keeps what it knows: beyond its own blocks, through the pointer it was given,
 * through descriptors. All from 37 on. tests/cli/overwrite.sh says what is expected; it also builds this statically and
 * as C++, where the blocks that malloc takes from the system lie right beside sonde's memory. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sonde.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WRONG_FROM = 37 };

static int draw(sonde *t)
{
    return sonde_int(t, "x", 0, 1000);
}

/* As malloc takes a large block from the system. */
static volatile char *large_block(void)
{
    void *block = mmap(NULL, 300000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) abort();
    return (volatile char *)block;
}

static void overruns_block(sonde *t)
{
    int x = draw(t);
    volatile char *block = large_block();
    for (size_t i = 0; x >= WRONG_FROM && i < 3000000000u; i++) block[i] = 0x41;
    munmap((void *)(uintptr_t)block, 300000);
}

static void underruns_block(sonde *t)
{
    int x = draw(t);
    volatile char *block = large_block();
    for (size_t i = 0; x >= WRONG_FROM && i < 3000000000u; i++) *(block - i) = 0x41;
    munmap((void *)(uintptr_t)block, 300000);
}

static void clears_its_case(sonde *t)
{
    if (draw(t) >= WRONG_FROM) memset((void *)t, 0x41, 4096);
}

static void clears_much(sonde *t)
{
    if (draw(t) >= WRONG_FROM) memset((void *)t, 0, 1 << 20);
}

static void clears_and_crashes(sonde *t)
{
    if (draw(t) < WRONG_FROM) return;
    memset((void *)t, 0x41, 4096);
    abort();
}

/* Not what the pointer points to, but the memory around it, the supervisor's own tables included. */
static void clear_heap(size_t n)
{
    char line[256];
    unsigned long start, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "sonde heap") && sscanf(line, "%lx-%lx", &start, &end) == 2)
            memset((void *)(uintptr_t)start, 0x41, n);
    if (maps) fclose(maps);
}

static void clears_head(sonde *t)
{
    if (draw(t) >= WRONG_FROM) clear_heap(1024);
}

static void clears_all(sonde *t)
{
    if (draw(t) >= WRONG_FROM) clear_heap(32 << 20);
}

static void writes_to_descriptors(sonde *t)
{
    static char junk[65536];
    int x = draw(t);
    memset(junk, 0x41, sizeof junk);
    for (int fd = 3; x >= WRONG_FROM && fd < 1024; fd++)
        if (pwrite(fd, junk, sizeof junk, 0) < 0) continue;
    sonde_check(t, x < 500);
}

static void truncates_descriptors(sonde *t)
{
    int x = draw(t);
    for (int fd = 3; x >= WRONG_FROM && fd < 1024; fd++)
        if (ftruncate(fd, 0) < 0) continue;
    sonde_check(t, x < 500);
}

/* Bits here and there, where it hits whatever it hits; then a failure that must not be lost. */
static void scribbles(sonde *t)
{
    char line[256];
    unsigned long start, end;
    int x = draw(t);
    FILE *maps = x >= WRONG_FROM ? fopen("/proc/self/maps", "r") : NULL;
    uint64_t at = (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15);
    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, "sonde heap") || sscanf(line, "%lx-%lx", &start, &end) != 2) continue;
        for (int i = 0; i < 64; i++) {
            at ^= at << 13, at ^= at >> 7, at ^= at << 17;
            ((volatile char *)(uintptr_t)start)[at % (2 << 20)] ^= (char)(1 << i % 8);
        }
    }
    if (maps) fclose(maps);
    sonde_check(t, x < 500);
}

int main(int argc, char **argv)
{
    static sonde_property all[10];
    size_t n = 0;
#define ADD(property) (all[n].name = #property, all[n++].run = property)
    ADD(overruns_block);
    ADD(underruns_block);
    ADD(clears_its_case);
    ADD(clears_much);
    ADD(clears_and_crashes);
    ADD(clears_head);
    ADD(clears_all);
    ADD(writes_to_descriptors);
    ADD(truncates_descriptors);
    ADD(scribbles);
    return sonde_main(argc, argv, all, n);
}
