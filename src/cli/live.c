#define _GNU_SOURCE /* SOCK_CLOEXEC */
/* The reporter of --serve; live.h describes the protocol with the server.
 * It runs in the supervisor and acts only when an event arrives, about ten times a second during a search. */
#include "cli/live.h"

#include "base/buffer.h"
#include "base/clock.h" /* to limit how often the page is sent */
#include "base/descriptor.h"
#include "base/die.h"
#include "base/mem.h"
#include "cli/tool.h"
#include "exec/family.h"
#include "exec/interrupt.h"
#include "report/page.h"
#include "report/report.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    START_MS = 20000, /* longest wait for the server's first line; a loaded machine starts programs slowly */
    END_MS = 2000,    /* longest wait for sending the last page and for the server to exit, which delays the result */
    PAUSED_MS = 200,  /* time between two checks of a paused run for a signal that ends it */
    SERVER_SOCKET = 3 /* descriptor at which `sonde serve` expects its socket */
};

struct live {
    struct sonde_reporter base;
    struct sonde_page *page;
    int socket; /* -1: the server is gone */
    pid_t server;
    struct sonde_buffer frame; /* the message that is being sent */
    size_t sent;               /* bytes of `frame` that the socket has taken */
    double sent_at;            /* when the last message was made */
};

/* Closes the connection; the run continues without a page. */
static void disconnect(struct live *l)
{
    if (l->socket < 0) return;
    sonde_descriptor_forget(l->socket);
    close(l->socket);
    l->socket = -1;
}

static void give_up(struct live *l)
{
    sonde_warn("--serve: the server has exited; the run continues without it");
    disconnect(l);
}

/* ---- To the server */

/* Sends as much of the message as the socket takes without waiting. If the socket is full, waits up to `patience` ms
 * each time. */
static void send_frame(struct live *l, int patience)
{
    while (l->socket >= 0 && l->sent < l->frame.n) {
        ssize_t n = send(l->socket, l->frame.text + l->sent, l->frame.n - l->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) {
            l->sent += (size_t)n;
            continue;
        }
        bool is_full = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if (n < 0 && errno == EINTR) continue;
        if (is_full && patience > 0) {
            struct pollfd p = {.fd = l->socket, .events = POLLOUT};
            if (poll(&p, 1, patience) > 0) continue;
        }
        if (!is_full) give_up(l);
        return;
    }
}

/* Makes the next message: the page's data with its length. The previous message must have been sent. */
static void make_frame(struct live *l)
{
    struct sonde_buffer data;
    sonde_page_data_write(sonde_buffer_open(&data), l->page);
    sonde_buffer_close(&data);
    sonde_buffer_clear(&l->frame);
    fprintf(sonde_buffer_open(&l->frame), "data %zu\n", data.n);
    fputs(data.text, l->frame.out);
    sonde_buffer_close(&l->frame);
    sonde_buffer_clear(&data);
    l->sent = 0;
}

/* ---- From the server */

/* Returns the next letter from the server without waiting; 0 if there is none. */
static char next_order(struct live *l)
{
    char order = 0;
    if (l->socket < 0) return 0;
    ssize_t n = recv(l->socket, &order, 1, MSG_DONTWAIT);
    if (n == 0) give_up(l);
    return n == 1 ? order : 0;
}

/* Blocks until the server sends c (continue) or s (stop), or exits, or a signal ends the run. */
static void pause_run(struct live *l)
{
    bool paused = true;
    sonde_interrupt_hold(true);
    while (paused && l->socket >= 0 && !sonde_interrupted()) {
        struct pollfd p = {.fd = l->socket, .events = POLLIN};
        poll(&p, 1, PAUSED_MS);
        char order = next_order(l);
        if (order == 's') kill(getpid(), SIGINT);
        paused = order != 'c' && order != 's';
    }
    sonde_interrupt_hold(false);
}

/* Acts on every letter that the server has sent. */
static void handle_orders(struct live *l)
{
    for (char order; (order = next_order(l));) {
        if (order == 'p') pause_run(l);
        if (order == 's') kill(getpid(), SIGINT); /* the same as Ctrl-C */
    }
}

/* ---- The reporter */

static void live_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct live *l = (struct live *)reporter;
    const double interval = 1;
    if (l->socket < 0) return;
    sonde_page_event(l->page, event);
    send_frame(l, 0);
    handle_orders(l);
    double now = sonde_clock_now();
    bool is_end = event->kind == SONDE_EVENT_END, is_sent = l->sent == l->frame.n;
    if (is_end && !is_sent) send_frame(l, END_MS);
    if (!is_end && (!is_sent || now - l->sent_at < interval)) return;
    l->sent_at = now;
    make_frame(l);
    send_frame(l, is_end ? END_MS : 0);
}

/* Closes the connection, which makes the server exit once the browser has the last page. Waits for the exit, END_MS at
 * most. */
static void live_destroy(struct sonde_reporter *reporter)
{
    struct live *l = (struct live *)reporter;
    disconnect(l);
    int status;
    for (int i = 0; i < END_MS / 20 && waitpid(l->server, &status, WNOHANG) == 0; i++) usleep(20000);
    sonde_family_unspare(l->server);
    sonde_page_free(l->page);
    sonde_buffer_clear(&l->frame);
    sonde_free(l);
}

/* Starts `sonde serve` with the socket as its descriptor 3. Returns its process id, or 0 if it cannot be started. */
static pid_t start_server(const char *path, unsigned port, int socket)
{
    char name[] = "sonde", command[] = "serve", number[16];
    char *const argv[] = {name, command, number, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child = 0;
    snprintf(number, sizeof number, "%u", port);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    /* A separate process group: Ctrl-C must reach the run only, because the server still has to show how it ended. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_adddup2(&actions, socket, SERVER_SOCKET);
    if (posix_spawn(&child, path, &actions, &attributes, argv, environ) != 0) child = 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return child;
}

/* Reads the server's first line into line[], without its line feed; "" if none comes within START_MS. */
static void read_first_line(int socket, char *line, size_t size)
{
    size_t n = 0;
    while (n + 1 < size) {
        struct pollfd p = {.fd = socket, .events = POLLIN};
        int ready = poll(&p, 1, START_MS);
        if (ready < 0 && errno == EINTR) continue;
        bool is_there = ready > 0 && recv(socket, line + n, 1, 0) == 1;
        if (!is_there) n = 0; /* an incomplete line is not used */
        if (!is_there || line[n] == '\n') break;
        n++;
    }
    line[n] = '\0';
}

struct sonde_reporter *sonde_live_create(const char *program, unsigned port)
{
    char path[4096], line[512];
    int ends[2];
    if (!sonde_tool_find(path, sizeof path)) {
        sonde_complain("%s: --serve: the sonde command, which serves the page, is not in PATH; install it, or set "
                       "SONDE_TOOL=/path/to/sonde",
                       program);
        return NULL;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
        sonde_complain("%s: --serve: cannot create a pair of sockets: %s", program, strerror(errno));
        return NULL;
    }
    pid_t server = start_server(path, port, ends[1]);
    close(ends[1]);
    line[0] = '\0';
    if (server) read_first_line(ends[0], line, sizeof line);
    if (!server || strncmp(line, "http://", 7) != 0) {
        sonde_complain("%s: --serve: %s serve: %s", program, path,
                       line[0] ? line
                               : "the command could not be started, or exited at once; install the version of "
                                 "sonde that the test program was built with");
        close(ends[0]);
        if (server) kill(server, SIGKILL);
        while (server && waitpid(server, NULL, 0) < 0 && errno == EINTR) continue;
        return NULL;
    }
    sonde_family_spare(server);
    struct live *l = sonde_reporter_new(sizeof *l, live_event);
    l->base.destroy = live_destroy;
    l->page = sonde_page_create();
    l->socket = sonde_descriptor_hide(ends[0], false);
    l->server = server;
    sonde_say("watch the run at %s", line);
    return &l->base;
}
