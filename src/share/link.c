/* Starting an agent, talking to it and ending it (link.h). */
#include "share/link.h"

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/process.h"
#include "base/strings.h"
#include "share/place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program that talks to servers. */
#define COMPANION "sonde-share"
enum { COMPANION_FD = 3 }; /* descriptor at which that program expects the wire */

static bool is_server(const char *place)
{
    return sonde_starts(place, "redis://") || sonde_starts(place, "rediss://") || sonde_starts(place, "redis+unix:");
}

/* Returns whether a name holds a password, as in "//user:password@". Every user can read it in the list of
 * processes. */
static bool has_password(const char *place)
{
    const char *at = strstr(place, "//"), *end = at ? strchr(at + 2, '@') : NULL,
               *colon = at ? strchr(at + 2, ':') : NULL;
    return end && colon && colon < end;
}

const char *sonde_link_check(const char *place)
{
    if (sonde_starts(place, SONDE_FOLDER_PREFIX) && place[strlen(SONDE_FOLDER_PREFIX)]) return NULL;
    if (!is_server(place))
        return "write dir:PATH for a directory, redis://[USER@]HOST[:PORT][/DATABASE] or redis+unix:SOCKET for a "
               "server";
    if (has_password(place))
        return "a password on the command line can be read by everyone; "
               "put it into SONDE_SHARE_PASSWORD, or into a file that SONDE_SHARE_PASSWORD_FILE names";
    return NULL;
}

/* Ignores Ctrl-C and the signals of a scheduler. The run handles them, and the agent ends when the wire does. */
static void ignore_signals(void)
{
    const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGPIPE};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) signal(all[i], SIG_IGN);
    signal(SIGALRM, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
}

/* Redirects the standard descriptors to /dev/null. The agent reports over the wire, and must not keep the run's pipes
 * open. */
static void redirect_to_null(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++) dup2(null, fd);
    if (null > 2) close(null);
}

/* Becomes the companion program; returns only if that fails, after a warning over the wire. */
static void run_companion(const struct sonde_place_setup *setup, int fd)
{
    if (fd != COMPANION_FD) dup2(fd, COMPANION_FD);
    else fcntl(fd, F_SETFD, 0);
    const char *given = getenv("SONDE_SHARE_AGENT"), *program = given && *given ? given : COMPANION;
    execlp(program, COMPANION, "agent", setup->name, setup->program, setup->property, setup->worker, (char *)NULL);
    static const char text[] =
        "there is no " COMPANION
        " on the PATH; it talks to servers. Build sonde where libhiredis-dev is installed, or share a "
        "directory (dir:PATH)";
    struct sonde_wire wire;
    sonde_wire_init(&wire, COMPANION_FD);
    sonde_wire_put(&wire, 'S', text, sizeof text - 1, SONDE_WIRE_LONGEST);
    sonde_wire_move(&wire);
}

int sonde_link_open(struct sonde_link *link, const struct sonde_place_setup *setup, void (*leave)(void))
{
    int ends[2];
    *link = (struct sonde_link){.wire.fd = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
    pid_t pid = sonde_fork();
    if (pid < 0) {
        int error = -errno;
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    if (pid == 0) {
        setpgid(0, 0);
        close(ends[0]);
        leave();
        ignore_signals();
        redirect_to_null();
        if (is_server(setup->name)) run_companion(setup, ends[1]);
        else sonde_agent_run(&sonde_folder_ops, setup, ends[1]);
        _exit(0);
    }
    setpgid(pid, pid);
    close(ends[1]);
    sonde_wire_init(&link->wire, sonde_descriptor_hide(ends[0], false));
    link->agent = pid;
    return 0;
}

/* Returns whether the agent has ended, and reaps it. */
static bool has_ended(struct sonde_link *link)
{
    pid_t got = link->agent ? waitpid(link->agent, NULL, WNOHANG) : 0;
    if (got > 0 || (got < 0 && errno != EINTR)) link->agent = 0;
    return !link->agent;
}

/* Seconds that the run waits, at its end, for an agent that reports that its location responds. An agent gives up a
 * little earlier, unless a system call blocks it. */
static const double patience = 10;
/* Seconds that the run waits, at its end, for any other agent. */
static const double silent_patience = 5;
/* Seconds that an agent may take to end after the wire was closed. Then it is killed, and the run waits as long
 * again. */
static const double kill_patience = 1;

/* Takes all messages that have arrived; returns true if the agent has reported that it is sending the rest. */
static bool take_all(struct sonde_link *link, sonde_link_take *take, void *context)
{
    struct sonde_wire_message m;
    bool is_answering = false;
    sonde_wire_move(&link->wire);
    while (sonde_wire_take(&link->wire, &m)) {
        is_answering |= m.type == 'E';
        take(context, &m);
    }
    return is_answering;
}

/* Writes all that waits, then closes our side of the wire, so that the agent ends. Takes its last messages. */
static void finish(struct sonde_link *link, sonde_link_take *take, void *context)
{
    double begin = sonde_clock_now(), end = begin + silent_patience;
    while (sonde_wire_waiting(&link->wire) && sonde_clock_now() < end && sonde_wire_move(&link->wire)) {
        take_all(link, take, context);
        usleep(2000);
    }
    shutdown(link->wire.fd, SHUT_WR);
    for (bool is_over = false; !is_over && sonde_clock_now() < end; usleep(2000)) {
        is_over = has_ended(link);
        if (take_all(link, take, context)) end = begin + patience;
    }
}

/* Even a killed process stays while a system call blocks it (a mount whose server is gone): then it is left to init. */
void sonde_link_close(struct sonde_link *link, sonde_link_take *take, void *context)
{
    if (link->agent && link->wire.fd >= 0) finish(link, take, context);
    if (link->wire.fd >= 0) sonde_descriptor_forget(link->wire.fd);
    sonde_wire_close(&link->wire);
    double begin = sonde_clock_now(), end = begin + 2 * kill_patience;
    for (bool is_killed = false; !has_ended(link) && sonde_clock_now() < end; usleep(2000)) {
        if (!is_killed && sonde_clock_now() > begin + kill_patience) is_killed = kill(link->agent, SIGKILL) == 0;
    }
    link->agent = 0;
}
