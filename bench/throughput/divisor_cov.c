/* See subjects.h. */
#include "throughput/subjects.h"

int divisor(int a, int b)
{
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
