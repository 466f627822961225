/* Several subjects as one source: most of what it costs to compile a small source is to start the compiler and to read
 * headers, so one run of the front end serves a batch. Names of the file scope get the number of their subject, and
 * #line says whose source it is, by which the preprocessed source is taken apart again. */
#ifndef BENCH_ZOO_BATCH_H
#define BENCH_ZOO_BATCH_H

#include "zoo/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The source of one subject, borrowed, and the file name that #line gives it. */
struct zoo_piece {
    uint64_t number;
    const char *text, *file;
};

/* One source of all of them, after a first part that all need; the caller clears it. */
struct zoo_text zoo_join(const char *first, const struct zoo_piece *pieces, unsigned n);
/* Of that source, preprocessed: what belongs to no piece, and behind it piece i. False if it is not there. */
bool zoo_part(const char *preprocessed, const struct zoo_piece *pieces, unsigned n, unsigned i, struct zoo_text *out);

#endif
