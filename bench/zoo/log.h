/* The record of a run while it is written: rows that are there are not made again. */
#ifndef BENCH_ZOO_LOG_H
#define BENCH_ZOO_LOG_H

#include "zoo/record.h"
#include "zoo/trial.h"

struct zoo_log {
    char path[PATH_MAX];
    FILE *file;
    struct zoo_record old; /* what is kept of an earlier run */
};

/* Without `continues` the record begins again. 0, or a negative errno. */
int zoo_log_open(struct zoo_log *log, const char *path, bool continues);
int zoo_log_close(struct zoo_log *log);

/* The row of one search, from the record or made now; the caller clears it. 1 if there is one; 0 if the search did not
 * end well, which is reported; a negative errno if it cannot be written. */
int zoo_search(struct zoo_log *log, struct bench *b, const struct zoo_workshop *shop, const struct zoo_animal *a,
               const char *guide, uint64_t seed, struct zoo_text *row);

#endif
