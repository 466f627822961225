/* Writes calls of functions, and draws their arguments. Part of `sonde new`. Returned strings live in the arena, as
 * long as the process. */
#ifndef SONDE_DERIVE_ARGUMENTS_H
#define SONDE_DERIVE_ARGUMENTS_H

#include "emit.h"
#include "objects.h"
#include "roles.h"

/* A test program that is being written. */
struct test {
    struct emit e; /* output of the property */
    const char *header;
    bool zero_fails;          /* an int result of 0 means failure, not success */
    const char *start;        /* called on each new object, or creates it (--start); NULL: names decide */
    const char *stop;         /* frees each object (--stop); NULL: names decide */
    bool is_started;          /* a call of `start` was written */
    bool is_stopped;          /* a call of `stop` was written */
    bool is_empty;            /* objects are empty, so that only the first position is valid */
    bool is_second;           /* the call has to succeed: numbers of unknown meaning are 0 */
    bool keeps_objects;       /* objects are not freed by the test */
    bool is_wild;             /* numbers are drawn from their whole range where any value should be safe */
    bool is_making;           /* the call creates an object: structs of unknown meaning may be NULL */
    bool is_twice;            /* only the second trip of a value must return the same (--twice) */
    bool was_twice;           /* the second trip was written */
    bool is_narrow;           /* fewer values are drawn: small numbers, no empty input (--narrow) */
    const struct type **made; /* of the objects that were created */
    uint32_t n_made, cap_made;
    struct record **derived; /* types that need a SONDE_DERIVE */
    uint32_t n_derived, cap_derived;
    const char **helpers; /* functions that free objects, as text; they come before the properties */
    uint32_t n_helpers, cap_helpers;
    const char **closes; /* statements that free outputs after the calls */
    uint32_t n_closes, cap_closes;
    const char **locals; /* variables of the function that is being written */
    uint32_t n_locals, cap_locals;
    struct drawn *drawn; /* arguments that a second call may take over */
    uint32_t n_drawn, cap_drawn;
};

/* An argument that was drawn, so that the second call of a pair uses the same one. */
struct drawn {
    const char *name, *key, *expression, *length;
};

/* A call that is being written. Arguments that are set before are not drawn. */
struct call {
    struct roles roles;
    const char *arguments[MOST_ARGUMENTS];
    const char *length[MOST_ARGUMENTS]; /* of a buffer: its number of elements, as an expression */
};

/* Begins a function: forgets variables. */
void begin_function(struct test *test);
/* Returns a name for a new variable: `name` itself, unless it is taken in this function or by a function of the
 * header. */
const char *local(struct test *test, const char *name);
/* Returns the call of a function without its arguments. Returns false after a message if it cannot be called. */
bool begin_call(struct call *call, const struct prototype *p);
/* Writes the draws of all arguments that are not set. Returns false after a message. */
bool draw_rest(struct test *test, struct call *call);
/* Writes the draw of parameter i and sets the argument. Returns false after a message. */
bool draw_argument(struct test *test, struct call *call, uint32_t i);
/* Writes the declaration of an output buffer with `room` elements, an expression, and sets the arguments for it and
 * its size. */
void declare_buffer(struct test *test, struct call *call, uint32_t i, const char *name, const char *room,
                    bool is_guess);
/* Reports whether the words of a function and its parameter say what strings it reads. */
bool is_known_text(const struct test *test, const char *context);
/* Draws a string into a new variable: JSON, a URL and so on if the names suggest it. Returns the variable's name. */
const char *draw_text(struct test *test, const char *function, const char *name, const char *type);
/* Creates an object of this type in a new variable, and has it freed when the case ends. Returns the variable's name;
 * NULL after a message. */
const char *make_object(struct test *test, const struct prototype *p, const struct type *type, const char *name);
/* Declares a number that another function of the header opens as a handle, and writes that call. Returns false if none
 * does. */
bool make_handle(struct test *test, const struct prototype *user, const struct type *type, const char *name);
/* Returns the function that creates objects of this type for a call of `user`: the one of --start, if it does. */
struct maker maker_in(const struct test *test, const struct type *type, const char *user);
/* Returns the function that frees objects of this type which `maker` made: the one of --stop, if it does. */
const struct prototype *closer_in(struct test *test, const struct type *type, const char *maker);
/* Creates an object like make_object, but in `to`, which exists, and does not free it. */
bool make_object_into(struct test *test, const struct prototype *p, const struct type *type, const char *to);

/* Returns the function of that name in the header; NULL after a message. */
const struct prototype *find_prototype(const char *name, const char *header);
/* Returns the name of a parameter; "argument3" if the header gives none. */
const char *parameter(const struct prototype *p, uint32_t i);
/* Returns a declaration, such as "char *name" or "int n". */
const char *declared(const struct type *type, const char *name);
/* Returns the call as C: "f(a, b, c)". */
const char *call_of(const struct call *call);
/* Adds a type to those that the test derives. Returns the stem of its functions: draw_STEM. */
const char *use_record(struct test *test, struct record *record);
/* Adds a static function that properties use, unless it is there already. */
void add_helper(struct test *test, const char *text);
/* Reports whether a struct can be drawn field by field: it is data, not the inside of a library. */
bool is_data(struct record *record);
/* Returns the name of a static function `void NAME(void *object)` that frees an object of that maker; NULL if nothing
 * does. */
const char *use_closer(struct test *test, const struct type *pointer, const char *maker);
/* Returns the condition by which a call succeeded, given its result; NULL if the result says nothing. */
const char *success_of(const struct test *test, const struct type *result, const char *expression);
/* The comment on a line that compares an int with 0. --success selects the other meaning. */
#define GUESSED_SUCCESS " /* a guess: which result is success */"
/* Returns the name of a function that frees strings or bytes of this type, a pointer, which `maker` returned. */
const char *use_free(struct test *test, const struct type *type, const char *maker);
/* Schedules the free of a string that a function returned, if it belongs to the caller by convention. */
void free_result(struct test *test, const struct prototype *p, const char *name);
/* Writes the statements that free outputs. */
void emit_closes(struct test *test);

#endif
