/* The subcommands of the `sonde` command, and functions that several of them use. Each subcommand gets its arguments,
 * with its name as argv[0], and returns an exit status. */
#ifndef SONDE_TOOLS_TOOLS_H
#define SONDE_TOOLS_TOOLS_H

#include "tape/label.h"
#include "tape/tape.h"

/* Runs the compiler driver (cc.c). Does not return if the compiler could be started. */
int sonde_tool_cc(int argc, char **argv);
extern const char sonde_cc_usage[]; /* output of sonde cc --sonde-help */

/* Prints, compares and converts tapes (tapes.c). */
int sonde_tool_show(int argc, char **argv);
int sonde_tool_diff(int argc, char **argv);
int sonde_tool_convert(int argc, char **argv);

/* Minimises, merges and measures directories of tapes, by what the tapes reach in a test program (corpus.c). */
int sonde_tool_min(int argc, char **argv);
int sonde_tool_merge(int argc, char **argv);
int sonde_tool_cov(int argc, char **argv);

/* Adds the coloured source to an HTML report (html.c). */
int sonde_tool_html(int argc, char **argv);

/* Selects tapes of a directory without running them (filter.c). */
int sonde_tool_filter(int argc, char **argv);
int sonde_tool_grammar(int argc, char **argv);

/* Serves the live report of a run; started by --serve (serve.c). Without libmicrohttpd it only prints an error. */
int sonde_tool_serve(int argc, char **argv);

/* Runs sonde-derive, a separate program that needs libclang (companion.c). Returns only if it cannot be run. */
int sonde_tool_derive(int argc, char **argv);
/* Runs sonde-share, a separate program that supports servers. Returns only if it cannot be run. */
int sonde_tool_share(int argc, char **argv);
/* Returns the path of sonde-derive, a static string. If it was not built, prints an error that names the command and
 * exits. */
const char *sonde_companion(const char *command);

/* Reports the features that do not work on this machine, and how to install them (doctor.c). */
int sonde_tool_doctor(int argc, char **argv);
int sonde_tool_mutate(int argc, char **argv);
/* Finds the commit that introduced a stored failure (bisect.c). */
int sonde_tool_bisect(int argc, char **argv);

/* A row of the table of subcommands in sonde.c, which ends with a row without a name. */
struct sonde_subcommand {
    const char *name;
    const char *arguments; /* "" for none */
    const char *help;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand */
    int min, max;                      /* number of arguments, without argv[0] */
};
/* Prints a completion script for a shell (completion.c). */
int sonde_tool_completion(const struct sonde_subcommand *commands, const char *shell);

/* ---- Shared functions. `command` is the name that messages begin with. */

/* A tape read from an argument, with its labels. */
struct sonde_loaded {
    struct sonde_labels *labels;
    struct sonde_tape tape;
    bool was_bytes;
    const char *file; /* the file being read; NULL: the tape was given as a token */
    uint32_t wanted;  /* index of the tape to read, from 0; UINT32_MAX: the last one */
    uint32_t n_tapes; /* number of tapes in the argument */
};
/* Reads a tape from a token or from @FILE in any format, also without the @. If there are several tapes, takes the
 * last, which is the one that fails. Returns true, and the caller calls sonde_unload; or false after a message. */
bool sonde_load(const char *command, struct sonde_loaded *to, const char *argument);
/* Reads like sonde_load, but takes number `wanted` of several tapes. */
bool sonde_load_one(const char *command, struct sonde_loaded *to, const char *argument, uint32_t wanted);
/* Frees a tape and its labels. */
void sonde_unload(struct sonde_loaded *what);
/* Reads a file into *to, which has labels and a tape already; for many files, since labels are shared. Returns false
 * after a message; *to can be used again in either case. */
bool sonde_load_again(const char *command, struct sonde_loaded *to, const char *path);

/* The visitor of a directory and its subdirectories. */
struct sonde_folder_visit {
    const char *command;
    bool (*file)(void *user, const char *path); /* returns false to end the visit */
    void *user;
    bool may_be_missing; /* a directory that does not exist is taken as empty */
};
/* Calls visit->file for each file below a directory, in the order of their names; or once, if `path` is a file. Returns
 * false if a call did, or after a message if the directory cannot be read. */
bool sonde_visit_folder(const struct sonde_folder_visit *visit, const char *path);
/* Creates a directory if it does not exist. Returns false after a message. */
bool sonde_make_folder(const char *command, const char *folder);
/* Writes a tape to a directory, under a name that is a hash of the token. Never overwrites: if the file exists with the
 * same content nothing happens, and with other content that is an error. Returns false after a message. */
bool sonde_write_tape(const char *command, const char *folder, const char *token);

#endif
