/* Draws the arguments of a function, from its prototype. Part of `sonde new`. Returned strings live in the arena, as
 * long as the process. */
#ifndef SONDE_DERIVE_ARGUMENTS_H
#define SONDE_DERIVE_ARGUMENTS_H

#include "emit.h"

/* A test program that is being written. */
struct test {
    struct emit e; /* output of the property */
    const char *header;
    struct record **derived; /* types that need a SONDE_DERIVE */
    uint32_t n_derived, cap_derived;
    const char **closes; /* calls that free objects at the end of the property */
    uint32_t n_closes, cap_closes;
};

/* The kind of value that a parameter or a result has. CARRIES_TEXT: a string with a terminating 0. */
enum carrier { CARRIES_NOTHING, CARRIES_NUMBER, CARRIES_TEXT, CARRIES_BYTES, CARRIES_RECORD };

/* Special values of a parameter's index: there is no such parameter; the value is the function's result. */
enum { NOT_THERE = -1, RESULT = -2 };

/* A function as a conversion from one value to another. Example:
 * `size_t encode(uint8_t *out, size_t cap, const char *s)`. The input is parameter 2, a string. The output is parameter
 * 0, bytes whose size is parameter 1. */
struct conversion {
    const struct prototype *p;
    enum carrier in, out;
    int in_at, in_size;   /* index of the input parameter and of its size, or NOT_THERE */
    int out_at, out_size; /* the same for the output; out_at may be RESULT */
    bool size_is_pointer; /* the output's size is passed by pointer: room before the call, bytes used after it */
};
/* Returns the conversion that a function seems to be. */
struct conversion conversion_of(const struct prototype *p);
/* Returns the kind of value that a type has. */
enum carrier carrier_of(const struct type *type);
/* Reports whether a type is char * or const char *. */
bool is_text_pointer(const struct type *type);

/* Returns the function of that name in the header; NULL after a message. */
const struct prototype *find_prototype(const char *name, const char *header);
/* Writes the draw of parameter i and returns the expression to pass for it; NULL after a message. The length of
 * a buffer is drawn together with the buffer, which is the parameter before the length. */
const char *draw_argument(struct test *test, const struct prototype *p, uint32_t i);
/* Returns the name of a parameter; "argument3" if the header gives none. */
const char *parameter(const struct prototype *p, uint32_t i);
/* Reports whether this parameter is the length of the one before it. */
bool is_size_of_last(const struct prototype *p, uint32_t i);
/* Returns a declaration, such as "char *name" or "int n". */
const char *declared(const struct type *type, const char *name);
/* Returns a call, such as "f(a, b, c)". */
const char *call_of(const struct prototype *p, const char *const *arguments);
/* Adds a type to those that the test derives. Returns the stem of its functions: draw_STEM. */
const char *use_record(struct test *test, struct record *record);
/* Returns the function of the header that creates an object of this type from numbers and strings; NULL if there is
 * none. */
const struct prototype *maker_of(const struct type *pointer);
/* Returns the function of the header that frees an object of this type; NULL if there is none. */
const struct prototype *closer_of(const struct type *pointer);
/* Writes the calls that free what the property created. */
void emit_closes(struct test *test);

#endif
