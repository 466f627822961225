/* Code under test with a server thread that a constructor starts, as some libraries have one. A forked worker has no
 * such thread and waits forever; a spawned one has its own. */
#include <sonde.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRONG_FROM = 37 };

/* ---- The library: doubles numbers, in its thread. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long question, answer;
static bool is_asked, is_answered;

static void __attribute__((noinline)) crash_in_server(void)
{
    raise(SIGBUS); /* another signal than below, or the compiler makes one function of both */
    __asm__ volatile("");
}

static void *serve(void *arg)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!is_asked) pthread_cond_wait(&changed, &lock);
        is_asked = false;
        if (question < 0) crash_in_server();
        answer = 2 * question;
        is_answered = true;
        pthread_cond_broadcast(&changed);
    }
    return arg;
}

__attribute__((constructor)) static void start_server(void)
{
    pthread_t server;
    if (pthread_create(&server, NULL, serve, NULL) != 0) abort();
    pthread_detach(server);
}

static long twice(long x)
{
    pthread_mutex_lock(&lock);
    question = x;
    is_asked = true;
    is_answered = false;
    pthread_cond_broadcast(&changed);
    while (!is_answered) pthread_cond_wait(&changed, &lock);
    long result = answer;
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- The properties. */

static void is_served(sonde *t)
{
    long x = sonde_int(t, "x", 0, 1000);
    sonde_check(t, twice(x) == 2 * x);
}

static void __attribute__((noinline)) fall_over(void)
{
    raise(SIGSEGV);
    __asm__ volatile("");
}

static void served_then_crashes(sonde *t)
{
    long x = sonde_int(t, "x", 0, 1000);
    sonde_check(t, twice(x) == 2 * x);
    if (x >= WRONG_FROM) fall_over();
    __asm__ volatile(""); /* the call is not the last act, so that this function stays on the stack */
}

static void server_crashes(sonde *t)
{
    long x = sonde_int(t, "x", 0, 1000);
    twice(x >= WRONG_FROM ? -1 : x);
}

static void served_wrongly(sonde *t)
{
    long x = sonde_int(t, "x", 0, 1000);
    sonde_check(t, twice(x) < 2 * WRONG_FROM);
}

static long served_before;

static void depends_on_state(sonde *t)
{
    served_before += twice(sonde_int(t, "x", 0, 1000)) >= 2 * WRONG_FROM;
    sonde_check(t, served_before < 3);
}

/* Data that main made is made again in each worker, wherever its memory lies there. */
struct context {
    pid_t pid;
    char text[16];
};

static void has_context(sonde *t)
{
    const struct context *c = sonde_context(t);
    const char *word = sonde_string(t, "word", 0, 10);
    sonde_check(t, strcmp(c->text, "by main") == 0 && c->pid == getpid());
    sonde_label(t, strcmp(word, "xyzzy") == 0 ? "magic word" : "other");
}

static bool is_set_up;

static void set_up(void *context)
{
    (void)context;
    is_set_up = true;
}

static void is_prepared(sonde *t)
{
    long x = sonde_int(t, "x", 0, 1000);
    sonde_check(t, is_set_up && twice(x) == 2 * x);
}

int main(int argc, char **argv)
{
    struct context *c = malloc(sizeof *c + (size_t)getpid() % 7 * 4096);
    const char *words[] = {strdup("xyzzy"), NULL};
    if (!c || !words[0]) return 4;
    c->pid = getpid();
    strcpy(c->text, "by main");
    const sonde_property early[] = {{.name = "early", .run = is_served, .tests = 10}};
    const sonde_property properties[] = {
        {.name = "is_served", .run = is_served, .tests = 500},
        {.name = "served_then_crashes", .run = served_then_crashes},
        {.name = "server_crashes", .run = server_crashes},
        {.name = "served_wrongly", .run = served_wrongly},
        {.name = "depends_on_state", .run = depends_on_state},
        {.name = "has_context", .run = has_context, .context = c, .words = words, .tests = 500},
        {.name = "is_prepared", .run = is_prepared, .worker_setup = set_up, .tests = 50},
    };
    if (getenv("TWO_MAINS") && sonde_main(argc, argv, early, 1) != 0) return 5;
    if (getenv("NO_SECOND_START") && getenv("SONDE_SPAWNED")) return 6;
    int status = sonde_main(argc, argv, properties, sizeof properties / sizeof *properties);
    free((char *)words[0]);
    free(c);
    return status;
}
