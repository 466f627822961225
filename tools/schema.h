/* Writes mutants as C code: how each site chooses among its mutants, and the table of all (sonde/mutants.h).
 *
 * At site 5, an expression without side effects becomes (names shortened)
 *
 *     (reached[5] = 1, now.site == 5 ?
 *         ({ __auto_type m = now.mutant == 17 ? a <= b : now.mutant == 18 ? a >= b : a < b;
 *            if (now.watch) { __auto_type p = a < b; same(m == p); } m; })
 *         : a < b)
 *
 * The last `a < b` is the source itself, in which more sites may be nested. The other copies are written on one line,
 * so that lines stay as they are. A statement that can be dropped is written twice, below an `if`.
 *
 * Only the compiler knows whether a mutant compiles. For its check, line markers give each part a location: mutant 17
 * is at line 17 of "sonde-mutant". The comparison of site 5 is at line 5 of "sonde-watch", its other parts are at line
 * 5 of "sonde-site". An error message then names the part that is rejected. */
#ifndef SONDE_TOOLS_SCHEMA_H
#define SONDE_TOOLS_SCHEMA_H

#include "origin.h"
#include "text.h"

/* How an edit changes the range [x, y). */
enum edit_form {
    EDIT_BINARY, /* L at R becomes (L) op (R) */
    EDIT_TOKEN,  /* the token `at` becomes op */
    EDIT_VALUE,  /* the literal `at` becomes (literal op) */
    EDIT_NOT,    /* the range becomes !(range) */
    EDIT_DROP    /* the range is dropped */
};

/* A mutant, as a change of tokens. */
struct edit {
    enum edit_form form;
    uint32_t x, at, y;
    const char *op;
    unsigned char kind, hints; /* as in sonde/mutants.h */
};

/* How a mutant is compared with the original while `watch` is set. */
enum watch {
    WATCH_NONE,     /* not at all: the code has side effects */
    WATCH_BOTH,     /* both are evaluated */
    WATCH_PARTS,    /* the operands with side effects are evaluated once; the operator is applied twice */
    WATCH_ASSIGNED, /* an assignment: the values to be assigned are compared before it */
    WATCH_DIFFERS   /* they differ by their nature, as 5 and 5 + 1 do */
};

/* A site: the range [a, b), and what may become of it. */
struct site {
    uint32_t a, at, b;   /* at: the operator of WATCH_PARTS and WATCH_ASSIGNED */
    uint32_t end;        /* WATCH_ASSIGNED: end of the right side */
    bool has_effects[2]; /* WATCH_PARTS: of the left and the right operand */
    bool is_truth;       /* only whether the value is 0 matters */
    enum watch watch;
    const struct edit *edits;
    uint32_t n;
};

/* Parts that the compiler rejected, by the numbers in markers, from 1. All begin as {0}. */
struct rejected {
    bool *mutants, *watches, *sites, *lines;
    uint32_t cap_mutants, cap_watches, cap_sites, cap_lines;
    char **reasons; /* for each mutant the compiler's message; NULL: none is known */
    uint32_t cap_reasons;
};

/* Output in progress. */
struct schema {
    const struct sonde_tokens *tokens;
    struct origin *origin;
    const struct rejected *rejected;
    bool is_marked; /* markers are written for the compiler's check */
    struct text out, table;
    struct text *dropped;          /* receives a line for each mutant that is rejected; NULL: not wanted */
    const char *done;              /* the source is copied up to here */
    uint32_t n_mutants, n_sites;   /* numbers in markers: everything counts */
    uint32_t n_live, n_live_sites; /* numbers in the object: what is not rejected */
    uint32_t statement;            /* number of the present statement */
    const char *function;          /* its name, n_function bytes */
    uint32_t n_function;
};

/* Copies the source up to token i, or to the end of the token before it. */
void schema_copy_to(struct schema *s, uint32_t i);
void schema_copy_before(struct schema *s, uint32_t i);
/* Opens a site before its range is copied, and writes its mutants. Returns false, with nothing written, if all are
 * rejected. */
bool schema_open(struct schema *s, const struct site *site);
/* Closes it, after its range was copied. */
void schema_close(struct schema *s, const struct site *site);
/* Opens the site of a statement that can be dropped: its edit is EDIT_DROP, [a, b) includes the semicolon. With
 * WATCH_ASSIGNED it is an assignment. Returns false like schema_open. */
bool schema_open_statement(struct schema *s, const struct site *site);
void schema_close_statement(struct schema *s, const struct site *site);
/* Appends the declarations that the sites need. */
void schema_put_head(const struct schema *s, struct text *to);
/* Appends the table and the constructor that registers it. */
void schema_put_table(const struct schema *s, struct text *to, const char *source, uint64_t hash);

#endif
