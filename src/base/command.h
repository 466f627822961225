/* Another program, under limits: it cannot take longer than it may, print more than it may, or outlive its run. */
#ifndef SONDE_BASE_COMMAND_H
#define SONDE_BASE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct sonde_command {
    const char *const *argv; /* argv[0] is found in PATH; ends with NULL */
    int input;      /* descriptor of its standard input; stays open here. -1: it is empty, and errors are not shown */
    double seconds; /* it may take; 0: no limit */
    size_t max;     /* bytes it may print */
    bool (*is_over)(void); /* asked now and then: true ends it; NULL: nothing does */
};

/* Runs it in a new process group, which is killed when the command ends, reaches a limit, or is over. Returns its status as waitpid
 * does; -ETIME or -EFBIG: it was ended at that limit; -EINTR: because it is over; another negative errno: it could not be run. What it
 * printed is *bytes, *n of them and a NUL; sonde_free it in any case. NULL: it printed nothing. */
int sonde_command_run(const struct sonde_command *command, char **bytes, size_t *n);

#endif
