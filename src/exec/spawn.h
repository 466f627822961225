/* Workers that are executed instead of only forked (--spawn), for programs whose constructors start threads: a
 * forked child would lack those threads.
 *
 * The program is loaded at fixed addresses, so a pointer to code or to a constant is valid in each of its processes.
 * The shared heaps are at fixed addresses too. A spawned worker runs the program's constructors and its main. In
 * sonde_main it maps the heaps and takes its own copy of the property, whose context may be at any address. Then it
 * does the job given in its environment. If a worker does not get that far, the supervisor replaces it, and all
 * later ones, by forked workers.
 *
 * The order is one line, numbers in hexadecimal:
 *
 *     SONDE_SPAWNED=parent call property layout job arg death property keeps_output heap warm_up (fd size where)...
 *
 * `call` counts the calls of sonde_main in the program, `layout` is a hash of all load addresses. If anything does
 * not match, the worker ends before it has touched anything, and the supervisor forks instead. */
#ifndef SONDE_EXEC_SPAWN_H
#define SONDE_EXEC_SPAWN_H

#include "base/heap.h"
#include "exec/death.h"

#include <sys/types.h>

enum { SONDE_SPAWN_HEAPS = 64 }; /* maximum number of heaps of a run */

/* Settings for spawning the workers of one property. In shared memory, because workers may spawn too. */
struct sonde_spawn {
    size_t property; /* index among the properties given to sonde_main */
    unsigned call;   /* number of the sonde_main call, counted in the program */
    bool is_off;     /* spawning was tried and failed */
    struct sonde_heap *heaps[SONDE_SPAWN_HEAPS];
    uint32_t n_heaps;
};

/* The order of a spawned worker: the job that it is to run, and where its data is. */
struct sonde_spawn_order {
    void (*job)(void *arg);
    void *arg;
    struct sonde_death *death;
    sonde_property *property; /* where the worker stores its own version of the property */
    bool keeps_output;
    struct sonde_heap *heap; /* heap that the worker allocates from */
    void *warm_up;           /* memory for sonde_warm_up_share */
    pid_t parent;
};

/* Role of the process that calls sonde_main. */
enum sonde_spawn_part {
    SONDE_SPAWN_PROGRAM, /* the program itself */
    SONDE_SPAWN_WORKER,  /* a worker that this call spawned, with its order */
    SONDE_SPAWN_PASSING  /* a worker spawned by a later call: this call must do nothing */
};

/* Returns the role of this process, at the start of sonde_main. In a worker spawned by this call, maps the heaps and
 * fills in *order, which exec/worker.h carries out. */
enum sonde_spawn_part sonde_spawn_enter(char **argv, const sonde_property *properties, size_t n,
                                        struct sonde_spawn_order *order);
/* Returns why spawning cannot work in this build; NULL if spawning can work. */
const char *sonde_spawn_obstacle(void);
/* Initialises spawning for a property of the current sonde_main, given by its index. */
void sonde_spawn_init(struct sonde_spawn *spawn, size_t property);
/* Returns a heap of that size that every spawned worker will map; NULL if the system refuses. */
struct sonde_heap *sonde_spawn_heap(struct sonde_spawn *spawn, size_t size);
/* Returns this process's version of the property. */
const sonde_property *sonde_spawn_property(const struct sonde_spawn *spawn);

/* All that a child needs to execute the program again. Prepared before the fork, so that little work remains after
 * it. */
struct sonde_spawn_plan;
/* Creates a plan; the caller frees it. Returns NULL if memory runs out: then the worker is forked. Uses malloc of
 * the C library, because the plan is used between fork and execve. */
struct sonde_spawn_plan *sonde_spawn_plan(const struct sonde_spawn *spawn, const struct sonde_spawn_order *order);
/* Frees a plan. */
void sonde_spawn_plan_free(struct sonde_spawn_plan *plan);
/* Executes the plan, in the child. Returns only on failure. */
void sonde_spawn_execute(const struct sonde_spawn_plan *plan);

#endif
