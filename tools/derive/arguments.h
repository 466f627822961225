/* Arguments for a function, drawn: what `sonde new` makes of prototypes. */
#ifndef SONDE_DERIVE_ARGUMENTS_H
#define SONDE_DERIVE_ARGUMENTS_H

#include "emit.h"

/* A test that is being written: what its properties need before them, and their text. */
struct test {
    struct emit e; /* of the property */
    const char *header;
    struct record **derived; /* types that the property draws whole */
    uint32_t n_derived, cap_derived;
    const char **closes; /* calls for the end of the property */
    uint32_t n_closes, cap_closes;
};

/* What a parameter or a result carries. */
enum carrier { CARRIES_NOTHING, CARRIES_NUMBER, CARRIES_TEXT, CARRIES_BYTES, CARRIES_RECORD };

enum { NOT_THERE = -1, RESULT = -2 };

/* A function seen as a way from one value to another. */
struct way {
    const struct prototype *p;
    enum carrier in, out;
    int in_at, in_size;   /* which parameters; NOT_THERE */
    int out_at, out_size; /* RESULT: what it returns */
    bool size_is_pointer; /* of the output: how much room there is, and how much was used */
};
struct way way_of(const struct prototype *p);
enum carrier carrier_of(const struct type *type);
bool is_text_pointer(const struct type *type);

/* The function of that name in the header; NULL after a sentence. */
const struct prototype *find_prototype(const char *name, const char *header);
/* Draws a parameter under its name and returns what to pass for it; NULL after a sentence. A size that belongs to the parameter
 * before it is drawn with that. */
const char *draw_argument(struct test *test, const struct prototype *p, uint32_t i);
/* The name of a parameter, also of one that has none. */
const char *parameter(const struct prototype *p, uint32_t i);
/* Does this parameter say how long the one before it is? */
bool is_size_of_last(const struct prototype *p, uint32_t i);
/* "char *name", "int n" */
const char *declared(const struct type *type, const char *name);
/* f(a, b, c) */
const char *call_of(const struct prototype *p, const char *const *arguments);
/* Derives the type in this test, and draws a value; the stem of its functions. */
const char *use_record(struct test *test, struct record *record);
/* What gives an object of a type that is not defined, and what takes it back; NULL if there is none. */
const struct prototype *maker_of(const struct type *pointer);
const struct prototype *closer_of(const struct type *pointer);
/* Calls at the end. */
void emit_closes(struct test *test);

#endif
