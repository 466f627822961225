/* See debug.h. Both replace this process before anything of the user's has run.
 * Called by main.c after the options are read, so the new process reads the same command line again. */
#include "cli/debug.h"

#include "base/valgrind.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

/* personality(2): this value asks and changes nothing. */
static const unsigned long ask = 0xffffffff;

bool sonde_cli_fix_addresses(char *const *argv)
{
    int now = personality(ask);
    if (sonde_valgrind_is_running()) return true; /* which chooses the addresses, the same every time */
    if (now >= 0 && (now & ADDR_NO_RANDOMIZE)) return true;
    /* Asked again, because a filter of system calls may say yes and do nothing: that would start anew without end. */
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
    /* A claim that does not hold stops in the debugger, as a crash does. The function may come from a
     * library. --isolate=none: a debugger follows one process. --no-store: the failure is known
     * already. */
    const char *const arguments[] = {"gdb",
                                     "-q",
                                     "-ex",
                                     "set breakpoint pending on",
                                     "-ex",
                                     "break sonde_falsify_",
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
                                     NULL};
    char *copy[sizeof arguments / sizeof *arguments];
    memcpy(copy, arguments, sizeof copy); /* execvp takes them without const, and changes none */
    execvp(copy[0], copy);
    return -errno;
}
