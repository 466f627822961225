/* Roles of the parameters of a function: inputs, outputs, their sizes, objects. They are guessed from types, names and
 * positions. Part of `sonde new`. */
#ifndef SONDE_DERIVE_ROLES_H
#define SONDE_DERIVE_ROLES_H

#include "read.h"

/* Maximum number of parameters of a function that can be called. */
enum { MOST_ARGUMENTS = 32 };

/* Special values of a parameter's index: there is no such parameter; the value is the function's result. */
enum { NOT_THERE = -1, RESULT = -2 };

enum role_kind {
    ROLE_NUMBER,     /* a number, or an enumeration */
    ROLE_SIZE,       /* the size of another parameter; by pointer: room before the call, bytes used after it */
    ROLE_LENGTH_OUT, /* a pointer that receives the length of the output */
    ROLE_TEXT,       /* a string with a terminating 0 */
    ROLE_TEXTS,      /* an array of strings that ends with NULL, with its number: argv and argc */
    ROLE_IN,         /* bytes, or an array of numbers, to read */
    ROLE_OUT,        /* a buffer to write to */
    ROLE_OBJECT,     /* a pointer to an object that functions of the header create and free */
    ROLE_OBJECT_OUT, /* a pointer to a pointer that receives such an object */
    ROLE_RECORD,     /* a struct to read, by value or by pointer */
    ROLE_RECORD_OUT, /* a struct to write to */
    ROLE_TEXT_OUT,   /* a pointer to a pointer to a string or bytes, which the function sets */
    ROLE_NUMBER_OUT, /* a pointer to one number */
    ROLE_FILE,       /* a FILE * */
    ROLE_NOTHING,    /* a pointer to a function or to void, which may be NULL */
    ROLE_UNKNOWN     /* cannot be drawn */
};

/* The roles of all parameters. Indexes that do not apply are NOT_THERE. */
struct roles {
    const struct prototype *p;
    enum role_kind kind[MOST_ARGUMENTS];
    int size[MOST_ARGUMENTS]; /* of a buffer: the parameter with its size, which other buffers may share */
    int of[MOST_ARGUMENTS];   /* of a size: the first buffer that it belongs to */
    int length_out;           /* the parameter that receives the length of the output */
};
/* Returns the roles of the first MOST_ARGUMENTS parameters. */
struct roles roles_of(const struct prototype *p);

/* Reports whether a type is char * or const char *. */
bool is_text_pointer(const struct type *type);
/* Reports whether a type is a pointer to bytes: to void or to a character type of any sign. */
bool is_byte_pointer(const struct type *type);
/* Returns what identifies an object that a pointer type refers to: equal for all typedefs of one type. NULL if it is no
 * pointer to a struct, nor a typedef that hides a pointer. */
const char *object_key(const struct type *pointer);
/* Reports whether a parameter is the descriptor of an open file, by its name. */
bool is_descriptor(const struct prototype *p, uint32_t i);
/* Returns a name in lower case, without underscores. */
const char *bare_name(const char *name);
/* Reports whether a name contains one of these words as a whole, as "out_len" contains "len". Lists end with NULL. */
bool has_word(const char *name, const char *const *words);

#endif
