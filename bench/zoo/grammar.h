/* The grammar of the zoo: a number decides a subject, whole.
 *
 * A subject is a property in C: a naive generator, preconditions, code with faults. It is made of *parts* (a record, a tree, a
 * sequence of calls, ...). A part offers scalars (expressions with a range), sequences (arrays with a length and a range) and
 * conditions on its structure; preconditions and faults are *atoms* over these three, so every kind meets every type.
 *
 * Everything here is decided by integers and a private random stream, so one number is one source with every compiler,
 * on every machine, whatever the library's streams become. A change to what any number means must raise
 * ZOO_GENERATION. */
#ifndef BENCH_ZOO_GRAMMAR_H
#define BENCH_ZOO_GRAMMAR_H

#include "zoo/text.h"

enum {
    ZOO_GENERATION = 1,
    ZOO_PARTS = 2,
    ZOO_SCALARS = 32,
    ZOO_SEQUENCES = 12,
    ZOO_CONDITIONS = 16, /* on the structure that the parts offer, and preconditions that were chosen */
    ZOO_ATOMS = 24,      /* of which faults are made */
    ZOO_DEEPEST = 6,     /* atoms of one fault */
    ZOO_BUGS = 8,
    ZOO_NAME = 64
};

/* A random stream that belongs to the grammar: splitmix64 (Steele, Lea, Flood 2014). */
struct zoo_rng {
    uint64_t s;
};
uint64_t zoo_next(struct zoo_rng *rng);
/* In [0, n). */
int zoo_below(struct zoo_rng *rng, int n);
int zoo_between(struct zoo_rng *rng, int lo, int hi);
/* In so many of a hundred cases. */
bool zoo_percent(struct zoo_rng *rng, int percent);
#define ZOO_PICK(rng, array) ((array)[zoo_below((rng), (int)(sizeof(array) / sizeof *(array)))])

struct zoo_range {
    int lo, hi;
};

struct zoo_scalar {
    char expr[ZOO_NAME];
    int lo, hi;
    bool is_shape; /* a count of something, rather than a drawn value */
    int usual;     /* of shapes whose range says little: what is common; -1: take the range */
    unsigned parts;
};

struct zoo_sequence {
    char array[ZOO_NAME], length[ZOO_NAME];
    int lo, hi; /* of the elements */
    int shortest, longest;
    const char *alphabet; /* of a string; else NULL */
    bool is_for_bugs;     /* no precondition is made of it */
    unsigned parts;
};

/* `setup; loop test(condition)`: as a precondition the condition holds in each round, as a part of a fault in one of them. */
struct zoo_atom {
    const char *class, *kind;
    char condition[512], setup[512], loop[160];
    char rounds[ZOO_NAME]; /* how often it loops; for the splitting of calibrate.c. "": unknown */
    int weight;
    unsigned parts; /* bits of the parts that it is about */
};

enum zoo_style { ZOO_FUNCTION, ZOO_AND, ZOO_EACH, ZOO_STYLES };
enum zoo_bug_style { ZOO_NESTED, ZOO_JOINED, ZOO_BRANCHLESS, ZOO_SUMMED, ZOO_BUG_STYLES };
extern const char *const zoo_style_names[], *const zoo_bug_style_names[];

struct zoo_subject {
    uint64_t number;
    struct zoo_rng rng;
    const char *types[ZOO_PARTS];
    unsigned n_parts, part; /* part: the one in the making, as a bit */
    char prefix[8];         /* of its names */
    struct zoo_text declarations, fields, helpers, draws[ZOO_PARTS];
    struct zoo_scalar scalars[ZOO_SCALARS];
    struct zoo_sequence sequences[ZOO_SEQUENCES];
    struct zoo_atom offered[ZOO_CONDITIONS], required[ZOO_CONDITIONS];
    unsigned n_scalars, n_sequences, n_offered, n_required;
    bool needs_gcd, needs_square, assumes_calls;
    enum zoo_style style;
    bool is_early; /* a precondition follows the last part that it is about, not all parts */
    struct zoo_atom atoms[ZOO_ATOMS];
    unsigned n_atoms;
    enum zoo_bug_style bug_style;
    bool is_measured; /* the claim is about a number, which guides can make small */
    int noise;        /* unrelated comparisons around the fault: 0, 10, 60 or 400 */
};

/* Faults of a subject: each is a set of its atoms. */
struct zoo_bug {
    uint32_t atoms;
    enum zoo_bug_style style;
};
enum zoo_form {
    ZOO_PROBE,  /* for calibration: compiled against stub/sonde.h, reports which atoms hold */
    ZOO_ONE,    /* one fault, a claim that fails */
    ZOO_CANARY, /* up to ZOO_BUGS faults that are noted and never fail */
    ZOO_FORMS
};

/* A subject with separately allocated memory; free it with zoo_free. */
struct zoo_subject *zoo_make(uint64_t number);
void zoo_free(struct zoo_subject *z);
/* The source text; the caller clears it. `bugs` is not looked at in a probe. */
struct zoo_text zoo_emit(const struct zoo_subject *z, enum zoo_form form, const struct zoo_bug *bugs, unsigned n);

/* ---- Between the files of the grammar */

void zoo_add_parts(struct zoo_subject *z);      /* types.c, nested.c */
void zoo_add_conditions(struct zoo_subject *z); /* conditions.c */
void zoo_add_atoms(struct zoo_subject *z);      /* bugs.c */
void zoo_add_tree(struct zoo_subject *z);
void zoo_add_term(struct zoo_subject *z);
void zoo_add_calls(struct zoo_subject *z);
void zoo_add_pair(struct zoo_subject *z);

/* Parts offer these. `name` is the expression behind "w->", with the part's prefix. */
struct zoo_scalar *zoo_scalar_add(struct zoo_subject *z, struct zoo_range range, bool is_shape, const char *format, ...)
    SONDE_PRINTF(4, 5);
struct zoo_sequence *zoo_sequence_add(struct zoo_subject *z, const char *array, const char *length,
                                      struct zoo_range range, struct zoo_range lengths);
struct zoo_atom *zoo_offer(struct zoo_subject *z, const char *class, const char *kind, int weight, const char *format,
                           ...) SONDE_PRINTF(5, 6);
struct zoo_range zoo_element_range(struct zoo_subject *z);

#endif
