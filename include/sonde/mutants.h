/* sonde/mutants.h - the mutants of an object compiled by `sonde cc --mutants`, and how one is chosen.
 * `sonde cc` includes it into every file that it mutates; do not include it yourself.
 *
 * A mutant is a small change of the code under test, such as `a < b` to `a <= b`. All mutants of an object are compiled
 * into it, and a number chooses one at run time. Code at site 5, where mutants 17 and 18 are, looks like this:
 *
 *     (reached[5] = 1, now.site == 5 ? (now.mutant == 17 ? a <= b : now.mutant == 18 ? a >= b : a < b) : a < b)
 *
 * A site is a location in the code. Site 5 with mutant 0 is the null mutant of the site: it computes the original's
 * value in the mutants' branch. It shows which differences in coverage come from the form of the code alone.
 *
 * Nothing is included here, because the user's file may set macros such as _GNU_SOURCE before its first include. */
#ifndef SONDE_MUTANTS_H_
#define SONDE_MUTANTS_H_

#ifdef __cplusplus
extern "C" {
#endif

enum { SONDE_MUTANTS_VERSION_ = 1 };

/* Kinds of changes. */
enum sonde_mutant_kind_ {
    SONDE_MUTANT_RELATION_,    /* a < b to a <= b */
    SONDE_MUTANT_LOGIC_,       /* a && b to a || b */
    SONDE_MUTANT_CONDITION_,   /* if (a) to if (!a) */
    SONDE_MUTANT_ARITHMETIC_,  /* a + b to a - b */
    SONDE_MUTANT_BITS_,        /* a & b to a | b */
    SONDE_MUTANT_SHIFT_,       /* a << b to a >> b */
    SONDE_MUTANT_STEP_,        /* a++ to a-- */
    SONDE_MUTANT_COMPOUND_,    /* a += b to a -= b */
    SONDE_MUTANT_CONSTANT_,    /* 5 to 5 + 1 */
    SONDE_MUTANT_DROPPED_,     /* a statement that is none of the following is dropped */
    SONDE_MUTANT_NO_CALL_,     /* f(a); is dropped */
    SONDE_MUTANT_NO_ASSIGN_,   /* a = b; is dropped */
    SONDE_MUTANT_NO_BREAK_,    /* break; is dropped */
    SONDE_MUTANT_NO_CONTINUE_, /* continue; is dropped */
    SONDE_MUTANT_KINDS_
};

/* Facts about the location of a mutant, as bits. */
enum sonde_mutant_hint_ {
    SONDE_MUTANT_ERROR_PATH_ = 1, /* in a branch that returns an error, or jumps to where that is done */
    SONDE_MUTANT_IGNORED_ = 2,    /* in the value of a return: if it survives, a test may ignore that value */
    SONDE_MUTANT_FREES_ = 4,      /* a dropped call that frees or closes something */
    SONDE_MUTANT_INDEX_ = 8,      /* in an index or in a size: may access memory out of bounds */
    SONDE_MUTANT_UNWATCHED_ = 16, /* `differed` is not counted for it */
    SONDE_MUTANT_STORES_ = 32,    /* in an assignment to memory that may outlive the function: through a pointer */
    SONDE_MUTANT_NUDGES_ = 64,    /* moves a boundary or a constant by one */
    SONDE_MUTANT_ROOM_ = 128      /* may change only how much memory is obtained, by the name of a function */
};

/* A mutant. Constant. */
struct sonde_mutant_ {
    __UINT32_TYPE__ site;         /* 1.. in this object; several mutants may be at one site */
    __UINT32_TYPE__ line, column; /* of its first token; the column is 0 if a macro made the code */
    __UINT32_TYPE__ statement;    /* number of the innermost statement around it, 1.. in this object */
    unsigned char kind, hints;    /* enum sonde_mutant_kind_; bits of enum sonde_mutant_hint_ */
    const char *file, *function;
    const char *macro;          /* name of the macro that made the code; NULL: none did */
    const char *before, *after; /* the code that is replaced, and its replacement; "": dropped */
};

/* The mutant that is chosen in an object. The code reads it, and counts in `compared` and `differed`. */
struct sonde_mutants_now_ {
    __UINT32_TYPE__ site, mutant;       /* 0: none; a site with mutant 0: the site's null mutant */
    __UINT32_TYPE__ watch;              /* not 0: evaluate both sides of the mutant and compare their values */
    __UINT64_TYPE__ compared, differed; /* number of comparisons of both sides, and of differences */
};

/* All mutants of an object. */
struct sonde_mutants_ {
    __UINT32_TYPE__ version, n_mutants, n_sites;
    const char *source;                  /* as given to sonde cc */
    __UINT64_TYPE__ text;                /* hash of the preprocessed source */
    const struct sonde_mutant_ *mutants; /* mutant m, from 1, is mutants[m - 1] */
    volatile unsigned char *reached;     /* [n_sites + 1]; set to 1 when a site is passed */
    struct sonde_mutants_now_ *now;
    struct sonde_mutants_ *next; /* for the library */
};

/* Makes the mutants of an object known to the library. Each object calls it from a constructor. */
__attribute__((visibility("default"))) void sonde_mutants_add_(struct sonde_mutants_ *mutants);
/* Switches on a mutant by its number in the program, as --mutant does; for programs that --as-c prints. */
__attribute__((visibility("default"))) void sonde_mutants_choose_(__UINT32_TYPE__ number);

#ifdef __cplusplus
}
#endif

#endif
