/* Reads a C file with libclang and returns its types and functions as the model. Arrays are owned by the arena. */
#ifndef SONDE_DERIVE_READ_H
#define SONDE_DERIVE_READ_H

#include "model.h"

/* A type to derive, and the stem of its functions' names. */
struct wanted {
    struct record *record;
    const char *stem;
};

/* A function that the file declares. */
struct prototype {
    const char *name;
    struct type *result;
    struct type **types;
    const char **names; /* names of the parameters; "" where the header gives none */
    uint32_t n, cap_types, cap_names, n_names;
    bool is_variadic;
    bool is_deprecated;
    bool is_part; /* of a header that the file includes: not under test, but it may create and free objects */
    struct place place;
    const char *comment; /* before the declaration; "": there is none */
};

/* Parses the file with the compiler's options, a list that ends with NULL. Returns false, after a message with file and
 * line, if it does not compile. Can be called once per process. */
bool read_file(const char *file, const char *const *options);
/* Returns the record of that name ("struct shape", "shape", or a typedef) with its fields; NULL if it is not
 * defined. */
struct record *read_record(const char *name);
/* Lists the types that SONDE_DERIVE names in the file. Returns their number. */
uint32_t read_wanted(struct wanted **all);
/* Lists the records that the file itself defines, in the order of the file, without records of included files.
 * Returns their number. */
uint32_t read_own_records(struct record ***all);
/* Lists the functions that the file declares, then the functions of its parts, each once. Returns their number. */
uint32_t read_prototypes(struct prototype **all);

/* Lists the constants of the file, whole numbers only: enumerators and macros. Returns their number. */
uint32_t read_constants(const char *const **all);

#endif
