/* Workers that are executed anew instead of only forked (--spawn), for programs whose constructors start threads: a fork
 * would leave those behind.
 *
 * The program runs with fixed addresses, so a pointer to code or to a constant means the same in every process that it
 * was started as. The shared heaps lie at fixed addresses, too. A spawned worker runs the program's constructors and its
 * main; in sonde_main it maps the heaps, takes its own copy of the property (whose context may lie anywhere), and does
 * the job that the supervisor wrote into its environment. A worker that does not come so far is replaced by a forked
 * one, and so are all after it.
 *
 * The order is one line, numbers in hexadecimal:
 *
 *     SONDE_SPAWNED=parent call property layout job arg death property keeps_output heap warm_up (fd size where)...
 *
 * `call` counts the calls of sonde_main in the program, `layout` is a hash of where everything is loaded. Whatever
 * does not fit ends the worker before it has touched anything, and the supervisor forks instead. */
#ifndef SONDE_EXEC_SPAWN_H
#define SONDE_EXEC_SPAWN_H

#include "base/heap.h"
#include "exec/death.h"

#include <sys/types.h>

enum { SONDE_SPAWN_HEAPS = 64 };

/* How the workers of one property are spawned. Lies in shared memory, because workers may spawn, too. */
struct sonde_spawn {
    size_t property; /* which of those given to sonde_main */
    unsigned call;   /* which call of sonde_main */
    bool is_off;     /* it was tried in vain */
    struct sonde_heap *heaps[SONDE_SPAWN_HEAPS];
    uint32_t n_heaps;
};

/* What a spawned worker is to do. */
struct sonde_spawn_order {
    void (*job)(void *arg);
    void *arg;
    struct sonde_death *death;
    sonde_property *property; /* gets the worker's own version of it */
    bool keeps_output;
    struct sonde_heap *heap; /* which the worker is to allocate from */
    void *warm_up;           /* sonde_warm_up_share */
    pid_t parent;
};

/* Who calls sonde_main. */
enum sonde_spawn_part {
    SONDE_SPAWN_PROGRAM, /* the program itself */
    SONDE_SPAWN_WORKER,  /* a worker that was spawned by this call, with its order */
    SONDE_SPAWN_PASSING  /* a worker that was spawned by a later call: this one must do nothing */
};

/* At the start of sonde_main. In a worker that was spawned by this call, the heaps are mapped and *order says what to do:
 * exec/worker.h does it. */
enum sonde_spawn_part sonde_spawn_enter(char **argv, const sonde_property *properties, size_t n,
                                        struct sonde_spawn_order *order);
/* Why spawning cannot work in this build; NULL if it can. */
const char *sonde_spawn_obstacle(void);
/* For the given one of the current sonde_main's properties. */
void sonde_spawn_init(struct sonde_spawn *spawn, size_t property);
/* A heap of that size that every spawned worker will have; NULL if the system refuses. */
struct sonde_heap *sonde_spawn_heap(struct sonde_spawn *spawn, size_t size);
/* This process' own version of the property. */
const sonde_property *sonde_spawn_property(const struct sonde_spawn *spawn);

/* What a child needs to become another program: made before the fork, as little as possible is done after it. */
struct sonde_spawn_plan;
/* NULL without memory: then the worker is forked. Uses the C library's memory, because the plan is used
 * between fork and execve. */
struct sonde_spawn_plan *sonde_spawn_plan(const struct sonde_spawn *spawn, const struct sonde_spawn_order *order);
void sonde_spawn_plan_free(struct sonde_spawn_plan *plan);
/* In the child. Returns only if it is not possible. */
void sonde_spawn_execute(const struct sonde_spawn_plan *plan);

#endif
