/* See interrupt.h. What was found is stored when it is found, so ending at once loses nothing. */
#include "exec/interrupt.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    if (interrupted) _exit(128 + signal);
    interrupted = 1;
}

void sonde_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool sonde_interrupted(void)
{
    return interrupted != 0;
}
