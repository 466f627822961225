/* The mutator of sonde cc --mutants: adds all mutants of a source to its preprocessed form (schema.h). */
#ifndef SONDE_TOOLS_MUTANTS_H
#define SONDE_TOOLS_MUTANTS_H

#include "schema.h"
#include "words.h"

/* A source and what to mutate there. Everything is borrowed. */
struct mutants_request {
    const char *source;        /* as given to the compiler */
    const char *text;          /* the source, preprocessed */
    const struct words *globs; /* files whose functions are mutated; NULL or none: the source itself */
    const struct words
        *skips; /* patterns of functions and macros that only log or check, besides the usual; may be NULL */
    const struct rejected *rejected;
    struct text *dropped; /* receives a line for each rejected mutant; may be NULL */
    bool is_marked;       /* write markers for the compiler's check */
};

/* Numbers of mutants and sites, without those that are rejected. */
struct mutants_count {
    uint32_t mutants, sites;
    uint32_t files; /* files with a function that may be mutated */
};

/* Returns the source with all mutants, to be freed; NULL if there are none, or if it cannot be read as tokens. */
char *mutants_write(const struct mutants_request *request, struct mutants_count *count);
/* Reports whether a path matches one of the patterns. A pattern without a slash is compared with the name of the file.
 * Any other is compared with the path, and with the rest of the path from each directory on. */
bool mutants_is_match(const struct words *globs, const char *path);

#endif
