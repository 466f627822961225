/* A reporter that starts processes, and a property whose workers die: for tests/cli/reporter.sh. */
#include <errno.h>
#include <signal.h>
#include <sonde.h>
#include <sonde/extend.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct mine {
    struct sonde_reporter base;
    FILE *pipe, *out;
    pid_t daemon, ended;
};

/* A daemon as they are in the books: its parent ends at once, it leads a session, and it closes what it inherited. With the pipe open, pclose would
 * wait for it. */
static pid_t start_daemon(FILE *inherited)
{
    int ends[2];
    pid_t pid = 0;
    if (pipe(ends) < 0) return 0;
    pid_t parent = fork();
    if (parent == 0) {
        pid = fork();
        if (pid == 0) {
            setsid();
            close(fileno(inherited));
            alarm(60);
            for (;;) pause();
        }
        ssize_t n = write(ends[1], &pid, sizeof pid);
        _exit(n < 0);
    }
    waitpid(parent, NULL, 0);
    ssize_t n = read(ends[0], &pid, sizeof pid);
    close(ends[0]), close(ends[1]);
    return n == sizeof pid ? pid : 0;
}

static void event(struct sonde_reporter *r, const struct sonde_event *e)
{
    struct mine *m = (struct mine *)r;
    if (e->kind != SONDE_EVENT_PROPERTY_END) return;
    fprintf(m->pipe, "property %s ended\n", e->property);
    fflush(m->pipe);
    if (!m->daemon) m->daemon = start_daemon(m->pipe);
}

static void destroy(struct sonde_reporter *r)
{
    struct mine *m = (struct mine *)r;
    int status = pclose(m->pipe), ended = -1;
    fprintf(m->out, "pclose: %d (%s)\n", status, status < 0 ? strerror(errno) : "");
    pid_t got = waitpid(m->ended, &ended, 0);
    fprintf(m->out, "ended: %s, status %d\n", got == m->ended ? "waited for" : strerror(errno), WEXITSTATUS(ended));
    fprintf(m->out, "daemon: %s\n", kill(m->daemon, SIGTERM) == 0 ? "alive" : strerror(errno));
    free(m);
}

static struct sonde_reporter *create(FILE *out)
{
    struct mine *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->base.event = event;
    m->base.destroy = destroy;
    m->out = out;
    m->pipe = popen("cat >got.txt", "w");
    m->ended = fork();
    if (m->ended == 0) _exit(7);
    return &m->base;
}

static const struct sonde_reporter_ops mine = {.name = "mine", .summary = "starts processes", .create = create};

static void crashes(sonde *t)
{
    if (sonde_int(t, "x", 0, 1000) > 500) abort();
}

static void crashes_again(sonde *t)
{
    crashes(t);
}

int main(int argc, char **argv)
{
    const sonde_property properties[] = {{.name = "crashes", .run = crashes},
                                         {.name = "crashes_again", .run = crashes_again}};
    sonde_reporter_register(&mine);
    return sonde_main(argc, argv, properties, 2);
}
