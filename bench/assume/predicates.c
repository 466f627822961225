/* See predicates.h. */
#include "assume/predicates.h"

bool is_balanced(const int *brackets, size_t n)
{
    int depth = 0;
    for (size_t i = 0; i < n; i++) {
        depth += brackets[i] == 0 ? 1 : -1;
        if (depth < 0) return false;
    }
    return depth == 0;
}

bool is_permutation(const int *v, size_t n)
{
    bool seen[16] = {false};
    for (size_t i = 0; i < n; i++) {
        if (v[i] < 0 || (size_t)v[i] >= n || seen[v[i]]) return false;
        seen[v[i]] = true;
    }
    return true;
}

int sum_of(const int *v, size_t n)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i];
    return sum;
}

int gcd(int a, int b)
{
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool is_heap(const int *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (v[(i - 1) / 2] < v[i]) return false;
    return true;
}

bool is_checked(const uint8_t *bytes, size_t n)
{
    uint8_t sum = 0;
    for (size_t i = 0; i + 1 < n; i++) sum = (uint8_t)(sum + bytes[i]);
    return n > 0 && sum == bytes[n - 1];
}

bool is_sorted_strictly(const int *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (v[i - 1] >= v[i]) return false;
    return true;
}

bool is_window(int size, int pad, int dilation, int kernel)
{
    return size + 2 * pad >= dilation * (kernel - 1) + 1;
}
