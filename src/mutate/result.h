/* The result of judging the mutants of a program (--mutate): all that a report needs.
 *
 * A mutant has one fate. "Survived" means: valid inputs ran it, and no check failed. "Never reached": no valid input of
 * any property ran its code. "Not tried": its code is reached without it, but with it no valid input got there, for
 * instance because every input was discarded. "Not confirmed": a check failed, but not again in a fresh process.
 * "Not judged": time was up, or the run was interrupted.
 *
 * A survivor has an effect as well: the most that a second pass saw it do. Survivors are ranked by it, and the first
 * ranks are the likeliest gaps in the properties. A survivor without any effect may be equivalent to the original. */
#ifndef SONDE_MUTATE_RESULT_H
#define SONDE_MUTATE_RESULT_H

#include <sonde/mutants.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sonde_mutant_fate {
    SONDE_FATE_NOT_JUDGED,
    SONDE_FATE_KILLED,
    SONDE_FATE_SURVIVED,
    SONDE_FATE_NEVER_REACHED,
    SONDE_FATE_NOT_TRIED,
    SONDE_FATE_NOT_CONFIRMED,
    SONDE_FATES
};

/* How a property noticed a mutant. */
enum sonde_kill_kind {
    SONDE_KILL_NONE,
    SONDE_KILL_CHECK, /* a check of the property failed */
    SONDE_KILL_CRASH,
    SONDE_KILL_SANITIZER, /* a sanitizer or valgrind reported something, a leak for instance */
    SONDE_KILL_HANG,      /* a limit of time was exceeded */
    SONDE_KILL_EXIT,
    SONDE_KILL_MEMORY, /* a limit of memory or of file size was exceeded */
    SONDE_KILL_OTHER,  /* a fork or jump out of the property, a deadlock, a signal to sonde, a misuse of sonde */
    SONDE_KILLS
};

/* The effect of a survivor, from the most telling to the least. */
enum sonde_mutant_effect {
    SONDE_EFFECT_OBSERVED, /* the property saw another value (sonde_observe), and no check failed */
    SONDE_EFFECT_LEAK,     /* memory was not freed that the original frees */
    SONDE_EFFECT_WAY,      /* the code went another way, and no check failed */
    SONDE_EFFECT_VALUE,    /* another value was computed and compared, stored or returned; the way was the same */
    SONDE_EFFECT_UNKNOWN,  /* the code went the same way; values cannot be compared (a dropped call) */
    SONDE_EFFECT_LOST,     /* another value was computed, but no code was seen to depend on it */
    SONDE_EFFECT_NONE,     /* nothing differed: equivalent, or an input is missing */
    SONDE_EFFECTS
};

/* The kind of check or build that would show a survivor. */
enum sonde_mutant_advice {
    SONDE_ADVICE_NONE,
    SONDE_ADVICE_ERROR_PATH, /* check that errors are reported */
    SONDE_ADVICE_LEAK,       /* something is not freed or closed: --sanitize */
    SONDE_ADVICE_BOUNDS,     /* may access memory out of bounds: --sanitize */
    SONDE_ADVICE_IGNORED,    /* a returned value is not checked */
    SONDE_ADVICE_WRITTEN,    /* a value is written and never read back */
    SONDE_ADVICE_VALUE,      /* check the value */
    SONDE_ADVICE_INPUT,      /* an input is missing that tells both apart, or the mutant is equivalent */
    SONDE_ADVICES
};

/* The kill of a mutant by one property. */
struct sonde_mutant_kill {
    enum sonde_kill_kind kind;
    uint32_t check; /* index into `checks` for KILL_CHECK; UINT32_MAX: none */
};

struct sonde_mutant_result {
    uint32_t number; /* for --mutant; from 1 */
    const struct sonde_mutant_ *mutant;
    enum sonde_mutant_fate fate;
    /* Per property, in the order of `properties`. Unless `has_matrix`, properties after the first kill were not run. */
    struct sonde_mutant_kill *kills;
    uint32_t killer; /* index of the first property that killed it, or whose kill was not confirmed; UINT32_MAX: none */
    int32_t tape;    /* index of the killing tape among those kept; -1: the short search found the input */
    char *token;     /* the input that kills it; of a survivor, the input with the most telling effect; may be NULL */
    uint32_t shown_by;   /* index of the property that `token` belongs to */
    char *message;       /* how it was noticed, in one line; may be NULL */
    uint64_t reached;    /* number of valid cases of the search without a mutant that reached its code */
    uint32_t runs;       /* number of cases that were run with it */
    uint32_t discarded;  /* of these, how many were not valid, though they were without it */
    bool in_series;      /* `token` kills it only after the inputs that ran before it in the same process */
    uint32_t searches;   /* number of long searches that it got after it had survived at first */
    uint32_t long_cases; /* cases of the present one, by each property; 0: there is none */

    /* Of a survivor, from the second pass: */
    enum sonde_mutant_effect effect;
    enum sonde_mutant_advice advice;
    /* number of inputs that were compared; of these, how many computed another value, went another way, and showed
     * another value to the property */
    uint32_t compared, differed, other_way, observed;
    uint32_t used;      /* of these, after how many a later comparison had other sides */
    uint32_t leaked;    /* bytes that repeated inputs do not free, and do free without the mutant */
    uint32_t far;       /* of these, how many showed an effect outside of the mutated function */
    const char *excuse; /* why a person has judged it equivalent; NULL: none has */
};

struct sonde_mutation_property {
    const char *name;
    char *refusal; /* why it was left out: it fails without a mutant; NULL: it was used */
    char *token;   /* the input that fails without a mutant; may be NULL */
    uint64_t cases, valid;
    uint32_t tapes;
    uint32_t kills; /* number of mutants that it killed; unless `has_matrix`, that it killed first */
    uint32_t alone; /* with `has_matrix`: of these, how many no other property killed */
};

/* A check that a valid or failing case evaluated. */
struct sonde_mutation_check {
    char *file, *text;
    int line;
    uint32_t kills; /* number of mutants for which it was the first check to fail, in any property */
    uint32_t alone; /* with `has_matrix`: of these, how many nothing else noticed */
};

struct sonde_mutation_file {
    const char *name;
    uint32_t mutants, fates[SONDE_FATES];
};

/* Why a run did not judge every mutant. */
enum sonde_mutation_end { SONDE_MUTATION_WHOLE, SONDE_MUTATION_TIME, SONDE_MUTATION_INTERRUPTED };

struct sonde_mutation {
    const char *program; /* argv[0]; may be NULL */
    uint64_t seed;
    struct sonde_mutation_property *properties;
    uint32_t n_properties;
    struct sonde_mutant_result *mutants; /* the chosen ones, by number */
    uint32_t n_mutants;
    uint32_t n_all; /* number of mutants in the program; larger than n_mutants with --since */
    struct sonde_mutation_check *checks;
    uint32_t n_checks;
    struct sonde_mutation_file *files;
    uint32_t n_files;
    uint32_t *ranked; /* indices of survivors in `mutants`, the likeliest gaps first; without those with an excuse */
    uint32_t n_ranked;
    /* indices into `ranked`: the survivors of the first screen, at most one per statement, spread over functions */
    uint32_t *first_screen;
    uint32_t n_first_screen;
    uint32_t fates[SONDE_FATES], kills[SONDE_KILLS];
    uint32_t effects[SONDE_EFFECTS]; /* of survivors without an excuse */
    uint32_t n_excused;
    uint32_t n_in_series; /* of the killed, those whose token kills only after other inputs */
    bool has_matrix;
    bool is_sanitized; /* a tool watches memory in this build: advice to use one would be void */
    bool sees_code;    /* the code under test has counters, so that "another way" can be seen */
    enum sonde_mutation_end end;
    double seconds;
    const char *since; /* the value of --since; NULL: all mutants */
};

/* Returns a word for reports and formats: "killed", "check", "way". The last returns what would show a survivor. */
const char *sonde_fate_word(enum sonde_mutant_fate fate);
const char *sonde_kill_word(enum sonde_kill_kind kind);
const char *sonde_effect_word(enum sonde_mutant_effect effect);
const char *sonde_advice_text(enum sonde_mutant_advice advice);

/* Returns the index of a check in the result, which is added if it is new. */
uint32_t sonde_mutation_check_at(struct sonde_mutation *mutation, const char *file, int line, const char *text);
/* Fills in what follows from the fates and kills of the mutants: files, counts, ranks, advice. Call it once. */
void sonde_mutation_sum_up(struct sonde_mutation *mutation);
/* Frees all that a result owns. */
void sonde_mutation_clear(struct sonde_mutation *mutation);

/* Returns the index of the i-th of n mutants to judge. Neighbours in this order are far apart in the program. */
uint32_t sonde_mutation_nth(uint32_t n, uint32_t i);

#endif
