#include "heap.h"

static void gives_the_least(sonde *t)
{
    struct heap h = {{0}, 0};
    int bag[HEAP + 1], n = 0, steps = (int)sonde_int(t, "steps", 0, 24);
    for (int i = 0; i < steps; i++) {
        int x = (int)sonde_int(t, "x", 0, 20), got = -1, least = 0, where;
        switch (sonde_int(t, "what", 0, 2)) {
        case 0:
            sonde_check(t, heap_push(&h, x));
            bag[n++] = x;
            break;
        case 1:
            sonde_check(t, heap_pop(&h, &got) == (n > 0));
            for (int k = 1; k < n; k++)
                if (bag[k] < bag[least]) least = k;
            if (n == 0) break;
            sonde_check(t, got == bag[least]);
            bag[least] = bag[--n];
            break;
        default:
            where = (int)sonde_int(t, "where", 0, 12);
            got = where < n ? h.at[where] : -1;
            sonde_check(t, heap_replace(&h, where, x) == (where < n));
            for (int k = 0; k < n; k++)
                if (got == bag[k]) {
                    bag[k] = x;
                    break;
                }
        }
    }
}
SONDE_MAIN(gives_the_least)
