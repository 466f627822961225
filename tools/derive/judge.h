/* Can a type be derived, and if not, what must be said about it? */
#ifndef SONDE_DERIVE_JUDGE_H
#define SONDE_DERIVE_JUDGE_H

#include "model.h"

enum verdict { VERDICT_DERIVED, VERDICT_ANNOTATE, VERDICT_REFUSED };

/* A field that cannot be drawn as it stands. */
struct problem {
    enum verdict verdict;
    const struct record *record; /* the innermost that has a name */
    const char *path;            /* of the field in it: "name", "range.lo" */
    struct place place;
    const char *why;   /* "is a pointer to a function" */
    const char *write; /* the annotation that is needed, or the likeliest one */
};

struct judgement {
    struct record **records; /* all that a value consists of, each before those that it contains */
    uint32_t n_records, cap_records;
    struct problem *problems;
    uint32_t n_problems, cap_problems;
};

/* Resolves the annotations of a record and of all that it contains, and computes heights. Complains of annotations that do
 * not fit their field, and of values that cannot end; problems are only collected. */
struct judgement judge(struct record *record);
/* The worst of the problems. */
enum verdict judge_verdict(const struct judgement *j);

/* ---- Shared with emit*.c */

/* A record within the one around it, and how its fields are reached from there. */
struct scope {
    const struct record *record;
    const char *prefix; /* "it->", "it->as.c." */
    const struct scope *up;
};
/* The field that an annotation names; *prefix is how it is reached. */
struct field *scope_find(const struct scope *scope, const char *name, const char **prefix);
/* The notes that hold for a union: of the field, or of its type. */
const struct notes *tag_notes(const struct notes *notes, const struct type *type);
/* Neither drawn nor compared: what SONDE_IS says of something that C cannot assign. */
bool is_left_alone(const struct field *field);
/* The array without a length at a struct's end; NULL if there is none. */
const struct field *flexible_field(const struct record *record);
/* Others are written out where they stand: unions, because their tag is elsewhere, and what has no name. */
bool has_function(const struct record *record);
/* Of the smallest value of a union's member. */
unsigned member_height(const struct field *member);
/* A pointer that SONDE_IS or SONDE_BY gives: only its address is known. */
bool is_address(const struct field *field);

#endif
