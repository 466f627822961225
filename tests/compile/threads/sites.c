/* Helpers that mostly work on private objects, and on a shared one for some inputs. `raise_by_one` is private in nearly all cases of a warm-up.
 * The properties whose name begins with `rare` have a lost update, and must be falsified. */
#include <pthread.h>
#include <sonde.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int common, is_shared;

static __attribute__((noinline)) void raise_by_one(int *n)
{
    *n = *n + 1;
}

static void *work(void *unused)
{
    int *own = calloc(1, sizeof *own);
    raise_by_one(is_shared ? &common : own);
    free(own);
    return unused;
}

static void run(sonde *t, void *unused)
{
    pthread_t a, b;
    common = 0;
    pthread_create(&a, NULL, work, unused);
    pthread_create(&b, NULL, work, unused);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (is_shared) sonde_check_eq(t, common, 2);
}

static void start(sonde *t, int shares)
{
    is_shared = shares;
    sonde_threads(t, "s", run, NULL);
}

SONDE_PROPERTY(apart)
{
    start(t, 0);
}

SONDE_PROPERTY(together)
{
    start(t, 1);
}

SONDE_PROPERTY(rare_number)
{
    start(t, sonde_int(t, "x", 0, 1000000) == 0);
}

SONDE_PROPERTY(rare_pair)
{
    start(t, sonde_int(t, "x", 0, 40) == 7 && sonde_int(t, "y", 0, 40) == 9);
}

SONDE_PROPERTY(rare_list)
{
    sonde_list list = sonde_list_of(t, "list", 0, 1000);
    while (sonde_more(&list)) sonde_bool(t, "b");
    start(t, list.i == 0);
}

SONDE_PROPERTY(rare_strings)
{
    const char *a = sonde_string(t, "a", 0, 5), *b = sonde_string(t, "b", 0, 5);
    start(t, strcmp(a, b) == 0);
}

/* A structure of many private accesses, one of which is shared for one input of a thousand. */
static int cells[8];

static void *fill(void *unused)
{
    int own[64] = {0};
    for (int i = 0; i < 64; i++) raise_by_one(&own[(i * 7) % 64]);
    for (int i = 0; i < 8; i++) raise_by_one(is_shared ? &cells[i] : &own[i]);
    return unused;
}

static void run_fill(sonde *t, void *unused)
{
    pthread_t a, b;
    memset(cells, 0, sizeof cells);
    pthread_create(&a, NULL, fill, unused);
    pthread_create(&b, NULL, fill, unused);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; is_shared && i < 8; i++) sonde_check_eq(t, cells[i], 2);
}

SONDE_PROPERTY(rare_in_many)
{
    is_shared = sonde_int(t, "x", 0, 999) == 500;
    sonde_threads(t, "s", run_fill, NULL);
}

/* A run that is a thousand times as long for one input: the warm-up does not know how long it may be. */
static int rounds;

static void *loop(void *unused)
{
    for (int i = 0; i < rounds; i++) raise_by_one(&common);
    return unused;
}

static void run_loop(sonde *t, void *unused)
{
    pthread_t a;
    (void)t;
    pthread_create(&a, NULL, loop, unused);
    pthread_join(a, NULL);
}

SONDE_PROPERTY(long_for_one)
{
    rounds = sonde_int(t, "x", 0, 100000) == 0 ? 5000 : 1;
    sonde_threads(t, "s", run_loop, NULL);
}

/* Several runs in one process, as a test framework has them. */
static int embed(void)
{
    sonde_config quiet = {.quiet = true, .tests = 2000, .seed = 1, .store = ""};
    int first = sonde_run(apart, &quiet), second = sonde_run(together, &quiet);
    int third = sonde_run(apart, &quiet);
    printf("apart %d together %d apart %d\n", first, second, third);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "embed") == 0) return embed();
    return sonde_main(argc, argv, NULL, 0);
}
