/* Converts types and fields from libclang to the model. Used by read.c. */
#ifndef SONDE_DERIVE_TYPES_H
#define SONDE_DERIVE_TYPES_H

#include "model.h"

#include <clang-c/Index.h>

/* A record that was found in the source. Its fields are read later, by type_read_fields. */
struct shell {
    struct record *record;
    CXCursor cursor;      /* its definition */
    bool is_read, is_own; /* the fields were read; the record is defined in the main file */
};

/* The types of a source. */
struct types {
    CXTranslationUnit unit;
    const char *main_file;
    bool is_cxx;
    struct shell *shells;
    uint32_t n_shells, cap_shells;
    struct enumeration **enumerations;
    CXCursor *enumeration_cursors;
    uint32_t n_enumerations, cap_enumerations, n_cursors, cap_cursors;
};
extern struct types types; /* a global variable, since a process reads one file */

/* Copies a string of libclang into the arena, and disposes of the original. */
const char *type_text(CXString string);
/* Returns the file and line of a location. */
struct place type_place(CXSourceLocation location);
/* Returns the name of a declaration; "" if the user gave none. libclang makes up such names, with parentheses. */
const char *type_given_name(CXCursor cursor);
/* Returns the record of a definition, adding it if it is new. *index receives the index of its shell. */
struct record *type_record(CXCursor definition, uint32_t *index);
/* Returns a type of libclang as a type of the model, with the fields of records. */
struct type *type_read(CXType type);
/* Returns the type of a parameter. An array becomes a pointer, whose n is the number of elements if it is known. */
struct type *type_read_parameter(CXType type);
/* Reads the fields of a shell; does nothing the second time. */
void type_read_fields(uint32_t shell);
/* Adds an annotation to `data`, a struct notes. A visitor: annotations are children of a declaration. */
enum CXChildVisitResult type_add_attribute(CXCursor cursor, CXCursor parent, CXClientData data);

#endif
