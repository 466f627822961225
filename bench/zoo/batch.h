/* Several subjects as one source: most of what it costs to compile a small text is to start the compiler and to read headers, so one run
 * of the front end serves a batch. Names of the file scope get the number of their subject, and #line says whose text it is, by which
 * the preprocessed text is taken apart again. */
#ifndef BENCH_ZOO_BATCH_H
#define BENCH_ZOO_BATCH_H

#include "zoo/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The text of one subject, borrowed, and the file that it is said to be. */
struct zoo_piece {
    uint64_t number;
    const char *text, *file;
};

/* One source of all of them, behind a first text that all need; the caller clears it. */
struct zoo_text zoo_join(const char *first, const struct zoo_piece *pieces, unsigned n);
/* Of that source, preprocessed: what belongs to no piece, and behind it piece i. False if it is not there. */
bool zoo_part(const char *preprocessed, const struct zoo_piece *pieces, unsigned n, unsigned i, struct zoo_text *out);

#endif
