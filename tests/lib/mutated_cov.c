/* See mutated_cov.h. The code has the form that sonde/mutants.h describes. */
#define _GNU_SOURCE
#include "lib/mutated_cov.h"

#include <sonde/mutants.h>

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SITES = 11 };
static struct sonde_mutants_now_ now;
static volatile unsigned char reached[SITES + 1];

/* The value of `mutant` if number m of site s is chosen, else `plain`. `mutant` may be evaluated only then. */
#define AT(s, m, mutant_, plain)                                                                                       \
    (reached[s] = 1, now.site == (s) ? (now.mutant == (m) ? watched((mutant_), (plain)) : (plain)) : (plain))
#define IS_ON(s, m) (reached[s] = 1, now.site == (s) && now.mutant == (m))

static int watched(int mutant, int plain)
{
    if (now.watch) now.compared++, now.differed += mutant != plain;
    return mutant;
}

int mutated_sum(int a, int b, int high)
{
    int sum = AT(1, 1, a - b, a + b);
    if (AT(2, 2, sum >= high, sum > high)) sum = high;
    if (AT(2, 3, sum<high, sum> high)) sum = high;
    return sum;
}

bool mutated_allows(int a)
{
    return AT(3, 4, a < 0, a >= 0);
}

static void fill_memory(void)
{
    enum { STEP = 16 << 20 };
    for (;;) {
        static char *volatile more; /* volatile: or the compiler drops the block */
        more = malloc(STEP);
        if (more) memset(more, 1, STEP);
    }
}

/* One byte far behind the end: the limit of file sizes is exceeded, and no disk is filled if there is none. */
static void fill_disk(void)
{
    int fd = open("mutated.out", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    for (off_t at = 0; fd >= 0 && at < (off_t)1 << 34; at += 1 << 24)
        if (pwrite(fd, "x", 1, at) != 1) break;
}

/* Returns whether no process of this run, which all have the same parent, has called it before. */
static bool is_first(void)
{
    char name[64];
    snprintf(name, sizeof name, "mutated.once.%ld", (long)getppid());
    int fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

int mutated_harm(int a)
{
    static int calls;
    if (!now.site && getenv("MUTATED_SLOW")) usleep(20000); /* a search that takes long */
    if (IS_ON(4, 5)) *(volatile int *)(uintptr_t)16 = a;
    if (IS_ON(4, 6))
        for (volatile unsigned i = 0;; i++) continue;
    if (IS_ON(4, 7)) exit(0);
    if (IS_ON(4, 8)) fill_memory();
    if (IS_ON(4, 9)) fill_disk();
    if (IS_ON(4, 10)) close_range(0, ~0u, 0), a++;
    if (IS_ON(4, 11)) kill(getppid(), SIGTERM), kill(0, SIGTERM);
    if (IS_ON(4, 12) && calls++ > 0) return a + 1; /* wrong from its second call on */
    if (IS_ON(4, 13)) raise(SIGSTOP);
    if (IS_ON(4, 20)) return a + is_first();
    return a;
}

static volatile int n_large;

int mutated_count(int a)
{
    if (AT(5, 14, a > 20, a > 50)) n_large++;
    n_large = AT(6, 15, n_large + 1, n_large);
    if (!IS_ON(7, 16)) n_large++;
    return a;
}

int mutated_half(int a)
{
    if (a < 0) return AT(8, 17, 1, 0);
    return a / 2;
}

int mutated_scale(int a)
{
    int all = AT(9, 18, 3 * a + 1, 3 * a);
    return AT(10, 19, all & ~1, all & ~3);
}

#define HERE(s, l, st, k, h, f, b, a)                                                                                  \
    {                                                                                                                  \
        s, l, 5, st, k, h, "mutated.c", f, NULL, b, a                                                                  \
    }
static const struct sonde_mutant_ mutants[] = {
    HERE(1, 10, 1, SONDE_MUTANT_ARITHMETIC_, 0, "mutated_sum", "a + b", "a - b"),
    HERE(2, 11, 2, SONDE_MUTANT_RELATION_, 0, "mutated_sum", "sum > high", "sum >= high"),
    HERE(2, 11, 2, SONDE_MUTANT_RELATION_, 0, "mutated_sum", "sum > high", "sum < high"),
    HERE(3, 20, 3, SONDE_MUTANT_RELATION_, 0, "mutated_allows", "a >= 0", "a < 0"),
    HERE(4, 30, 4, SONDE_MUTANT_DROPPED_, 0, "mutated_harm", "check(a)", "crash(a)"),
    HERE(4, 31, 4, SONDE_MUTANT_NO_BREAK_, 0, "mutated_harm", "break;", ""),
    HERE(4, 32, 4, SONDE_MUTANT_CONDITION_, 0, "mutated_harm", "if (a)", "if (!a)"),
    HERE(4, 33, 4, SONDE_MUTANT_STEP_, 0, "mutated_harm", "i++", "i--"),
    HERE(4, 34, 4, SONDE_MUTANT_STEP_, 0, "mutated_harm", "at++", "at--"),
    HERE(4, 35, 4, SONDE_MUTANT_CONSTANT_, 0, "mutated_harm", "3", "3 - 3"),
    HERE(4, 36, 4, SONDE_MUTANT_CONSTANT_, 0, "mutated_harm", "child", "0"),
    HERE(4, 37, 4, SONDE_MUTANT_DROPPED_, 0, "mutated_harm", "calls = 0", ""),
    HERE(4, 38, 4, SONDE_MUTANT_NO_CALL_, 0, "mutated_harm", "resume(a)", ""),
    HERE(5, 40, 5, SONDE_MUTANT_CONSTANT_, SONDE_MUTANT_ERROR_PATH_, "mutated_count", "50", "20"),
    HERE(6, 41, 6, SONDE_MUTANT_ARITHMETIC_, 0, "mutated_count", "n_large", "n_large + 1"),
    HERE(7, 42, 7, SONDE_MUTANT_NO_CALL_, SONDE_MUTANT_UNWATCHED_ | SONDE_MUTANT_FREES_, "mutated_count",
         "release(&n_large);", ""),
    HERE(8, 50, 8, SONDE_MUTANT_CONSTANT_, 0, "mutated_half", "0", "0 + 1"),
    HERE(9, 60, 9, SONDE_MUTANT_ARITHMETIC_, 0, "mutated_scale", "3 * a", "3 * a + 1"),
    HERE(10, 61, 10, SONDE_MUTANT_CONSTANT_, 0, "mutated_scale", "3", "1"),
    HERE(4, 39, 4, SONDE_MUTANT_NO_CALL_, 0, "mutated_harm", "unlink(a)", ""),
};

static struct sonde_mutants_ table = {.version = SONDE_MUTANTS_VERSION_,
                                      .n_mutants = MUTATED_MUTANTS,
                                      .n_sites = SITES,
                                      .source = "mutated.c",
                                      .text = 1234,
                                      .mutants = mutants,
                                      .reached = reached,
                                      .now = &now};
_Static_assert(sizeof mutants / sizeof *mutants == MUTATED_MUTANTS, "the table is complete");

__attribute__((constructor)) static void register_mutants(void)
{
    const char *other = getenv("MUTATED_TEXT"); /* another build of the code, for --continue */
    if (other) table.text = strtoull(other, NULL, 10);
    sonde_mutants_add_(&table);
}
