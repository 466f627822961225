/* Properties for proof.sh: what holds for every input, and what only seemed to. */
#include <sonde.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void holds(sonde *t)
{
    int a = sonde_int(t, "a", 0, 9), b = sonde_int(t, "b", 0, 9);
    sonde_check_eq(t, a + b, b + a);
}

static void holds_for_many(sonde *t)
{
    int a = sonde_int(t, "a", 0, 49), b = sonde_int(t, "b", 0, 49);
    sonde_check_eq(t, a + b, b + a);
}

static void *work(void *n)
{
    ++*(volatile int *)n;
    return NULL;
}

static void starts_a_thread(sonde *t)
{
    int n = sonde_int(t, "n", 0, 3);
    pthread_t other;
    if (pthread_create(&other, NULL, work, &n) != 0) abort();
    pthread_join(other, NULL);
    sonde_check(t, n > 0);
}

/* Draws otherwise after three cases of a process. */
static void draws_otherwise(sonde *t)
{
    static int cases;
    int a = sonde_int(t, "a", 0, 50);
    if (cases++ > 2) sonde_int(t, "b", 0, a % 3);
}

/* Has more inputs with each one that was tried: the search meets the end of the first two. */
static void grows(sonde *t)
{
    static int most = 1;
    int a = sonde_int(t, "a", 0, most);
    if (a == most) most++;
    sonde_check(t, a < 20);
}

/* Counts its cases in a file: six inputs, each once, are fewer than ten. */
static void fails_later(sonde *t)
{
    const char *file = getenv("PROOF_FILE");
    int a = sonde_int(t, "a", 0, 5);
    FILE *f = fopen(file, "a+");
    if (!f) abort();
    fputc('a' + a, f);
    long cases = ftell(f);
    fclose(f);
    sonde_check(t, cases < 10);
}

/* One input of 1,001. */
static void seven(sonde *t)
{
    int a = sonde_int(t, "a", 0, 1000);
    sonde_cover(t, 5, a == 7, "seven");
}

/* Of six inputs one meets it, but it is drawn in 45 % of the cases. */
static void likely(sonde *t)
{
    static const unsigned weights[] = {1, 9};
    bool often = sonde_chance(t, "often", 0.5);
    size_t kind = sonde_weighted(t, "kind", weights, 2), one = often ? 0 : sonde_pick(t, "one", 2);
    sonde_cover(t, 45, often && kind == 1 && one == 0, "likely");
}

static void remainders(sonde *t)
{
    int x = sonde_int(t, "x", 0, 100);
    sonde_check(t, x % 7 == 3 + 4 * (x > 50));
}

static void modes(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000), mode = sonde_int(t, "mode", 0, 9);
    sonde_bool(t, "idle");
    sonde_int(t, "wide", 0, 1000000);
    sonde_check(t, x < 50 || mode == 5);
}

/* The kinds 0 and 3 are never drawn. */
static void kinds(sonde *t)
{
    static const unsigned weights[] = {0, 1, 1, 0}, certain[] = {0, 1};
    sonde_weighted(t, "some", weights, 4);
    sonde_weighted(t, "one", certain, 2);
    sonde_check(t, sonde_int(t, "x", 0, 1000) < 50);
}

SONDE_MAIN(holds, holds_for_many, starts_a_thread, draws_otherwise, grows, fails_later, seven, likely, remainders,
           modes, kinds)
