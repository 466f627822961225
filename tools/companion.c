/* sonde derive and sonde new: handed on to sonde-derive, which stands beside this tool if it was built where libclang is installed. So
 * neither the library nor this tool needs libclang. */
#include "base/die.h"
#include "tools.h"

#include <sonde.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *sonde_companion(const char *command)
{
    static char path[PATH_MAX + 16];
    if (!realpath("/proc/self/exe", path))
        sonde_die(SONDE_INTERNAL, "%s: cannot find out where this tool is installed; is /proc mounted?", command);
    strcpy(strrchr(path, '/') + 1, "sonde-derive");
    if (access(path, X_OK))
        sonde_die(
            SONDE_USAGE,
            "%s: there is no %s. It needs libclang: install libclang-dev (Debian; libclang 14 or later elsewhere) and "
            "build sonde again",
            command, path);
    return path;
}

int sonde_tool_derive(int argc, char **argv)
{
    char name[32];
    snprintf(name, sizeof name, "sonde %s", argv[0]);
    const char *path = sonde_companion(name);
    (void)argc;
    fflush(stdout);
    execv(path, argv); /* which knows by argv[0] what is wanted */
    fprintf(stderr, "%s: cannot run %s: %s\n", name, path, strerror(errno));
    return SONDE_INTERNAL;
}
