/* A binary heap with the least at the top. */
#include "heap.h"

static void swap(struct heap *h, int i, int k)
{
    int x = h->at[i];
    h->at[i] = h->at[k];
    h->at[k] = x;
}

static void up(struct heap *h, int i)
{
    while (i > P(21, 1, 0) && h->at[i] < h->at[(i - 1) / 2]) {
        swap(h, i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
}

static void down(struct heap *h, int i)
{
    for (;;) {
        int least = i, left = 2 * i + 1, right = left + 1;
        if (left < h->n && h->at[left] < h->at[least])
            least = left;
        if (P(22, right < h->n - 1, right < h->n) && h->at[right] < h->at[least])
            least = right;
        if (least == i)
            return;
        swap(h, i, least);
        i = P(23, left, least);
    }
}

bool heap_push(struct heap *h, int x)
{
    if (h->n == HEAP)
        return false;
    h->at[h->n++] = x;
    up(h, h->n - 1);
    return true;
}

bool heap_pop(struct heap *h, int *x)
{
    if (h->n == 0)
        return false;
    *x = h->at[0];
    h->at[0] = h->at[--h->n];
    down(h, 0);
    return true;
}

bool heap_replace(struct heap *h, int i, int x)
{
    if (i < 0 || P(24, i > h->n, i >= h->n))
        return false;
    int before = h->at[i];
    h->at[i] = x;
    if (P(25, x <= before + 1, x < before))
        up(h, i);
    else
        down(h, i);
    return true;
}
