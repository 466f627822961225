/* Implements spawn.h. The order is passed as one line of numbers in the environment, which cannot get lost as a
 * descriptor could. The line is accepted only if it comes from the parent process and has the same layout of
 * addresses (sonde_image_layout). Otherwise the worker ends, and the supervisor forks from then on. */
#include "exec/spawn.h"

#include "base/image.h"
#include "base/schedule.h"
#include "base/valgrind.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "SONDE_SPAWNED"

extern char **environ;
/* __tsan_init is also defined by the threads of sonde cc --threads, which do work with --spawn. */
extern __attribute__((weak)) void __tsan_init(void);
extern __attribute__((weak)) void __msan_init(void);

/* State of the current sonde_main call in this process. */
static struct {
    char **argv;
    const sonde_property *properties;
    unsigned call;
    uint64_t layout; /* computed at the first call, because this process may later load libraries that others lack */
} own;

/* Knows only the obstacles that show in advance. With any other, a spawned worker does not begin its job. */
const char *sonde_spawn_obstacle(void)
{
    if (__tsan_init && !sonde_schedule_hook_) return "ThreadSanitizer occupies the addresses that --spawn uses";
    if (sonde_valgrind_is_running()) return "valgrind does not follow a program that executes itself again";
    if (__msan_init) return "MemorySanitizer occupies the addresses that --spawn uses";
    return sizeof(void *) < 8 ? "a 32-bit program has too few addresses" : NULL;
}

void sonde_spawn_init(struct sonde_spawn *spawn, size_t property)
{
    memset(spawn, 0, sizeof *spawn);
    spawn->property = property;
    spawn->call = own.call;
}

/* Maps heaps in an address range that no program, library, stack or sanitizer shadow uses, on x86-64 and on AArch64.
 * Uses steps of one gigabyte from a fixed address, so the supervisor and each worker find the same addresses free. */
struct sonde_heap *sonde_spawn_heap(struct sonde_spawn *spawn, size_t size)
{
    const uintptr_t first = (uintptr_t)UINT64_C(0x300000000000), gigabyte = (uintptr_t)1 << 30;
    const uintptr_t stride = (size + 2 * SONDE_HEAP_GUARD + gigabyte - 1) / gigabyte * gigabyte;
    if (spawn->n_heaps == SONDE_SPAWN_HEAPS) return NULL;
    struct sonde_heap *heap = sonde_heap_create_at(size, (void *)(first + spawn->n_heaps * stride));
    if (heap) spawn->heaps[spawn->n_heaps++] = heap;
    return heap;
}

const sonde_property *sonde_spawn_property(const struct sonde_spawn *spawn)
{
    return &own.properties[spawn->property];
}

/* ---- The supervisor's side */

/* A plan is allocated with malloc, never in a shared heap, because the supervisor frees it while the worker runs. */
struct sonde_spawn_plan {
    int descriptors[SONDE_SPAWN_HEAPS];
    uint32_t n;
    char **environment, **arguments;
    char *command; /* `arguments` points into this string */
    char line[256 + SONDE_SPAWN_HEAPS * 64];
};

/* Reads the command line of the program from /proc/self/cmdline, because main may have shortened argv before
 * sonde_main. */
static char *read_command(size_t *n)
{
    size_t cap = 0, used = 0;
    char *text = NULL;
    FILE *in = fopen("/proc/self/cmdline", "re");
    while (in && !feof(in) && !ferror(in)) {
        char *more = realloc(text, cap + 4096);
        if (!more) break;
        text = more;
        cap += 4096;
        used += fread(text + used, 1, cap - used, in);
    }
    if (in) fclose(in);
    *n = used;
    return text;
}

/* Splits the command line into arguments. On failure, the argv of sonde_main is used. */
static void set_arguments(struct sonde_spawn_plan *plan)
{
    size_t n = 0, count = 0;
    plan->command = read_command(&n);
    for (size_t i = 0; i < n; i++) count += plan->command[i] == '\0';
    plan->arguments = count ? malloc((count + 1) * sizeof *plan->arguments) : NULL;
    if (!plan->arguments) return;
    char *at = plan->command;
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1) plan->arguments[i] = at;
    plan->arguments[count] = NULL;
}

/* Allocates everything before the fork: nothing may be allocated between fork and execve. */
struct sonde_spawn_plan *sonde_spawn_plan(const struct sonde_spawn *spawn, const struct sonde_spawn_order *order)
{
    struct sonde_spawn_plan *plan = calloc(1, sizeof *plan);
    size_t n = 0;
    while (environ[n]) n++;
    char **copy = plan ? plan->environment = malloc((n + 2) * sizeof *copy) : NULL;
    if (!copy) {
        free(plan);
        return NULL;
    }
    memcpy(copy, environ, n * sizeof *copy);
    copy[n] = plan->line;
    copy[n + 1] = NULL;
    size_t used = (size_t)snprintf(plan->line, sizeof plan->line,
                                   VARIABLE "=%x %x %zx %" PRIx64 " %" PRIxPTR " %p %p %p %x %p %" PRIxPTR,
                                   (unsigned)getpid(), spawn->call, spawn->property, own.layout, (uintptr_t)order->job,
                                   order->arg, (void *)order->death, (void *)order->property, order->keeps_output,
                                   (void *)order->heap, (uintptr_t)order->warm_up);
    for (uint32_t i = 0; i < spawn->n_heaps; i++) {
        struct sonde_heap *heap = spawn->heaps[i];
        plan->descriptors[plan->n++] = sonde_heap_descriptor(heap);
        used += (size_t)snprintf(plan->line + used, sizeof plan->line - used, " %x %zx %p", plan->descriptors[i],
                                 sonde_heap_size(heap), (void *)heap);
    }
    sonde_assert(used < sizeof plan->line && plan->n <= SONDE_SPAWN_HEAPS); /* a truncated line would be misread */
    set_arguments(plan);
    return plan;
}

void sonde_spawn_plan_free(struct sonde_spawn_plan *plan)
{
    if (!plan) return;
    free(plan->environment);
    free(plan->arguments);
    free(plan->command);
    free(plan);
}

/* Makes only system calls, after fork and before execve. /proc/self/exe is the running file, even if its name was
 * since taken by another build. */
void sonde_spawn_execute(const struct sonde_spawn_plan *plan)
{
    for (uint32_t i = 0; i < plan->n; i++) fcntl(plan->descriptors[i], F_SETFD, 0);
    execve("/proc/self/exe", plan->arguments ? plan->arguments : own.argv, plan->environment);
}

/* ---- The worker's side */

/* Returns the next number of the line. On any error in the line, which another program may have made up, the worker
 * ends. Its supervisor, if there is one, then forks. */
static uint64_t number(const char **line)
{
    char *end;
    uint64_t value = strtoull(*line, &end, 16);
    if (end == *line) _exit(SONDE_INTERNAL);
    *line = end;
    return value;
}

static void *address(const char **line)
{
    return (void *)(uintptr_t)number(line);
}

/* Maps the heaps, before anything else of the order is used: its pointers lead into them. */
static void join_heaps(const char *line)
{
    while (*line) {
        int fd = (int)number(&line);
        size_t size = (size_t)number(&line);
        void *where = address(&line);
        if (sonde_heap_join(fd, size, where) < 0) _exit(SONDE_INTERNAL);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
}

enum sonde_spawn_part sonde_spawn_enter(char **argv, const sonde_property *properties, size_t n,
                                        struct sonde_spawn_order *order)
{
    own.argv = argv;
    own.properties = properties;
    own.call++;
    if (own.call == 1) own.layout = sonde_image_layout();
    const char *line = getenv(VARIABLE);
    if (!line) return SONDE_SPAWN_PROGRAM;
    pid_t parent = (pid_t)strtoull(line, NULL, 16);
    if (parent != getppid())
        sonde_die(SONDE_USAGE, VARIABLE " is set, but not by sonde, which uses it to start workers; unset it");
    number(&line);
    /* The program calls sonde_main several times, and this worker belongs to a later call. */
    if (number(&line) > own.call) return SONDE_SPAWN_PASSING;
    size_t index = (size_t)number(&line);
    if (number(&line) != own.layout || index >= n) _exit(SONDE_INTERNAL);
    uintptr_t job = (uintptr_t)number(&line);
    *order = (struct sonde_spawn_order){.job = (void (*)(void *))job, .parent = parent, .arg = address(&line)};
    order->death = address(&line);
    order->property = address(&line);
    order->keeps_output = number(&line) != 0;
    order->heap = address(&line);
    order->warm_up = address(&line);
    join_heaps(line);
    unsetenv(VARIABLE); /* children of the code under test must not see the variable */
    *order->property = properties[index];
    return SONDE_SPAWN_WORKER;
}
