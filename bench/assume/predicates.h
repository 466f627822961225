/* Preconditions as programs have them: ordinary functions in a separate file. */
#ifndef BENCH_ASSUME_PREDICATES_H
#define BENCH_ASSUME_PREDICATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct box {
    int x, y, w, h;
};

bool is_balanced(const int *brackets, size_t n); /* 0 opens, 1 closes */
bool is_permutation(const int *v, size_t n);     /* of 0..n-1 */
int sum_of(const int *v, size_t n);
int gcd(int a, int b);
bool is_heap(const int *v, size_t n);            /* the greatest first, parent (i - 1) / 2 */
bool is_checked(const uint8_t *bytes, size_t n); /* the last is the sum of the others */
bool is_sorted_strictly(const int *v, size_t n);
bool is_window(int size, int pad, int dilation, int kernel); /* does a dilated kernel fit? */

#endif
