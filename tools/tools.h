/* The subcommands of the `sonde` command. Each gets its own arguments, argv[0] being its name, and returns an exit
 * status. */
#ifndef SONDE_TOOLS_TOOLS_H
#define SONDE_TOOLS_TOOLS_H

#include "tape/label.h"
#include "tape/tape.h"

/* cc.c: a compiler driver for one step of a build; does not return if the compiler could be started */
int sonde_tool_cc(int argc, char **argv);
extern const char sonde_cc_usage[]; /* the text of sonde cc --sonde-help */

/* tapes.c: read, compare and convert tapes */
int sonde_tool_show(int argc, char **argv);
int sonde_tool_diff(int argc, char **argv);
int sonde_tool_convert(int argc, char **argv);

/* corpus.c: folders of tapes, judged by what they reach in a test program */
int sonde_tool_min(int argc, char **argv);
int sonde_tool_merge(int argc, char **argv);
int sonde_tool_cov(int argc, char **argv);

/* html.c: the source, in colours, for a page of --report html */
int sonde_tool_html(int argc, char **argv);

/* filter.c: folders of tapes, judged by the tapes alone */
int sonde_tool_filter(int argc, char **argv);

/* serve.c: the page of a run that goes on; started by --serve. Needs libmicrohttpd, or says so */
int sonde_tool_serve(int argc, char **argv);

/* companion.c: what sonde-derive does, a program of its own that needs libclang */
int sonde_tool_derive(int argc, char **argv);
/* The same of sonde-share, which knows servers. */
int sonde_tool_share(int argc, char **argv);
/* Where sonde-derive is. Ends the process, with a sentence in the name of the command, if it was not built. */
const char *sonde_companion(const char *command);

/* doctor.c: what is missing on this machine, and the line to type */
int sonde_tool_doctor(int argc, char **argv);

/* completion.c: completion for shells. The table of subcommands, which sonde.c has, ends with one without a name. */
struct sonde_subcommand {
    const char *name;
    const char *arguments; /* "" for none */
    const char *help;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand */
    int min, max;                      /* how many arguments it takes */
};
int sonde_tool_completion(const struct sonde_subcommand *commands, const char *shell);

/* ---- Shared by them. */

struct sonde_loaded {
    struct sonde_labels *labels;
    struct sonde_tape tape;
    bool was_bytes;
    const char *file; /* that it is read from, while it is; NULL: it was given as a token */
    uint32_t wanted;  /* which of several tapes, from 0; UINT32_MAX: the last */
    uint32_t n_tapes; /* how many there are */
};
/* A token, or @FILE in any form, also without the @. Of several tapes in a row the last, which is the one that fails. False
 * after saying what is wrong, in the name of the command. */
bool sonde_load(const char *command, struct sonde_loaded *to, const char *argument);
/* The same for another one of several. */
bool sonde_load_one(const char *command, struct sonde_loaded *to, const char *argument, uint32_t wanted);
void sonde_unload(struct sonde_loaded *what);
/* The same into what has been loaded before, whose labels stay known: for many files. On false it can be used again. */
bool sonde_load_again(const char *command, struct sonde_loaded *to, const char *path);

/* folder.c */
struct sonde_folder_visit {
    const char *command;
    bool (*file)(void *user, const char *path); /* false ends the visit */
    void *user;
    bool may_be_missing;
};
/* A folder's files, in the order of their names; folders in it too; or the file, if it is one. False if it was ended, or
 * after saying what is wrong. */
bool sonde_visit_folder(const struct sonde_folder_visit *visit, const char *path);
bool sonde_make_folder(const char *command, const char *folder);
/* Under a name made from the tape itself. What is there already stays: a file of that name that is another tape, or none
 * that can be read, is never written over. False after saying what is wrong. */
bool sonde_write_tape(const char *command, const char *folder, const char *token);

#endif
