/* The two calls of a roundtrip test, each as a conversion of one value to another. Part of `sonde new`. */
#ifndef SONDE_DERIVE_LEGS_H
#define SONDE_DERIVE_LEGS_H

#include "arguments.h"

/* The kind of value that a parameter or a result has. CARRIES_TEXT: a string with a terminating 0. */
enum carrier { CARRIES_NOTHING, CARRIES_NUMBER, CARRIES_TEXT, CARRIES_BYTES, CARRIES_RECORD, CARRIES_OBJECT };

/* A function as a conversion. Example: `size_t encode(uint8_t *out, size_t cap, const char *s)`. The input is parameter
 * 2, a string. The output is parameter 0, bytes whose size is parameter 1. */
struct leg {
    struct call call;
    enum carrier in, out;
    int in_at, out_at;  /* index of the parameter, or NOT_THERE; out_at may be RESULT */
    const char *output; /* the output, once the call is written */
    const char *length; /* its number of elements; NULL: unknown */
};

/* Begins a leg: finds its input and output. Returns false after a message if the function cannot be called. */
bool begin_leg(struct leg *leg, const struct prototype *p);
/* Returns the kind of value that a result has. */
enum carrier carrier_of(const struct type *type);
/* Returns the type of a leg's input or output. */
const struct type *type_at(const struct leg *leg, int at);
/* Reports whether an output of one kind can be an input of another. Strings and bytes are interchangeable. */
bool carriers_fit(enum carrier given, enum carrier taken);

/* Writes the call, with its output in a variable of this name. `room` is the most that the output needs. `must`: the
 * call has to succeed, otherwise the case is discarded if it fails. Returns false after a message. */
bool write_leg(struct test *test, struct leg *leg, const char *name, const char *room, bool must);
/* Makes a value the input of a leg. `length` is NULL for a string. */
void connect_leg(struct test *test, struct leg *leg, const char *value, const char *length);

#endif
