/* A shell command that the user gave, under limits: it cannot take longer than it may, print more than it may, or outlive
 * its run. */
#ifndef SONDE_EXEC_COMMAND_H
#define SONDE_EXEC_COMMAND_H

#include <stddef.h>

struct sonde_command {
    const char *text; /* for sh -c */
    int input;        /* descriptor of its standard input; stays open here */
    double seconds;   /* it may take; 0: no limit */
    size_t max;       /* bytes it may print */
};

/* Runs it in a new process group, which is killed when the command ends, reaches a limit, or the run is interrupted.
 * Returns its status as waitpid does; -ETIME or -EFBIG: it was ended at that limit; -EINTR: the run was interrupted; another
 * negative errno: it could not be run. What it printed is *bytes; sonde_free it in any case. */
int sonde_command_run(const struct sonde_command *command, char **bytes, size_t *n);

#endif
