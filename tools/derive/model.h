/* The model of C types in sonde-derive: a tree of plain structs. read.c and types.c fill it from libclang, and notes.c
 * from annotations. judge.c checks it, and emit*.c write C code from it. Nothing is ever freed: everything lives in one
 * arena, as long as the process.
 *
 * Example: `struct list { int n; char *names[4] SONDE_COUNT(n); };` is a record with two fields. The type of the second
 * is an array of 4 pointers to a char, and its notes have the count "n". */
#ifndef SONDE_DERIVE_MODEL_H
#define SONDE_DERIVE_MODEL_H

#include <sonde.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type_kind {
    TYPE_BOOL,
    TYPE_INT,
    TYPE_FLOAT,
    TYPE_ENUM,
    TYPE_RECORD,
    TYPE_ARRAY,
    TYPE_POINTER,
    TYPE_FUNCTION,
    TYPE_VOID,
    TYPE_OPAQUE, /* a struct or union that is declared but not defined */
    TYPE_OTHER   /* a type that cannot be drawn: __int128, complex numbers, vectors, va_list */
};

/* A location in the source. `file` is NULL if it is unknown. */
struct place {
    const char *file;
    unsigned line;
};

/* A type; which members are used depends on its kind. */
struct type {
    enum type_kind kind;
    const char *name; /* the type in C syntax, without qualifiers; NULL: it has no name */
    unsigned bits;    /* size of a number in bits */
    bool is_signed, is_char;
    bool is_qualified; /* const or volatile */
    bool is_volatile;
    bool is_atomic;  /* _Atomic, also by a typedef */
    long long n;     /* elements of an array; FLEXIBLE: as many as there is room for */
    struct type *of; /* type of an array's elements, or of the object that a pointer points to */
    const char *key; /* the type behind all typedefs, without qualifiers: equal for equal types */
    struct record *record;
    struct enumeration *enumeration;
};
enum { FLEXIBLE = -1 };

/* An enumeration and its constants. */
struct enumeration {
    const char *stem; /* part of the names of derived functions */
    const char **names;
    long long *values; /* unique: of two constants with the same value, only the first is listed */
    uint32_t n, cap;
    bool is_wide;   /* a value does not fit an int */
    bool is_signed; /* the type is signed, and so are bit-fields of that type; in C, if a constant is negative */
};

/* ---- Annotations of a field (sonde/derive.h), as the user wrote them; NULL if there is none. */

enum text_kind { TEXT_NONE, TEXT_ASCII, TEXT_UTF8, TEXT_REGEX };

/* A case of SONDE_TAG: with this value of the tag, this member of the union is in use. */
struct choice {
    const char *constant, *member; /* member "": no member is in use */
};

/* Maximum number of SONDE_SUCH_THAT of one field; users can join more with &&. */
enum { MOST_CONDITIONS = 8 };

/* The annotations of a field or record. Expressions are C code. */
struct notes {
    const char *count, *count_min, *count_max;
    enum text_kind text;
    const char *text_min, *text_max, *regex;
    bool nullable, nonnull;
    const char *lo, *hi;
    const char *one_of, *flags; /* lists of expressions, separated by commas */
    const char *is, *by;
    const char *was; /* label from SONDE_WAS, with its quotes */
    const char *such_that[MOST_CONDITIONS];
    uint32_t n_such_that;
    const char *tag;
    struct choice *choices;
    uint32_t n_choices, cap_choices;
};

/* A member of a struct or union. */
struct field {
    const char *name; /* "": an anonymous struct or union, whose fields count as fields of the struct around it */
    struct type *type;
    int width; /* bits of a bit-field, else -1 */
    struct notes notes;
    struct place place;
    bool is_counter; /* counts another field, and is drawn together with it */
    bool is_tag;     /* selects the member of a union, and is drawn together with it */
};

/* A struct or union. */
struct record {
    const char *name; /* "struct shape" or a typedef; NULL if it has none */
    const char *stem; /* part of the names of derived functions; also the label of the record's span */
    bool is_union;
    struct field *fields;
    uint32_t n, cap;
    struct notes notes; /* annotations of the record itself: WAS, SUCH_THAT, TAG */
    struct place place;
    /* Computed by judge.c. */
    unsigned height; /* nesting depth of its smallest value; NO_END if every value contains another */
    bool recurs;     /* it, or something in it, may contain itself */
};
enum { NO_END = 1u << 30 };

/* ---- Memory and strings. Everything returned lives in the arena. */

/* Allocates zeroed memory. */
void *keep(size_t size);
/* Copies a string. */
const char *keep_text(const char *text);
/* Returns a formatted string. */
const char *keep_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Grows an array by one element and evaluates to the address of that element: *PUSH(all, n, cap) = x; */
#define PUSH(array, n, cap) (push_((void **)&(array), &(n), &(cap), sizeof *(array)), &(array)[(n)-1])
/* Grows an array by one zeroed element; use PUSH. */
void push_(void **array, uint32_t *n, uint32_t *cap, size_t size);
/* Splits a list at commas outside of brackets and quotes, and trims blanks. Returns the number of parts, at most `max`;
 * 0 for an empty list. */
uint32_t split_list(const char *text, const char **parts, uint32_t max);
/* Reports whether a string is a name in C. */
bool is_identifier(const char *text);
/* Reads a decimal number. Returns false if the string has anything but digits. */
bool is_number(const char *text, unsigned long long *value);

/* ---- Errors */

/* Prints an error with its location and counts it. The command continues, to report all errors, and then ends with
 * SONDE_USAGE. */
void complain(struct place place, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the number of errors up to now. */
unsigned complaints(void);
/* Sets the name that errors begin with, which is "sonde derive" by default. */
void complain_as(const char *command);
/* Keeps errors from now on instead of printing them. Until the next call,
 * complaints() counts only these. */
void complaints_hold(void);
/* Ends complaints_hold. Returns the first error since then, without its location; NULL if there was none. */
const char *complaints_release(void);

/* Returns the field of that name, also if it is in an anonymous member; NULL if there is none. */
struct field *find_field(const struct record *record, const char *name);
/* Returns the field at a path such as "range.lo"; NULL if there is none. */
struct field *find_path(const struct record *record, const char *path);
/* Returns "struct shape", or words for a record without a name. */
const char *record_name(const struct record *record);

#endif
