/* What sonde-derive knows of a type: a tree of plain structs, filled by read.c from libclang and by notes.c from
 * annotations, judged by judge.c, written out as C by emit*.c. Nothing is ever freed: all of it lives in one arena, as long
 * as the process. */
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
    TYPE_OPAQUE, /* a struct or union that is declared and not defined */
    TYPE_OTHER   /* nothing that can be drawn: __int128, complex numbers, vectors, va_list */
};

struct place {
    const char *file;
    unsigned line;
};

struct type {
    enum type_kind kind;
    const char *name; /* as C writes it, without qualifiers */
    unsigned bits;    /* of a number */
    bool is_signed, is_char;
    bool is_qualified; /* const or volatile */
    bool is_volatile;
    bool is_atomic;  /* _Atomic, also by a typedef */
    long long n;     /* elements of an array; FLEXIBLE: as many as there is room for */
    struct type *of; /* what an array or a pointer is made of */
    struct record *record;
    struct enumeration *enumeration;
};
enum { FLEXIBLE = -1 };

struct enumeration {
    const char *stem; /* for the names of functions */
    const char **names;
    long long *values; /* no value twice */
    uint32_t n, cap;
    bool is_wide;   /* a value is not an int */
    bool is_signed; /* its type is, and so is a bit-field of it: in C where a constant is negative */
};

/* ---- Annotations of a field, as the user wrote them; NULL where there is none. */

enum text_kind { TEXT_NONE, TEXT_ASCII, TEXT_UTF8, TEXT_REGEX };

struct choice {
    const char *constant, *member; /* "": no member */
};

enum { MOST_CONDITIONS = 8 };

struct notes {
    const char *count, *count_min, *count_max;
    enum text_kind text;
    const char *text_min, *text_max, *regex;
    bool nullable, nonnull;
    const char *lo, *hi;
    const char *one_of, *flags; /* lists, with commas */
    const char *is, *by;
    const char *was; /* with quotes */
    const char *such_that[MOST_CONDITIONS];
    uint32_t n_such_that;
    const char *tag;
    struct choice *choices;
    uint32_t n_choices, cap_choices;
};

struct field {
    const char *name; /* "": a member without a name, whose fields are those of the struct around it */
    struct type *type;
    int width; /* of a bit-field, else -1 */
    struct notes notes;
    struct place place;
    bool is_counter; /* set with what it counts */
    bool is_tag;
};

struct record {
    const char *name; /* "struct shape" or a typedef; NULL if it has none */
    const char *stem; /* for the names of functions and the label of its span */
    bool is_union;
    struct field *fields;
    uint32_t n, cap;
    struct notes notes; /* of the record itself: WAS, SUCH_THAT */
    struct place place;
    /* What judge.c finds out. */
    unsigned height; /* of its smallest value; NO_END if it has none */
    bool recurs;     /* it, or something in it, may contain itself */
};
enum { NO_END = 1u << 30 };

/* ---- Memory and texts (text.c) */
void *keep(size_t size); /* zeroed */
const char *keep_text(const char *text);
const char *keep_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Grows an array in the arena by one element. */
#define PUSH(array, n, cap) (push_((void **)&(array), &(n), &(cap), sizeof *(array)), &(array)[(n)-1])
void push_(void **array, uint32_t *n, uint32_t *cap, size_t size);
/* Parts of a list that commas separate, outside of brackets and quotes, without blanks around them. */
uint32_t split_list(const char *text, const char **parts, uint32_t max);
bool is_identifier(const char *text);
/* Decimal digits only. */
bool is_number(const char *text, unsigned long long *value);

/* ---- What is wrong. A sentence on standard error; the command ends with SONDE_USAGE after the last one. */
void complain(struct place place, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned complaints(void);
/* In whose name: "sonde derive" unless another is given. */
void complain_as(const char *command);

/* The field of that name, those of members without a name included; NULL if there is none. */
struct field *find_field(const struct record *record, const char *name);
/* The same for a field within a field: "range.lo". */
struct field *find_path(const struct record *record, const char *path);
/* "struct shape", or what to call a record without a name. */
const char *record_name(const struct record *record);

#endif
