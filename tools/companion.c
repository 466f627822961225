/* sonde derive: handed on to sonde-derive, which stands beside this tool if it was built where libclang is installed. So
 * neither the library nor this tool needs libclang. */
#include "tools.h"

#include <sonde.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* argv[0] is the name of the command, by which sonde-derive knows what is wanted. */
static int hand_on(char **argv)
{
    char path[PATH_MAX + 16];
    if (!realpath("/proc/self/exe", path)) return SONDE_INTERNAL;
    strcpy(strrchr(path, '/') + 1, "sonde-derive");
    fflush(stdout);
    execv(path, argv);
    fprintf(
        stderr,
        "sonde %s: %s: %s. It needs libclang: install libclang-dev (Debian; libclang 14 or later elsewhere) and build "
        "sonde again\n",
        argv[0], path, strerror(errno));
    return SONDE_USAGE;
}

int sonde_tool_derive(int argc, char **argv)
{
    (void)argc;
    return hand_on(argv);
}
