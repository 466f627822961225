/* sonde.h - guided property-based testing for C.
 *
 * A property is a C function that draws values and checks claims about them. sonde calls it many times, looks for
 * an input that breaks a claim, shrinks that input and prints it. A whole program:
 *
 *     #include <sonde.h>
 *
 *     static int middle(int a, int b) { return (a + b) / 2; }              // the code under test; overflows
 *
 *     static void middle_lies_between(sonde *t)
 *     {
 *         int a = sonde_int(t, "a", 0, INT_MAX);
 *         int b = sonde_int(t, "b", 0, INT_MAX);
 *         sonde_assume(t, a <= b);                                         // only such inputs are of interest
 *         sonde_check(t, a <= middle(a, b) && middle(a, b) <= b);          // the claim
 *     }
 *
 *     SONDE_MAIN(middle_lies_between)
 *
 * Build it with `cc test.c $(pkg-config --cflags --libs sonde)`, run it, and try `--help`.
 *
 * Ownership, in one sentence: everything that a sonde_ function gives you dies with the case, and nothing that you
 * give to one is kept beyond the call, except where its comment says so.
 *
 * Every draw takes a label. It names the value in a counterexample, and it is what keeps a stored input meaningful
 * when the generator is edited. The label of a draw is a field name ("age"); the label of a span is a type
 * ("person"). Labels may live in any memory; their content counts, not their address. */
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

/* One execution of a property: what a property draws from and reports to. Lives as long as the call. */
typedef struct sonde sonde;

/* ---- Draw ------------------------------------------------------------------------------------------------------
 * Bounds are inclusive. The simplest value of a range is the one nearest to zero; counterexamples shrink to it. */

SONDE_API bool sonde_bool(sonde *t, const char *label);             /* false is simplest */
SONDE_API bool sonde_chance(sonde *t, const char *label, double p); /* true with probability p */
SONDE_API int sonde_int(sonde *t, const char *label, int lo, int hi);
SONDE_API int64_t sonde_i64(sonde *t, const char *label, int64_t lo, int64_t hi);
SONDE_API uint64_t sonde_u64(sonde *t, const char *label, uint64_t lo, uint64_t hi);
SONDE_API double sonde_double(sonde *t, const char *label, double lo, double hi); /* finite; integers are simplest */
SONDE_API double sonde_any_double(sonde *t, const char *label);                   /* infinities, NaN, subnormals too */
/* The same for float: every value is one that a float holds, and prints and replays as such. */
SONDE_API float sonde_float(sonde *t, const char *label, float lo, float hi);
SONDE_API float sonde_any_float(sonde *t, const char *label);
/* Integers of fixed width: sonde_u8 to sonde_u32, sonde_i8 to sonde_i32, sonde_size_t; bounds as everywhere. */
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

/* An index in [0, n). The first is simplest: put the plain alternative first. */
SONDE_API size_t sonde_pick(sonde *t, const char *label, size_t n);
/* The same, index i with probability weights[i] / sum. A weight of 0 is never drawn. */
SONDE_API size_t sonde_weighted(sonde *t, const char *label, const unsigned *weights, size_t n);
/* An element of an array (not of a pointer). */
#define sonde_element(t, label, array) ((array)[sonde_pick((t), (label), sizeof(array) / sizeof *(array))])

/* One of these constants, shown by its name: sonde_enum(t, "color", RED, GREEN, BLUE). An int in C and C++; the first is
 * simplest. */
#define sonde_enum(t, label, ...) sonde_enum_((t), (label), #__VA_ARGS__, SONDE_ENUM_VALUES_(__VA_ARGS__))

/* How large this case should be, 0 (tiny) to 100; grows during a run. For your own decisions on depth and length. */
SONDE_API int sonde_size(sonde *t);

/* min..max bytes; *len receives how many. */
SONDE_API uint8_t *sonde_bytes(sonde *t, const char *label, size_t min, size_t max, size_t *len);
/* Strings of min..max characters, NUL-terminated: printable ASCII; characters of `alphabet` (its first character
 * is the simplest); valid UTF-8 (min and max count code points, never NUL); text that matches a pattern. */
SONDE_API char *sonde_string(sonde *t, const char *label, size_t min, size_t max);
SONDE_API char *sonde_string_of(sonde *t, const char *label, const char *alphabet, size_t min, size_t max);
SONDE_API char *sonde_utf8(sonde *t, const char *label, size_t min, size_t max);
/* Pattern: literals, ., [a-z] [^...], \d \w \s and escapes, ( ) groups, |, and * + ? {n} {n,m} {n,}. It describes the
 * whole string; no anchors, no back-references. Open repetition stops at 8. */
SONDE_API char *sonde_regex(sonde *t, const char *label, const char *pattern);
/* Texts that programs read, NUL-terminated; the comment has the simplest. Each is well-formed unless it says otherwise. */
SONDE_API char *sonde_utf8_broken(sonde *t, const char *label, size_t min, size_t max); /* "": min..max pieces, some not
                                                                                         * UTF-8: cut short, overlong,
                                                                                         * surrogates, stray bytes */
SONDE_API char *sonde_file_name(sonde *t, const char *label); /* "a": 1..255 bytes, no / and neither . nor .. */
SONDE_API char *sonde_file_path(sonde *t, const char *label); /* "a": names, . and .., doubled and trailing slashes */
SONDE_API char *sonde_date(sonde *t, const char *label);      /* "2000-01-01": 1900 to 2199, leap days included */
SONDE_API char *sonde_time(sonde *t, const char *label);     /* "00:00:00": with fractions, and leap seconds at 23:59 */
SONDE_API char *sonde_datetime(sonde *t, const char *label); /* "2000-01-01T00:00:00Z": RFC 3339, with offsets */
SONDE_API char *sonde_ipv4(sonde *t, const char *label);     /* "0.0.0.0" */
SONDE_API char *sonde_ipv6(sonde *t, const char *label);  /* "::": RFC 4291, shortened, mixed with IPv4, in any case */
SONDE_API char *sonde_url(sonde *t, const char *label);   /* "http://a": RFC 3986, with all of its parts */
SONDE_API char *sonde_email(sonde *t, const char *label); /* "a@a": RFC 5321, quoted parts too */
SONDE_API char *sonde_uuid(sonde *t, const char *label);  /* "00000000-0000-4000-8000-000000000000" */
/* "0": any value of RFC 8259, nested no deeper than `depth`, with white space, escapes and numbers of every form. */
SONDE_API char *sonde_json(sonde *t, const char *label, unsigned depth);

/* ---- Structure -------------------------------------------------------------------------------------------------
 * Spans group the draws that make one value. sonde_span closes itself when its scope is left, by whatever way; use
 * sonde_open and sonde_close where the compiler lacks attribute cleanup. Give one label to all values of one type:
 * that is what lets sonde copy, swap and cut out parts. */

SONDE_API void sonde_open(sonde *t, const char *label);
SONDE_API void sonde_close(sonde *t, const char *label);
/* As sonde_open, for a value that is to begin as the last one of that label: each draw in it has the answer of the one that it
 * corresponds to there. Both are part of the input, so a search by mutation makes them differ, bit by bit: a pair of equal
 * states, say, of which one then changes where it should not matter. */
SONDE_API void sonde_open_again(sonde *t, const char *label);

#if defined(__GNUC__) || defined(__clang__)
typedef struct sonde_scope_ {
    sonde *t;
    unsigned depth;
} sonde_scope_;
SONDE_API sonde_scope_ sonde_scope_open_(sonde *t, const char *label);
SONDE_API void sonde_scope_close_(sonde_scope_ *scope);
#define sonde_span(t, label)                                                                                           \
    __attribute__((cleanup(sonde_scope_close_), unused)) sonde_scope_ SONDE_JOIN_(sonde_span_at_, __LINE__) =          \
        sonde_scope_open_((t), (label))
SONDE_API sonde_scope_ sonde_scope_again_(sonde *t, const char *label);
#define sonde_span_again(t, label)                                                                                     \
    __attribute__((cleanup(sonde_scope_close_), unused)) sonde_scope_ SONDE_JOIN_(sonde_span_at_, __LINE__) =          \
        sonde_scope_again_((t), (label))
#endif

/* Lists: the length is drawn by sonde_list_of, each element is a span of its own.
 *
 *     sonde_list xs = sonde_list_of(t, "xs", 0, 20);
 *     while (sonde_more(&xs)) push(v, sonde_int(t, "x", 0, 100));
 *
 * With max = SONDE_ANY the length has no limit but what a case may draw; the same holds for strings and bytes. Leaving
 * the loop early is allowed. */
typedef struct sonde_list {
    sonde *t;
    size_t i; /* index of the current element */
    size_t n; /* length that was drawn */
    size_t min;
    size_t rejected;  /* in a row */
    bool taken_back;  /* the current element was rejected */
    unsigned depth;   /* of the list's span */
    uint32_t element; /* label of the elements */
} sonde_list;
#define SONDE_ANY SIZE_MAX
SONDE_API sonde_list sonde_list_of(sonde *t, const char *label, size_t min, size_t max);
SONDE_API bool sonde_more(sonde_list *xs);
/* Takes back the element just drawn (a duplicate, say) and draws another in its place. After 20 in a row the list
 * ends there; the case is discarded if it is then shorter than its minimum. */
SONDE_API void sonde_list_reject(sonde_list *xs);

/* Permutes n elements of `size` bytes in place; unchanged is simplest. */
SONDE_API void sonde_shuffle(sonde *t, const char *label, void *array, size_t n, size_t size);
/* min..max different indices out of [0, n), ascending, into out[]; returns how many. */
SONDE_API size_t sonde_subset(sonde *t, const char *label, size_t n, size_t min, size_t max, size_t *out);
/* min..max different integers out of [lo, hi], in the order drawn, into out[]; returns how many. */
SONDE_API size_t sonde_unique(sonde *t, const char *label, int64_t lo, int64_t hi, size_t min, size_t max,
                              int64_t *out);

/* A text that the property writes piece by piece, as it draws. All zeros is empty; its memory is the case's. */
typedef struct sonde_text_ {
    char *at; /* n bytes and a NUL; NULL before the first piece */
    size_t n, cap;
} sonde_text;
/* Adds a piece, printf-style; returns how many bytes it has.
 *
 *     sonde_text json = {0};
 *     sonde_put(t, &json, "[");
 *     for (sonde_list xs = sonde_list_of(t, "xs", 0, 20); sonde_more(&xs);)
 *         sonde_put(t, &json, "%s%d", xs.i ? "," : "", sonde_int(t, "x", 0, 100));
 *     sonde_put(t, &json, "]");
 *     parse(json.at, json.n);
 *
 * --import FILE finds the draws by which the property writes that file (the first text of the case, if there are several). It does
 * best where each piece is put as soon as it is drawn, and in the order of the text; a case that writes something else is left in sonde_put. */
SONDE_API int sonde_put(sonde *t, sonde_text *out, const char *format, ...) SONDE_PRINTF(3, 4);

/* ---- Check and assume ------------------------------------------------------------------------------------------
 * sonde_assume leaves the case, uncounted, when the condition is false. sonde_check leaves it, falsified. Both are
 * macros over any expression, commas and compound literals included. */

#define sonde_assume(t, ...)                                                                                           \
    SONDE_AT_(SONDE_SITE_ASSUME_, #__VA_ARGS__,                                                                        \
              SONDE_IF_(sonde_assumed_(t), sonde_discard_((t), __FILE__, __LINE__, #__VA_ARGS__), __VA_ARGS__))
#define sonde_check(t, ...)                                                                                            \
    SONDE_AT_(SONDE_SITE_CHECK_, #__VA_ARGS__,                                                                         \
              SONDE_IF_((void)0, sonde_falsify_((t), __FILE__, __LINE__, #__VA_ARGS__), __VA_ARGS__))
/* The same with a distance, from which a guide knows how near the condition came to holding: two sides and a relation
 * between them (== != < <= > >=), or a truth made of several (see below).
 *
 *     sonde_assume_that(t, height + 2 * pad, >=, kernel);
 *     sonde_assume_that(t, sonde_any(sonde_rel(stride, ==, 1), sonde_rel(batch, ==, 1)));
 *
 * `sonde cc` gives every sonde_assume a distance; without it this is the way to have one. */
#define sonde_assume_that(t, ...)                                                                                      \
    SONDE_JOIN_(SONDE_THAT_, SONDE_COUNT_(__VA_ARGS__))                                                                \
    ((t), #__VA_ARGS__, __VA_ARGS__)

/* Truths: how true a condition is. A truth holds when its distance is 0 or more; a higher one is nearer to holding, or
 * further from ceasing to. Parts are truths or anything that C takes for a condition; all of them are evaluated, so
 * what guards another part (a pointer that is not NULL) belongs in an assume of its own before it. Integers of any
 * types compare by their mathematical values, char pointers by text, NaN with nothing. */
typedef struct sonde_truth {
    double distance;
    uint32_t held;  /* parts of a conjunction that held */
    uint32_t call_; /* what it compared is known to guides by this number; 0: it is not */
} sonde_truth;
#define sonde_rel(a, relation, b) sonde_relate_(SONDE_BOX_(a), (unsigned)(SONDE_RELATION_(relation)), SONDE_BOX_(b))
#define sonde_not(x) sonde_truth_not_(SONDE_TRUTH_(x))
/* All of, one of: at most 16 parts here, any number with an array. sonde_all() with no parts is true,
 * sonde_any() with no parts is false. */
#define sonde_all(...) sonde_all_of(SONDE_TRUTHS_(__VA_ARGS__), SONDE_COUNT_(__VA_ARGS__))
#define sonde_any(...) sonde_any_of(SONDE_TRUTHS_(__VA_ARGS__), SONDE_COUNT_(__VA_ARGS__))
SONDE_API sonde_truth sonde_all_of(const sonde_truth *parts, size_t n);
SONDE_API sonde_truth sonde_any_of(const sonde_truth *parts, size_t n);
static inline bool sonde_holds(sonde_truth x)
{
    return x.distance >= 0;
}

/* Records the failure and returns its truth: for callbacks, for other threads and forked processes, and to see several at once. The
 * case fails when it ends, however it ends: an assume that does not hold later does not excuse it. */
#define sonde_expect(t, ...)                                                                                           \
    SONDE_AT_(SONDE_SITE_CHECK_, #__VA_ARGS__,                                                                         \
              sonde_expected_((t), SONDE_HOLDS_(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__))
/* Fails with words of your own, printf-style. */
#define sonde_fail(t, ...) SONDE_AT_(SONDE_SITE_FAIL_, "sonde_fail", sonde_fail_((t), __FILE__, __LINE__, __VA_ARGS__))

/* ---- For the assertions of other frameworks (docs/embedding.md). */

/* Returns the case that is running, in the calling thread or, in a thread that the property started, in this process; NULL: none is. */
SONDE_API sonde *sonde_current(void);
/* Fails like sonde_fail, at another location; the strings are copied. */
#define sonde_fail_at(t, file, line, ...) sonde_fail_((t), (file), (line), __VA_ARGS__)
/* Records a failure there and returns, like sonde_expect; in any thread. */
SONDE_API void sonde_failed_at(sonde *t, const char *file, int line, const char *format, ...) SONDE_PRINTF(4, 5);

/* What a framework says of a failed assertion that is about to jump past sonde, out of the property. */
typedef struct sonde_jump_ {
    char file[512], text[1024]; /* an empty text: nothing is known */
    int line;
} sonde_jump_;
typedef void sonde_jump_fn_(sonde_jump_ *jump);
/* For adapters, around sonde_run: sets the function to ask; NULL for none. Returns the previous one. */
SONDE_API sonde_jump_fn_ *sonde_on_jump_(sonde_jump_fn_ *describe);
/* For the adapter of cmocka: fills in its words; `fail` is cmocka's function. */
SONDE_API void sonde_cmocka_words_(void (*fail)(const char *file, int line), sonde_jump_ *jump);

/* Comparisons that print both sides. Integers of any types compare by their mathematical values (-1 is less than
 * 0u), char pointers by the text they point to, other pointers by address. */
#define sonde_check_eq(t, got, want) SONDE_COMPARE_((t), (got), SONDE_EQ_, (want), SONDE_SIDES_(#got, "==", #want))
#define sonde_check_ne(t, got, want) SONDE_COMPARE_((t), (got), SONDE_NE_, (want), SONDE_SIDES_(#got, "!=", #want))
#define sonde_check_lt(t, got, want) SONDE_COMPARE_((t), (got), SONDE_LT_, (want), SONDE_SIDES_(#got, "<", #want))
#define sonde_check_le(t, got, want) SONDE_COMPARE_((t), (got), SONDE_LE_, (want), SONDE_SIDES_(#got, "<=", #want))
#define sonde_check_gt(t, got, want) SONDE_COMPARE_((t), (got), SONDE_GT_, (want), SONDE_SIDES_(#got, ">", #want))
#define sonde_check_ge(t, got, want) SONDE_COMPARE_((t), (got), SONDE_GE_, (want), SONDE_SIDES_(#got, ">=", #want))
/* n bytes; prints where they first differ. */
#define sonde_check_mem_eq(t, got, want, n)                                                                            \
    SONDE_AT_(SONDE_SITE_CHECK_, SONDE_SIDES_(#got, "==", #want),                                                      \
              sonde_compare_mem_((t), (got), (want), (n), __FILE__, __LINE__, SONDE_SIDES_(#got, "==", #want)))
/* |got - want| <= tolerance. */
#define sonde_check_near(t, got, want, tolerance)                                                                      \
    SONDE_AT_(SONDE_SITE_CHECK_, SONDE_SIDES_(#got, "~", #want),                                                       \
              sonde_compare_near_((t), (got), (want), (tolerance), __FILE__, __LINE__,                                 \
                                  SONDE_SIDES_(#got, "~", #want)))

/* ---- Say more --------------------------------------------------------------------------------------------------*/

/* Words for the report of this case, printf-style; formatted only when they will be shown. */
SONDE_API void sonde_note(sonde *t, const char *format, ...) SONDE_PRINTF(2, 3);
/* Shows the innermost open span by what `print` writes instead of draw by draw. Called now or not at all. */
SONDE_API void sonde_show(sonde *t, void (*print)(FILE *out, const void *value), const void *value);
/* Counts valid cases: by name; by name when a condition holds; and with the claim that at least `percent` of all valid
 * cases meet it, whether they reach the call or not. The claim is checked with statistics: it fails only when chance
 * cannot explain it (one in 10^9). */
SONDE_API void sonde_label(sonde *t, const char *name);
SONDE_API void sonde_classify(sonde *t, bool condition, const char *name);
SONDE_API void sonde_cover(sonde *t, double percent, bool condition, const char *name);
#define sonde_cover(...) SONDE_AT_(SONDE_SITE_COVER_, #__VA_ARGS__, sonde_cover(__VA_ARGS__))
/* A number that the search should make large (negate it to make it small). */
SONDE_API void sonde_target(sonde *t, const char *label, double value);
/* Data of this case for a feedback of your own (sonde/extend.h, docs/feedback.md): a key and a value, any number of
 * times up to 4096. */
SONDE_API void sonde_record(sonde *t, uint64_t key, double value);
/* What makes this input different from others: valid inputs with equal numbers count as one, and guides that look for
 * new inputs look for new numbers. Several calls add up. Without it an input is known by its draws. */
SONDE_API void sonde_characteristic(sonde *t, uint64_t number);
/* For guides that learn: what the next draws depend on, where you know better than what follows from spans and earlier
 * draws. Holds until the next call; 0 takes it back. */
SONDE_API void sonde_state(sonde *t, uint64_t state);

/* ---- Memory and cleaning up ------------------------------------------------------------------------------------*/

/* Zeroed memory that dies with the case. Like drawn bytes and strings it ends exactly where it ends: the first byte
 * beyond is seen by AddressSanitizer and valgrind, and with --guard in any build. With --guard it is aligned to the
 * largest power of two that divides the size, which is enough for an array of any type. */
SONDE_API void *sonde_alloc(sonde *t, size_t size);
/* The same for output: not zeroed but filled with bytes that differ from case to case and are the same when a case is
 * run again, so that code that forgets to write a part of it is found out. MemorySanitizer and valgrind take it for
 * uninitialised. */
SONDE_API void *sonde_buffer(sonde *t, size_t size);
#ifdef __cplusplus
#define sonde_new(t, type) (static_cast<type *>(sonde_alloc((t), sizeof(type))))
#else
#define sonde_new(t, type) ((type *)sonde_alloc((t), sizeof(type)))
#endif
/* Calls undo(what) when the case ends, in whatever way; last in, first out. Keeps `what` until then. That is after the
 * property has returned, so `what` must not be a local variable of it: take a sonde_new(t, type). */
SONDE_API void sonde_defer(sonde *t, void (*undo)(void *what), void *what);
/* The `context` of the property. */
SONDE_API void *sonde_context(sonde *t);

/* ---- Machines --------------------------------------------------------------------------------------------------
 * Code with state: calls in a drawn order, and after each of them a look at whether all is well (docs/machines.md).
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
 *     static const sonde_rule rules[] = {SONDE_RULE(put, .when = has_room), SONDE_RULE(get), SONDE_RULE(clear, .rare = true)};
 *     static const sonde_machine map = {SONDE_RULES(rules), .size = sizeof(struct world), .always = agrees};
 *
 *     static void map_acts_like_an_array(sonde *t) { sonde_drive(t, "calls", &map); }
 *
 * A counterexample is the list of its calls; those that do not matter are left out by shrinking. */

/* One kind of call. */
typedef struct sonde_rule {
    const char *name;                    /* in reports and tokens; the label of the span that a call is */
    void (*call)(sonde *t, void *world); /* draws its arguments, makes the call, checks what it did. A sonde_assume that
                                          * does not hold takes back this call, not the case: it comes before the world
                                          * is changed */
    bool (*when)(const void *world);     /* whether it may be called now; asked before a rule is drawn. NULL: always */
    unsigned weight;                     /* how often it is called, beside the others (1); at most 65535 */
    bool rare;                           /* 16 times as seldom; and it need not apply in every run */
    /* For sonde_together, in the place of `call`: arguments are drawn into the memory of a call, a thread makes the call and notes
     * there what it answered, and the model is asked whether it would have answered so, which changes the model as the call did. */
    void (*draw)(sonde *t, void *call); /* NULL: there are no arguments */
    void (*run)(void *world, void *call);
    bool (*agrees)(void *model, const void *call);
    /* Whether the call waits as long as the model is so, as one does that takes from an empty queue. Calls may then be left waiting when
     * all threads wait, if the model agrees that they do. NULL: it must not wait for ever. */
    bool (*waits)(const void *model, const void *call);
    /* Writes what the call returned, for reports: `put(1) -> true`. NULL: it returns nothing; if no rule has one, the memory of the call
     * is shown as numbers. */
    void (*print)(FILE *out, const void *call);
} sonde_rule;
#ifndef __cplusplus
/* The rule of a function, by whose name it goes: SONDE_RULE(put, .weight = 2, .when = has_room). */
#define SONDE_RULE(...) SONDE_RULE_(__VA_ARGS__, )
#define SONDE_RULE_(function, ...)                                                                                     \
    {                                                                                                                  \
        .name = #function, .call = function, __VA_ARGS__                                                               \
    }
#endif

/* An array of rules, and how many there are: {SONDE_RULES(rules), .size = sizeof(struct world)}. */
#ifndef __cplusplus
#define SONDE_RULES(array) .rules = (array), .n_rules = sizeof(array) / sizeof *(array)
#endif

struct sonde_steps {
    int min, max;
};

/* What sonde_drive needs to know. Zero means the default everywhere. Borrowed until the case has ended. */
typedef struct sonde_machine {
    const sonde_rule *rules; /* at most 256 */
    size_t n_rules;
    size_t size;                           /* of the world: zeroed memory that dies with the case. 0: it is NULL */
    void (*start)(sonde *t, void *world);  /* before the first call */
    void (*always)(sonde *t, void *world); /* the invariant: after start, and after every call */
    void (*stop)(sonde *t, void *world);   /* behind the last call, and if the case was left before: once in any case */
    struct sonde_steps steps;              /* how many calls (0..100) */
    /* For sonde_together. */
    size_t call;                                /* bytes of a call: arguments and answers; zeroed */
    size_t model;                               /* bytes of the model, which is copied by them; zeroed */
    void (*start_model)(sonde *t, void *model); /* behind `start`; may be NULL */
    uint64_t (*part)(const void *call);         /* calls with different numbers do not concern each other, such as those
                                                 * of different keys: each part is checked alone. May be NULL */
    /* Which item a call was about, as it has answered: calls of one number can be left out of any order, and the model still answers all
     * others as before, such as the put and the take of an item. 0: none, as a take that found nothing. With it, long histories that are
     * not linearizable are told as such in less than a millisecond; docs/threads.md. May be NULL */
    uint64_t (*value)(const void *call);
} sonde_machine;

/* Starts a machine, makes calls, stops it. Which calls are likely differs from case to case: rules that a case draws at
 * its beginning are left out, and some cases repeat a call many times (swarm testing); the simplest leaves none out. Each call
 * is a span named after its rule; guides that learn see which two calls came before. */
SONDE_API void sonde_drive(sonde *t, const char *label, const sonde_machine *machine);

/* Things that calls make and later calls use: handles, nodes, names. All zeros is empty; its memory is the case's. Picks are
 * by age, 0 is the newest, so that the picks of a counterexample keep their meaning when an earlier call is left out. */
typedef struct sonde_pool_ {
    void **items; /* the oldest first; their order may be changed, and items removed, by lowering n */
    size_t n, cap;
} sonde_pool;
SONDE_API void sonde_pool_add(sonde *t, sonde_pool *pool, void *item);
/* An item; picked and removed. The pool must not be empty: let .when ask for its n. */
SONDE_API void *sonde_pool_pick(sonde *t, const char *label, const sonde_pool *pool);
SONDE_API void *sonde_pool_take(sonde *t, const char *label, sonde_pool *pool);
/* Removes an item, the newest that is equal to it; returns whether there was one. */
SONDE_API bool sonde_pool_remove(sonde_pool *pool, const void *item);

/* ---- What C code also meets --------------------------------------------------------------------------------------*/

/* Memory runs out: of the allocations that the code under test makes from here to the end of the property, in this
 * thread, one fails: the n-th, n being drawn from 0..max and returned; with 0, the simplest, none does. Needs the
 * failing allocators in the program: link with `pkg-config --libs sonde-oom`, or run with LD_PRELOAD=libsonde_oom.so. */
SONDE_API uint64_t sonde_oom(sonde *t, const char *label, uint64_t max);
/* How calls of the C library can fail on purpose; see sonde_faults. */
enum sonde_fault {
    SONDE_FAULT_SHORT = 1,   /* read, write and similar calls do half of what was asked for */
    SONDE_FAULT_EINTR = 2,   /* ... or are interrupted, on pipes, sockets and terminals */
    SONDE_FAULT_EAGAIN = 4,  /* ... or would wait, and do not: O_NONBLOCK */
    SONDE_FAULT_ENOSPC = 8,  /* the disk is full: write, open of a new file, rename, fsync, fflush, fclose */
    SONDE_FAULT_OPEN = 16,   /* open, openat, fopen: EMFILE */
    SONDE_FAULT_RENAME = 32, /* rename: EIO */
    SONDE_FAULT_FSYNC = 64,  /* fsync, fdatasync: EIO; what they were to write is lost by a power cut */
    SONDE_FAULT_RESET = 128, /* on connected sockets: ECONNRESET */
    SONDE_FAULT_ALL = 255
};
/* Input and output fail: of the calls that the code under test makes from here on, threads of sonde_threads included, some fail in one of
 * these ways, if Linux can do that for this descriptor. Whether one does is drawn where it is called, by the name of the function, and no fault is simplest; `label` is the draw of how
 * often. The report notes each with its line. It ends with sonde_faults_end, or when the property does. Needs the failing calls in the
 * program: link with `pkg-config --libs sonde-faults`, or run with LD_PRELOAD=libsonde_faults.so. */
SONDE_API void sonde_faults(sonde *t, const char *label, unsigned kinds);
SONDE_API void sonde_faults_end(sonde *t);
/* A process that dies: runs run(what) and, at a drawn call that changes a file, leaves it as kill -9 would. What was written before is
 * there, that call and all behind it did not happen. Descriptors that run() opened are closed, and its streams lose their buffers; memory is as
 * it is, and no destructor runs. Returns whether it died, so that recovery can be checked. Not dying is simplest. Needs the same calls as sonde_faults. */
SONDE_API bool sonde_crash(sonde *t, const char *label, void (*run)(void *what), void *what);
/* The power fails: runs run(what) and cuts the power at a drawn call that changes a file, or behind the last. The disk then holds what it may:
 * all that was made safe by a sync; of each sector written since, and of each length, any state since; of files made, renamed or removed since, the first
 * ones, or any as POSIX allows. What was there before run() is safe. What is lost is drawn, nothing is simplest, and the report names the missing sync. Returns
 * whether it failed. For the rest like sonde_crash; docs/models.md has what is not modelled. */
SONDE_API bool sonde_power_cut(sonde *t, const char *label, void (*run)(void *what), void *what);
/* Threads whose schedule is drawn: runs fn(t, arg), and every thread that it starts, in the order that the case draws, and returns
 * when all of them have ended. What leads to a failure is a part of the input like any other: it is replayed and shrunk to the switches
 * that matter. Threads of POSIX and C11, locks, semaphores, clocks and atomics are under control, and time is virtual. fn may draw,
 * the threads that it starts may not; all may check. Fails as well if they wait for each other, go on for ever without progress, are
 * left behind, or use a lock wrongly. Needs a program that was made by `sonde cc --threads` (docs/threads.md). */
SONDE_API void sonde_threads(sonde *t, const char *label, void (*fn)(sonde *t, void *arg), void *arg);
/* From now on, runs of sonde_threads and sonde_together in this case fail at a data race, too: two accesses to the same memory, one of
 * which writes and one of which is not atomic, that nothing orders. */
SONDE_API void sonde_find_races(sonde *t);
/* How many threads make how many calls each, and how many are made before by none; zeros mean the default. At most 64 calls in all. */
typedef struct sonde_parallel {
    struct sonde_steps threads; /* {2, 3} */
    struct sonde_steps calls;   /* {1, 4} */
    struct sonde_steps before;  /* {0, 5} */
} sonde_parallel;
/* Rules of a machine at once: draws calls (.draw of its rules), makes them in threads whose schedule is drawn (.run; see sonde_threads), and
 * checks that the answers are linearizable: that there is an order of the calls, with none before one that had returned when it began, in
 * which the model (.agrees) answers the same. NULL: the defaults. docs/threads.md has an example. */
SONDE_API void sonde_together(sonde *t, const char *label, const sonde_machine *machine,
                              const sonde_parallel *parallel);
/* For code that uses rand(): calls srand() with a seed that is drawn, and returns it. */
SONDE_API unsigned sonde_seed_rand(sonde *t, const char *label);

/* ---- Run -------------------------------------------------------------------------------------------------------*/

typedef void sonde_property_fn(sonde *t);

/* What is put back between the cases of a process; see `reset`. */
enum sonde_reset {
    SONDE_NO_RESET, /* everything stays as a case leaves it */
    SONDE_GLOBALS   /* variables that are not local, of all files that `sonde cc` has compiled */
};
/* static SONDE_KEPT int n; - a variable that .reset leaves alone: counts over all cases, the state of a guide of your own. */
#if defined(__GNUC__) || defined(__clang__)
#define SONDE_KEPT __attribute__((section("sonde_kept")))
#endif

/* What a program can say about one property. Only `run` is needed; zero means the default everywhere. All of it is
 * borrowed for the duration of the run. */
typedef struct sonde_property {
    const char *name;
    sonde_property_fn *run;
    void *context;                          /* for sonde_context */
    void (*worker_setup)(void *context);    /* once per worker process, before its first case */
    void (*worker_teardown)(void *context); /* once per worker process, after its last */
    void (*setup)(sonde *t);                /* before each case */
    void (*teardown)(sonde *t);             /* after each case, in whatever way it ended */
    const char *const *examples;            /* replay tokens that run first, like sonde_replay; ends with NULL */
    const char *const *words;               /* dictionary for strings and bytes; ends with NULL */
    const int64_t *numbers;                 /* dictionary for numbers */
    size_t n_numbers;
    uint64_t tests;                        /* the number of valid cases to stop after (10,000) */
    double seconds;                        /* and the time (10) */
    const char *guide;                     /* how to search (auto) */
    const struct sonde_feedback *feedback; /* what makes an input worth keeping, besides what sonde itself sees */
    uint64_t min_unique; /* fewer different valid inputs than this are a failure, unless there are no others */
    enum sonde_reset
        reset; /* SONDE_GLOBALS: before each case, global and static variables are as they were before the first, when
                             * worker_setup had run. For code that was not made to be called twice. The heap is not restored; see
                             * docs/isolation.md. Needs `sonde cc` */
    bool
        crash_only; /* only crashes, hangs and what sanitizers find are looked for: no warning that nothing is checked */
} sonde_property;

/* How a run ended. The numbers are exit statuses. */
enum sonde_status {
    SONDE_PASSED = 0,
    SONDE_FALSIFIED = 1,
    SONDE_USAGE = 2,    /* wrong options, or a property that misuses sonde */
    SONDE_GAVE_UP = 77, /* too few valid inputs to say anything */
    SONDE_INTERNAL = 99,
    SONDE_INTERRUPTED =
        128 /* and the number of the signal, such as 130: it ended a run of sonde_main before its limits */
};

typedef struct sonde_result {
    enum sonde_status status;
    bool exhausted; /* passed, and every possible input was tried */
    uint64_t tests; /* cases run: valid + discarded */
    uint64_t valid;
    uint64_t discarded;
    uint64_t unique_valid;
    unsigned failures; /* distinct ones */
    char message[512]; /* of the first failure, or why the run stopped; "" if there is nothing to say */
    char token[2048];  /* that replays the first failure; "" if there is none or it is too long */
    uint64_t seed;     /* of the search */
} sonde_result;

/* In which process the cases of a property run. */
enum sonde_isolation {
    SONDE_ISOLATE_DEFAULT, /* sonde_run: NONE; sonde_main and the adapters for test frameworks: WORKER */
    SONDE_ISOLATE_NONE,    /* in this one: a crash ends it, after the input was written to standard error */
    SONDE_ISOLATE_WORKER,  /* in a forked worker: a crash, hang or exit is a failure like any other */
    SONDE_ISOLATE_CASE     /* in a process for each case */
};

/* How to run one property from inside another program. Zero means the default everywhere; NULL is all zeros. The
 * environment (SONDE_SEED, SONDE_TESTS, ...; --help of any test program has the names) wins over what is said here. */
typedef struct sonde_config {
    const char *name; /* of the property, for the report; NULL: that of its function, where the program has symbols */
    uint64_t seed;    /* 0 takes a fresh one, and the report says which */
    uint64_t tests;
    double seconds;
    const char *guide;
    void *context;
    bool quiet;                     /* print nothing; read `result` */
    sonde_result *result;           /* receives the outcome */
    const sonde_property *property; /* more about the property; its `run` is ignored */
    enum sonde_isolation isolate;
    double timeout, wall_timeout; /* of one case: seconds of computing (1), and of any kind (10) */
    const char *store; /* directory that keeps failing inputs, which run first the next time (.sonde); "": none */
    uint64_t min_unique;
} sonde_config;

/* Runs one property from inside another program, which it does not end; returns an enum sonde_status. */
SONDE_API int sonde_run(sonde_property_fn *property, const sonde_config *config);
/* So that a stored failure keeps which build showed it. */
#define sonde_run(...) (sonde_built_(SONDE_BUILD_), sonde_run(__VA_ARGS__))
/* Runs one case from its replay token; returns SONDE_PASSED, SONDE_FALSIFIED, SONDE_GAVE_UP (an assume did not hold) or
 * SONDE_USAGE. So a regression can live in a unit test. SONDE_USAGE, with a sentence on standard error: the token cannot
 * be read, or it does not lead to the input that it names (a label that is not drawn, a value out of its range, a draw
 * that it does not name). A token that leaves draws open on purpose says so with a `?`: "x=3 y=?", or "x=3 ?" for all
 * that follow x. */
SONDE_API int sonde_replay(sonde_property_fn *property, const char *token);

/* A whole test program: reads the options, runs the properties, reports; returns the exit status. */
SONDE_API int sonde_main(int argc, char **argv, const sonde_property *properties, size_t n);
/* So that the store finds the repository of the source, wherever the program was built. */
#define sonde_main(...) (sonde_source_(__FILE__), sonde_built_(SONDE_BUILD_), sonde_main(__VA_ARGS__))

/* main() for a test program: runs the property functions that are named here, if any, and those that registered
 * themselves. In C++ use sonde.hpp: cases are left by longjmp here, which skips destructors. */
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
/* A property that registers itself, in any file of the program; SONDE_MAIN() runs it with all others.
 *
 *     SONDE_PROPERTY(sorting_keeps_all) { ... sonde_check(t, ...); }
 *     SONDE_PROPERTY(parses_quickly, .tests = 1000000, .seconds = 60) { ... }          // settings: fields of sonde_property
 *     SONDE_EXAMPLE(sorting_keeps_all, "xs[{x=1} {x=1}]")                            // an input that runs first, every time
 *
 * `t` is the case. Names must differ within a program. Files in a static library need something else of theirs to be used
 * by the program, or the linker leaves them out. */
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

/* ---- Behind the macros; not for direct use ---------------------------------------------------------------------*/

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
/* Called before main; what they are given stays. */
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
/* Settings as in C, up to eight: each is an assignment to a field. */
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

/* Where a program checks, assumes, covers or fails. Each location counts how often it was reached, and has an ELF note in
 * the program, so that a location that no case reached is known too. */
enum sonde_site_kind_ { SONDE_SITE_CHECK_ = 1, SONDE_SITE_ASSUME_, SONDE_SITE_COVER_, SONDE_SITE_FAIL_ };
struct sonde_site_ {
    const char *file, *text;
    int line, kind; /* enum sonde_site_kind_ */
};
#if defined(__GNUC__) || defined(__clang__)
/* nothrow: keeps C++ from giving every check an edge for exceptions. */
SONDE_API __attribute__((nothrow)) void sonde_reached_(const struct sonde_site_ *site);
#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__))
#if (defined(__clang__) && __clang_major__ >= 11) || (!defined(__clang__) && __GNUC__ >= 9)
#define SONDE_ASM_ __asm__ __inline__ /* counts as one instruction where a compiler decides what to inline */
#else
#define SONDE_ASM_ __asm__
#endif
/* Distances to the file's name, the text, the function's name and the code; line and kind. `?`: goes with the function
 * where the linker keeps one of several copies. */
#define SONDE_SITE_NOTE_(text, kind)                                                                                   \
    SONDE_ASM_ volatile("771:.pushsection .note.sondeat,\"a?\",%%note\n"                                               \
                        ".balign 4\n.long 8,24,1\n.asciz \"sondeat\"\n"                                                \
                        ".long %c0-.,%c1-.,%c2-.,771b-.,%c3,%c4\n.popsection"                                          \
                        :                                                                                              \
                        : "i"(__FILE__), "i"(text), "i"(__func__), "i"(__LINE__), "i"(kind))
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

/* A condition as `if` takes it, so that compilers warn of sonde_check(t, a = 5) as they do of if (a = 5); and a text is none: it
 * always holds. `sonde cc` reads the plain form. */
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
#define SONDE_TEXT_MESSAGE_ "a text is no condition, it always holds; write the condition without quotes"
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
__attribute__((deprecated("it skips destructors: include <sonde.hpp>, or call sonde_main"))) static inline int
sonde_main_without_destructors_(int argc, char **argv, sonde_property_fn *const *properties, size_t n,
                                const char *names)
{
    return sonde_main_(argc, argv, properties, n, names);
}
#define SONDE_MAIN_FUNCTION_ sonde_main_without_destructors_
#else
#define SONDE_MAIN_FUNCTION_ sonde_main_
#endif
/* The file that main() is in; borrowed for the rest of the process. */
SONDE_API void sonde_source_(const char *file);
/* How that file was compiled, as far as undefined behaviour and failed asserts depend on it; borrowed as well. */
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
/* Ends the case and the run of its property with a sentence about its misuse of sonde. */
SONDE_API SONDE_COLD SONDE_NORETURN void sonde_misuse_(sonde *t, const char *format, ...) SONDE_PRINTF(2, 3);
SONDE_API void sonde_assumed_(sonde *t);
SONDE_API SONDE_COLD SONDE_NORETURN void sonde_discard_(sonde *t, const char *file, int line, const char *condition);
SONDE_API void sonde_assume_truth_(sonde *t, sonde_truth truth, const char *file, int line, const char *condition);
/* a && b && c: each of the n parts counts as an assume of its own, up to the first that does not hold. */
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
    uint32_t
        bytes; /* of its type, where conversions as C does them matter; else 0. Of a long double: the float that its
                     * nearest double lacks */
    union {
        int64_t i;
        uint64_t u;
        double d;
        const void *p;
    } as;
} sonde_boxed_;

/* A comparison's place and words. */
typedef struct sonde_where_ {
    const char *file;
    int line;
    const char *text;
} sonde_where_;

/* The claim that two values are the same failed; both as text. */
SONDE_API SONDE_COLD SONDE_NORETURN void sonde_differ_(sonde *t, const char *got, const char *want, sonde_where_ where);
/* Leaves cases by calling `leave`, which does not return, instead of by longjmp; NULL: by longjmp again. Returns what it
 * was before. */
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

/* What sonde_drive is made of, for languages with another way out of a call. `next` gives the rule to call, or SONDE_ANY after
 * the last; `called` says that it returned. After a call was left, take_back answers whether an assume of that call left
 * it, so that the machine goes on. */
typedef struct sonde_driver_ sonde_driver_;
typedef bool sonde_applies_fn_(const void *world, size_t rule); /* in the place of .when */
SONDE_API sonde_driver_ *sonde_driver_begin_(sonde *t, const char *label, const sonde_machine *machine,
                                             sonde_applies_fn_ *applies, void *world);
SONDE_API size_t sonde_driver_next_(sonde_driver_ *driver);
SONDE_API void sonde_driver_called_(sonde_driver_ *driver);
SONDE_API bool sonde_driver_take_back_(sonde_driver_ *driver);

/* Reports leave out the brackets of a side that needs none. */
#define SONDE_SIDES_(got, relation, want) "(" got ") " relation " (" want ")"
#define SONDE_COMPARE_(t, got, relation, want, text)                                                                   \
    SONDE_AT_(SONDE_SITE_CHECK_, text,                                                                                 \
              sonde_compare_((t), SONDE_BOX_(got), (relation), SONDE_BOX_(want),                                       \
                             sonde_where_at_(__FILE__, __LINE__, (text))))

/* ---- Truths. A relation is named by the orders of its sides that fulfil it: less 4, equal 2, greater 1. */
#define SONDE_RELATION_(op) ((0 op 1) << 2 | (0 op 0) << 1 | (1 op 0))
SONDE_API sonde_truth sonde_relate_(sonde_boxed_ a, unsigned relation, sonde_boxed_ b);
SONDE_API sonde_truth sonde_truth_of_(bool holds);
SONDE_API sonde_truth sonde_truth_same_(sonde_truth x);
SONDE_API sonde_truth sonde_truth_not_(sonde_truth x);

/* What `sonde cc` makes of conditions (docs/preconditions.md): the same evaluation, each operand once and only where C would,
 * and truths that are C's own. `what`: 0 other, 1 signed, 2 unsigned, 3 floating. Relation 0: not 0. */
SONDE_API sonde_boxed_ sonde_box_at_(const void *value, size_t bytes, int what);
SONDE_API sonde_truth sonde_relate_as_(sonde_boxed_ a, unsigned relation, sonde_boxed_ b, bool holds);
SONDE_API sonde_truth sonde_relate_mod_(sonde_boxed_ rest, sonde_boxed_ modulus, unsigned relation, sonde_boxed_ want,
                                        bool holds);
SONDE_API sonde_truth sonde_relate_bits_(sonde_boxed_ value, sonde_boxed_ mask, unsigned relation, sonde_boxed_ want,
                                         bool holds);
SONDE_API sonde_truth sonde_truth_number_(sonde_boxed_ value, bool holds);
SONDE_API sonde_truth sonde_truth_and_(sonde_truth a, sonde_truth b);
SONDE_API sonde_truth sonde_truth_or_(sonde_truth a, sonde_truth b);
/* A function called between these two is followed: how far it got, and how near to getting further. */
SONDE_API void sonde_follow_(void);
SONDE_API void sonde_follow_stop_(void);
SONDE_API sonde_truth sonde_followed_(sonde_boxed_ value, bool holds);
/* Claims: does anyone want their distances? */
SONDE_API bool sonde_measures_(sonde *t);
SONDE_API void sonde_check_truth_(sonde *t, sonde_truth truth, const char *file, int line, const char *condition);
SONDE_API bool sonde_expect_truth_(sonde *t, sonde_truth truth, const char *file, int line, const char *condition);

/* How many arguments, 1..16. */
#define SONDE_COUNT_(...) SONDE_17TH_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define SONDE_17TH_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, ...) q
#define SONDE_THAT_1(t, text, x) sonde_assume_truth_((t), SONDE_TRUTH_(x), __FILE__, __LINE__, text)
#define SONDE_THAT_3(t, text, a, relation, b)                                                                          \
    sonde_assume_truth_((t), sonde_rel(a, relation, b), __FILE__, __LINE__, #a " " #relation " " #b)

#ifdef __cplusplus
}

/* clang-format off */
constexpr bool sonde_is_text_(const char *text, size_t size) { return text[0] == '"' && text[size - 2] == '"'; }

/* C++ boxes by overloading. Enumerations convert to int; enum class must be cast by the caller. Of types that
 * convert to bool (a pointer to a function, say) only bool itself is taken; the others do not compile. */
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
    static_assert(sonde_never_<T>::value, "sonde_check_eq and its like take numbers, pointers and C strings; for other types "
                                          "include <sonde.hpp> and use sondecpp_check_eq, or sonde_check");
    return sonde_boxed_();
}
#define SONDE_BOX_(x) sonde_box_any_(x, 0)

/* For what `sonde cc` makes. Pointers and objects have no number. A value is noted and handed on as it came. */
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
/* Objects may have && || ! of their own: those stay as written. */
template <class T> struct sonde_is_plain_ { static const bool value = !__is_class(T) && !__is_union(T); };
template <class T> struct sonde_is_plain_<T &> : sonde_is_plain_<T> {};
template <class T> inline bool sonde_plain_(T &&x)
{
    static_assert(sonde_is_plain_<T>::value, "an object");
    return x ? true : false;
}
template <class T> inline bool sonde_plain_test_(sonde_boxed_ &box, T &&x)
{
    static_assert(sonde_is_plain_<T>::value, "an object");
    return sonde_test_(box, x);
}

inline sonde_truth sonde_truth_cpp_(sonde_truth x) { return x; }
template <class T> inline sonde_truth sonde_truth_cpp_(const T &x) { return sonde_truth_of_(x ? true : false); }
#define SONDE_TRUTH_(x) sonde_truth_cpp_(x)
/* An array that lives as long as the expression around it. */
template <size_t N> struct sonde_truths_ { sonde_truth parts[N]; };
template <class... T> inline sonde_truths_<sizeof...(T)> sonde_truths_cpp_(const T &...x)
{
    return sonde_truths_<sizeof...(T)>{{sonde_truth_cpp_(x)...}};
}
#define SONDE_TRUTHS_(...) (sonde_truths_cpp_(__VA_ARGS__).parts)
/* clang-format on */

#else

#define SONDE_BOX_(x)                                                                                                  \
    _Generic((x),                                                                                                      \
        bool: sonde_box_bool_,                                                                                         \
        char: sonde_box_int_,                                                                                          \
        signed char: sonde_box_int_,                                                                                   \
        short: sonde_box_int_,                                                                                         \
        int: sonde_box_int_,                                                                                           \
        long: sonde_box_int_,                                                                                          \
        long long: sonde_box_int_,                                                                                     \
        unsigned char: sonde_box_uint_,                                                                                \
        unsigned short: sonde_box_uint_,                                                                               \
        unsigned: sonde_box_uint_,                                                                                     \
        unsigned long: sonde_box_uint_,                                                                                \
        unsigned long long: sonde_box_uint_,                                                                           \
        float: sonde_box_double_,                                                                                      \
        double: sonde_box_double_,                                                                                     \
        long double: sonde_box_long_double_,                                                                           \
        char *: sonde_box_text_,                                                                                       \
        const char *: sonde_box_text_,                                                                                 \
        default: sonde_box_pointer_)(x)

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
