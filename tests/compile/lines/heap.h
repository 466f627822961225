#include "lines.h"
enum { HEAP = 32 };
struct heap {
    int at[HEAP + 1], n;
};
bool heap_push(struct heap *h, int x);
bool heap_pop(struct heap *h, int *x);
bool heap_replace(struct heap *h, int i, int x);
