/* The functions and lines of this program that changed since a commit. git lists the lines; the line tables of all
 * modules with counters say which code was made from them. */
#ifndef SONDE_CLI_TOUCHED_H
#define SONDE_CLI_TOUCHED_H

#include "cli/counters.h"

#include "base/diff.h"
#include "engine/search/options.h"

enum { SONDE_TOUCHED_MODULES = 16 };

/* A module with counters. */
struct sonde_touched_module {
    struct sonde_line_table table;
    struct sonde_code *code; /* NULL: its functions are not known */
    uint32_t *changed;       /* for each file of the table: the changed file; UINT32_MAX: none */
};

/* A function, and its lines in one of the changed files. */
struct sonde_extent {
    struct sonde_code_range function;
    const struct sonde_touched_module *module;
    uint32_t file, first, last;
};

/* The relation of a changed file to this program. */
enum sonde_touched_kind {
    SONDE_TOUCHED_OTHER,    /* has no code in it */
    SONDE_TOUCHED_KNOWN,    /* the line tables name it */
    SONDE_TOUCHED_HEADER,   /* may have macros or types of it, which no table shows */
    SONDE_TOUCHED_NO_LINES, /* compiled without debug information */
    SONDE_TOUCHED_PLAIN,    /* in a library that is not instrumented, or may be */
    SONDE_TOUCHED_BUILD     /* says how programs are built */
};

struct sonde_touched {
    struct sonde_changed_code *result;
    struct sonde_diff diff;
    struct sonde_counters counters;
    struct sonde_touched_module modules[SONDE_TOUCHED_MODULES];
    uint32_t n_modules;
    struct sonde_extent *extents;
    uint32_t n_extents, cap_extents;
    struct sonde_extent *functions; /* that changed, and those that lead there */
    uint8_t *nearness;              /* of these: enum sonde_nearness; LINE if a changed line has code in it */
    uint32_t n_functions, cap_functions, cap_nearness;
    char everywhere[500];         /* a clause: why any function may have changed; "" if only some have */
    char newer[200];              /* a source that is newer than the program */
    enum sonde_touched_kind kind; /* of the file that is examined */
    uint32_t n_other;             /* changed files without code in this program */
    char other[200];              /* the names of the first ones */
    bool is_cut;                  /* there are more */
    char source[200];             /* the first of them that other files may be generated from */
    bool lacks_lines;             /* some instrumented code was compiled without debug information */
    const char **names;           /* all of them, and files that were moved, by both names; kept alive by `diff` */
    uint32_t n_names, cap_names;
};

/* Finds the changed lines and functions. `diff`, `counters` and `result` are set. Returns NULL, or a static string with
 * the reason why the lines of the program are not known. */
const char *sonde_touched_find(struct sonde_touched *touched);
/* Adds a function, or raises its nearness. */
void sonde_touched_mark(struct sonde_touched *touched, const struct sonde_touched_module *module,
                        struct sonde_code_range function, enum sonde_nearness nearness);
/* Frees all members but `result`. */
void sonde_touched_clear(struct sonde_touched *touched);

#endif
