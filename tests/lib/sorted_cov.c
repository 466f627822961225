/* Code under test for tests/quality: insertion into a sorted list, wrong from a certain length on. Compiled with coverage,
 * like everything named *_cov.c. */
#include "lib/sorted_cov.h"

bool is_sorted(const int *list, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (list[i - 1] > list[i]) return false;
    return true;
}

size_t insert_sorted(int *list, size_t n, int x, size_t wrong_from)
{
    size_t i = n;
    for (; i > 0 && list[i - 1] > x; i--) list[i] = list[i - 1];
    list[i] = x;
    if (n >= wrong_from) list[n] = list[0] - 1;
    return n + 1;
}
