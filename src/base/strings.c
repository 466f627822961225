/* Implements strings.h: the Levenshtein distance, with one row of the usual table. */
#include "base/strings.h"

#include <stdint.h>

size_t sonde_distance(const char *name, const char *text, size_t n)
{
    /* `diagonal` is the entry that the row held before it was overwritten. */
    size_t row[64], length = strlen(name);
    if (length >= 64 || n >= 64) return SIZE_MAX;
    for (size_t j = 0; j <= length; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t cost = diagonal + (name[j - 1] != text[i - 1]);
            diagonal = row[j];
            if (row[j] + 1 < cost) cost = row[j] + 1;
            if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1;
            row[j] = cost;
        }
    }
    return row[length];
}
