/* Runs another program and reads its output. No shell is involved, so arguments may have any character. */
#ifndef SONDE_TOOLS_PIPE_H
#define SONDE_TOOLS_PIPE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* A running child process. */
struct tool_pipe {
    FILE *out; /* its standard output */
    pid_t child;
};

/* Starts argv[0], found in PATH, with `input` as its standard input (-1: none). Its standard error is discarded.
 * Returns false if it could not be started; where the C library reports that late, the output is empty and the status
 * is not 0. */
bool tool_pipe_open(struct tool_pipe *p, char *const *argv, int input);
/* Starts argv[0] without an input, with its standard error shown to the user. Returns false like tool_pipe_open. */
bool tool_pipe_open_loudly(struct tool_pipe *p, char *const *argv);
/* Closes the output and waits for the program to end. Returns whether its status was 0. */
bool tool_pipe_close(struct tool_pipe *p);

#endif
