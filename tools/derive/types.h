/* Types and fields as libclang knows them, turned into the model. Shared by types.c and read.c. */
#ifndef SONDE_DERIVE_TYPES_H
#define SONDE_DERIVE_TYPES_H

#include "model.h"

#include <clang-c/Index.h>

/* A record that has been met. */
struct shell {
    struct record *record;
    CXCursor cursor; /* of its definition */
    bool is_read, is_own;
};

struct types {
    CXTranslationUnit unit;
    bool is_cxx;
    struct shell *shells;
    uint32_t n_shells, cap_shells;
    struct enumeration **enumerations;
    CXCursor *enumeration_cursors;
    uint32_t n_enumerations, cap_enumerations, n_cursors, cap_cursors;
};
extern struct types types; /* of the one file that a process reads */

const char *type_text(CXString string); /* kept; the string is disposed of */
struct place type_place(CXSourceLocation location);
/* A name that the user gave; libclang makes up others, with brackets in them. */
const char *type_given_name(CXCursor cursor);
/* The shell of a definition, made if it is new; *index receives where it is. */
struct record *type_record(CXCursor definition, uint32_t *index);
struct type *type_read(CXType type);
/* Of a shell: once. */
void type_read_fields(uint32_t shell);
/* Adds the annotations of a declaration, which are its children, to `data`, which is a struct notes. */
enum CXChildVisitResult type_add_attribute(CXCursor cursor, CXCursor parent, CXClientData data);

#endif
