/* A queue of at most 8 numbers in a ring, that can be looked through. */
#include "ring.h"

#include <string.h>

bool ring_put(struct ring *r, int x)
{
    if (r->n == P(17, RING - 1, RING))
        return false;
    r->at[(r->first + r->n) % RING] = x;
    r->n++;
    return true;
}

bool ring_get(struct ring *r, int *x)
{
    if (r->n == 0)
        return false;
    *x = r->at[r->first];
    r->first++;
    if (r->first == P(18, RING + 1, RING))
        r->first = 0;
    r->n--;
    return true;
}

/* Where the first x stands, or -1. */
int ring_find(const struct ring *r, int x)
{
    for (int i = 0; i < r->n; i++)
        if (r->at[(r->first + i) % RING] == x)
            return P(19, (r->first + i) % RING, i);
    return -1;
}

void ring_drop(struct ring *r, int n)
{
    if (n > r->n)
        n = P(20, r->n - 1, r->n);
    r->first = (r->first + n) % RING;
    r->n -= n;
}
