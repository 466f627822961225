/* Twenty leaks of state, for bench/state/run: in each property some cases leave something changed, and a later case fails
 * because of it. The counter `calls` changes as well, and never matters. */
#include <sonde.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int unknown_add(int x); /* in other.c, which sonde cc does not compile */

static unsigned calls;

/* Draws whether this case leaves something changed. */
static bool leaves(sonde *t)
{
    calls++;
    return sonde_int(t, "a", 0, 1000) >= 900;
}

static int last;
SONDE_PROPERTY(s01_static)
{
    sonde_check(t, last == 0);
    if (leaves(t)) last = 7;
}

SONDE_PROPERTY(s02_in_function)
{
    static int hidden;
    sonde_check(t, hidden < 3);
    if (leaves(t)) hidden++;
}

static struct {
    int unused, mode, other;
} settings;
SONDE_PROPERTY(s03_struct)
{
    sonde_check(t, settings.mode != 2);
    if (leaves(t)) settings.mode = 2;
}

static unsigned char table[256];
SONDE_PROPERTY(s04_array)
{
    sonde_check(t, !table[77]);
    if (leaves(t)) table[77] = 1;
}

static _Thread_local int depth;
SONDE_PROPERTY(s05_thread_local)
{
    sonde_check(t, depth == 0);
    if (leaves(t)) depth++;
}

static char *cached;
SONDE_PROPERTY(s06_pointer)
{
    sonde_check(t, !cached || strcmp(cached, "stale") != 0);
    if (leaves(t)) cached = strdup("stale");
}

static struct node {
    struct node *next;
} * list;
SONDE_PROPERTY(s07_list)
{
    size_t n = 0;
    for (const struct node *node = list; node; node = node->next) n++;
    sonde_check(t, n < 2);
    if (leaves(t)) {
        struct node *node = calloc(1, sizeof *node);
        node->next = list;
        list = node;
    }
}

static int *shared;
static void begin(void *context)
{
    (void)context;
    shared = calloc(100, sizeof *shared);
}
static void s08_heap(sonde *t)
{
    sonde_check(t, shared[50] == 0);
    if (leaves(t)) shared[50] = 1;
}

SONDE_PROPERTY(s09_errno)
{
    int before = errno;
    bool does = leaves(t);
    sonde_check(t, before != ENOTDIR);
    errno = does ? ENOTDIR : before;
}

SONDE_PROPERTY(s10_locale)
{
    sonde_check(t, !strcmp(setlocale(LC_ALL, NULL), "C"));
    if (leaves(t)) setlocale(LC_ALL, "C.UTF-8");
}

SONDE_PROPERTY(s11_directory)
{
    char now[4096];
    sonde_check(t, getcwd(now, sizeof now) && strcmp(now, "/") != 0);
    if (leaves(t)) (void)!chdir("/");
}

SONDE_PROPERTY(s12_umask)
{
    mode_t now = umask(0);
    umask(now);
    sonde_check(t, now != 0777);
    if (leaves(t)) umask(0777);
}

SONDE_PROPERTY(s13_mask)
{
    sigset_t set;
    sigprocmask(SIG_SETMASK, NULL, &set);
    sonde_check(t, !sigismember(&set, SIGUSR2));
    sigaddset(&set, SIGUSR2);
    if (leaves(t)) sigprocmask(SIG_SETMASK, &set, NULL);
}

static void handle(int signal)
{
    (void)signal;
}
SONDE_PROPERTY(s14_handler)
{
    struct sigaction now;
    sigaction(SIGUSR2, NULL, &now);
    sonde_check(t, now.sa_handler != handle);
    if (leaves(t)) signal(SIGUSR2, handle);
}

SONDE_PROPERTY(s15_descriptor)
{
    bool does = leaves(t);
    int fd = open("/dev/null", O_RDONLY);
    sonde_check(t, fd < 12);
    if (!does) close(fd);
}

SONDE_PROPERTY(s16_environment)
{
    sonde_check(t, !getenv("LEAKED"));
    if (leaves(t)) setenv("LEAKED", "1", 1);
}

SONDE_PROPERTY(s17_random)
{
    bool does = leaves(t);
    sonde_check(t, random() != 928662430); /* the first number of srandom(42000) */
    if (does) srandom(42000);
}

SONDE_PROPERTY(s18_malloc)
{
    struct record {
        char name[40];
        int flag;
    } *record = malloc(sizeof *record);
    bool does = leaves(t);
    volatile int *old = &record->flag; /* volatile: compilers see that nothing was written */
    int flag = *old;
    record->flag = does ? 5 : 0;
    free(record);
    sonde_check(t, flag == 0);
}

SONDE_PROPERTY(s19_file)
{
    bool does = leaves(t);
    sonde_check(t, access("leaked", F_OK) != 0);
    if (does) close(open("leaked", O_CREAT | O_WRONLY, 0600));
}

SONDE_PROPERTY(s20_unknown)
{
    sonde_check(t, unknown_add(leaves(t)) < 3);
}

int main(int argc, char **argv)
{
    const sonde_property all[] = {{.name = "s08_heap", .run = s08_heap, .worker_setup = begin}};
    return sonde_main(argc, argv, all, 1);
}
