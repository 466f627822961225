/* The options of a test program: one table (options.c) that makes parsing, the environment names, the messages about
 * wrong values, `--help` and the manual page. There is no second list: a default shown in the help is read from the
 * struct that sonde_cli_default fills.
 *
 * A new option: a field in struct sonde_cli, or in struct sonde_options if the engine reads it, and a row in
 * the table with its type, range and help. A property's own setting yields to it by a *_given flag. What is
 * wrong with a single value is said by the reader of its type; what is wrong with several options together is
 * said in main.c, before anything is run. */
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
    SONDE_REPORT_OWN,  /* registered by the program */
    SONDE_REPORT_AS_C, /* of --as-c, not of --report */
    SONDE_REPORT_PLOT  /* of --plot-data */
};

/* One wish of --report. The file's name is a slice of the option's text; empty means standard output. */
struct sonde_report_wish {
    enum sonde_report_kind kind;
    const char *file;
    size_t file_length;
    const struct sonde_reporter_ops *own; /* of SONDE_REPORT_OWN */
};

enum { SONDE_REPORT_WISHES_MAX = 16, SONDE_FILTERS_MAX = 64, SONDE_CLI_MESSAGE = 2048 };

/* What the command line and the environment say. Texts are borrowed from them. */
struct sonde_cli {
    struct sonde_options engine;
    const char *filters[SONDE_FILTERS_MAX]; /* each one pattern; see cli/choose.h */
    size_t n_filters;
    bool imports_given;  /* the same */
    bool filters_given;  /* by the source now being read, as with the reports */
    const char *profile; /* as it was given; NULL: it was not */
    const char *commit;  /* that the seed was made of; NULL: of none */
    const char *dictionary;
    const char *isolation; /* worker, case, none */
    const char *color;     /* auto, always, never */
    double total_seconds;  /* for all properties; 0: no limit */
    const char *baseline;  /* page to compare with; may be NULL */
    const char *plot_data; /* file of the table of a search; may be NULL */
    uint64_t port;         /* of --serve; 0: any */
    bool serves;
    bool list, help, help_guides, help_knobs, list_knobs, version, gdb, no_aslr;
    bool verbose, quiet, stats, json, as_c, progress, ui, strict;
    bool explain; /* what the search learned; which lines a failure is about: engine.explains_lines */
    struct sonde_report_wish reports[SONDE_REPORT_WISHES_MAX];
    size_t n_reports;
    bool reports_given; /* by the source now being read; a later source replaces what an earlier one gave */
};

enum sonde_option_type {
    SONDE_OPTION_FLAG,    /* bool, set to true */
    SONDE_OPTION_NEGATED, /* bool, set to false */
    SONDE_OPTION_NEVER,   /* text, set to "never" */
    SONDE_OPTION_EXPLAIN, /* nothing or a word: what is to be explained; the first of those whose value may be left out */
    SONDE_OPTION_PORT,    /* nothing or uint64_t; `given` says which */
    SONDE_OPTION_COUNT,   /* uint64_t */
    SONDE_OPTION_SIZE,    /* uint64_t, with k, M or G */
    SONDE_OPTION_LEAST,   /* struct sonde_least: a number, or one with % */
    SONDE_OPTION_SECONDS, /* double, with ms, s, m or h */
    SONDE_OPTION_MINUTES, /* the same, but a bare number means minutes */
    SONDE_OPTION_TEXT,    /* const char *, not empty */
    SONDE_OPTION_WORD,    /* const char *, one of the metavar's words "a|b|c" */
    SONDE_OPTION_GUIDE,   /* const char *, the name of a guide */
    SONDE_OPTION_KNOBS,   /* const char *, knobs of guides */
    SONDE_OPTION_SHARE,   /* const char *, a place that workers share */
    SONDE_OPTION_FILTER,  /* appends to the filters */
    SONDE_OPTION_IMPORT,  /* appends to the files to import; all words up to the next option are its values */
    SONDE_OPTION_REPORT   /* appends to the reports */
};

struct sonde_option {
    const char *name; /* without the dashes */
    enum sonde_option_type type;
    const char *group; /* heading in --help; options of a group stand together */
    size_t offset;     /* in struct sonde_cli */
    /* Optional, but for the help. */
    char letter;         /* the short form */
    const char *metavar; /* of the value */
    size_t given;        /* offset of the bool that says it was given */
    uint64_t min, max;   /* of COUNT and SIZE; max 0 is no limit */
    bool is_private;     /* only on the command line, not in the environment or in sonde.conf */
    const char *help;
};

/* Ends with an option without a name. */
extern const struct sonde_option sonde_option_table[];

/* What holds when nothing is given. --help reads the defaults from it. */
void sonde_cli_default(struct sonde_cli *cli);
/* Reads the profile (may be NULL), the environment ("NAME=value" texts, ending with NULL; may be NULL), then the command line;
 * who comes later wins. Texts are borrowed from all three. 0, or -EINVAL with a sentence in `message` on what is wrong and
 * what would be right. */
int sonde_cli_parse(struct sonde_cli *cli, const struct sonde_profile *profile, int argc, char *const *argv,
                    char *const *environment, char message[SONDE_CLI_MESSAGE]);

/* Returns `out`: the variable of the environment that sets it, --max-choices as SONDE_MAX_CHOICES. */
enum { SONDE_OPTION_VARIABLE = 40 };
const char *sonde_option_variable(const struct sonde_option *option, char out[SONDE_OPTION_VARIABLE]);
/* Whether the option may stand alone as well as with a value, which the help shows in brackets. */
bool sonde_option_may_lack_value(const struct sonde_option *option);

/* What `isolation` says. */
enum sonde_isolation sonde_cli_isolation(const struct sonde_cli *cli);

/* The option's default as text, "" if there is nothing to say. */
void sonde_option_default(const struct sonde_option *option, char *out, size_t size);
/* The text of --help. */
void sonde_cli_help(FILE *out, const char *program);
/* The texts of --guide help and of --guide-options help. */
void sonde_cli_help_guides(FILE *out);
void sonde_cli_help_knobs(FILE *out);
/* The OPTIONS, ENVIRONMENT, GUIDES and EXIT STATUS sections of a manual page, in roff. */
void sonde_cli_man(FILE *out);

#endif
