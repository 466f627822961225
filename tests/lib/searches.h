/* Whole searches in this process, bounded by a number of runs and by nothing else. The first failure ends one. */
#ifndef SONDE_TESTS_SEARCHES_H
#define SONDE_TESTS_SEARCHES_H

#include "engine/search/loop.h"

#include <stdlib.h>

static inline struct sonde_options searches_options(const char *guide, uint64_t seed, uint64_t runs)
{
    struct sonde_options options;
    sonde_options_default(&options);
    options.guide = guide;
    options.seed = seed;
    options.runs = runs;
    options.tests = 0;
    options.seconds = 0;
    options.max_discards = 0;
    options.fail_fast = true;
    options.gives_way = false;
    return options;
}

/* Both are borrowed until searches_free. */
static inline struct sonde_search *searches_run(const sonde_property *property, const struct sonde_options *options)
{
    struct sonde_search *s = calloc(1, sizeof *s);
    if (!s) abort();
    sonde_search_init(s, property, options, 0);
    sonde_search_run(s);
    return s;
}

static inline void searches_free(struct sonde_search *s)
{
    sonde_search_clear(s);
    free(s);
}

#endif
