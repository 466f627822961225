/* Properties that misuse sonde, for tests of what a whole program says: one per way to do it. */
#include <sonde.h>

#include <pthread.h>
#include <string.h>

static void empty_range(sonde *t)
{
    sonde_int(t, "x", 5, 4);
}

static void no_label(sonde *t)
{
    sonde_int(t, NULL, 0, 9);
}

static void close_without_open(sonde *t)
{
    sonde_close(t, "tree");
}

static sonde *kept;

static void *draw_later(void *unused)
{
    (void)unused;
    sonde_int(kept, "late", 0, 9);
    return NULL;
}

static void keep(void *t)
{
    kept = t;
}

/* The case has ended when the next one begins; what was kept of it is used by a thread in between. */
static void draw_after_the_end(sonde *t)
{
    sonde_defer(t, keep, t);
}

static void draw_when_torn_down(void *unused)
{
    draw_later(unused);
}

static void draw_in_another_thread(sonde *t)
{
    pthread_t thread;
    kept = t;
    pthread_create(&thread, NULL, draw_later, NULL);
    pthread_join(thread, NULL);
}

static void a_billion_elements(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "xs", 1000000000, 1000000000);
    while (sonde_more(&xs)) sonde_bool(t, "x");
}

static void a_billion_bytes(sonde *t)
{
    size_t n;
    sonde_bytes(t, "bytes", 1000000000, 1000000000, &n);
}

/* The range depends on what was drawn. */
static void index_of_nothing(sonde *t)
{
    int n = sonde_int(t, "n", 0, 3);
    int at[4] = {0};
    if (n == 2) return;
    at[0] = sonde_int(t, "i", 1, n); /* here */
    sonde_check(t, at[0] <= 3);
}

static int draw_tree(sonde *t)
{
    sonde_open(t, "tree");
    if (sonde_bool(t, "leaf")) return 0; /* and the span stays open */
    int value = sonde_int(t, "value", 0, 9);
    sonde_close(t, "tree");
    return value;
}

static void span_left_open(sonde *t)
{
    draw_tree(t);
    sonde_int(t, "x", 0, 9);
}

static void span_left_open_inside(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "xs", 1, 3);
    while (sonde_more(&xs)) {
        sonde_span(t, "pair");
        draw_tree(t);
    }
}

/* Spans may stay open when a failed assume leaves the case, and when a list is left early. */
static void spans_open_on_other_ways(sonde *t)
{
    sonde_open(t, "a");
    sonde_list xs = sonde_list_of(t, "xs", 1, 3);
    while (sonde_more(&xs))
        if (sonde_bool(t, "x")) break;
    sonde_assume(t, sonde_int(t, "y", 0, 9) != 5);
    sonde_close(t, "a");
}

static void hold(sonde *t)
{
    sonde_int(t, "x", 0, 9);
}

int main(int argc, char **argv)
{
    const sonde_property properties[] = {
        {.name = "empty_range", .run = empty_range},
        {.name = "no_label", .run = no_label},
        {.name = "close_without_open", .run = close_without_open},
        {.name = "draw_after_the_end", .run = draw_after_the_end, .worker_teardown = draw_when_torn_down},
        {.name = "draw_in_another_thread", .run = draw_in_another_thread},
        {.name = "a_billion_elements", .run = a_billion_elements},
        {.name = "a_billion_bytes", .run = a_billion_bytes},
        {.name = "index_of_nothing", .run = index_of_nothing},
        {.name = "span_left_open", .run = span_left_open},
        {.name = "span_left_open_inside", .run = span_left_open_inside},
        {.name = "spans_open_on_other_ways", .run = spans_open_on_other_ways},
        {.name = "hold", .run = hold},
    };
    return sonde_main(argc, argv, properties, sizeof properties / sizeof *properties);
}
