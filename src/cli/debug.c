/* Executes this program again at fixed addresses (--no-aslr), or a debugger that runs it (--gdb). Both functions
 * replace the process before any code of the user has run. main.c calls them after it has read the options; with
 * --no-aslr the new process reads the same command line again. */
#include "cli/debug.h"

#include "base/mem.h"
#include "base/process.h"
#include "base/valgrind.h"

#include <errno.h>
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

/* Appends options of a sanitizer to a variable of the environment. */
static void add_options(const char *variable, const char *options)
{
    const char *given = getenv(variable);
    char all[2048];
    snprintf(all, sizeof all, "%s%s%s", given ? given : "", given && *given ? ":" : "", options);
    setenv(variable, all, 1);
}

bool sonde_cli_is_debugged(void)
{
    return sonde_process_tracer(getpid()) != 0;
}

int sonde_cli_debug(char *const *argv)
{
    /* Every failure calls the function of the breakpoint, except for a signal, at which gdb stops by itself. The
     * breakpoint is pending, because its function may be in a shared library. The second one is for an _exit that a
     * sanitizer defines. SIGXCPU is the signal of sonde's timers. The program gets its command line as it was, with
     * --gdb. --isolate=none: a debugger follows one process. --no-store: the failure is stored already. */
    static const char *const before[] = {"gdb",   "-q",
                                         "-ex",   "set breakpoint pending on",
                                         "-ex",   "break sonde_failing_",
                                         "-ex",   "break _exit",
                                         "-ex",   "condition -force 2 *(int *)&sonde_exits_unseen_ != 0",
                                         "-ex",   "handle SIGXCPU nostop noprint pass",
                                         "-ex",   "run",
                                         "--args"};
    enum { BEFORE = sizeof before / sizeof *before, AFTER = 2 };
    const char *const after[AFTER] = {"--isolate=none", "--no-store"};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0) return -errno;
    program[length] = '\0';
    size_t given = 0, n = BEFORE;
    while (argv[given]) given++;
    char **arguments = sonde_calloc(BEFORE + given + AFTER + 2, sizeof *arguments);
    memcpy(arguments, before, sizeof before); /* the parameter of execvp lacks const, but it changes no argument */
    arguments[n++] = program;
    for (size_t i = 1; i < given; i++) arguments[n++] = argv[i];
    memcpy(&arguments[n], after, sizeof after);
    /* LeakSanitizer ends a program that a debugger runs. */
    add_options("ASAN_OPTIONS", "detect_leaks=0");
    add_options("LSAN_OPTIONS", "detect_leaks=0");
    execvp(arguments[0], arguments);
    int error = errno;
    sonde_free(arguments);
    return -error;
}
