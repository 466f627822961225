#ifndef SONDE_TESTS_SORTED_COV_H
#define SONDE_TESTS_SORTED_COV_H

#include <stdbool.h>
#include <stddef.h>

bool is_sorted(const int *list, size_t n);
/* list has room for one more. The result is wrong if it had at least `wrong_from` elements. */
size_t insert_sorted(int *list, size_t n, int x, size_t wrong_from);

#endif
