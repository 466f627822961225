/* Runs the companion programs beside this tool: sonde-derive for `sonde derive` and `sonde new`, sonde-share for `sonde
 * share`. They are separate so that neither the library nor this tool needs their libraries. sonde-derive is built only
 * where libclang is installed; sonde-share supports servers only if it was built with hiredis. */
#include "base/die.h"
#include "tools.h"

#include <sonde.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the path that a program would have in the directory of this one. The file may not exist; the string is
 * static. */
static const char *beside(const char *command, const char *program)
{
    static char path[PATH_MAX + 16];
    if (!realpath("/proc/self/exe", path))
        sonde_die(SONDE_INTERNAL, "cannot determine where this tool is installed, for %s; is /proc mounted?", command);
    strcpy(strrchr(path, '/') + 1, program);
    return path;
}

const char *sonde_companion(const char *command)
{
    const char *path = beside(command, "sonde-derive");
    if (access(path, X_OK))
        sonde_die(SONDE_USAGE,
                  "%s, which %s needs, was not built, because libclang was missing; install libclang-dev (Debian; "
                  "libclang 14 or later elsewhere) and build sonde again",
                  path, command);
    return path;
}

int sonde_tool_derive(int argc, char **argv)
{
    char name[32];
    snprintf(name, sizeof name, "sonde %s", argv[0]);
    const char *path = sonde_companion(name);
    (void)argc;
    fflush(stdout);
    execv(path, argv); /* argv[0], "derive" or "new", tells sonde-derive which command to run */
    sonde_complain("%s: cannot run %s: %s", name, path, strerror(errno));
    return SONDE_INTERNAL;
}

int sonde_tool_share(int argc, char **argv)
{
    const char *path = beside("sonde share", "sonde-share");
    (void)argc;
    fflush(stdout);
    execv(path, argv);
    sonde_complain("sonde share: cannot run %s: %s; install sonde again", path, strerror(errno));
    return errno == ENOENT ? SONDE_USAGE : SONDE_INTERNAL;
}
