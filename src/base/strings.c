/* Implements strings.h: the Levenshtein distance, with one row of the usual table. */
#include "base/strings.h"

#include <stdint.h>

size_t sonde_distance(const char *name, const char *text, size_t n)
{
    /* Rows of this letter, of the one before, and of the one before that, which swapped letters need. */
    size_t rows[3][64], length = strlen(name), *two = rows[0], *last = rows[1], *row = rows[2];
    if (length >= 64 || n >= 64) return SIZE_MAX;
    for (size_t j = 0; j <= length; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *free_row = two;
        two = last, last = row, row = free_row;
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t cost = last[j - 1] + (name[j - 1] != text[i - 1]);
            if (last[j] + 1 < cost) cost = last[j] + 1;
            if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1;
            if (i > 1 && j > 1 && name[j - 1] == text[i - 2] && name[j - 2] == text[i - 1] && two[j - 2] + 1 < cost)
                cost = two[j - 2] + 1;
            row[j] = cost;
        }
    }
    return row[length];
}
