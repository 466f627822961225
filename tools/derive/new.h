/* The command `sonde new`: writes a first test from prototypes. */
#ifndef SONDE_DERIVE_NEW_H
#define SONDE_DERIVE_NEW_H

#include "arguments.h"

/* Writes the properties of one kind for n functions into `test`. Returns false after a message. The other kinds below
 * do the same. */
bool new_crash(struct test *test, const char *const *names, uint32_t n);
bool new_oom(struct test *test, const char *const *names, uint32_t n);
bool new_roundtrip(struct test *test, const char *const *names, uint32_t n);
bool new_differential(struct test *test, const char *const *names, uint32_t n);
bool new_model(struct test *test, const char *const *names, uint32_t n);
bool new_machine(struct test *test, const char *const *names, uint32_t n);

/* Begins a property. `settings` are its settings, each after a comma, or "". */
void begin_property(struct test *test, const char *name, const char *settings);
/* Ends a property, after the statements that free its outputs. Returns whether there was no error. */
bool end_property(struct test *test);
/* Reports whether two functions have the same parameters and result. */
bool have_one_type(const struct prototype *a, const struct prototype *b);

/* How many functions a machine that fails is tried without. */
enum { MOST_LEFT_OUT = 6 };

/* The test that names suggest, and its state. */
struct proposal {
    const char *kind;
    const char **names;
    uint32_t n, cap;
    const char *reason;   /* why the names suggest it */
    const char *why_not;  /* why it is left out; NULL: it is not */
    struct test test;     /* once it is written */
    const char *text;     /* its properties, as C */
    const char *property; /* the name of the property */
    const char *found;    /* what the trial run came to; NULL: it passed, or was not run */
    const char *rare;     /* how few inputs were valid, of which none failed; NULL: enough were */
    const char *culprit;  /* of a machine that failed: the function that was called last; NULL: unknown */
    const char *before;   /* what it came to without test.start and test.stop; NULL: it was not tried so */
    const char *once;     /* what it came to without test.is_twice; NULL: it was not tried so */
    const char *wide;     /* what it came to without test.is_narrow; NULL: it was not tried so */
    struct left_out {
        const char *name, *why;
    } left[MOST_LEFT_OUT];       /* functions of a machine without which it passes, and what it came to with them */
    uint32_t n_left, n_suspects; /* n_suspects: n_left when it first passed */
    bool is_run, is_idle;        /* is_idle: no input was valid, so nothing was tested */
    uint32_t n_valid, n_failed;  /* cases of the last run that were valid and passed, and that failed */
    const char *failed_by;       /* of a failure: "check", "crash", "sanitizer", "leak", "hang" and others; else "" */
    bool is_held;                /* too many random inputs fail: held back */
};
/* Lists what the names in the header suggest, the likeliest first. Returns their number. */
uint32_t new_proposals(struct proposal **all);

/* The command line of `sonde new`. */
enum { MOST_NEW_WORDS = 1024 };
struct new_request {
    const char *kind, *header, *output, *start, *stop;
    bool proposes, does_not_run, zero_fails, is_twice, is_narrow, shows_held;
    const char *names[MOST_NEW_WORDS], *options[MOST_NEW_WORDS], *code[MOST_NEW_WORDS];
    uint32_t n_names, n_options, n_code;
};
/* Writes the properties of a proposal into memory; sets why_not if that is impossible and messages are held, see
 * complaints_hold. Returns whether it was written. */
bool write_proposal(const struct new_request *o, struct proposal *p);
/* Writes the proposals, unless they are left out, and compiles them. Returns false after a message. */
bool try_all(const struct new_request *o, struct proposal *all, uint32_t n);
/* Writes the part of a test program before the properties of n proposals. */
void write_frame(FILE *out, const struct new_request *o, const struct proposal *all, uint32_t n);
/* Returns the whole test program of a proposal. *where receives the lines with guesses, as words. */
const char *render(const struct new_request *o, const struct proposal *p, const char **where);
/* Returns the command that writes a proposal to a file, for a shell. */
const char *command_of(const struct new_request *o, const struct proposal *p);

/* Runs `sonde new`; argv[0] is "new". Returns the exit status. */
int new_main(int argc, char **argv);
/* Reads a header as C (main.c). Returns false after a message. */
bool read_header(const char *file, const char *const *options, uint32_t n);

#endif
