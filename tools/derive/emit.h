/* The model, written as C. emit.c has the frame, one file each what draws, prints and compares. */
#ifndef SONDE_DERIVE_EMIT_H
#define SONDE_DERIVE_EMIT_H

#include "judge.h"
#include "read.h"

#include <stdio.h>

enum { MOST_DONE = 256 };

struct emit {
    FILE *out;
    int indent;
    const char *root;            /* stem that begins the names of all helpers */
    unsigned n_names;            /* of variables that have been made up in this function */
    const char *done[MOST_DONE]; /* tags and counters that are set already, as expressions */
    uint32_t n_done;
    unsigned share;      /* how many parts of this record may contain it again */
    const char *pending; /* literal text to be printed, joined with what is printed next */
};

/* One line, indented. */
void line(struct emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void blank(struct emit *e);
void open_block(struct emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void else_block(struct emit *e);
void close_block(struct emit *e);

/* Names of helpers: helper(e, "fill", "point") is shape_fill_point_. */
const char *helper(const struct emit *e, const char *verb, const char *stem);
/* A new variable. */
const char *variable(struct emit *e, const char *name);
/* "(T)", also for types without a name. */
const char *cast_to(const struct type *type, const char *expression);
/* A pointer or an array as a void *: of const and volatile nothing is left. */
const char *as_void(const struct type *type, const char *expression);
const char *as_constant_void(const struct type *type, const char *expression);
/* The address of a value, without its qualifiers. */
const char *address_of(const struct type *type, const char *expression, bool is_constant);
/* How many elements there are in a value: the count of the field, or the constant. "" if it is no counted field. */
const char *count_expression(const struct scope *scope, const struct notes *notes);
/* Does a value of the type, or what it contains or points to, contain itself? */
bool type_recurs(const struct type *type);
/* Elements are bytes, and nothing is said about them. */
bool is_bytes(const struct notes *notes, const struct type *element);
/* How a union's member is chosen: `prefix` and name of the tag. NULL if it is always the first choice. */
const char *tag_expression(const struct scope *scope, const struct notes *notes);
/* Is this tag or counter set already? It is from now on. */
bool is_done(const struct emit *e, const char *expression);
void set_done(struct emit *e, const char *expression);

/* A number of this type, drawn under this label. */
const char *draw_expression(const struct type *type, const char *label);
/* The functions of one record. */
void emit_fill(struct emit *e, const struct record *record);
void emit_write(struct emit *e, const struct record *record);
void emit_compare(struct emit *e, const struct record *record);

/* By this a file is known that may be written over. */
#define DERIVED_MARK "Made by sonde derive"
/* All of it. `file` is included, unless it is NULL. */
void emit_all(FILE *out, const char *file, const struct wanted *wanted, uint32_t n);

#endif
