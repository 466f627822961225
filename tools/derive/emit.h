/* Writes the derived C code from the model. emit.c has the frame; emit_draw.c, emit_print.c and emit_compare.c write
 * the functions that draw, print and compare. Returned strings live in the arena, as long as the process. */
#ifndef SONDE_DERIVE_EMIT_H
#define SONDE_DERIVE_EMIT_H

#include "judge.h"
#include "read.h"

#include <stdio.h>

/* Maximum number of tags and counters of one function that are remembered as drawn. */
enum { MOST_DONE = 256 };

/* State of the output. */
struct emit {
    FILE *out;
    int indent;
    const char *root;            /* stem that begins the names of all helpers */
    unsigned n_names;            /* variables declared in this function */
    const char *done[MOST_DONE]; /* tags and counters that are set already, as expressions */
    uint32_t n_done;
    unsigned share;      /* number of parts of this record that may contain the same record again */
    const char *pending; /* literal output, to be joined with what is printed next */
};

/* Writes one line, indented. */
void line(struct emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes an empty line. */
void blank(struct emit *e);
/* Writes a line and " {", or the head of a function and its brace; what follows is indented. */
void open_block(struct emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes "} else {". */
void else_block(struct emit *e);
/* Writes "}". */
void close_block(struct emit *e);

/* Returns the name of a helper function: helper(e, "fill", "point") is "shape_fill_point_". */
const char *helper(const struct emit *e, const char *verb, const char *stem);
/* Returns a name for a new variable: "i", then "i2". */
const char *variable(struct emit *e, const char *name);
/* Returns a cast to the type of an expression: "(T)", or one with __typeof__ for types without a name. */
const char *cast_to(const struct type *type, const char *expression);
/* Returns a pointer or array as an expression that converts to void *: without const and volatile. */
const char *as_void(const struct type *type, const char *expression);
/* Returns a pointer or array as an expression that converts to const void *: without volatile. */
const char *as_constant_void(const struct type *type, const char *expression);
/* Returns the address of a value as an expression, without its qualifiers. */
const char *address_of(const struct type *type, const char *expression, bool is_constant);
/* Returns the number of elements of a value as an expression: the field that counts them, or the constant. The
 * notes must have a count. */
const char *count_expression(const struct scope *scope, const struct notes *notes);
/* Reports whether a value of the type, or anything that it contains or points to, may contain itself. */
bool type_recurs(const struct type *type);
/* Reports whether elements are bytes without an annotation of their values: these are drawn in one piece. */
bool is_bytes(const struct notes *notes, const struct type *element);
/* Returns the tag of a union as an expression; NULL if the tag is a constant, so that the first choice is always
 * taken. */
const char *tag_expression(const struct scope *scope, const struct notes *notes);
/* Reports whether this tag or counter is set already in the function being written. */
bool is_done(const struct emit *e, const char *expression);
/* Marks a tag or counter as set. */
void set_done(struct emit *e, const char *expression);

/* Returns an expression that draws a number of this type under this label. */
const char *draw_expression(const struct type *type, const char *label);
/* Writes the functions of one record that draw, print and compare it. */
void emit_fill(struct emit *e, const struct record *record);
void emit_write(struct emit *e, const struct record *record);
void emit_compare(struct emit *e, const struct record *record);

/* Words in the first line of a derived file. Only a file with these may be overwritten. */
#define DERIVED_MARK "Made by sonde derive"
/* Writes the derived code of n types. It includes `file`, unless that is NULL. */
void emit_all(FILE *out, const char *file, const struct wanted *wanted, uint32_t n);

#endif
