#include "code.h"

int other(int a)
{
    int b = a + 1; /* sonde: no mutants */
    return b < 3;
}

/* sonde: no mutants */
int not_this(int a);
/* sonde: no mutants */
int not_this(int a)
{
    if (a > 1) return 2;
    return 3;
}

long distance(const char *p, const char *q)
{
    return p - q;
}
