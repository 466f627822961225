#include "predicates.h"

bool is_sorted(const int *v, int n)
{
    for (int i = 1; i < n; i++)
        if (v[i - 1] >= v[i]) return false;
    return true;
}

int is_record(const unsigned char *text, size_t n)
{
    if (n < 6) return 0;
    if (text[0] != 'S') return 0;
    if (text[1] < '0' || text[1] > '9') return 0;
    if (text[2] != n) return 0;
    for (size_t i = 3; i + 1 < n; i++)
        if (text[i] < 'a' || text[i] > 'z') return 0;
    return text[n - 1] == '$';
}
