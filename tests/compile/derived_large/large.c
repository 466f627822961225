/* Values that are long, deep or shared many times, and long doubles: for derived_large.sh. */
#define _GNU_SOURCE
#include <sonde.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "types.h"
SONDE_DERIVE(struct node, node);
SONDE_DERIVE(struct list, list);
SONDE_DERIVE(struct flts, flts);
enum { LONG = 1000000, DEEP = 40 };
static size_t length(void (*print)(FILE *, const void *), const void *p, bool *is_cut)
{
    char *b;
    size_t n;
    FILE *f = open_memstream(&b, &n);
    print(f, p);
    fclose(f);
    *is_cut = strstr(b, "...") != NULL;
    free(b);
    return n;
}
static struct node *dag(struct node *x)
{
    memset(x, 0, (DEEP + 1) * sizeof *x);
    for (int i = 0; i < DEEP; i++) x[i].l = x[i].r = &x[i + 1];
    return x;
}
static struct list *chain(int last)
{
    struct list *x = calloc(LONG, sizeof *x);
    for (int i = 0; i + 1 < LONG; i++) x[i].next = &x[i + 1];
    x[LONG - 1].v = last;
    return x;
}
SONDE_PROPERTY(a_dag_equals_itself)
{
    struct node x[DEEP + 1], y[DEEP + 1];
    sonde_int(t, "n", 0, 3);
    sonde_check(t, same_node(dag(x), dag(y)));
    y[DEEP].v = 1;
    sonde_check(t, order_node(x, y) < 0);
}
SONDE_PROPERTY(a_dag_is_printed_in_part)
{
    struct node x[DEEP + 1];
    bool is_cut;
    sonde_int(t, "n", 0, 3);
    sonde_check(t, length(print_node, dag(x), &is_cut) < 2000000 && is_cut);
}
SONDE_PROPERTY(a_long_list_is_compared)
{
    bool is_cut;
    struct list *x = chain(1), *y = chain(2), *z = chain(1);
    sonde_int(t, "n", 0, 1);
    sonde_check(t, !same_list(x, y) && order_list(x, y) < 0 && same_list(x, z));
    sonde_check(t, length(print_list, x, &is_cut) < 2000000 && is_cut);
    free(x), free(y), free(z);
}
SONDE_PROPERTY(a_difference_is_named)
{
    struct list c = {7, NULL}, d = {8, NULL}, b = {1, &c}, e = {1, &d}, a = {1, &b}, f = {1, &e};
    sonde_int(t, "n", 0, 1);
    sonde_check_same(t, list, &a, &f);
}
SONDE_PROPERTY(a_deep_tree_is_a_misuse)
{
    struct node *x = calloc(LONG, sizeof *x), *y = calloc(LONG, sizeof *y);
    sonde_int(t, "n", 0, 1);
    for (int i = 0; i + 1 < LONG; i++) x[i].l = &x[i + 1], y[i].l = &y[i + 1];
    sonde_check(t, same_node(x, y));
}
SONDE_PROPERTY(long_doubles_have_low_bits)
{
    struct flts *a = draw_flts(t, "v");
    sonde_check(t, a->some >= 1 && a->some <= 2);
    sonde_classify(t, isfinite(a->ld) && a->ld != (double)a->ld, "no double");
    sonde_classify(t, a->some != (double)a->some, "none in the range");
}
SONDE_MAIN()
