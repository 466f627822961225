/* Code with much that the mutator must read right, or leave alone. */
#ifndef CODE_H
#define CODE_H
#include <stddef.h>

int everything(int a, int b);
int other(int a);

static inline int twice(int a)
{
    return a * 2;
}
#endif
