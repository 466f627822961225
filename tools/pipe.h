/* Reads what another program prints. No shell is involved, so words may hold any character. */
#ifndef SONDE_TOOLS_PIPE_H
#define SONDE_TOOLS_PIPE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct tool_pipe {
    FILE *out; /* what it prints on standard output; what it complains of is dropped */
    pid_t child;
};

/* Starts argv[0], found in PATH, with `input` as its standard input (-1: none). False if the system refuses; a program that
 * is not there prints nothing and does not end well. */
bool tool_pipe_open(struct tool_pipe *p, char *const *argv, int input);
/* The same without an input, and what it complains of is shown. */
bool tool_pipe_open_loudly(struct tool_pipe *p, char *const *argv);
/* Waits for its end; true if its status is 0. */
bool tool_pipe_close(struct tool_pipe *p);

#endif
