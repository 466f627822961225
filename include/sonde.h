/* sonde.h - guided property-based testing for C.
 *
 * A property is a C function that draws values and checks what must hold for them. sonde calls it many times, searches
 * for an input that fails a check, shrinks that input and prints it. A whole program:
 *
 *     #include <sonde.h>
 *
 *     static int middle(int a, int b) { return (a + b) / 2; }              // the code under test; overflows
 *
 *     static void middle_lies_between(sonde *t)
 *     {
 *         int a = sonde_int(t, "a", 0, INT_MAX);
 *         int b = sonde_int(t, "b", 0, INT_MAX);
 *         sonde_assume(t, a <= b);                                         // the precondition
 *         sonde_check(t, a <= middle(a, b) && middle(a, b) <= b);          // what must hold
 *     }
 *
 *     SONDE_MAIN(middle_lies_between)
 *
 * Build it with `cc test.c $(pkg-config --cflags --libs sonde)`, run it, and try `--help`.
 *
 * Words: a *case* is one call of the property. Its *input* is the list of values that it drew.
 *
 * Ownership: memory that a sonde_ function returns is freed when the case ends; do not free it. Pointers that you pass
 * in are not kept after the call. Exceptions are named in the function's comment.
 *
 * Errors: wrong arguments (such as NULL, or a case that has ended) are misuse. Misuse ends the run of the property
 * with an error message and SONDE_USAGE. A case that draws too much, or allocates too much memory, ends there and
 * does not count as valid. Functions return no error codes unless their comment names one.
 *
 * Labels: every draw takes a label. It names the value in a counterexample, and it keeps a stored input meaningful
 * when the generator is edited. The label of a draw is a field name ("age"); the label of a span is a type ("person").
 * Labels are compared by content, not by address, so they may live in any memory. */
#ifndef SONDE_H
#define SONDE_H

#if !defined(__cplusplus) && defined(__STRICT_ANSI__) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "sonde.h needs C11: compile this file with -std=c11 or -std=gnu11; the code under test may stay C89"
#endif

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SONDE_VERSION "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define SONDE_API __attribute__((visibility("default")))
#define SONDE_PRINTF(at, first) __attribute__((format(printf, at, first)))
#define SONDE_NORETURN __attribute__((noreturn))
#define SONDE_COLD __attribute__((cold))
#define SONDE_WARN_UNUSED __attribute__((warn_unused_result))
#else
#define SONDE_API
#define SONDE_PRINTF(at, first)
#define SONDE_NORETURN
#define SONDE_COLD
#define SONDE_WARN_UNUSED
#endif

#define SONDE_JOIN2_(a, b) a##b
#define SONDE_JOIN_(a, b) SONDE_JOIN2_(a, b)

/* One case: the handle that a property draws from and reports to. Valid until the property returns. */
typedef struct sonde sonde;

/* ---- Draw ------------------------------------------------------------------------------------------------------
 * Each function draws one value and returns it. Bounds are inclusive. The simplest value of a range is the one nearest
 * to zero; counterexamples shrink to it. */

/* Draws a bool; sonde_chance returns true with probability p. The simplest is false. Misuse: p is not in [0, 1]. */
SONDE_API bool sonde_bool(sonde *t, const char *label);
SONDE_API bool sonde_chance(sonde *t, const char *label, double p);
/* Draws an integer in [lo, hi]. Misuse: lo > hi. */
SONDE_API int sonde_int(sonde *t, const char *label, int lo, int hi);
SONDE_API int64_t sonde_i64(sonde *t, const char *label, int64_t lo, int64_t hi);
SONDE_API uint64_t sonde_u64(sonde *t, const char *label, uint64_t lo, uint64_t hi);
/* Draws a double. sonde_double draws a finite one in [lo, hi]; sonde_any_double draws any double, including
 * infinities, NaN and subnormals. Integers are simplest. Misuse: lo > hi, or a limit that is not finite. */
SONDE_API double sonde_double(sonde *t, const char *label, double lo, double hi);
SONDE_API double sonde_any_double(sonde *t, const char *label);
/* Draws a float: like sonde_double and sonde_any_double, but only values that a float can hold. They print and replay
 * as floats. Misuse: lo > hi, or a limit that is not finite. */
SONDE_API float sonde_float(sonde *t, const char *label, float lo, float hi);
SONDE_API float sonde_any_float(sonde *t, const char *label);
/* Draws an integer of fixed width: sonde_u8 to sonde_u32, sonde_i8 to sonde_i32, sonde_size_t. Bounds are inclusive.
 * Misuse: lo > hi. */
#define SONDE_WIDTH_(name, type, draw, wide)                                                                           \
    static inline type name(sonde *t, const char *label, type lo, type hi)                                             \
    {                                                                                                                  \
        return (type)draw(t, label, (wide)lo, (wide)hi);                                                               \
    }
SONDE_WIDTH_(sonde_u8, uint8_t, sonde_u64, uint64_t)
SONDE_WIDTH_(sonde_u16, uint16_t, sonde_u64, uint64_t)
SONDE_WIDTH_(sonde_u32, uint32_t, sonde_u64, uint64_t)
SONDE_WIDTH_(sonde_size_t, size_t, sonde_u64, uint64_t)
SONDE_WIDTH_(sonde_i8, int8_t, sonde_i64, int64_t)
SONDE_WIDTH_(sonde_i16, int16_t, sonde_i64, int64_t)
SONDE_WIDTH_(sonde_i32, int32_t, sonde_i64, int64_t)

/* Draws an index in [0, n). Index 0 is simplest: put the plain alternative first. Misuse: n is 0. */
SONDE_API size_t sonde_pick(sonde *t, const char *label, size_t n);
/* Draws index i with probability weights[i] / sum. A weight of 0 is never drawn. Misuse: all weights are 0, or n is
 * 0. */
SONDE_API size_t sonde_weighted(sonde *t, const char *label, const unsigned *weights, size_t n);
/* Draws an element of an array. The argument must be an array, not a pointer. Returns its value. With a pointer the
 * number of elements is wrong; compilers warn of it. */
#define sonde_element(t, label, array) ((array)[sonde_pick((t), (label), sizeof(array) / sizeof *(array))])

/* Draws one of the given int constants, which reports show by name: sonde_enum(t, "color", RED, GREEN, BLUE). The
 * first is simplest. Returns the constant. */
#define sonde_enum(t, label, ...) sonde_enum_((t), (label), #__VA_ARGS__, SONDE_ENUM_VALUES_(__VA_ARGS__))

/* Returns how large this case should be, from 0 (tiny) to 100. Grows during a run. Use it to limit depth and length. */
SONDE_API int sonde_size(sonde *t);

/* Draws min..max bytes; stores their number in *len. Misuse: min > max, or len is NULL. */
SONDE_API uint8_t *sonde_bytes(sonde *t, const char *label, size_t min, size_t max, size_t *len);
/* Draws a NUL-terminated string of min..max characters. sonde_string draws printable ASCII. sonde_string_of draws
 * characters of `alphabet`; the first one is simplest. sonde_utf8 draws valid UTF-8 without NUL; min and max count
 * code points. Misuse: min > max, or an empty alphabet. */
SONDE_API char *sonde_string(sonde *t, const char *label, size_t min, size_t max);
SONDE_API char *sonde_string_of(sonde *t, const char *label, const char *alphabet, size_t min, size_t max);
SONDE_API char *sonde_utf8(sonde *t, const char *label, size_t min, size_t max);
/* Draws a NUL-terminated string that matches `pattern` as a whole. A pattern has literals, ., [a-z] [^...], \d \w \s
 * and escapes, ( ) groups, |, and * + ? {n} {n,m} {n,}. Anchors and back-references are not supported. Without an
 * upper limit (* + {n,}), a piece is repeated at most 8 times, or n + 8 times if n is 8 or more. Misuse: a pattern
 * that cannot be parsed; the message has the position. */
SONDE_API char *sonde_regex(sonde *t, const char *label, const char *pattern);
/* Draws min..max pieces, some of which are invalid UTF-8: cut short, overlong, surrogates, stray bytes. Returns a
 * NUL-terminated string. The simplest is "". Misuse: min > max. */
SONDE_API char *sonde_utf8_broken(sonde *t, const char *label, size_t min, size_t max);
/* Draws a file name of 1..255 bytes, without "/". It is never "." or "..". The simplest is "a". */
SONDE_API char *sonde_file_name(sonde *t, const char *label);
/* Draws a file path: names, . and .., doubled and trailing slashes. The simplest is "a". */
SONDE_API char *sonde_file_path(sonde *t, const char *label);
/* Draws a date from 1900 to 2199, including leap days. The simplest is "2000-01-01". */
SONDE_API char *sonde_date(sonde *t, const char *label);
/* Draws a time, with fractions, and with leap seconds at 23:59. The simplest is "00:00:00". */
SONDE_API char *sonde_time(sonde *t, const char *label);
/* Draws a date and time (RFC 3339), with offsets. The simplest is "2000-01-01T00:00:00Z". */
SONDE_API char *sonde_datetime(sonde *t, const char *label);
/* Draws an IPv4 address. The simplest is "0.0.0.0". */
SONDE_API char *sonde_ipv4(sonde *t, const char *label);
/* Draws an IPv6 address (RFC 4291): shortened, mixed with IPv4, in upper and lower case. The simplest is "::". */
SONDE_API char *sonde_ipv6(sonde *t, const char *label);
/* Draws a URL (RFC 3986) with all components. The simplest is "http://a". */
SONDE_API char *sonde_url(sonde *t, const char *label);
/* Draws an e-mail address (RFC 5321), including quoted parts. The simplest is "a@a". */
SONDE_API char *sonde_email(sonde *t, const char *label);
/* Draws a UUID. The simplest is "00000000-0000-4000-8000-000000000000". */
SONDE_API char *sonde_uuid(sonde *t, const char *label);
/* Draws a JSON value (RFC 8259), nested no deeper than `depth`, with white space, escapes and numbers of every form.
 * The simplest is "0". */
SONDE_API char *sonde_json(sonde *t, const char *label, unsigned depth);

/* ---- Spans -----------------------------------------------------------------------------------------------------
 * Spans group the draws that make one value. sonde_span closes its span however the scope is left. Use sonde_open and
 * sonde_close where the compiler lacks attribute cleanup. Give all values of one type the same label: sonde can then
 * copy, swap and remove whole values. */

/* Opens a span, which sonde_close must close. */
SONDE_API void sonde_open(sonde *t, const char *label);
/* Closes the innermost open span. Misuse: that span has another label, or no span is open. */
SONDE_API void sonde_close(sonde *t, const char *label);
/* Opens a span whose draws start out equal to the previous span with that label inside the same parent. Both spans are
 * part of the input, so mutation can change one of them, a little at a time. Use it for properties of pairs, such as
 * "two states that look alike stay alike". If there is no such span, the draws are new. */
SONDE_API void sonde_open_again(sonde *t, const char *label);

#if defined(__GNUC__) || defined(__clang__)
typedef struct sonde_scope_ {
    sonde *t;
    unsigned depth;
} sonde_scope_;
SONDE_API sonde_scope_ sonde_scope_open_(sonde *t, const char *label);
SONDE_API void sonde_scope_close_(sonde_scope_ *scope);
/* Opens a span that closes itself when its scope is left. */
#define sonde_span(t, label)                                                                                           \
    __attribute__((cleanup(sonde_scope_close_), unused)) sonde_scope_ SONDE_JOIN_(sonde_span_at_, __LINE__) =          \
        sonde_scope_open_((t), (label))
SONDE_API sonde_scope_ sonde_scope_again_(sonde *t, const char *label);
/* Opens a span like sonde_open_again; it closes itself when its scope is left. */
#define sonde_span_again(t, label)                                                                                     \
    __attribute__((cleanup(sonde_scope_close_), unused)) sonde_scope_ SONDE_JOIN_(sonde_span_at_, __LINE__) =          \
        sonde_scope_again_((t), (label))
#endif

/* ---- Lists and selections --------------------------------------------------------------------------------------*/

/* State of a loop over a list; see sonde_list_of. */
typedef struct sonde_list {
    sonde *t;
    size_t i; /* index of the current element */
    size_t n; /* length that was drawn */
    size_t min;
    size_t rejected;  /* elements rejected in a row */
    bool taken_back;  /* the current element was rejected */
    unsigned depth;   /* nesting depth of the list's span */
    uint32_t element; /* label of the elements */
} sonde_list;
#define SONDE_ANY SIZE_MAX
/* Opens a list and draws its length, min..max. Returns the state of the loop. Each element is a separate span.
 *
 *     sonde_list xs = sonde_list_of(t, "xs", 0, 20);
 *     while (sonde_more(&xs)) push(v, sonde_int(t, "x", 0, 100));
 *
 * With max = SONDE_ANY, only the size limit of a case bounds the length; this also works for strings and bytes. You
 * may leave the loop early. Misuse: min > max. */
SONDE_API sonde_list sonde_list_of(sonde *t, const char *label, size_t min, size_t max);
/* Begins the next element, or closes the list after the last. Returns whether there is a next element. */
SONDE_API bool sonde_more(sonde_list *xs);
/* Rejects the element just drawn (a duplicate, for example); another is drawn instead. The list ends after 20
 * rejections in a row; if it is then shorter than its minimum, the case is discarded. Misuse: a call outside the
 * loop. */
SONDE_API void sonde_list_reject(sonde_list *xs);

/* Permutes n elements of `size` bytes in place. The unchanged order is simplest. Misuse: n > 0 and array is NULL, or
 * size is 0. */
SONDE_API void sonde_shuffle(sonde *t, const char *label, void *array, size_t n, size_t size);
/* Draws min..max different indices in [0, n) into out[], ascending. Returns their number. out[] belongs to the caller
 * and has room for max indices. Misuse: min > max, or min > n. */
SONDE_API size_t sonde_subset(sonde *t, const char *label, size_t n, size_t min, size_t max, size_t *out);
/* Draws min..max different integers in [lo, hi] into out[], in the order drawn. Returns their number. out[] belongs to
 * the caller and has room for max integers. Misuse: lo > hi, min > max, or fewer than min integers in the range. */
SONDE_API size_t sonde_unique(sonde *t, const char *label, int64_t lo, int64_t hi, size_t min, size_t max,
                              int64_t *out);

/* ---- Strings built piece by piece, and grammars ----------------------------------------------------------------*/

/* A string that the property builds piece by piece while it draws. Initialise it to zeros. Its memory is freed when
 * the case ends. */
typedef struct sonde_text_ {
    char *at; /* n bytes and a NUL; NULL before the first piece */
    size_t n, cap;
} sonde_text;
/* Appends a piece, printf-style. Returns the length of the piece in bytes.
 *
 *     sonde_text json = {0};
 *     sonde_put(t, &json, "[");
 *     for (sonde_list xs = sonde_list_of(t, "xs", 0, 20); sonde_more(&xs);)
 *         sonde_put(t, &json, "%s%d", xs.i ? "," : "", sonde_int(t, "x", 0, 100));
 *     sonde_put(t, &json, "]");
 *     parse(json.at, json.n);
 *
 * --import FILE searches for draws with which the property writes that file. Only the first sonde_text of a case is
 * compared with the file. For best results draw in the order of the output, and put each piece as soon as it is drawn.
 * During an import, sonde_put ends the case as soon as its output differs from the file. Misuse: out or format is
 * NULL, or the C library cannot print the format. */
SONDE_API int sonde_put(sonde *t, sonde_text *out, const char *format, ...) SONDE_PRINTF(3, 4);

/* A rule that a C function draws, because the grammar cannot express it: a number in a range, a name that was declared
 * before. The function draws, and appends to `out` with sonde_put. On entry `out` holds the output so far. */
typedef struct sonde_drawn_rule {
    const char *name;
    void (*draw)(sonde *t, sonde_text *out);
} sonde_drawn_rule;
/* A grammar and its first rule. The struct and all that it points to must stay valid and unchanged until the run ends:
 * make them static. */
typedef struct sonde_language {
    /* The grammar in ABNF (name = ..., RFC 5234) or EBNF (name ::= ..., as the W3C writes it). docs/grammars.md has
     * both notations, and the annotations for weights and limits. */
    const char *grammar;
    const char *file;  /* instead of `grammar`: the path of a file that has it */
    const char *start; /* the rule to start with; NULL: the first */
    const sonde_drawn_rule *drawn;
    size_t n_drawn;
} sonde_language;
/* Draws a string that the grammar derives. Returns .n bytes at .at, followed by a NUL; they are freed when the case
 * ends. Rules of several draws are spans. The alternative with the fewest draws is simplest. The size of the case
 * bounds how deep rules nest.
 *
 *     static const sonde_language sums = {.grammar = "sum  = term *(\"+\" term)\n"
 *                                                    "term = 1*3DIGIT / \"(\" sum \")\"\n"};
 *     ...
 *     sonde_text sum = sonde_grammar(t, "sum", &sums);
 *     parse(sum.at, sum.n);
 *
 * --import FILE parses that file by the grammar, unless the property called sonde_put for another sonde_text first.
 * Misuse: a grammar that cannot be read, or has an error such as an undefined rule; the message has line and column. */
SONDE_API sonde_text sonde_grammar(sonde *t, const char *label, const sonde_language *language);

/* ---- Check and assume ------------------------------------------------------------------------------------------
 * Checks state what must hold; assumes state for which inputs. All are macros that take any expression, including
 * commas and compound literals. A string literal as a condition does not compile. */

/* Ends the case and discards it if the condition is false. Returns nothing if it holds. The run gives up (status 77)
 * if too few cases are valid. */
#define sonde_assume(t, ...)                                                                                           \
    SONDE_AT_(SONDE_SITE_ASSUME_, #__VA_ARGS__,                                                                        \
              SONDE_IF_(sonde_assumed_(t), sonde_discard_((t), __FILE__, __LINE__, #__VA_ARGS__), __VA_ARGS__))
/* Ends the case as failed if the condition is false. Returns nothing if it holds. Fails the run with status 1; the
 * report shows the smallest failing input that was found. */
#define sonde_check(t, ...)                                                                                            \
    SONDE_AT_(SONDE_SITE_CHECK_, #__VA_ARGS__,                                                                         \
              SONDE_IF_((void)0, sonde_falsify_((t), __FILE__, __LINE__, #__VA_ARGS__), __VA_ARGS__))
/* Discards the case if the condition is false, like sonde_assume, and also tells guides how close the condition was to
 * holding (its distance). Takes two sides and a relation (== != < <= > >=), or a sonde_truth (below).
 *
 *     sonde_assume_that(t, height + 2 * pad, >=, kernel);
 *     sonde_assume_that(t, sonde_any(sonde_rel(stride, ==, 1), sonde_rel(batch, ==, 1)));
 *
 * `sonde cc` gives every sonde_assume a distance; without `sonde cc`, use this macro. Returns nothing. */
#define sonde_assume_that(t, ...)                                                                                      \
    SONDE_JOIN_(SONDE_THAT_, SONDE_COUNT_(__VA_ARGS__))                                                                \
    ((t), #__VA_ARGS__, __VA_ARGS__)

/* A condition with a distance. It holds if the distance is 0 or more; a larger distance is further from failing. Below
 * 0, a larger distance is closer to holding. Parts are truths, or any expression that C accepts as a condition. All
 * parts are evaluated, so put a guard (pointer != NULL) in a separate assume before. Integers of any types compare by
 * mathematical value, char pointers as strings. NaN is never equal to, less than or greater than anything. */
typedef struct sonde_truth {
    double distance;
    uint32_t held;  /* number of parts of a conjunction that held */
    uint32_t call_; /* key by which guides find the comparison; 0: it was not recorded */
} sonde_truth;
/* Compares two sides by a relation (== != < <= > >=), or negates a truth. Returns the truth. Never fails, discards or
 * leaves the case. */
#define sonde_rel(a, relation, b) sonde_relate_(SONDE_BOX_(a), (unsigned)(SONDE_RELATION_(relation)), SONDE_BOX_(b))
#define sonde_not(x) sonde_truth_not_(SONDE_TRUTH_(x))
/* Combines truths: all parts must hold, or at least one. The macros take at most 16 parts, the functions an array of
 * any length. Without parts, sonde_all is true and sonde_any is false. Returns the truth. */
#define sonde_all(...) sonde_all_of(SONDE_TRUTHS_(__VA_ARGS__), SONDE_COUNT_(__VA_ARGS__))
#define sonde_any(...) sonde_any_of(SONDE_TRUTHS_(__VA_ARGS__), SONDE_COUNT_(__VA_ARGS__))
SONDE_API sonde_truth sonde_all_of(const sonde_truth *parts, size_t n);
SONDE_API sonde_truth sonde_any_of(const sonde_truth *parts, size_t n);
/* Returns whether the condition holds. Never fails. */
static inline bool sonde_holds(sonde_truth x)
{
    return x.distance >= 0;
}

/* Records a failure if the condition is false, but does not leave the case. Returns whether the condition held. For
 * callbacks, other threads, forked processes, and several checks at once. After a failure the case fails however it
 * ends, even by a later sonde_assume that does not hold. */
#define sonde_expect(t, ...)                                                                                           \
    SONDE_AT_(SONDE_SITE_CHECK_, #__VA_ARGS__,                                                                         \
              sonde_expected_((t), SONDE_HOLDS_(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__))
/* Fails the case with a message, printf-style. sonde_fail does not return. */
#define sonde_fail(t, ...) SONDE_AT_(SONDE_SITE_FAIL_, "sonde_fail", sonde_fail_((t), __FILE__, __LINE__, __VA_ARGS__))

/* ---- Assertions of other frameworks (docs/embedding.md) ---------------------------------------------------------*/

/* Returns the case that is running in this thread. In a thread that the property started, returns the case of this
 * process. Returns NULL if no case is running. */
SONDE_API sonde *sonde_current(void);
/* Fails the case like sonde_fail, at another location. The strings are copied. */
#define sonde_fail_at(t, file, line, ...) sonde_fail_((t), (file), (line), __VA_ARGS__)
/* Records a failure at that location and returns, like sonde_expect. May be called in any thread. */
SONDE_API void sonde_failed_at(sonde *t, const char *file, int line, const char *format, ...) SONDE_PRINTF(4, 5);

/* A failed assertion of a test framework that is about to jump out of the property, past sonde. */
typedef struct sonde_jump_ {
    char file[512], text[1024]; /* empty: nothing is known */
    int line;
} sonde_jump_;
typedef void sonde_jump_fn_(sonde_jump_ *jump);
/* Sets the function that describes such jumps; NULL for none. Returns the previous one. For adapters, around
 * sonde_run. */
SONDE_API sonde_jump_fn_ *sonde_on_jump_(sonde_jump_fn_ *describe);
/* Fills `jump` with cmocka's message. `fail` is the function of cmocka that reports a failure. For the cmocka
 * adapter. */
SONDE_API void sonde_cmocka_words_(void (*fail)(const char *file, int line), sonde_jump_ *jump);

/* ---- Comparisons -----------------------------------------------------------------------------------------------*/

/* Compares two values; a failure prints both. Integers of any types compare by mathematical value (-1 is less than
 * 0u), char pointers as strings, other pointers by address. Ends the case as failed if the relation does not hold.
 * Returns nothing if it holds. Structs do not compile: compare their fields. Arrays other than strings are pointers
 * here: compare their contents with sonde_check_mem_eq. */
#define sonde_check_eq(t, got, want) SONDE_COMPARE_((t), (got), SONDE_EQ_, (want), SONDE_SIDES_(#got, "==", #want))
#define sonde_check_ne(t, got, want) SONDE_COMPARE_((t), (got), SONDE_NE_, (want), SONDE_SIDES_(#got, "!=", #want))
#define sonde_check_lt(t, got, want) SONDE_COMPARE_((t), (got), SONDE_LT_, (want), SONDE_SIDES_(#got, "<", #want))
#define sonde_check_le(t, got, want) SONDE_COMPARE_((t), (got), SONDE_LE_, (want), SONDE_SIDES_(#got, "<=", #want))
#define sonde_check_gt(t, got, want) SONDE_COMPARE_((t), (got), SONDE_GT_, (want), SONDE_SIDES_(#got, ">", #want))
#define sonde_check_ge(t, got, want) SONDE_COMPARE_((t), (got), SONDE_GE_, (want), SONDE_SIDES_(#got, ">=", #want))
/* Compares n bytes; a failure prints where they first differ. Ends the case as failed if they differ. Returns nothing
 * if they are equal. */
#define sonde_check_mem_eq(t, got, want, n)                                                                            \
    SONDE_AT_(SONDE_SITE_CHECK_, SONDE_SIDES_(#got, "==", #want),                                                      \
              sonde_compare_mem_((t), (got), (want), (n), __FILE__, __LINE__, SONDE_SIDES_(#got, "==", #want)))
/* Checks that |got - want| <= tolerance. Ends the case as failed if not; NaN is near nothing. Returns nothing if it
 * holds. */
#define sonde_check_near(t, got, want, tolerance)                                                                      \
    SONDE_AT_(SONDE_SITE_CHECK_, SONDE_SIDES_(#got, "~", #want),                                                       \
              sonde_compare_near_((t), (got), (want), (tolerance), __FILE__, __LINE__,                                 \
                                  SONDE_SIDES_(#got, "~", #want)))

/* ---- Notes, statistics and hints for the search ----------------------------------------------------------------*/

/* Adds a line to the report of this case, printf-style. It is formatted only if it will be shown. */
SONDE_API void sonde_note(sonde *t, const char *format, ...) SONDE_PRINTF(2, 3);
/* Records a value that the code under test produced, under a name, without checking it. The report of a failing or
 * replayed case shows it on one line, like a note. `--mutate` compares the observed values with and without a planted
 * bug. If a value differs and no check fails, the property lacks a check. If no value differs, it lacks an observation
 * or an input.
 *
 *     sonde_observe(t, "length", n);                // a number, a bool or a C string; NULL is a value, too
 *     sonde_observe(t, "packed", bytes, n);         // n bytes
 *     sonde_observe(t, "back", print_shape, back);  // the output of a printer, such as the ones of `sonde derive`
 *
 * Values are compared in order, and by value: an int may become a long. Observe nothing that changes from run to run,
 * such as a time. A call costs a few nanoseconds unless values are compared or shown; only then are they copied, and
 * printers called. Returns nothing. Pointers other than strings do not compile. Misuse: the name or the printer is
 * NULL, or the bytes are NULL and n is not 0. */
#define sonde_observe(t, name, ...) SONDE_JOIN_(SONDE_OBSERVE_, SONDE_COUNT_(__VA_ARGS__))((t), (name), __VA_ARGS__)
/* Makes reports show the innermost open span by the output of `print`, instead of draw by draw. Calls `print` before
 * it returns or not at all, so `value` may point to a local variable. Misuse: print is NULL. */
SONDE_API void sonde_show(sonde *t, void (*print)(FILE *out, const void *value), const void *value);
/* Counts the valid cases that reach this call, under that name. Misuse: more than 256 names in one case, or a NULL
 * name. */
SONDE_API void sonde_label(sonde *t, const char *name);
/* Counts the valid cases in which the condition holds, under that name. */
SONDE_API void sonde_classify(sonde *t, bool condition, const char *name);
/* Counts like sonde_classify, and requires that at least `percent` of all valid cases meet the condition. Cases that
 * never reach the call count as not meeting it. The run fails only if the shortfall is statistically significant
 * (error probability 1 in 10^9). Misuse: a percentage that is not above 0 and below 100. */
SONDE_API void sonde_cover(sonde *t, double percent, bool condition, const char *name);
#define sonde_cover(...) SONDE_AT_(SONDE_SITE_COVER_, #__VA_ARGS__, sonde_cover(__VA_ARGS__))
/* Reports a number that the search should make large. Negate it to make it small. Misuse: more than 64 labels in one
 * case. */
SONDE_API void sonde_target(sonde *t, const char *label, double value);
/* Records a key and a value of this case for a custom feedback (sonde/extend.h, docs/feedback.md). May be called up to
 * 4096 times per case. More calls are misuse. */
SONDE_API void sonde_record(sonde *t, uint64_t key, double value);
/* Sets what distinguishes this input from others. Valid inputs with equal numbers count as one, and guides search for
 * new numbers. The numbers of several calls are combined. By default inputs are distinguished by their draws. */
SONDE_API void sonde_characteristic(sonde *t, uint64_t number);
/* Tells learning guides which state the next draws depend on. Holds until the next call. With 0, the default, guides go
 * by spans and earlier draws. */
SONDE_API void sonde_state(sonde *t, uint64_t state);

/* ---- Memory and cleaning up ------------------------------------------------------------------------------------*/

/* Returns zeroed memory that is freed when the case ends. Like drawn bytes and strings, it has no slack after the last
 * byte. AddressSanitizer and valgrind detect an overrun by one byte, and with --guard any build does. With --guard it
 * is aligned to the largest power of two that divides the size: enough for an array of any type. A case that takes too
 * much memory ends there and does not count as valid. */
SONDE_API void *sonde_alloc(sonde *t, size_t size);
/* Returns memory for output, which is not zeroed. It holds bytes that differ from case to case, but are the same when a
 * case is replayed. So a check can notice bytes that the code forgot to write. MemorySanitizer and valgrind treat it as
 * uninitialised. */
SONDE_API void *sonde_buffer(sonde *t, size_t size);
/* Returns zeroed memory for one value of that type, like sonde_alloc. Ends the case likewise if there is too little
 * memory. */
#ifdef __cplusplus
#define sonde_new(t, type) (static_cast<type *>(sonde_alloc((t), sizeof(type))))
#else
#define sonde_new(t, type) ((type *)sonde_alloc((t), sizeof(type)))
#endif
/* Calls undo(what) when the case ends, however it ends; last in, first out. Keeps `what` until then. The call comes
 * after the property has returned, so `what` must not point to a local variable. Use sonde_new(t, type). Misuse: undo
 * is NULL, or `what` is the address of a local variable. */
SONDE_API void sonde_defer(sonde *t, void (*undo)(void *what), void *what);
/* Returns the `context` of the property. The caller of sonde_run or sonde_main owns it. May be called in any thread. */
SONDE_API void *sonde_context(sonde *t);

/* ---- Machines --------------------------------------------------------------------------------------------------
 * For code with state: makes calls in a drawn order and checks an invariant after each (docs/machines.md).
 *
 *     struct world { struct map map; int model[20]; };
 *
 *     static void put(sonde *t, void *w)
 *     {
 *         struct world *x = w;
 *         int key = sonde_int(t, "key", 0, 19), value = sonde_int(t, "value", 1, 9);
 *         map_put(&x->map, key, value);
 *         x->model[key] = value;
 *     }
 *     ...
 *     static const sonde_rule rules[] = {
 *         SONDE_RULE(put, .when = has_room), SONDE_RULE(get), SONDE_RULE(clear, .rare = true)};
 *     static const sonde_machine map = {SONDE_RULES(rules), .size = sizeof(struct world), .always = agrees};
 *
 *     static void map_acts_like_an_array(sonde *t) { sonde_drive(t, "calls", &map); }
 *
 * A counterexample is a list of calls; shrinking removes the calls that do not matter. */

/* One kind of call that a machine makes. */
typedef struct sonde_rule {
    const char *name; /* for reports and tokens; also the label of the span of each call */
    /* Draws the arguments, makes the call and checks its effect. A sonde_assume that does not hold discards only
     * this call, not the case. So assume before you change the world. */
    void (*call)(sonde *t, void *world);
    bool (*when)(const void *world); /* whether the rule may be called now; asked before the draw. NULL: always */
    unsigned weight;                 /* how often the rule is called, relative to others (default 1); at most 65535 */
    /* A rare rule is called 16 times less often; for `clear`, `close` and other resets. It need never succeed. */
    bool rare;
    /* For sonde_together, instead of `call`. `draw` draws the arguments into the memory of the call. In a thread, `run`
     * makes the call and stores its results there. `agrees` applies the call to the model and returns whether the model
     * gives the same results. */
    void (*draw)(sonde *t, void *call); /* NULL: there are no arguments */
    void (*run)(void *world, void *call);
    bool (*agrees)(void *model, const void *call);
    /* Whether the call blocks while the model is in this state, like a take from an empty queue. If all threads
     * are blocked, the case fails unless the model expects each of these calls to block. NULL: the call must return. */
    bool (*waits)(const void *model, const void *call);
    /* Prints what the call returned, for reports: `put(1) -> true`. NULL: it returns nothing. If no rule has a printer,
     * reports show the memory of the call as numbers. */
    void (*print)(FILE *out, const void *call);
} sonde_rule;
#ifndef __cplusplus
/* Defines a rule named after its function: SONDE_RULE(put, .weight = 2, .when = has_room). */
#define SONDE_RULE(...) SONDE_RULE_(__VA_ARGS__, )
#define SONDE_RULE_(function, ...)                                                                                     \
    {                                                                                                                  \
        .name = #function, .call = function, __VA_ARGS__                                                               \
    }
#endif

/* Sets .rules and .n_rules of a machine from an array: {SONDE_RULES(rules), .size = sizeof(struct world)}. */
#ifndef __cplusplus
#define SONDE_RULES(array) .rules = (array), .n_rules = sizeof(array) / sizeof *(array)
#endif

/* A range of numbers, both ends included. */
struct sonde_steps {
    int min, max;
};

/* Settings of a machine. Zero means the default everywhere. Must stay valid until the case ends. */
typedef struct sonde_machine {
    const sonde_rule *rules; /* at most 256 */
    size_t n_rules;
    size_t size;                           /* bytes of the world: zeroed, freed when the case ends; 0: world is NULL */
    void (*start)(sonde *t, void *world);  /* called before the first call; may be NULL */
    void (*always)(sonde *t, void *world); /* checks the invariant after `start` and after every call; may be NULL */
    void (*stop)(sonde *t, void *world); /* called once, after the last call or when the case ends early; may be NULL */
    struct sonde_steps steps;            /* number of calls (default 0..100) */
    /* For sonde_together. */
    size_t call;                                /* bytes for the arguments and results of a call; zeroed */
    size_t model;                               /* bytes of the model; zeroed at first, copied bytewise */
    void (*start_model)(sonde *t, void *model); /* called after `start`; may be NULL */
    /* Returns a number for the part of the model that the call is about, such as its key. Calls with different numbers
     * must be independent, and are checked separately. May be NULL. */
    uint64_t (*part)(const void *call);
    /* Returns a number for the item that the call was about, given its results; 0 for none, such as a take that found
     * nothing. Example: the put and the take of one item. Removing all calls with one number from any order must not
     * change what the model returns for the others. Histories that are not linearizable are then recognised in less
     * than a millisecond, even long ones (docs/threads.md). May be NULL. */
    uint64_t (*value)(const void *call);
} sonde_machine;

/* Starts a machine, makes calls, stops it. To vary the calls, each case draws some rules to leave out, and some cases
 * repeat one call many times (swarm testing). The simplest case leaves out none. Each call is a span named after its
 * rule. Guides that learn see the two previous calls. Misuse: a rule without a name or function, no rules or more than
 * 256, or an empty range of steps. */
SONDE_API void sonde_drive(sonde *t, const char *label, const sonde_machine *machine);

/* ---- Pools of a machine ----------------------------------------------------------------------------------------*/

/* A collection of things that calls make and later calls use: handles, nodes, names. Initialise it to zeros. Its
 * memory is freed when the case ends. Picks count from the newest (0), so they keep their meaning when shrinking
 * removes an earlier call. */
typedef struct sonde_pool_ {
    void **items; /* oldest first; you may reorder items, or remove them by lowering n */
    size_t n, cap;
} sonde_pool;
/* Appends an item to the pool, which keeps the pointer. The caller keeps owning the item. A case with too many items
 * ends there and does not count as valid. */
SONDE_API void sonde_pool_add(sonde *t, sonde_pool *pool, void *item);
/* Draws an item and returns it. It is misuse if the pool is empty: test n in .when. */
SONDE_API void *sonde_pool_pick(sonde *t, const char *label, const sonde_pool *pool);
/* Draws an item, removes it from the pool, and returns it. It is misuse if the pool is empty. */
SONDE_API void *sonde_pool_take(sonde *t, const char *label, sonde_pool *pool);
/* Removes the newest item equal to this pointer. Returns whether there was one. Never fails. */
SONDE_API bool sonde_pool_remove(sonde_pool *pool, const void *item);

/* ---- Fault injection, threads and rand() -----------------------------------------------------------------------*/

/* Makes one allocation fail: the n-th that the code under test makes in this thread, from here to the end of the
 * property. Draws n from 0..max; with 0, the simplest, none fails. Returns n. Needs the failing allocators in
 * the program: link with `pkg-config --libs sonde-oom`, or run with LD_PRELOAD=libsonde_oom.so. Without them it is
 * misuse. */
SONDE_API uint64_t sonde_oom(sonde *t, const char *label, uint64_t max);
/* Ways in which calls of the C library can be made to fail; see sonde_faults. */
enum sonde_fault {
    SONDE_FAULT_SHORT = 1,   /* read, write and similar calls transfer half of what was asked for */
    SONDE_FAULT_EINTR = 2,   /* the same calls are interrupted, on pipes, sockets and terminals: EINTR */
    SONDE_FAULT_EAGAIN = 4,  /* the same calls would block on a descriptor with O_NONBLOCK: EAGAIN */
    SONDE_FAULT_ENOSPC = 8,  /* the disk is full: write, open of a new file, rename, fsync, fflush, fclose */
    SONDE_FAULT_OPEN = 16,   /* open, openat, fopen: EMFILE */
    SONDE_FAULT_RENAME = 32, /* rename: EIO */
    SONDE_FAULT_FSYNC = 64,  /* fsync, fdatasync: EIO; a power cut then loses the data that was to be synced */
    SONDE_FAULT_RESET = 128, /* connected sockets: ECONNRESET */
    SONDE_FAULT_ALL = 255
};
/* Makes some I/O calls of the code under test fail in the given ways (enum sonde_fault). Only failures that Linux can
 * produce for that descriptor occur. Applies from here to sonde_faults_end, or to the end of the property, also in
 * threads of sonde_threads. Whether a call fails is drawn when it is made, under the function's name; no fault is
 * simplest. The draw `label` sets how often calls fail. The report lists each fault with its line. Needs the failing
 * calls in the program: link with `pkg-config --libs sonde-faults`, or run with LD_PRELOAD=libsonde_faults.so. Misuse:
 * kinds has other bits, or the library is missing. */
SONDE_API void sonde_faults(sonde *t, const char *label, unsigned kinds);
/* Ends the faults that sonde_faults began. Without such faults it does nothing. */
SONDE_API void sonde_faults_end(sonde *t);
/* Simulates a process that is killed: runs run(what), and ends it at a drawn call that changes a file, as kill -9
 * would. Earlier writes are kept; that call and all later ones do not happen. Descriptors that run() opened are closed,
 * and its streams lose their buffers. Memory stays as it is, and no destructor runs. Returns whether run() was ended,
 * so that you can check recovery; the simplest is false. Needs the same library as sonde_faults. Misuse: run is NULL, a
 * call inside another sonde_crash or sonde_power_cut, or the library is missing. */
SONDE_API bool sonde_crash(sonde *t, const char *label, void (*run)(void *what), void *what);
/* Simulates a power cut: runs run(what) and cuts the power at a drawn call that changes a file, or after the last.
 * Afterwards only synced data is guaranteed to be on disk. A sector that was written after the last sync may have any
 * content that it had since then. A file may have any length that it had since then. Of the files created, renamed or
 * removed since, only the first few changes took effect, or any selection of them that POSIX allows. Files from before
 * run() are safe. The losses are drawn; losing nothing is simplest. The report names the missing sync. Returns whether
 * the power failed. Otherwise like sonde_crash; docs/models.md lists what is not modelled. Misuse: as for
 * sonde_crash. */
SONDE_API bool sonde_power_cut(sonde *t, const char *label, void (*run)(void *what), void *what);
/* Runs fn(t, arg) and the threads that it starts, one step at a time, in an order that the case draws. Returns when all
 * of them have ended. The schedule is part of the input: it is replayed, and shrunk to the switches that matter. POSIX
 * and C11 threads, locks, semaphores, clocks and atomics are controlled; time is virtual. fn may draw, the threads that
 * it starts may not; all may check. The case also fails on a deadlock, a livelock, a thread left running or unjoined,
 * or wrong use of a lock. Needs a program built with `sonde cc --threads` (docs/threads.md). Misuse: fn is NULL, a call
 * inside another sonde_threads, or another kind of build. */
SONDE_API void sonde_threads(sonde *t, const char *label, void (*fn)(sonde *t, void *arg), void *arg);
/* Makes later calls of sonde_threads and sonde_together in this case fail on data races as well. A data race is two
 * unordered accesses to the same memory, at least one a write and at least one not atomic. Misuse: a call while
 * threads run. */
SONDE_API void sonde_find_races(sonde *t);
/* How many threads sonde_together starts, how many calls each makes, and how many calls are made before they start. A
 * range of zeros means its default. At most 64 calls in all. */
typedef struct sonde_parallel {
    struct sonde_steps threads; /* {2, 3} */
    struct sonde_steps calls;   /* {1, 4} */
    struct sonde_steps before;  /* {0, 5} */
} sonde_parallel;
/* Makes calls of a machine concurrently and checks that they are linearizable. Draws the calls (.draw of the rules)
 * and runs them in threads with a drawn schedule (.run; see sonde_threads). Then searches for an order of the calls in
 * which the model (.agrees) gives the same results. A call that had returned before another began must precede it.
 * The case fails if there is no such order. `parallel` may be NULL for the defaults. docs/threads.md has an example.
 * Misuse: a rule without .run or .agrees, a range of `parallel` that is empty, or more than 64 calls. */
SONDE_API void sonde_together(sonde *t, const char *label, const sonde_machine *machine,
                              const sonde_parallel *parallel);
/* Draws a seed, calls srand() with it, and returns it. For code that uses rand(). */
SONDE_API unsigned sonde_seed_rand(sonde *t, const char *label);

/* ---- Run -------------------------------------------------------------------------------------------------------*/

/* A property: draws values from the case, and checks what must hold for them. */
typedef void sonde_property_fn(sonde *t);

/* Variables that are restored between the cases of one process; see `reset`. */
enum sonde_reset {
    SONDE_NO_RESET, /* everything stays as the last case left it */
    SONDE_GLOBALS   /* global and static variables of all files that `sonde cc` has compiled */
};
/* Exempts a variable from .reset, as in `static SONDE_KEPT int n;`. Use it for counts over all cases, or for the state
 * of a custom guide. */
#if defined(__GNUC__) || defined(__clang__)
#define SONDE_KEPT __attribute__((section("sonde_kept")))
#endif

/* Settings of one property. Only `run` is required; zero means the default everywhere. All pointers are borrowed for
 * the duration of the run. */
typedef struct sonde_property {
    const char *name;
    sonde_property_fn *run;
    void *context;                          /* for sonde_context */
    void (*worker_setup)(void *context);    /* once per worker process, before its first case */
    void (*worker_teardown)(void *context); /* once per worker process, after its last case */
    void (*setup)(sonde *t);                /* before each case */
    void (*teardown)(sonde *t);             /* after each case, however it ended */
    const char *const *examples;            /* replay tokens that run first, like sonde_replay; ends with NULL */
    const char *const *words;               /* dictionary for strings and bytes; ends with NULL */
    const int64_t *numbers;                 /* dictionary for numbers */
    size_t n_numbers;
    uint64_t tests;                        /* stop after this number of valid cases (10,000) */
    double seconds;                        /* stop after this time (10) */
    const char *guide;                     /* search strategy (auto) */
    const struct sonde_feedback *feedback; /* custom rule for which inputs are worth keeping (sonde/extend.h) */
    uint64_t min_unique; /* fail if fewer different valid inputs than this were found, unless no more exist */
    /* SONDE_GLOBALS: before each case, restore global and static variables to their state after worker_setup. For code
     * with global state. The heap is not restored (docs/isolation.md). Needs `sonde cc`. */
    enum sonde_reset reset;
    bool crash_only; /* search only for crashes, hangs and sanitizer reports; no warning if there are no checks */
} sonde_property;

/* Result of a run. The numbers are exit statuses. */
enum sonde_status {
    SONDE_PASSED = 0,
    SONDE_FALSIFIED = 1,
    SONDE_USAGE = 2,    /* wrong options, or a property that misuses sonde */
    SONDE_GAVE_UP = 77, /* too few valid inputs to decide */
    SONDE_INTERNAL = 99,
    /* sonde_main adds the number of the signal that ended the run before it reached a limit: 130 for SIGINT. */
    SONDE_INTERRUPTED = 128
};

/* Outcome of a run. */
typedef struct sonde_result {
    enum sonde_status status;
    bool exhausted; /* passed, and every possible input was tried */
    uint64_t tests; /* cases run: valid + discarded */
    uint64_t valid;
    uint64_t discarded;
    uint64_t unique_valid;
    unsigned failures; /* number of distinct failures */
    char message[512]; /* message of the first failure, or why the run stopped; "" if none */
    char token[2048];  /* replays the first failure; "" if there is none or the token is too long */
    uint64_t seed;     /* seed of the search */
} sonde_result;

/* The process in which the cases of a property run. */
enum sonde_isolation {
    SONDE_ISOLATE_DEFAULT, /* NONE for sonde_run; WORKER for sonde_main and the adapters for test frameworks */
    SONDE_ISOLATE_NONE,    /* this process: a crash prints the input on standard error, then ends the process */
    SONDE_ISOLATE_WORKER,  /* a forked worker: a crash, hang or exit is a failure like any other */
    SONDE_ISOLATE_CASE     /* a separate process for each case */
};

/* Settings for sonde_run. Zero means the default everywhere. Environment variables (SONDE_SEED, SONDE_TESTS, ...) take
 * precedence over these settings; sonde(1) lists them. */
typedef struct sonde_config {
    const char *name; /* name of the property in the report; NULL: its function's name, if the program has symbols */
    uint64_t seed;    /* 0: a fresh seed, which the report prints */
    uint64_t tests;
    double seconds;
    const char *guide;
    void *context;
    bool quiet;                     /* print nothing; read `result` */
    sonde_result *result;           /* receives the outcome; may be NULL */
    const sonde_property *property; /* more settings of the property; its `run` is ignored */
    enum sonde_isolation isolate;
    double timeout, wall_timeout; /* limits of one case: seconds of CPU time (1), and of real time (10) */
    const char *store;            /* directory for failing inputs, which run first the next time (.sonde); "": none */
    uint64_t min_unique;
} sonde_config;

/* Runs one property from inside another program; never exits. Returns an enum sonde_status. `config` may be NULL for
 * the defaults. The macro sonde_run also records how this file was compiled, for the failures that the run stores.
 * Fails with SONDE_USAGE and an error message if the settings are wrong. */
SONDE_API int sonde_run(sonde_property_fn *property, const sonde_config *config);
#define sonde_run(...) (sonde_built_(SONDE_BUILD_), sonde_run(__VA_ARGS__))
/* Runs one case from its replay token, so that a unit test can check that a failure stays fixed. Returns SONDE_PASSED,
 * SONDE_FALSIFIED, SONDE_GAVE_UP (an assume did not hold) or SONDE_USAGE. SONDE_USAGE comes with a message on standard
 * error: the token cannot be parsed, or does not match what the property draws. A token does not match if one of its
 * labels is not drawn, a value is out of range, or a value is missing. A `?` leaves draws open on purpose: "x=3 y=?",
 * or "x=3 ?" for all draws after x. */
SONDE_API int sonde_replay(sonde_property_fn *property, const char *token);

/* Runs a whole test program: parses the options, runs the properties, prints the reports. Returns the exit status. The
 * macro sonde_main also records the name of its source file: the store lies in the repository of that file, wherever
 * the program was built. Fails with SONDE_USAGE and an error message on wrong options. */
SONDE_API int sonde_main(int argc, char **argv, const sonde_property *properties, size_t n);
#define sonde_main(...) (sonde_source_(__FILE__), sonde_built_(SONDE_BUILD_), sonde_main(__VA_ARGS__))

/* Defines main() of a test program: it runs the property functions named here, if any, and all registered ones. In C++
 * include sonde.hpp instead: plain sonde.h leaves cases by longjmp, which skips destructors. main() returns the exit
 * status: see sonde_main. Fails to compile if a name is not a property function. */
#define SONDE_MAIN(...)                                                                                                \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        sonde_property_fn *const properties[] = {SONDE_NO_PROPERTY_, __VA_ARGS__};                                     \
        sonde_source_(__FILE__);                                                                                       \
        sonde_built_(SONDE_BUILD_);                                                                                    \
        return SONDE_MAIN_FUNCTION_(argc, argv, properties + 1, sizeof properties / sizeof *properties - 1,            \
                                    #__VA_ARGS__);                                                                     \
    }

#if defined(__GNUC__) || defined(__clang__)
/* Defines a property that registers itself, in any file of the program. SONDE_MAIN() runs it with all others.
 *
 *     SONDE_PROPERTY(sorting_keeps_all) { ... sonde_check(t, ...); }
 *     SONDE_PROPERTY(parses_quickly, .tests = 1000000, .seconds = 60) { ... }   // settings: fields of sonde_property
 *     SONDE_EXAMPLE(sorting_keeps_all, "xs[{x=1} {x=1}]")                       // an input that always runs first
 *
 * `t` is the case. Names must be unique within a program. If the file is in a static library, the program must use
 * something else from that file, or the linker drops it. */
#ifdef __cplusplus
#define SONDE_PROPERTY(...) SONDE_PROPERTY_(__VA_ARGS__, )
#define SONDE_PROPERTY_(name_, ...)                                                                                    \
    static void name_(sonde *t);                                                                                       \
    SONDE_REGISTER_(name_, sonde_property_set_(sonde_property_named_(#name_, name_), SONDE_SETTINGS_(__VA_ARGS__)))    \
    static void name_(sonde *t)
#else
#define SONDE_PROPERTY(...) SONDE_PROPERTY_(__VA_ARGS__, )
#define SONDE_PROPERTY_(name_, ...)                                                                                    \
    static void name_(sonde *t);                                                                                       \
    static const sonde_property sonde_settings_of_##name_ = {.name = #name_, .run = name_, __VA_ARGS__};               \
    SONDE_REGISTER_(name_, sonde_settings_of_##name_)                                                                  \
    static void name_(sonde *t)
#endif
#define SONDE_EXAMPLE(name, token)                                                                                     \
    __attribute__((constructor)) static void SONDE_JOIN_(sonde_example_at_, __LINE__)(void)                            \
    {                                                                                                                  \
        static struct sonde_example_ example = {#name, token, __FILE__, __LINE__, SONDE_NOTHING_};                     \
        sonde_register_example_(&example);                                                                             \
    }
#endif

/* ---- Implementation of the macros; not for direct use ----------------------------------------------------------*/

#ifdef __cplusplus
#define SONDE_NOTHING_ nullptr
#else
#define SONDE_NOTHING_ NULL
#endif
#define SONDE_NO_PROPERTY_ SONDE_NOTHING_
struct sonde_registered_ {
    sonde_property property;
    const char *file;
    int line;
    struct sonde_registered_ *next;
};
struct sonde_example_ {
    const char *property, *token, *file;
    int line;
    struct sonde_example_ *next;
};
/* Registers a property, or an example. Called before main. The argument must live as long as the process. */
SONDE_API void sonde_register_(struct sonde_registered_ *property);
SONDE_API void sonde_register_example_(struct sonde_example_ *example);
#define SONDE_REGISTER_(name_, ...)                                                                                    \
    __attribute__((constructor)) static void SONDE_JOIN_(sonde_register_, name_)(void)                                 \
    {                                                                                                                  \
        static struct sonde_registered_ registered;                                                                    \
        registered.property = __VA_ARGS__;                                                                             \
        registered.file = __FILE__;                                                                                    \
        registered.line = __LINE__;                                                                                    \
        sonde_register_(&registered);                                                                                  \
    }
#ifdef __cplusplus
static inline sonde_property sonde_property_named_(const char *name, sonde_property_fn *run)
{
    sonde_property property = sonde_property();
    property.name = name;
    property.run = run;
    return property;
}
/* Settings written as in C, up to eight: each becomes an assignment to a field. */
extern "C++" {
template <class F> inline sonde_property sonde_property_set_(sonde_property property, F set)
{
    set(property);
    return property;
}
}
#define SONDE_SETTINGS_(...) SONDE_SET_8_(__VA_ARGS__, , , , , , , , )
#define SONDE_SET_8_(a, b, c, d, e, f, g, h, ...)                                                                      \
    [](sonde_property &sonde_p) {                                                                                      \
        (void)(sonde_p a), (void)(sonde_p b), (void)(sonde_p c), (void)(sonde_p d);                                    \
        (void)(sonde_p e), (void)(sonde_p f), (void)(sonde_p g), (void)(sonde_p h);                                    \
    }
#endif
#define SONDE_ENUM_VALUES_(...) SONDE_INTS_(__VA_ARGS__), sizeof(SONDE_INTS_(__VA_ARGS__)) / sizeof(int)
#ifdef __cplusplus
extern "C++" {
template <class... T> struct sonde_ints_ {
    int all[sizeof...(T)];
    sonde_ints_(T... values) : all{static_cast<int>(values)...} {}
};
template <class... T> sonde_ints_<T...> sonde_ints_of_(T... values)
{
    return sonde_ints_<T...>(values...);
}
}
#define SONDE_INTS_(...) sonde_ints_of_(__VA_ARGS__).all
#else
#define SONDE_INTS_(...) ((const int[]){__VA_ARGS__})
#endif
SONDE_API int sonde_enum_(sonde *t, const char *label, const char *names, const int *values, size_t n);

/* A location where the program checks, assumes, covers or fails. sonde counts how often each location is reached. An
 * ELF note in the program lists it, so a location that no case reaches is known, too. */
enum sonde_site_kind_ { SONDE_SITE_CHECK_ = 1, SONDE_SITE_ASSUME_, SONDE_SITE_COVER_, SONDE_SITE_FAIL_ };
struct sonde_site_ {
    const char *file, *text;
    int line, kind; /* enum sonde_site_kind_ */
};
#if defined(__GNUC__) || defined(__clang__)
/* Counts a visit of the location. nothrow: keeps C++ from giving every check an edge for exceptions. */
SONDE_API __attribute__((nothrow)) void sonde_reached_(const struct sonde_site_ *site);
#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__))
#if (defined(__clang__) && __clang_major__ >= 11) || (!defined(__clang__) && __GNUC__ >= 9)
#define SONDE_ASM_ __asm__ __inline__ /* counts as one instruction when a compiler decides what to inline */
#else
#define SONDE_ASM_ __asm__
#endif
#ifdef __aarch64__
#define SONDE_SYMBOL_(name) "S"(name) /* "i" is for numbers only, in code that can be loaded anywhere */
#else
#define SONDE_SYMBOL_(name) "i"(name)
#endif
/* Writes a note: offsets of the file name, the condition, the function name and the code; then line and kind. `?` ties
 * the note to its function: if a linker drops a duplicate function, it drops the note, too. */
#define SONDE_SITE_NOTE_(text, kind)                                                                                   \
    SONDE_ASM_ volatile("771:.pushsection .note.sondeat,\"a?\",%%note\n"                                               \
                        ".balign 4\n.long 8,24,1\n.asciz \"sondeat\"\n"                                                \
                        ".long %c0-.,%c1-.,%c2-.,771b-.,%c3,%c4\n.popsection"                                          \
                        :                                                                                              \
                        : SONDE_SYMBOL_(__FILE__), SONDE_SYMBOL_(text), SONDE_SYMBOL_(__func__), "i"(__LINE__),        \
                          "i"(kind))
#else
#define SONDE_SITE_NOTE_(text, kind) (void)0
#endif
#define SONDE_AT_(kind, text, ...)                                                                                     \
    __extension__({                                                                                                    \
        {                                                                                                              \
            static const struct sonde_site_ SONDE_JOIN_(sonde_site_at_, __LINE__) = {__FILE__, text, __LINE__, kind};  \
            SONDE_SITE_NOTE_(text, kind);                                                                              \
            sonde_reached_(&SONDE_JOIN_(sonde_site_at_, __LINE__));                                                    \
        }                                                                                                              \
        __VA_ARGS__;                                                                                                   \
    })
#else
#define SONDE_AT_(kind, text, ...) __VA_ARGS__
#endif

/* Evaluates the condition in an `if`, so that compilers warn about sonde_check(t, a = 5) as they do about if (a =
 * 5). Rejects string literals, which always hold. `sonde cc` parses the plain form below (SONDE_PLAIN_CONDITIONS_). */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(SONDE_PLAIN_CONDITIONS_)
#define SONDE_IF_(yes, no, ...)                                                                                        \
    __extension__({                                                                                                    \
        SONDE_NO_TEXT_(__VA_ARGS__);                                                                                   \
        if (__VA_ARGS__) yes;                                                                                          \
        else no;                                                                                                       \
    })
#define SONDE_HOLDS_(...)                                                                                              \
    __extension__({                                                                                                    \
        bool SONDE_JOIN_(sonde_holds_at_, __LINE__) = false;                                                           \
        SONDE_NO_TEXT_(__VA_ARGS__);                                                                                   \
        if (__VA_ARGS__) SONDE_JOIN_(sonde_holds_at_, __LINE__) = true;                                                \
        SONDE_JOIN_(sonde_holds_at_, __LINE__);                                                                        \
    })
#define SONDE_TEXT_MESSAGE_ "a string literal is not a condition: it always holds; write the condition without quotes"
#ifdef __cplusplus
#define SONDE_NO_TEXT_(...) static_assert(!sonde_is_text_(#__VA_ARGS__, sizeof #__VA_ARGS__), SONDE_TEXT_MESSAGE_)
#else
#define SONDE_NO_TEXT_(...)                                                                                            \
    _Static_assert(!_Generic((__VA_ARGS__), char * : __builtin_constant_p((__VA_ARGS__)), default : 0),                \
                   SONDE_TEXT_MESSAGE_)
#endif
#else
#define SONDE_IF_(yes, no, ...) ((__VA_ARGS__) ? yes : no)
#define SONDE_HOLDS_(...) (__VA_ARGS__) ? true : false
#endif

SONDE_API int sonde_main_(int argc, char **argv, sonde_property_fn *const *properties, size_t n, const char *names);
#ifdef __cplusplus
__attribute__((
    deprecated("SONDE_MAIN of sonde.h skips destructors: include <sonde.hpp>, or call sonde_main"))) static inline int
sonde_main_without_destructors_(int argc, char **argv, sonde_property_fn *const *properties, size_t n,
                                const char *names)
{
    return sonde_main_(argc, argv, properties, n, names);
}
#define SONDE_MAIN_FUNCTION_ sonde_main_without_destructors_
#else
#define SONDE_MAIN_FUNCTION_ sonde_main_
#endif
/* Records the file that defines main(). The string is kept for the rest of the process. */
SONDE_API void sonde_source_(const char *file);
/* Records the compiler settings of that file that can change whether a failure shows (SONDE_BUILD_). The string is kept
 * for the rest of the process. */
SONDE_API void sonde_built_(const char *how);
#define SONDE_QUOTED_(...) #__VA_ARGS__
#define SONDE_QUOTE_(...) SONDE_QUOTED_(__VA_ARGS__)
#if defined(__clang__)
#define SONDE_COMPILER_ "clang " SONDE_QUOTE_(__clang_major__)
#elif defined(__GNUC__)
#define SONDE_COMPILER_ "gcc " SONDE_QUOTE_(__GNUC__)
#else
#define SONDE_COMPILER_ "another compiler"
#endif
#ifdef __OPTIMIZE__
#define SONDE_OPTIMISED_ ", optimised"
#else
#define SONDE_OPTIMISED_ ""
#endif
#ifdef NDEBUG
#define SONDE_NO_ASSERTS_ ", NDEBUG"
#else
#define SONDE_NO_ASSERTS_ ""
#endif
#if defined(_FORTIFY_SOURCE) && _FORTIFY_SOURCE + 0 > 0
#define SONDE_FORTIFIED_ ", _FORTIFY_SOURCE"
#else
#define SONDE_FORTIFIED_ ""
#endif
#if defined(__SSP__) || defined(__SSP_ALL__) || defined(__SSP_STRONG__)
#define SONDE_PROTECTED_ ", stack protector"
#else
#define SONDE_PROTECTED_ ""
#endif
#if defined(__clang__) && defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define SONDE_UBSAN_ ", -fsanitize=undefined"
#endif
#endif
#ifndef SONDE_UBSAN_
#define SONDE_UBSAN_ ""
#endif
#define SONDE_BUILD_ SONDE_COMPILER_ SONDE_OPTIMISED_ SONDE_NO_ASSERTS_ SONDE_FORTIFIED_ SONDE_PROTECTED_ SONDE_UBSAN_
SONDE_API void sonde_source_of_main_(const char *file);
/* Ends the case, and the run of its property, with an error message about misuse of sonde. */
SONDE_API SONDE_COLD SONDE_NORETURN void sonde_misuse_(sonde *t, const char *format, ...) SONDE_PRINTF(2, 3);
SONDE_API void sonde_assumed_(sonde *t);
SONDE_API SONDE_COLD SONDE_NORETURN void sonde_discard_(sonde *t, const char *file, int line, const char *condition);
SONDE_API void sonde_assume_truth_(sonde *t, sonde_truth truth, const char *file, int line, const char *condition);
/* Assumes a && b && c: each of the n parts counts as a separate assume, up to the first that does not hold. */
SONDE_API void sonde_assume_parts_(sonde *t, const sonde_truth *parts, unsigned n, const char *file, int line,
                                   const char *condition);
SONDE_API SONDE_COLD SONDE_NORETURN void sonde_falsify_(sonde *t, const char *file, int line, const char *condition);
SONDE_API SONDE_COLD bool sonde_unexpected_(sonde *t, const char *file, int line, const char *condition);
static inline bool sonde_expected_(sonde *t, bool holds, const char *file, int line, const char *condition)
{
    return holds || sonde_unexpected_(t, file, line, condition); /* a call, so that its value may be ignored */
}
SONDE_API SONDE_COLD SONDE_NORETURN void sonde_fail_(sonde *t, const char *file, int line, const char *format, ...)
    SONDE_PRINTF(4, 5);
SONDE_API void sonde_compare_mem_(sonde *t, const void *got, const void *want, size_t n, const char *file, int line,
                                  const char *text);
SONDE_API void sonde_compare_near_(sonde *t, double got, double want, double tolerance, const char *file, int line,
                                   const char *text);

enum sonde_relation_ { SONDE_EQ_, SONDE_NE_, SONDE_LT_, SONDE_LE_, SONDE_GT_, SONDE_GE_ };

/* A compared value of any type, boxed. */
enum sonde_box_kind_ {
    SONDE_BOX_INT_,
    SONDE_BOX_UINT_,
    SONDE_BOX_DOUBLE_,
    SONDE_BOX_BOOL_,
    SONDE_BOX_TEXT_,
    SONDE_BOX_POINTER_,
    SONDE_BOX_LONG_DOUBLE_
};
typedef struct sonde_boxed_ {
    enum sonde_box_kind_ kind;
    /* Size of the value's type where C's conversions matter, else 0. For a long double: its difference from the
     * nearest double, as the bits of a float. */
    uint32_t bytes;
    union {
        int64_t i;
        uint64_t u;
        double d;
        const void *p;
    } as;
} sonde_boxed_;

/* Location of a comparison, and its source. */
typedef struct sonde_where_ {
    const char *file;
    int line;
    const char *text;
} sonde_where_;

/* Fails a check that two values are equal; both are given as strings. */
SONDE_API SONDE_COLD SONDE_NORETURN void sonde_differ_(sonde *t, const char *got, const char *want, sonde_where_ where);
/* Returns at once. Every failed check calls it, and --gdb sets its breakpoint here. */
SONDE_API void sonde_failing_(void);
/* Sets how cases are left: by calling `leave`, which must not return, or with NULL by longjmp. Returns the previous
 * setting. */
typedef void sonde_leave_fn_(sonde *t);
SONDE_API sonde_leave_fn_ *sonde_leave_by_(sonde *t, sonde_leave_fn_ *leave);
SONDE_API void sonde_compare_(sonde *t, sonde_boxed_ got, enum sonde_relation_ relation, sonde_boxed_ want,
                              sonde_where_ where);
SONDE_API sonde_boxed_ sonde_box_int_(long long value);
SONDE_API sonde_boxed_ sonde_box_uint_(unsigned long long value);
SONDE_API sonde_boxed_ sonde_box_double_(double value);
SONDE_API sonde_boxed_ sonde_box_long_double_(long double value);
SONDE_API sonde_boxed_ sonde_box_bool_(bool value);
SONDE_API sonde_boxed_ sonde_box_text_(const void *value);
SONDE_API sonde_boxed_ sonde_box_pointer_(const void *value);
SONDE_API sonde_where_ sonde_where_at_(const char *file, int line, const char *text);

SONDE_API void sonde_observe_(sonde *t, const char *name, sonde_boxed_ value);
SONDE_API void sonde_observe_bytes_(sonde *t, const char *name, const void *bytes, size_t n);
SONDE_API void sonde_observe_printed_(sonde *t, const char *name, void (*print)(FILE *out, const void *value),
                                      const void *value);
#define SONDE_OBSERVE_1(t, name, x) sonde_observe_((t), (name), SONDE_BOX_OBSERVED_(x))

/* The steps of sonde_drive, for languages that do not leave a call by longjmp. sonde_driver_next_ returns the rule to
 * call, or SONDE_ANY after the last. sonde_driver_called_ reports that the call has returned. If a call was left early,
 * sonde_driver_take_back_ returns whether one of its assumes was the reason; if so, the machine continues. */
typedef struct sonde_driver_ sonde_driver_;
/* Returns whether a rule may be called now; used instead of .when. */
typedef bool sonde_applies_fn_(const void *world, size_t rule);
SONDE_API sonde_driver_ *sonde_driver_begin_(sonde *t, const char *label, const sonde_machine *machine,
                                             sonde_applies_fn_ *applies, void *world);
SONDE_API size_t sonde_driver_next_(sonde_driver_ *driver);
SONDE_API void sonde_driver_called_(sonde_driver_ *driver);
SONDE_API bool sonde_driver_take_back_(sonde_driver_ *driver);

/* Puts both sides in parentheses, which reports omit where they are not needed. */
#define SONDE_SIDES_(got, relation, want) "(" got ") " relation " (" want ")"
#define SONDE_COMPARE_(t, got, relation, want, text)                                                                   \
    SONDE_AT_(SONDE_SITE_CHECK_, text,                                                                                 \
              SONDE_COMPARABLE_(got, want)                                                                             \
                  sonde_compare_((t), SONDE_BOX_(SONDE_SCALAR_(got)), (relation), SONDE_BOX_(SONDE_SCALAR_(want)),     \
                                 sonde_where_at_(__FILE__, __LINE__, (text))))
/* Makes the compiler reject operands that cannot be compared, with a message. In C++ the overloads of SONDE_BOX_ do
 * that. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__cplusplus)
#define SONDE_COMPARABLE_(got, want)                                                                                   \
    {                                                                                                                  \
        enum {                                                                                                         \
            sonde_is_struct_ = SONDE_IS_STRUCT_(got) || SONDE_IS_STRUCT_(want),                                        \
            sonde_is_one_a_number_ =                                                                                   \
                SONDE_IS_NUMBER_(got) != SONDE_IS_NUMBER_(want) && !SONDE_IS_ZERO_(got) && !SONDE_IS_ZERO_(want)       \
        };                                                                                                             \
        _Static_assert(!sonde_is_struct_,                                                                              \
                       "sonde_check_eq and related macros do not compare structs; compare their fields one by one");   \
        _Static_assert(sonde_is_struct_ || !sonde_is_one_a_number_,                                                    \
                       "sonde_check_eq and related macros do not compare a pointer or an array with a number; "        \
                       "compare its elements, or use sonde_check_mem_eq");                                             \
    }
/* For a struct, an operand that compiles, so that the message above is the only error. */
#define SONDE_SCALAR_(x) __builtin_choose_expr(SONDE_IS_STRUCT_(x), 0, (x))
/* 12 and 13: structs and unions */
#define SONDE_IS_STRUCT_(x) (__builtin_classify_type(x) == 12 || __builtin_classify_type(x) == 13)
/* 5: pointers and arrays */
#define SONDE_IS_NUMBER_(x) (__builtin_classify_type(SONDE_SCALAR_(x)) != 5)
/* Whether an operand is the constant 0: only that makes the conditional a pointer to int. */
#define SONDE_IS_ZERO_(x) _Generic(1 ? (void *)SONDE_WORD_(SONDE_SCALAR_(x)) : (int *)1, int * : 1, default : 0)
#define SONDE_WORD_(x) _Generic((x), float : 1, double : 1, long double : 1, default : (size_t)(x))
#else
#define SONDE_COMPARABLE_(got, want)
#define SONDE_SCALAR_(x) x
#endif

/* ---- Truths. A relation is encoded by the orderings of its sides that satisfy it: less 4, equal 2, greater 1. */
#define SONDE_RELATION_(op) ((0 op 1) << 2 | (0 op 0) << 1 | (1 op 0))
SONDE_API sonde_truth sonde_relate_(sonde_boxed_ a, unsigned relation, sonde_boxed_ b);
SONDE_API sonde_truth sonde_truth_of_(bool holds);
SONDE_API sonde_truth sonde_truth_same_(sonde_truth x);
SONDE_API sonde_truth sonde_truth_not_(sonde_truth x);

/* Evaluates conditions for code that `sonde cc` generates (docs/preconditions.md). Each operand is evaluated once,
 * and only where C would evaluate it; the result has the truth that C gives it. `what`: 0 other, 1 signed, 2
 * unsigned, 3 floating. Relation 0 means != 0. */
SONDE_API sonde_boxed_ sonde_box_at_(const void *value, size_t bytes, int what);
SONDE_API sonde_truth sonde_relate_as_(sonde_boxed_ a, unsigned relation, sonde_boxed_ b, bool holds);
SONDE_API sonde_truth sonde_relate_mod_(sonde_boxed_ rest, sonde_boxed_ modulus, unsigned relation, sonde_boxed_ want,
                                        bool holds);
SONDE_API sonde_truth sonde_relate_bits_(sonde_boxed_ value, sonde_boxed_ mask, unsigned relation, sonde_boxed_ want,
                                         bool holds);
SONDE_API sonde_truth sonde_truth_number_(sonde_boxed_ value, bool holds);
SONDE_API sonde_truth sonde_truth_and_(sonde_truth a, sonde_truth b);
SONDE_API sonde_truth sonde_truth_or_(sonde_truth a, sonde_truth b);
/* Measures a function that is called between sonde_follow_ and sonde_follow_stop_: how far it got, and how close it was
 * to getting further. sonde_followed_ returns the result. */
SONDE_API void sonde_follow_(void);
SONDE_API void sonde_follow_stop_(void);
SONDE_API sonde_truth sonde_followed_(sonde_boxed_ value, bool holds);
/* Returns whether any guide wants the distances of checks. */
SONDE_API bool sonde_measures_(sonde *t);
SONDE_API void sonde_check_truth_(sonde *t, sonde_truth truth, const char *file, int line, const char *condition);
SONDE_API bool sonde_expect_truth_(sonde *t, sonde_truth truth, const char *file, int line, const char *condition);

/* Number of arguments, 1..16. */
#define SONDE_COUNT_(...) SONDE_17TH_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define SONDE_17TH_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, ...) q
#define SONDE_THAT_1(t, text, x) sonde_assume_truth_((t), SONDE_TRUTH_(x), __FILE__, __LINE__, text)
#define SONDE_THAT_3(t, text, a, relation, b)                                                                          \
    sonde_assume_truth_((t), sonde_rel(a, relation, b), __FILE__, __LINE__, #a " " #relation " " #b)

#ifdef __cplusplus
}

/* clang-format off */
constexpr bool sonde_is_text_(const char *text, size_t size) { return text[0] == '"' && text[size - 2] == '"'; }

/* C++ boxes values by overloading. Enumerations convert to int; enum class must be cast by the caller. Of the types
 * that convert to bool (such as a pointer to a function), only bool itself is accepted. The others do not compile. */
template <class T> struct sonde_if_bool_ {};
template <> struct sonde_if_bool_<bool> { typedef sonde_boxed_ boxed; };
template <class T> inline typename sonde_if_bool_<T>::boxed sonde_box_cpp_(T v) { return sonde_box_bool_(v); }
inline sonde_boxed_ sonde_box_cpp_(decltype(nullptr)) { return sonde_box_pointer_(nullptr); }
inline sonde_boxed_ sonde_box_cpp_(char v) { return sonde_box_int_(v); }
inline sonde_boxed_ sonde_box_cpp_(signed char v) { return sonde_box_int_(v); }
inline sonde_boxed_ sonde_box_cpp_(short v) { return sonde_box_int_(v); }
inline sonde_boxed_ sonde_box_cpp_(int v) { return sonde_box_int_(v); }
inline sonde_boxed_ sonde_box_cpp_(long v) { return sonde_box_int_(v); }
inline sonde_boxed_ sonde_box_cpp_(long long v) { return sonde_box_int_(v); }
inline sonde_boxed_ sonde_box_cpp_(unsigned char v) { return sonde_box_uint_(v); }
inline sonde_boxed_ sonde_box_cpp_(unsigned short v) { return sonde_box_uint_(v); }
inline sonde_boxed_ sonde_box_cpp_(unsigned v) { return sonde_box_uint_(v); }
inline sonde_boxed_ sonde_box_cpp_(unsigned long v) { return sonde_box_uint_(v); }
inline sonde_boxed_ sonde_box_cpp_(unsigned long long v) { return sonde_box_uint_(v); }
inline sonde_boxed_ sonde_box_cpp_(float v) { return sonde_box_double_(static_cast<double>(v)); }
inline sonde_boxed_ sonde_box_cpp_(double v) { return sonde_box_double_(v); }
inline sonde_boxed_ sonde_box_cpp_(long double v) { return sonde_box_long_double_(v); }
inline sonde_boxed_ sonde_box_cpp_(const char *v) { return sonde_box_text_(v); }
inline sonde_boxed_ sonde_box_cpp_(const void *v) { return sonde_box_pointer_(v); }
template <class T> struct sonde_never_ { static const bool value = false; };
template <class T> inline auto sonde_box_any_(const T &v, int) -> decltype(sonde_box_cpp_(v)) { return sonde_box_cpp_(v); }
template <class T> inline sonde_boxed_ sonde_box_any_(const T &, long)
{
    static_assert(sonde_never_<T>::value, "sonde_check_eq and related macros take numbers, pointers and C strings; for others "
                                          "include <sonde.hpp> and use sondecpp_check_eq, or sonde_check");
    return sonde_boxed_();
}
#define SONDE_BOX_(x) sonde_box_any_(x, 0)

template <class T> struct sonde_is_address_ { static const bool value = false; };
template <class T> struct sonde_is_address_<T *> { static const bool value = true; };
template <> struct sonde_is_address_<char *> { static const bool value = false; };
template <> struct sonde_is_address_<const char *> { static const bool value = false; };
template <> struct sonde_is_address_<decltype(nullptr)> { static const bool value = true; };
template <class T> inline auto sonde_box_observed_(T v, int) -> decltype(sonde_box_cpp_(v))
{
    static_assert(!sonde_is_address_<T>::value, "sonde_observe: an address differs from run to run; give bytes and their number");
    return sonde_box_cpp_(v);
}
template <class T> inline sonde_boxed_ sonde_box_observed_(const T &, long)
{
    static_assert(sonde_never_<T>::value, "sonde_observe takes numbers, C strings, bytes and printers; for others include "
                                          "<sonde.hpp> and use sondecpp::observe");
    return sonde_boxed_();
}
#define SONDE_BOX_OBSERVED_(x) sonde_box_observed_(x, 0)
inline void sonde_observe_two_(sonde *t, const char *name, const void *bytes, size_t n) { sonde_observe_bytes_(t, name, bytes, n); }
inline void sonde_observe_two_(sonde *t, const char *name, void (*print)(FILE *out, const void *value), const void *value)
{
    sonde_observe_printed_(t, name, print, value);
}
#define SONDE_OBSERVE_2(t, name, a, b) sonde_observe_two_((t), (name), (a), (b))

/* For code that `sonde cc` generates. Pointers and objects have no number. The value is recorded and passed on
 * unchanged. */
template <class T> inline sonde_boxed_ sonde_box_cc_(const T &) { return sonde_box_pointer_(nullptr); }
inline sonde_boxed_ sonde_box_cc_(const bool &v) { return sonde_box_at_(&v, sizeof v, 2); }
inline sonde_boxed_ sonde_box_cc_(const char &v) { return sonde_box_at_(&v, sizeof v, static_cast<char>(-1) < 0 ? 1 : 2); }
inline sonde_boxed_ sonde_box_cc_(const signed char &v) { return sonde_box_at_(&v, sizeof v, 1); }
inline sonde_boxed_ sonde_box_cc_(const short &v) { return sonde_box_at_(&v, sizeof v, 1); }
inline sonde_boxed_ sonde_box_cc_(const int &v) { return sonde_box_at_(&v, sizeof v, 1); }
inline sonde_boxed_ sonde_box_cc_(const long &v) { return sonde_box_at_(&v, sizeof v, 1); }
inline sonde_boxed_ sonde_box_cc_(const long long &v) { return sonde_box_at_(&v, sizeof v, 1); }
inline sonde_boxed_ sonde_box_cc_(const unsigned char &v) { return sonde_box_at_(&v, sizeof v, 2); }
inline sonde_boxed_ sonde_box_cc_(const unsigned short &v) { return sonde_box_at_(&v, sizeof v, 2); }
inline sonde_boxed_ sonde_box_cc_(const unsigned &v) { return sonde_box_at_(&v, sizeof v, 2); }
inline sonde_boxed_ sonde_box_cc_(const unsigned long &v) { return sonde_box_at_(&v, sizeof v, 2); }
inline sonde_boxed_ sonde_box_cc_(const unsigned long long &v) { return sonde_box_at_(&v, sizeof v, 2); }
inline sonde_boxed_ sonde_box_cc_(const float &v) { return sonde_box_at_(&v, sizeof v, 3); }
inline sonde_boxed_ sonde_box_cc_(const double &v) { return sonde_box_at_(&v, sizeof v, 3); }
inline sonde_boxed_ sonde_box_cc_(const long double &v) { return sonde_box_at_(&v, sizeof v, 3); }
template <class T> inline T &&sonde_note_(sonde_boxed_ &box, T &&x)
{
    box = sonde_box_cc_(x);
    return static_cast<T &&>(x);
}
template <class T> inline bool sonde_test_(sonde_boxed_ &box, T &&x)
{
    sonde_follow_stop_();
    box = sonde_box_cc_(x);
    return static_cast<T &&>(x) ? true : false;
}
/* Classes may overload && || and !: conditions on objects stay as written. There is no such function for an object, so
 * that the compiler reports each call. It would report a failing static_assert only once for each class. */
template <class T> struct sonde_is_plain_ { static const bool value = !__is_class(T) && !__is_union(T); };
template <class T> struct sonde_is_plain_<T &> : sonde_is_plain_<T> {};
template <bool> struct sonde_if_plain_ {};
template <> struct sonde_if_plain_<true> { typedef bool type; };
template <class T> inline typename sonde_if_plain_<sonde_is_plain_<T>::value>::type sonde_plain_(T &&x)
{
    return x ? true : false;
}
template <class T>
inline typename sonde_if_plain_<sonde_is_plain_<T>::value>::type sonde_plain_test_(sonde_boxed_ &box, T &&x)
{
    return sonde_test_(box, x);
}

inline sonde_truth sonde_truth_cpp_(sonde_truth x) { return x; }
template <class T> inline sonde_truth sonde_truth_cpp_(const T &x) { return sonde_truth_of_(x ? true : false); }
#define SONDE_TRUTH_(x) sonde_truth_cpp_(x)
/* An array that lives until the end of the full expression. */
template <size_t N> struct sonde_truths_ { sonde_truth parts[N]; };
template <class... T> inline sonde_truths_<sizeof...(T)> sonde_truths_cpp_(const T &...x)
{
    return sonde_truths_<sizeof...(T)>{{sonde_truth_cpp_(x)...}};
}
#define SONDE_TRUTHS_(...) (sonde_truths_cpp_(__VA_ARGS__).parts)
/* clang-format on */

#else

/* clang-format off */
#define SONDE_BOXES_                                                                                                   \
    bool: sonde_box_bool_, char: sonde_box_int_, signed char: sonde_box_int_, unsigned char: sonde_box_uint_,          \
    short: sonde_box_int_, int: sonde_box_int_, long: sonde_box_int_, long long: sonde_box_int_,                       \
    unsigned short: sonde_box_uint_, unsigned: sonde_box_uint_, unsigned long: sonde_box_uint_,                        \
    unsigned long long: sonde_box_uint_, float: sonde_box_double_, double: sonde_box_double_,                          \
    long double: sonde_box_long_double_, char *: sonde_box_text_, const char *: sonde_box_text_
/* clang-format on */
#define SONDE_BOX_(x) _Generic((x), SONDE_BOXES_, default : sonde_box_pointer_)(x)
/* Has no default: an address differs from run to run. */
#define SONDE_BOX_OBSERVED_(x) _Generic((x), SONDE_BOXES_)(x)
#define SONDE_OBSERVE_2(t, name, a, b)                                                                                 \
    _Generic((a), void (*)(FILE *, const void *)                                                                       \
             : sonde_observe_printed_, default                                                                         \
             : sonde_observe_bytes_)((t), (name), (a), (b))

#define SONDE_TRUTH_(x) _Generic((x), sonde_truth : sonde_truth_same_, default : sonde_truth_of_)(x)
#define SONDE_TRUTHS_(...)                                                                                             \
    ((const sonde_truth[]){SONDE_JOIN_(SONDE_JOIN_(SONDE_EACH_, SONDE_COUNT_(__VA_ARGS__)), _)(__VA_ARGS__)})
#define SONDE_EACH_1_(x) SONDE_TRUTH_(x)
#define SONDE_EACH_2_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_1_(__VA_ARGS__)
#define SONDE_EACH_3_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_2_(__VA_ARGS__)
#define SONDE_EACH_4_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_3_(__VA_ARGS__)
#define SONDE_EACH_5_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_4_(__VA_ARGS__)
#define SONDE_EACH_6_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_5_(__VA_ARGS__)
#define SONDE_EACH_7_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_6_(__VA_ARGS__)
#define SONDE_EACH_8_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_7_(__VA_ARGS__)
#define SONDE_EACH_9_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_8_(__VA_ARGS__)
#define SONDE_EACH_10_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_9_(__VA_ARGS__)
#define SONDE_EACH_11_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_10_(__VA_ARGS__)
#define SONDE_EACH_12_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_11_(__VA_ARGS__)
#define SONDE_EACH_13_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_12_(__VA_ARGS__)
#define SONDE_EACH_14_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_13_(__VA_ARGS__)
#define SONDE_EACH_15_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_14_(__VA_ARGS__)
#define SONDE_EACH_16_(x, ...) SONDE_TRUTH_(x), SONDE_EACH_15_(__VA_ARGS__)

#endif
#endif
