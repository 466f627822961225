/* Calls that wait inside of the C library or the kernel, processes, and jumps, in threads under control. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <sonde.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sonde *the_case;
static FILE *in, *out;

static void open_pipe(void)
{
    int fds[2];
    if (pipe(fds) != 0) abort();
    in = fdopen(fds[0], "r");
    out = fdopen(fds[1], "w");
}

static void run_two(sonde *t, void *(*first)(void *), void *(*second)(void *))
{
    pthread_t a, b;
    the_case = t;
    pthread_create(&a, NULL, first, NULL);
    if (second) pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    if (second) pthread_join(b, NULL);
}

/* ---- Streams: what one thread writes in pieces, another reads */

static void *writes(void *unused)
{
    fputs("one\ntw", out);
    fflush(out);
    sched_yield();
    fputs("o\nabcdefgh", out);
    fclose(out);
    return unused;
}
static void *reads(void *unused)
{
    char text[10];
    char *line = NULL;
    size_t size = 0;
    sonde *t = the_case;
    sonde_check(t, fgets(text, sizeof text, in) != NULL);
    sonde_check(t, strcmp(text, "one\n") == 0);
    sonde_check_eq(t, (int)getline(&line, &size, in), 4);
    sonde_check(t, strcmp(line, "two\n") == 0);
    free(line);
    sonde_check_eq(t, fgetc(in), 'a');
    sonde_check_eq(t, getc(in), 'b');
    sonde_check_eq(t, (int)fread(text, 2, 4, in), 3);
    sonde_check(t, memcmp(text, "cdefgh", 6) == 0);
    sonde_check_eq(t, fgetc(in), EOF);
    fclose(in);
    return unused;
}
static void run_streams(sonde *t, void *unused)
{
    (void)unused;
    open_pipe();
    run_two(t, reads, writes);
}
SONDE_PROPERTY(right_streams)
{
    sonde_threads(t, "run", run_streams, NULL);
}

static void *reads_alone(void *unused)
{
    fgetc(in);
    return unused;
}
static void run_empty(sonde *t, void *unused)
{
    (void)unused;
    open_pipe();
    run_two(t, reads_alone, NULL);
}
SONDE_PROPERTY(empty_stream)
{
    sonde_threads(t, "run", run_empty, NULL);
}

/* ---- A wait that sonde does not see */

static void *scans(void *unused)
{
    int number;
    return fscanf(in, "%d", &number) == 1 ? unused : NULL;
}
static void run_scan(sonde *t, void *unused)
{
    (void)unused;
    open_pipe();
    run_two(t, scans, NULL);
}
SONDE_PROPERTY(unseen_wait)
{
    sonde_threads(t, "run", run_scan, NULL);
}

/* ---- Processes */

static void *calls_system(void *unused)
{
    return system("true") ? unused : NULL;
}
static void *calls_popen(void *unused)
{
    FILE *f = popen("true", "r");
    if (f) pclose(f);
    return unused;
}
static void *calls_vfork(void *unused)
{
    pid_t child = vfork();
    if (child == 0) _exit(0);
    return unused;
}
static void run_one(sonde *t, void *fn)
{
    run_two(t, *(void *(**)(void *))fn, NULL);
}
#define REFUSED(name, fn)                                                                                              \
    SONDE_PROPERTY(name)                                                                                               \
    {                                                                                                                  \
        void *(*f)(void *) = fn;                                                                                       \
        sonde_threads(t, "run", run_one, &f);                                                                          \
    }
REFUSED(system_inside, calls_system)
REFUSED(popen_inside, calls_popen)
REFUSED(vfork_inside, calls_vfork)

/* ---- A jump to another thread's stack */

static jmp_buf target;
static volatile int is_set;
static void *sets(void *unused)
{
    if (setjmp(target) == 0) is_set = 1;
    sched_yield();
    return unused;
}
static void *jumps(void *unused)
{
    if (is_set) longjmp(target, 1);
    return unused;
}
static void run_jump(sonde *t, void *unused)
{
    (void)unused;
    is_set = 0;
    run_two(t, sets, jumps);
}
SONDE_PROPERTY(jump_elsewhere)
{
    sonde_threads(t, "run", run_jump, NULL);
}

SONDE_MAIN()
