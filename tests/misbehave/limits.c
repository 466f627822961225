/* Properties that use up a resource by degrees, and properties that depend on more than their input. Only the latter
 * are flaky. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Limits: these fail for each input beyond some size. */

__attribute__((noinline)) static int even(int n);

/* Two functions that call each other: which of them meets the end of the stack is chance. */
__attribute__((noinline)) static int odd(int n)
{
    volatile char room[700];
    memset((void *)(uintptr_t)room, n, sizeof room);
    return n ? even(n - 1) + room[n % 700] : 0;
}

__attribute__((noinline)) static int even(int n)
{
    volatile char room[500];
    memset((void *)(uintptr_t)room, n, sizeof room);
    return n ? odd(n - 1) + room[n % 500] : 1;
}

static void deep(sonde *t)
{
    volatile int result = even(sonde_int(t, "n", 0, 100000));
    (void)result;
}

/* The elements add up. */
static void deep_list(sonde *t)
{
    int n = 0;
    sonde_list list = sonde_list_of(t, "list", 0, 50);
    while (sonde_more(&list)) n += sonde_int(t, "n", 0, 2000);
    volatile int result = odd(n);
    (void)result;
}

/* The shrinker leaves a margin in n. As the fourth power of n, the time leaves one of more than the factor by which two busy threads slow each
 * other down on one core. */
static void slow(sonde *t)
{
    volatile uint64_t sum = 0;
    uint64_t n = sonde_u64(t, "n", 0, 1 << 12);
    for (uint64_t i = 0; i < n * n * n * n; i++) sum += i;
    (void)sum;
}

static void large(sonde *t)
{
    size_t n = sonde_size_t(t, "MB", 0, 600);
    char *block = malloc(n << 20 | 1);
    if (!block) return;
    for (size_t i = 0; i < n << 20; i += 4096) ((volatile char *)block)[i] = 1;
    free(block);
}

/* More of them than the process may have. */
static void descriptors(sonde *t)
{
    int n = sonde_int(t, "n", 0, 5000), opened = 0, last = 0;
    int *all = malloc((size_t)n * sizeof *all + 1);
    for (; opened < n; opened++) {
        last = all[opened] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (last < 0) break;
    }
    for (int i = 0; i < opened; i++) close(all[i]);
    free(all);
    sonde_check(t, last >= 0);
}

/* Thousands of cases in a moment, and then one in a tenth of a second: 4,096 of these would take seven minutes. */
static void slows_down(sonde *t)
{
    static int counter;
    (void)sonde_int(t, "x", 0, INT_MAX);
    if (++counter > 40000) usleep(100000);
}

/* A block of a fixed size, from which no byte can be cut. */
static void fixed_block(sonde *t)
{
    size_t n;
    uint8_t *block = sonde_bytes(t, "block", 1 << 21, 1 << 21, &n);
    sonde_check(t, block[7] < 100);
}

/* ---- State that cases leave to the next. */

static void every_twentieth(sonde *t)
{
    static int counter;
    counter += sonde_int(t, "x", 0, 100) > 50;
    sonde_check(t, counter % 20 != 19);
}

static void after_fifty(sonde *t)
{
    static int counter;
    counter += sonde_int(t, "x", 0, 100) > 50;
    sonde_check(t, counter < 50);
}

/* A table that breaks when it is full of different keys. */
static void full_table(sonde *t)
{
    static bool has[256];
    static int n;
    uint8_t key = sonde_u8(t, "key", 0, 255);
    n += !has[key];
    has[key] = true;
    sonde_check(t, n < 100);
}

static void lost_descriptors(sonde *t)
{
    (void)sonde_int(t, "x", 0, 1 << 20);
    sonde_check(t, open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0);
}

/* ---- Failures that no input decides. */

/* A file that outlives the process: each third case fails, whatever it drew. */
static void outside(sonde *t)
{
    (void)sonde_int(t, "x", 0, 100);
    int fd = open(getenv("LIMITS_MARK"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    sonde_assume(t, fd >= 0 && write(fd, "x", 1) == 1);
    off_t size = lseek(fd, 0, SEEK_END);
    close(fd);
    sonde_check(t, size % 3 != 0);
}

/* Reads memory from malloc, which holds what was there before. */
static void uninitialised(sonde *t)
{
    (void)sonde_int(t, "x", 0, 100);
    unsigned char *block = malloc(5000);
    int sum = 0;
    for (int i = 100; i < 4900; i++) sum += ((volatile unsigned char *)block)[i];
    for (int i = 0; i < 5000; i++) ((volatile unsigned char *)block)[i] = (unsigned char)(getpid() | 1);
    free(block);
    sonde_check(t, sum == 0);
}

SONDE_MAIN(deep, deep_list, slow, large, descriptors, every_twentieth, after_fifty, full_table, lost_descriptors,
           outside, uninitialised, slows_down, fixed_block)
