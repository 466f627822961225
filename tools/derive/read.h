/* C as libclang reads it, turned into the model. */
#ifndef SONDE_DERIVE_READ_H
#define SONDE_DERIVE_READ_H

#include "model.h"

/* A type to derive, and the stem of its functions' names. */
struct wanted {
    struct record *record;
    const char *stem;
};

struct prototype {
    const char *name;
    struct type *result;
    struct type **types;
    const char **names; /* "" where the header gives none */
    uint32_t n, cap_types, cap_names, n_names;
    bool is_variadic;
    struct place place;
};

/* Parses the file with the compiler's options, ends with NULL. False, after a sentence with file and line, if it does not
 * compile. Once per process. */
bool read_file(const char *file, const char *const *options);
/* The record of that name ("struct shape", "shape", or a typedef of it), with all that it is made of; NULL if it is not
 * defined. */
struct record *read_record(const char *name);
/* What the file's SONDE_DERIVE ask for. */
uint32_t read_wanted(struct wanted **all);
/* The records that the file itself defines, in their order. */
uint32_t read_own_records(struct record ***all);
/* The functions that the file itself declares, in their order. */
uint32_t read_prototypes(struct prototype **all);

#endif
