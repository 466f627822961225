#include "ring.h"

/* A long array that is never wrapped. */
static void like_an_array(sonde *t)
{
    struct ring r = {{0}, 0, 0};
    int all[64], from = 0, to = 0, steps = (int)sonde_int(t, "steps", 0, 40);
    for (int i = 0; i < steps; i++) {
        int x = (int)sonde_int(t, "x", 0, 9), got = 0, where = -1;
        switch (sonde_int(t, "what", 0, 3)) {
        case 0:
            sonde_check(t, ring_put(&r, x) == (to - from < RING));
            if (to - from < RING) all[to++] = x;
            break;
        case 1:
            sonde_check(t, ring_get(&r, &got) == (from < to));
            if (from < to) sonde_check(t, got == all[from++]);
            break;
        case 2:
            for (int k = to; k-- > from;)
                if (all[k] == x) where = k - from;
            sonde_check(t, ring_find(&r, x) == where);
            break;
        default:
            ring_drop(&r, x);
            from = from + x < to ? from + x : to;
            sonde_check(t, r.n == to - from);
        }
    }
}
SONDE_MAIN(like_an_array)
