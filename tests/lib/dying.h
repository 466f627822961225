/* Functions that end the process, watched from outside it: with which status, and with which last words. */
#ifndef SONDE_TESTS_DYING_H
#define SONDE_TESTS_DYING_H

#include "lib/mocka.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct death {
    int status; /* of exit; -1 if a signal ended it, -2 if it came back */
    char words[4096];
};

static inline struct death watch_death(void (*act)(void))
{
    struct death death = {.status = -1};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        const int caught[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE}; /* by cmocka */
        for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) signal(caught[i], SIG_DFL);
        act();
        _exit(113);
    }
    close(ends[1]);
    size_t n = 0;
    ssize_t got;
    while (n + 1 < sizeof death.words && (got = read(ends[0], death.words + n, sizeof death.words - n - 1)) > 0)
        n += (size_t)got;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) death.status = WEXITSTATUS(status) == 113 ? -2 : WEXITSTATUS(status);
    return death;
}

/* `act` must end the process with that status and say that on standard error. */
static inline void assert_dies(void (*act)(void), int status, const char *words)
{
    struct death death = watch_death(act);
    if (death.status != status || !strstr(death.words, words))
        print_error("wanted status %d and \"%s\"\ngot status %d and \"%s\"\n", status, words, death.status,
                    death.words);
    assert_int_equal(death.status, status);
    assert_non_null(strstr(death.words, words));
}

#endif
