/* sonde mutate TEST [OPTION]...: the same as TEST --mutate [OPTION]... */
#include "tools.h"

#include "base/die.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int sonde_tool_mutate(int argc, char **argv)
{
    static char option[] = "--mutate";
    char **arguments = sonde_calloc((size_t)argc + 1, sizeof *arguments);
    arguments[0] = argv[1];
    arguments[1] = option;
    for (int i = 2; i < argc; i++) arguments[i] = argv[i];
    execv(argv[1], arguments);
    sonde_complain("sonde mutate: cannot run '%s': %s; give the path of a test program, built by sonde cc --mutants",
                   argv[1], strerror(errno));
    sonde_free(arguments);
    return SONDE_USAGE;
}
