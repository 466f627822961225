/* Objects: which functions of the header create and free them. Part of `sonde new`. */
#ifndef SONDE_DERIVE_OBJECTS_H
#define SONDE_DERIVE_OBJECTS_H

#include "read.h"

/* How a function creates an object. */
enum making {
    MAKES_NOTHING,
    MAKES_RESULT, /* object *create(...) */
    MAKES_OUT,    /* int create(object **, ...) */
    MAKES_INPLACE /* int init(object *, ...), in memory of the caller */
};

/* A function that creates objects. */
struct maker {
    enum making making;
    const struct prototype *p;
    uint32_t at; /* the parameter that is the object, unless it is the result */
};

/* Returns the function that most likely creates objects of this type (a pointer); making is MAKES_NOTHING if there is
 * none. */
struct maker maker_of(const struct type *pointer);
/* Lists the functions that may create objects of this type, the likeliest first. Returns their number, at most
 * `most`. */
uint32_t makers_of(const struct type *pointer, struct maker *all, uint32_t most);
/* Returns a maker like maker_of, but prefers a function with the words of `name`: json_array for json_array_append.
 */
struct maker maker_for(const struct type *pointer, const char *name);
/* Returns how a function creates objects of this type, if it does; else making is MAKES_NOTHING. */
struct maker maker_by(const struct type *pointer, const struct prototype *p);
/* Reports whether a function takes an object of this type first, and may change it. */
bool is_user(const struct type *pointer, const struct prototype *p);
/* Reports whether a function takes only an object of this type, or its address: whether it may free it. */
bool can_free(const struct type *pointer, const struct prototype *p);
/* Lists functions other than the one of closer_for that free objects of this type by their names, at most `most`.
 * Returns their number. */
uint32_t stoppers_of(const struct type *pointer, const char *maker, const char **all, uint32_t most);
/* Lists functions that may begin an object of this type, without the one that maker_for returns. Those that prepare
 * one by their names, such as x_reset, come before others that create one. Returns their number, at most `most`. */
uint32_t starters_of(const struct type *pointer, const char *name, const char **all, uint32_t most);
/* Reports whether a function returns its object, which may have moved, as s = sdscat(s, "x") does. */
bool is_replacing(const struct prototype *p);
/* Reports whether a function returns a copy of its object, which the caller has to free. */
bool is_copier(const struct prototype *p);
/* Reports whether a function of the header creates objects of this type. */
bool is_made(const struct type *pointer);
/* Returns the function that frees an object of this type, like closer_of. Prefers the one with most words of the
 * function that made it: x_compress_end for x_compress_init. */
const struct prototype *closer_for(const struct type *pointer, const char *maker);
/* Returns the function that frees an object of this type; NULL if there is none. */
const struct prototype *closer_of(const struct type *pointer);
/* Returns the function of the header that frees strings or bytes of this type, which `maker` returned. Of several, the
 * one with most words of its name; else the general one. NULL if there is none. */
const struct prototype *memory_closer(const struct type *type, const char *maker);
/* Returns a function of the header that frees any memory of the library, void free_x(void *); for strings if `is_text`.
 * NULL if there is none. */
const struct prototype *general_closer(bool is_text);
/* Reports whether a function ends the life of the object that is its first parameter, or empties it or gives it away,
 * by its name. */
bool is_closer(const struct prototype *p);
/* Reports whether the name of a function says that it creates, opens or reads something. */
bool is_named_maker(const struct prototype *p);
/* Reports whether a function creates an object, by its name and types. */
bool is_maker(const struct prototype *p);

#endif
