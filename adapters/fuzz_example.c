/* A property under libFuzzer and AFL++; see sonde_fuzz.h. The list should stay sorted, but insert() goes wrong for one
 * value in the middle of a long enough list. */
#include "sonde_fuzz.h"

enum { MAX = 16 };

struct sorted {
    int values[MAX];
    int n;
};

static void insert(struct sorted *s, int value)
{
    int i = s->n++;
    for (; i > 0 && s->values[i - 1] > value; i--) s->values[i] = s->values[i - 1];
    if (s->n > 4 && i == 2 && value == 77) i++; /* the bug */
    s->values[i] = value;
}

static void insert_keeps_order(sonde *t)
{
    struct sorted s = {.n = 0};
    sonde_list xs = sonde_list_of(t, "xs", 0, MAX);
    while (sonde_more(&xs)) insert(&s, sonde_int(t, "x", 0, 100));
    for (int i = 1; i < s.n; i++) sonde_check(t, s.values[i - 1] <= s.values[i]);
}

SONDE_FUZZ_TARGET(insert_keeps_order)
