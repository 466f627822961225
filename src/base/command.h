/* Runs another program under limits: on its time, on its output, and on its lifetime, which never exceeds the call. */
#ifndef SONDE_BASE_COMMAND_H
#define SONDE_BASE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* A program to run, and its limits. */
struct sonde_command {
    const char *const *argv; /* argv[0] is searched for in PATH; the array ends with NULL */
    int input;               /* stdin of the program, not closed here; -1: /dev/null, and stderr is discarded */
    double seconds;          /* time limit; 0: none */
    size_t max;              /* limit on the bytes that the program prints */
    bool (*is_over)(void);   /* called repeatedly; if it returns true, the command is ended; may be NULL */
};

/* Runs the command in a new process group, which is killed when the command ends or reaches a limit, or when is_over
 * returns true.
 *
 * Returns the status as waitpid fills it, or a negative errno. -ETIME and -EFBIG: stopped at that limit. -EINTR:
 * stopped by is_over. Any other errno: the command could not be run. *bytes receives the *n bytes printed and a NUL,
 * or NULL if the command printed nothing; the caller frees them with sonde_free, whatever is returned. */
int sonde_command_run(const struct sonde_command *command, char **bytes, size_t *n);

#endif
