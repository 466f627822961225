/* The options of one run of one property. cli fills them in from the command line, and sonde_run from its
 * configuration. sonde_tell, which passes the events of a run to its reporters, is declared here as well. */
#ifndef SONDE_ENGINE_OPTIONS_H
#define SONDE_ENGINE_OPTIONS_H

#include "observe/coverage.h"

#include <sonde/extend.h>

/* The counters of the code of --goal. Lives as long as the process, and is the same in all searches. */
struct sonde_destination {
    const char *name;                      /* as given: FILE:LINE or FUNCTION */
    struct sonde_code_range *blocks;       /* addresses by which the counters are known */
    struct sonde_code_range functions[16]; /* functions that the blocks are in, as far as they fit */
    uint32_t n, cap, n_functions;
};

/* How near a counter is to changed code. */
enum sonde_nearness {
    SONDE_NEAR_NOT,
    SONDE_NEAR_LEADS,    /* in a function from which calls lead to a changed one */
    SONDE_NEAR_CALLER,   /* in a function that calls a changed one */
    SONDE_NEAR_FUNCTION, /* in a changed function */
    SONDE_NEAR_LINE      /* in a block of code with a changed line */
};

/* A counter of code that leads to changed code, or has changed itself. */
struct sonde_changed_counter {
    struct sonde_code_range at; /* addresses by which it is known */
    enum sonde_nearness nearness;
};

/* A changed line, and its code: `parts` [first_part, first_part + n_parts) of struct sonde_changed_code. */
struct sonde_changed_line {
    uint32_t file, line, first_part, n_parts;
};

/* A piece of code that was made from a line, and the counters of its function, [first, end). */
struct sonde_changed_part {
    struct sonde_code_range code, function;
    uint32_t first, end;
};

/* The code that changed since a commit (--since). Lives as long as the process, and is the same in all searches; only
 * `by` changes. */
struct sonde_changed_code {
    const char *since;
    struct sonde_changed_counter *counters; /* sorted by address */
    uint8_t *by; /* for each counter: bits of enum sonde_reached_by, by all properties so far */
    uint32_t n_counters, cap_counters;
    struct sonde_code_range *near; /* changed functions and their callers */
    uint32_t n_near, cap_near;
    char **files;
    uint32_t n_files, cap_files;
    struct sonde_changed_line *lines; /* sorted */
    uint32_t n_lines, cap_lines;
    struct sonde_changed_part *parts;
    uint32_t n_parts, cap_parts;
};

/* The relation of a change to a property. */
enum sonde_concern {
    SONDE_CONCERN_FULL,  /* the property is searched as usual */
    SONDE_CONCERN_PROBE, /* nothing shows that it can reach the change: a short search may */
    SONDE_CONCERN_NONE   /* no code has changed: only stored inputs are run */
};

/* A minimum number, or a minimum share in percent. */
struct sonde_least {
    uint64_t n; /* 0: no minimum */
    bool is_percent;
};

enum { SONDE_IMPORTS_MAX = 256 }; /* maximum number of --import options; each may name a directory */

/* All options. Zero does not mean default here: call sonde_options_default first. */
struct sonde_options {
    uint64_t seed;
    bool seed_given; /* the user gave a seed; otherwise a new one is chosen */
    bool tests_given, seconds_given, max_discards_given, guide_given;
    uint64_t tests; /* stop after this number of valid cases */
    uint64_t runs;  /* stop after this number of cases of any kind; 0: no bound */
    double seconds; /* stop after this many seconds; 0: no bound */
    const char *guide;
    const char *guide_options; /* may be NULL */
    /* number of cases in which a guide that begins with random seed inputs makes these inputs; 0: the guide decides */
    uint64_t seed_tests;
    double seed_seconds;
    const char *characteristic;    /* what makes two inputs the same: "tape", "trace" or "branches" */
    uint64_t max_choices;          /* maximum number of choices of one case */
    uint64_t memory;               /* number of bytes of memory that a guide may use */
    struct sonde_least min_unique; /* fewer different valid inputs than this are a failure */
    bool min_unique_given;
    uint64_t max_discards; /* give up after this number of cases that are not valid for each valid one wanted */
    bool shrink;
    double shrink_seconds;
    uint64_t shrink_calls; /* 0: no bound */
    bool explains_lines;   /* find the lines that cause a failure */
    bool finds_state;      /* find the state that a failure depends on: variables, heap, errno, and so on */
    bool finds_blockers;   /* find out why valid cases never take some branches */
    const struct sonde_destination *destination; /* code that inputs are to reach; NULL: none is named */
    struct sonde_changed_code *change;           /* code that changed since a commit; NULL: unknown, or none */
    enum sonde_concern concern;                  /* relation of the change to this property */
    bool is_for_change;                          /* --since: stored inputs are used, whatever the seed is */
    const char *known_in;                        /* program in which failures are replayed; NULL: none */
    bool only_new;                               /* failures that are known there do not fail the run */
    bool fail_fast;                              /* stop the search at the first failure */
    bool gives_way;  /* a guide that only repeats itself is replaced by another; if false, it is measured as it is */
    bool keep_going; /* use the whole budget, whatever is found */
    bool spawn;      /* workers execute the program again (execve) instead of only being forked */
    bool guard;      /* memory that is drawn ends right before an unmapped page */
    enum sonde_isolation isolation; /* not DEFAULT */
    bool isolation_given;
    bool embedded;             /* the program has a custom main, so no token can be passed on its command line */
    size_t property;           /* index among the properties given to sonde_main; used if `spawn` is set */
    const sonde_property *all; /* the properties given to sonde_main; NULL: only the one that is run is known */
    size_t n_all;
    uint64_t jobs;
    double timeout_cpu, timeout_wall; /* time limits of one case, in seconds; 0: no limit */
    bool timeout_cpu_given, timeout_wall_given;
    uint64_t memory_limit; /* memory limit of a worker, in bytes; 0: no limit */
    const char *replay;    /* the token to replay, or @ and a file; may be NULL */
    bool is_strict;        /* the token must name every value that is drawn, and no other */
    const char *store;     /* directory of the store; NULL: the default directory (store/home.h) */
    double flat_seconds;   /* like `fuzz`, but the search ends when nothing new was found for this time; 0: off */
    bool no_store;
    bool fresh; /* ignore tapes and learned data of earlier runs */
    /* search until stopped: only limits that the user set apply, and failures are shrunk as they are found */
    bool fuzz;
    bool watched;                           /* a display shows the outlook (struct sonde_outlook) */
    bool served;                            /* the live page shows the run */
    bool insight;                           /* also record what was tried, reached and kept (struct sonde_insight) */
    bool show_output;                       /* cases of the search print to standard error */
    bool refresh;                           /* add to regression files the values that they leave open */
    const char *regressions;                /* directory of tapes to run first; may be NULL */
    const char *inputs;                     /* file or directory of inputs to begin with; may be NULL */
    const char *imports[SONDE_IMPORTS_MAX]; /* files, and directories of files, that the property is to write */
    size_t n_imports;
    /* how file contents are compared: "exact", "spaces", or a command that filters the file first */
    const char *import_as;
    const char *inputs_out;   /* directory to write the found inputs to; may be NULL */
    const char *share;        /* location through which tapes are exchanged with other workers; may be NULL */
    bool worker_report;       /* print a line a minute about what this worker does */
    uint64_t mutant;          /* number of the mutant that is switched on; 0: none */
    const char *against;      /* file path of a program to compare with; NULL: none */
    const char *accepted;     /* with `against`: file with the differences that are intended; may be NULL */
    const char *program;      /* argv[0]; may be NULL */
    const char *source;       /* source file of the program, as the compiler knew it; may be NULL */
    const char *const *words; /* the words of --dict, followed by NULL; may be NULL */
};

/* Fills in the defaults of an embedded run: without isolation, with one job. The command line sets isolation itself. */
void sonde_options_default(struct sonde_options *options);
/* Fills `options` with the given options, then those that the property sets for itself, and a new seed if none was
 * given. */
void sonde_options_merge(struct sonde_options *options, const sonde_property *property,
                         const struct sonde_options *given);

/* Passes an event to the reporters, in their order. A reporter that has failed gets no more events; the run
 * continues. */
void sonde_tell(struct sonde_reporter *const *reporters, size_t n_reporters, const struct sonde_event *event);

#endif
