/* What the engine is asked to do: the options of one run of one property, as cli fills them in from the command line and
 * sonde_run from its configuration; and those who are told of it. */
#ifndef SONDE_ENGINE_OPTIONS_H
#define SONDE_ENGINE_OPTIONS_H

#include <sonde/extend.h>

/* A least number, or a least share in percent. */
struct sonde_least {
    uint64_t n; /* 0: none is asked for */
    bool is_percent;
};

enum { SONDE_IMPORTS_MAX = 256 };

/* What the options table fills in. Zero does not mean default here: call sonde_options_default first. */
struct sonde_options {
    uint64_t seed;
    bool seed_given; /* else a fresh one */
    bool tests_given, seconds_given, guide_given;
    uint64_t tests; /* stop after so many valid cases */
    uint64_t runs;  /* or after so many cases of any kind; 0: no bound */
    double seconds; /* or after so long; 0: no bound */
    const char *guide;
    const char *guide_options; /* may be NULL */
    uint64_t seed_tests;       /* how long guides that begin with seeds make them; 0: as they see fit */
    double seed_seconds;
    const char *characteristic;    /* which inputs count as one: "tape", "trace" or "branches" */
    uint64_t max_choices;          /* per case */
    uint64_t memory;               /* bytes that a guide may remember with */
    struct sonde_least min_unique; /* valid inputs that must be different */
    bool min_unique_given;
    uint64_t max_discards; /* give up after so many discarded cases per wanted valid one */
    bool shrink;
    double shrink_seconds;
    uint64_t shrink_calls; /* 0: no bound */
    bool explains_lines;   /* look for the lines that a failure is about */
    bool fail_fast;        /* stop the search at the first failure */
    bool gives_way;        /* a guide that only repeats itself is relieved by another; else it is measured as it is */
    bool keep_going;       /* spend the whole budget, whatever is found */
    bool spawn;            /* workers are executed anew instead of only forked */
    bool guard;            /* drawn memory ends before a page that is not there */
    enum sonde_isolation isolation; /* not DEFAULT */
    bool isolation_given;
    bool embedded;             /* the program has a custom main: it cannot be given a token */
    size_t property;           /* which of those given to sonde_main; for `spawn` */
    const sonde_property *all; /* those given to sonde_main; NULL: only the one that is run is known */
    size_t n_all;
    uint64_t jobs;
    double timeout_cpu, timeout_wall; /* of one case; 0: no limit */
    bool timeout_cpu_given, timeout_wall_given;
    uint64_t memory_limit; /* of a worker; 0: no limit */
    const char *replay;    /* token, or @file; may be NULL */
    bool is_strict;        /* the token must name all that is drawn, and nothing else */
    const char *store;     /* directory; NULL: .sonde, from the version-control root */
    double flat_seconds;   /* as fuzz, but end when nothing new came for so long; 0: do not */
    bool no_store;
    bool fresh;              /* start without what earlier runs left */
    bool fuzz;               /* until stopped: no other bounds than given ones, failures are shrunk as they come */
    bool watched;            /* somebody wants to know the outlook */
    bool served;             /* the live page shows it */
    bool insight;            /* and what was tried, reached and kept (struct sonde_insight) */
    bool show_output;        /* what cases of the search print goes to standard error */
    bool refresh;            /* name in regressions what they leave open */
    const char *regressions; /* directory of tapes to run first; may be NULL */
    const char *inputs;      /* file or directory of inputs to begin with; may be NULL */
    const char *imports[SONDE_IMPORTS_MAX]; /* files and directories of texts that the property is to write */
    size_t n_imports;
    const char *import_as;    /* how these are compared: "exact", "spaces", or a command that they are given to first */
    const char *inputs_out;   /* directory that the inputs made are written to; may be NULL */
    const char *share;        /* where tapes are exchanged with other workers; may be NULL */
    bool worker_report;       /* a line a minute about what this worker does */
    const char *program;      /* argv[0]; may be NULL */
    const char *source;       /* of the program, as the compiler knew it; may be NULL */
    const char *const *words; /* from --dict; ends with NULL; may be NULL */
};

/* The defaults of an embedded run: without isolation, with one job. The command line sets isolation
 * itself. */
void sonde_options_default(struct sonde_options *options);
/* Fills `options` with what was given, what the property says of itself, and a seed if there is none. */
void sonde_options_merge(struct sonde_options *options, const sonde_property *property,
                         const struct sonde_options *given);

/* Tells reporters of an event: in their order. One that has failed is not told any more; the run goes on. */
void sonde_tell(struct sonde_reporter *const *reporters, size_t n_reporters, const struct sonde_event *event);

#endif
