/* Executes this program again at fixed addresses (--no-aslr), or a debugger that runs it (--gdb). Both functions
 * replace the process before any code of the user has run. main.c calls them after it has read the options; with
 * --no-aslr the new process reads the same command line again. */
#include "cli/debug.h"

#include "base/valgrind.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

/* personality(2) returns the current value for this argument, and changes nothing. */
static const unsigned long ask = 0xffffffff;

bool sonde_cli_fix_addresses(char *const *argv)
{
    int now = personality(ask);
    if (sonde_valgrind_is_running()) return true; /* valgrind chooses the addresses, the same in every run */
    if (now >= 0 && (now & ADDR_NO_RANDOMIZE)) return true;
    /* Check that the call had an effect. A seccomp filter may report success and do nothing; then this program would
     * execute itself forever. */
    if (now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0) return false;
    if (personality(ask) & ADDR_NO_RANDOMIZE) execv("/proc/self/exe", argv);
    return false;
}

int sonde_cli_debug(const struct sonde_cli *cli, const char *property)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0) return -errno;
    program[n] = '\0';
    /* LeakSanitizer ends a program that a debugger runs. */
    const char *given = getenv("ASAN_OPTIONS");
    char options[1024];
    snprintf(options, sizeof options, "%s%sdetect_leaks=0", given ? given : "", given && *given ? ":" : "");
    setenv("ASAN_OPTIONS", options, 1);
    /* A failed check stops in the debugger, as a crash does. The breakpoint is pending, because its function may
     * be in a shared library. --isolate=none: a debugger follows one process. --no-store: the failure is stored
     * already. */
    char mutant[40];
    snprintf(mutant, sizeof mutant, "--mutant=%" PRIu64, cli->engine.mutant);
    const char *const arguments[] = {"gdb",
                                     "-q",
                                     "-ex",
                                     "set breakpoint pending on",
                                     "-ex",
                                     "break sonde_failing_",
                                     "-ex",
                                     "run",
                                     "--args",
                                     program,
                                     "--isolate=none",
                                     "--no-store",
                                     "--filter",
                                     property,
                                     "--replay",
                                     cli->engine.replay,
                                     cli->engine.mutant ? mutant : NULL,
                                     NULL};
    char *copy[sizeof arguments / sizeof *arguments];
    memcpy(copy, arguments, sizeof copy); /* the parameter of execvp lacks const, but it changes no argument */
    execvp(copy[0], copy);
    return -errno;
}
