/* Decides whether a type can be derived and, if not, which annotations are missing. */
#ifndef SONDE_DERIVE_JUDGE_H
#define SONDE_DERIVE_JUDGE_H

#include "model.h"

/* How a type can be derived: as it is; with annotations; or only with the user's code (SONDE_BY) or a constant
 * (SONDE_IS). */
enum verdict { VERDICT_DERIVED, VERDICT_ANNOTATE, VERDICT_REFUSED };

/* A field that cannot be drawn without an annotation. */
struct problem {
    enum verdict verdict;
    const struct record *record; /* the innermost record with a name */
    const char *path;            /* path of the field in that record: "name", "range.lo" */
    struct place place;
    const char *why;   /* the reason: "is a pointer to a function" */
    const char *write; /* the annotation that is missing, or the likeliest one */
};

/* The result for one type. */
struct judgement {
    struct record **records; /* every record that a value contains; each is before the records inside it */
    uint32_t n_records, cap_records;
    struct problem *problems;
    uint32_t n_problems, cap_problems;
};

/* Resolves the annotations of a record and of everything in it, and computes heights. Reports errors: annotations that
 * do not fit their field, and types without a finite value. Problems are only collected, not reported. */
struct judgement judge(struct record *record);
/* Returns the field that seems to count what a void * points to, such as mv_size beside mv_data. NULL if there is none,
 * or the problem is not about a void *. */
const char *likely_count(const struct problem *p);
/* Returns the worst verdict of the problems. */
enum verdict judge_verdict(const struct judgement *j);

/* ---- Shared with emit*.c */

/* A record inside of another, and the expression that leads to its fields. */
struct scope {
    const struct record *record;
    const char *prefix; /* expression before the name of a field: "it->", "it->as.c." */
    const struct scope *up;
};
/* Returns the field that an annotation names, and in *prefix the expression that leads to it; NULL if there is none. */
struct field *scope_find(const struct scope *scope, const char *name, const char **prefix);
/* Returns the notes with the tag of a union: from its field or, if that has no tag, from its type. */
const struct notes *tag_notes(const struct notes *notes, const struct type *type);
/* Reports whether a field is neither drawn nor compared: it has SONDE_IS and a type that C cannot assign. */
bool is_left_alone(const struct field *field);
/* Returns the flexible array at a struct's end; NULL if there is none. */
const struct field *flexible_field(const struct record *record);
/* Reports whether a record gets separate functions. Unions do not, because their tag is outside, and neither do records
 * without a name: their code is written in line. */
bool has_function(const struct record *record);
/* Returns the height of the smallest value of a union's member. */
unsigned member_height(const struct field *member);
/* Reports whether a field is a pointer from SONDE_IS or SONDE_BY, of which only the address is known. */
bool is_address(const struct field *field);

#endif
