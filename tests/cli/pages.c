/* A program with a property for each thing that a page must show well: every verdict, labels with claims, failures of several
 * kinds, workers that die. With PAGES_MANY=N it has N further ones that hold. page.sh and browser.sh run it. */
#include <sonde.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void holds(sonde *t)
{
    int x = sonde_int(t, "x", -1000, 1000);
    sonde_assume(t, x % 7 != 0);
    sonde_cover(t, 30, x > 0, "positive");
    sonde_cover(t, 2, x % 3 == 0, "divisible by three");
    sonde_classify(t, x > 500, "large");
    sonde_target(t, "x", x);
    sonde_check(t, x <= 1000);
}

static void is_proved(sonde *t)
{
    sonde_check(t, sonde_int(t, "digit", 0, 9) < 10);
}

static void draw_tree(sonde *t, int depth, int *sum)
{
    sonde_span(t, "tree");
    *sum += sonde_int(t, "value", 0, 100);
    if (depth < 4 && sonde_bool(t, "has left")) draw_tree(t, depth + 1, sum);
    if (depth < 4 && sonde_bool(t, "has right")) draw_tree(t, depth + 1, sum);
}

static void is_falsified(sonde *t)
{
    int sum = 0;
    draw_tree(t, 0, &sum);
    sonde_note(t, "the sum is %d", sum);
    sonde_check(t, sum < 150);
}

static void gives_up(sonde *t)
{
    int64_t n = sonde_int(t, "n", 0, 1 << 30);
    sonde_assume(t, n * n % 4 == 3); /* of no number */
}

static void is_flaky(sonde *t)
{
    struct timespec now;
    sonde_int(t, "x", 0, 100000);
    clock_gettime(CLOCK_MONOTONIC, &now);
    /* Not once in a billion does a failure come back twice, or the property hold. */
    sonde_check(t, now.tv_nsec % 100 != 7);
}

static void crashes(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000);
    if (x > 900) abort();
}

static void covers_too_little(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000);
    sonde_cover(t, 50, x > 900, "near the end");
}

static void holds_too(sonde *t)
{
    sonde_bool(t, "b");
    sonde_string(t, "text", 0, 20);
}

enum { FIRST = 7, MANY_MAX = 1000 };

int main(int argc, char **argv)
{
    static sonde_property all[FIRST + MANY_MAX] = {
        {.name = "holds", .run = holds},
        {.name = "is_proved", .run = is_proved},
        {.name = "is_falsified", .run = is_falsified},
        {.name = "gives_up", .run = gives_up},
        {.name = "is_flaky", .run = is_flaky},
        {.name = "crashes", .run = crashes},
        {.name = "covers_too_little", .run = covers_too_little},
    };
    static char names[MANY_MAX][32];
    const char *many = getenv("PAGES_MANY");
    size_t n = many ? (size_t)strtoul(many, NULL, 10) : 0;
    for (size_t i = 0; i < n && i < MANY_MAX; i++) {
        snprintf(names[i], sizeof names[i], "many_%zu", i);
        all[FIRST + i] = (sonde_property){.name = names[i], .run = holds_too};
    }
    return sonde_main(argc, argv, all, FIRST + (n < MANY_MAX ? n : MANY_MAX));
}
