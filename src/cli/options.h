/* The options of a test program. One table (options.c) drives parsing, the names of environment variables, the
 * messages about wrong values, `--help` and the manual page. There is no second list: a default that the help
 * shows is read from the struct that sonde_cli_default fills.
 *
 * To add an option, add a field to struct sonde_cli, or to struct sonde_options if the engine reads it. Then add a
 * row to the table with its type, range and help. If a property can set it, too, a *_given flag tells the engine
 * that the option wins. The reader of each type checks a single value; main.c checks combinations of options
 * before anything is run. */
#ifndef SONDE_CLI_OPTIONS_H
#define SONDE_CLI_OPTIONS_H

#include "cli/profile.h"
#include "engine/search/options.h"

enum sonde_report_kind {
    SONDE_REPORT_TERMINAL,
    SONDE_REPORT_JSON,
    SONDE_REPORT_TAP,
    SONDE_REPORT_JUNIT,
    SONDE_REPORT_GITHUB,
    SONDE_REPORT_SARIF,
    SONDE_REPORT_HTML,
    SONDE_REPORT_TYCHE,
    SONDE_REPORT_OWN,  /* a kind that the program registered */
    SONDE_REPORT_AS_C, /* requested by --as-c, not by --report */
    SONDE_REPORT_PLOT  /* requested by --plot-data */
};

/* One report that was asked for. The file's name is a slice of the option's value; empty means standard output. */
struct sonde_report_request {
    enum sonde_report_kind kind;
    const char *file;
    size_t file_length;
    const struct sonde_reporter_ops *own; /* for SONDE_REPORT_OWN; else NULL */
};

enum {
    SONDE_REPORT_REQUESTS_MAX = 16, /* maximum number of reports in --report: twice the number of kinds */
    SONDE_FILTERS_MAX = 64,         /* maximum number of patterns of --filter: more than a person types */
    SONDE_CLI_MESSAGE = 2048        /* size of a message in bytes; a message may quote a path */
};

/* The values of all options. Strings are borrowed from the sources that sonde_cli_parse reads. */
struct sonde_cli {
    struct sonde_options engine;
    const char *filters[SONDE_FILTERS_MAX]; /* each is one pattern; see cli/choose.h */
    size_t n_filters;
    bool imports_given;  /* the source now being read has given a file to import; see reports_given */
    bool filters_given;  /* the source now being read has given a pattern; see reports_given */
    const char *profile; /* value of --profile; NULL: not given */
    const char *commit;  /* commit from which the seed was derived; NULL: the seed has another origin */
    const char *dictionary;
    const char *isolation; /* "worker", "case" or "none" */
    const char *color;     /* "auto", "always" or "never" */
    double total_seconds;  /* time limit for all properties together; 0: no limit */
    const char *baseline;  /* file name of an older page to compare with; may be NULL */
    const char *plot_data; /* name of the file that --plot-data writes; may be NULL */
    uint64_t port;         /* port of --serve; 0: any free port */
    bool serves;
    char *const *argv; /* the command line of the program */
    bool list, help, help_guides, help_knobs, list_knobs, version, gdb, no_aslr;
    bool verbose, quiet, stats, json, as_c, progress, ui, strict;
    bool mutate, matrix, continues;     /* --mutate and its options */
    const char *since;                  /* --since: test only what changed since this commit; may be NULL */
    const enum sonde_concern *concerns; /* for each property: what the change has to do with it; NULL: unknown */
    const char *goal;                   /* --goal: FILE:LINE or FUNCTION; may be NULL */
    const char *equivalent;             /* "N: REASON": mutant N needs no check; may be NULL */
    bool explain;                       /* set by --explain=search; --explain=lines sets engine.explains_lines */
    struct sonde_report_request reports[SONDE_REPORT_REQUESTS_MAX];
    size_t n_reports;
    /* The source now being read has given a report. The first report of a source replaces the reports of earlier
     * sources; further ones add up. */
    bool reports_given;
};

enum sonde_option_type {
    SONDE_OPTION_FLAG,    /* bool, set to true */
    SONDE_OPTION_NEGATED, /* bool, set to false */
    SONDE_OPTION_NEVER,   /* const char *, set to "never"; the last type without a value (takes_value) */
    SONDE_OPTION_EXPLAIN, /* optional value: one of the words in `metavar` */
    SONDE_OPTION_PORT,    /* optional value: uint64_t; `given` is set with and without it */
    SONDE_OPTION_COUNT,   /* uint64_t */
    SONDE_OPTION_SIZE,    /* uint64_t; the value may end with k, M or G */
    SONDE_OPTION_LEAST,   /* struct sonde_least: a number, or a percentage with % */
    SONDE_OPTION_SECONDS, /* double; the value may end with ms, s, m or h */
    SONDE_OPTION_MINUTES, /* like SECONDS, but a number without a unit means minutes */
    SONDE_OPTION_TEXT,    /* const char *, not empty */
    SONDE_OPTION_WORD,    /* const char *, one of the words in `metavar`: "a|b|c" */
    SONDE_OPTION_GUIDE,   /* const char *, the name of a guide */
    SONDE_OPTION_KNOBS,   /* const char *, values for the knobs of guides */
    SONDE_OPTION_SHARE,   /* const char *, the directory or server by which runs exchange inputs */
    SONDE_OPTION_FILTER,  /* appends a pattern to `filters` */
    SONDE_OPTION_IMPORT,  /* appends to the files to import; takes all words up to the next option */
    SONDE_OPTION_REPORT   /* appends to `reports` */
};

/* An option: one row of the table. */
struct sonde_option {
    const char *name; /* without the dashes */
    enum sonde_option_type type;
    const char *group; /* heading in --help; options of one group are adjacent rows */
    size_t offset;     /* offset of the value in struct sonde_cli */
    /* The members below are optional, except `help`. */
    char letter;         /* the short form: 'n' for -n */
    const char *metavar; /* name of the value in the help; for WORD and EXPLAIN the allowed words */
    size_t given;        /* offset of a bool that is set when the option is given; 0: none */
    uint64_t min, max;   /* range of COUNT and SIZE; max 0 means no limit */
    bool is_private;     /* only on the command line, not in the environment or in sonde.conf */
    const char *help;
};

/* The table ends with an option without a name. */
extern const struct sonde_option sonde_option_table[];

/* Fills *cli with the default of every option. */
void sonde_cli_default(struct sonde_cli *cli);
/* Reads the profile, then the environment, then the command line; a later source wins. The profile may be NULL, and
 * so may the environment, an array of "NAME=value" strings that ends with NULL. *cli borrows strings from all
 * three. Returns 0, or -EINVAL with a message that says what is wrong and what is allowed. */
int sonde_cli_parse(struct sonde_cli *cli, const struct sonde_profile *profile, int argc, char *const *argv,
                    char *const *environment, char message[SONDE_CLI_MESSAGE]);

enum { SONDE_OPTION_VARIABLE = 40 }; /* bytes for the longest name of an environment variable */
/* Writes to `out` the environment variable that sets an option, SONDE_MAX_CHOICES for --max-choices. Returns
 * `out`. */
const char *sonde_option_variable(const struct sonde_option *option, char out[SONDE_OPTION_VARIABLE]);
/* Returns whether the option's value may be omitted; the help shows such a value in brackets. */
bool sonde_option_may_lack_value(const struct sonde_option *option);

/* Returns `cli->isolation` as a value of the enumeration. */
enum sonde_isolation sonde_cli_isolation(const struct sonde_cli *cli);

/* Writes the option's default to `out` as a string; "" if there is none worth printing. */
void sonde_option_default(const struct sonde_option *option, char *out, size_t size);
/* Prints the output of --help. */
void sonde_cli_help(FILE *out, const char *program);
/* Prints the output of --guide help. */
void sonde_cli_help_guides(FILE *out);
/* Prints the output of --guide-options help. */
void sonde_cli_help_knobs(FILE *out);
/* Prints the OPTIONS, GUIDES, KNOBS, ENVIRONMENT and EXIT STATUS sections of a manual page, in roff. */
void sonde_cli_man(FILE *out);

#endif
