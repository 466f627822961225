/* sonde/derive.h - annotations for `sonde derive`: facts about values that a type does not state (docs/deriving.md).
 *
 * An annotation follows the name of a field, before the semicolon. Compilers ignore it; only `sonde derive` reads
 * it. This header includes and declares nothing, so the header of the code under test may include it.
 *
 *     struct shape {
 *         enum kind kind;
 *         union { struct circle c; struct box b; } as SONDE_TAG(kind, CIRCLE: c, BOX: b);
 *         char *name                                  SONDE_TEXT(0, 40);
 *         size_t n_points;
 *         struct point *points                        SONDE_COUNT(n_points, 0, 20);
 *         struct shape *next                          SONDE_NULLABLE;
 *     };
 *
 * In expressions, `it` points to the value that is being drawn. */
#ifndef SONDE_DERIVE_H
#define SONDE_DERIVE_H

/* Gives the number of elements of a pointer or an array. The first argument is a constant, or the field that holds the
 * number; that field is set, not drawn. Then follows the range of the number: by default 0 to 20, or 0 to the size of
 * the array. Fields that share a count have the same length. Other annotations of the field apply to its elements. */
#define SONDE_COUNT(...) SONDE_NOTE_("COUNT", SONDE_EXPANDED_(__VA_ARGS__))
/* Tells which member of a union is in use: the field that decides, and the member for each value of that field. Nothing
 * after the colon means that no member is in use. */
#define SONDE_TAG(...) SONDE_NOTE_("TAG", #__VA_ARGS__)
/* Marks a char * or an array of char as a NUL-terminated string. SONDE_TEXT: of min to max characters. SONDE_UTF8: of
 * min to max code points of valid UTF-8. SONDE_REGEX: one that matches a pattern. */
#define SONDE_TEXT(...) SONDE_NOTE_("TEXT", SONDE_EXPANDED_(__VA_ARGS__))
#define SONDE_UTF8(...) SONDE_NOTE_("UTF8", SONDE_EXPANDED_(__VA_ARGS__))
#define SONDE_REGEX(pattern) SONDE_NOTE_("REGEX", #pattern)
/* Marks a pointer to one value. SONDE_NULLABLE: it may be NULL. SONDE_NONNULL: it is never NULL. */
#define SONDE_NULLABLE SONDE_NOTE_("NULLABLE", "")
#define SONDE_NONNULL SONDE_NOTE_("NONNULL", "")
/* Limits a field. SONDE_RANGE: a number from lo to hi. SONDE_ONE_OF: one of these constants. SONDE_FLAGS: any set of
 * these bits. */
#define SONDE_RANGE(lo, hi) SONDE_NOTE_("RANGE", #lo "," #hi)
#define SONDE_ONE_OF(...) SONDE_NOTE_("ONE_OF", #__VA_ARGS__)
#define SONDE_FLAGS(...) SONDE_NOTE_("FLAGS", #__VA_ARGS__)
/* Sets a field instead of deriving its draw. SONDE_IS: to this value, once all other fields are drawn. SONDE_BY: to the
 * result of `draw(t, label)`, for types that cannot be derived. */
#define SONDE_IS(...) SONDE_NOTE_("IS", #__VA_ARGS__)
#define SONDE_BY(draw) SONDE_NOTE_("BY", #draw)
/* Gives the former label of this field, or of this struct (after its closing brace), so that stored tapes stay
 * readable. */
#define SONDE_WAS(label) SONDE_NOTE_("WAS", #label)
/* States a condition that must hold once this field, or the whole struct (after its closing brace), is drawn:
 * SONDE_SUCH_THAT(it->lo <= it->hi). */
#define SONDE_SUCH_THAT(...) SONDE_NOTE_("SUCH_THAT", #__VA_ARGS__)

/* Annotates a field of a type that you cannot change, from the test file:
 *
 *     SONDE_ABOUT(struct tm, tm_mon, SONDE_RANGE(0, 11)); */
#define SONDE_ABOUT(type, field, ...) SONDE_ABOUT_(type, field, __VA_ARGS__)

/* Declares the functions derived for a type, in a test file that `sonde cc` compiles; `sonde cc` appends their
 * definitions to the file. SONDE_DERIVE(struct shape, shape) declares
 *
 *     struct shape *draw_shape(sonde *t, const char *label);
 *     void print_shape(FILE *out, const void *shape);
 *     bool same_shape(const struct shape *a, const struct shape *b);
 *     int order_shape(const struct shape *a, const struct shape *b);
 *
 * and sonde_check_same(t, shape, got, want), which names the first part that differs. Needs sonde.h. */
#define SONDE_DERIVE(type, stem) SONDE_DERIVE_(type, stem)
#define sonde_check_same(t, stem, got, want)                                                                           \
    sonde_check_##stem##_((t), (got), (want), sonde_where_at_(__FILE__, __LINE__, SONDE_SIDES_(#got, "==", #want)))

/* ---- Implementation of the macros; not for direct use ----------------------------------------------------------*/

#ifdef SONDE_DERIVING_ /* while `sonde derive` reads the file */
#define SONDE_NOTE_(word, text) __attribute__((annotate("sonde " word " " text)))
#define SONDE_ABOUT_(type, field, ...) SONDE_ABOUT_AT_(type, field, __COUNTER__, __VA_ARGS__)
#define SONDE_ABOUT_AT_(type, field, n, ...) SONDE_ABOUT_NAMED_(type, field, n, __VA_ARGS__)
#define SONDE_ABOUT_NAMED_(type, field, n, ...)                                                                        \
    struct sonde_about_##n {                                                                                           \
        type *sonde_type;                                                                                              \
        int sonde_field SONDE_NOTE_("ABOUT", #field) __VA_ARGS__;                                                      \
    }
#define SONDE_DERIVE_(type, stem)                                                                                      \
    struct sonde_derive_##stem {                                                                                       \
        type *sonde_type SONDE_NOTE_("DERIVE", #stem);                                                                 \
    };                                                                                                                 \
    SONDE_DERIVED_(type, stem)
#else
#define SONDE_NOTE_(word, text)
#ifdef __cplusplus
#define SONDE_ABOUT_(type, field, ...) static_assert(sizeof(type) > 0, "a complete type")
#define SONDE_NOT_DERIVED_ static_assert
#else
#define SONDE_ABOUT_(type, field, ...) _Static_assert(sizeof(type) > 0, "a complete type")
#define SONDE_NOT_DERIVED_ _Static_assert
#endif
#ifdef SONDE_DERIVED_BELOW_ /* sonde cc adds the functions */
#define SONDE_DERIVE_(type, stem) SONDE_DERIVED_(type, stem)
#else
#define SONDE_DERIVE_(type, stem)                                                                                      \
    SONDE_NOT_DERIVED_(0, "SONDE_DERIVE: compile this file with sonde cc, or include what sonde derive writes instead")
#endif
#endif
#define SONDE_EXPANDED_(...) SONDE_QUOTED_(__VA_ARGS__)
#define SONDE_QUOTED_(...) #__VA_ARGS__

#define SONDE_DERIVED_(type, stem)                                                                                     \
    __attribute__((unused)) static type *draw_##stem(sonde *t, const char *label);                                     \
    __attribute__((unused)) static void print_##stem(FILE *out, const void *what);                                     \
    __attribute__((unused)) static bool same_##stem(const type *a, const type *b);                                     \
    __attribute__((unused)) static int order_##stem(const type *a, const type *b);                                     \
    __attribute__((unused)) static void sonde_check_##stem##_(sonde *t, const type *got, const type *want,             \
                                                              sonde_where_ where)

#endif
