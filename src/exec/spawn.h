/* Workers that are executed anew instead of only forked (--spawn), for programs whose constructors start threads: a fork
 * would leave those behind.
 *
 * The program runs with fixed addresses, so a pointer to code or to a constant means the same in every process that it
 * was started as. The shared heaps lie at fixed addresses, too. A spawned worker runs the program's constructors and its
 * main; in sonde_main it maps the heaps, takes its own copy of the property (whose context may lie anywhere), and does
 * the job that the supervisor wrote into its environment. A worker that does not come so far is replaced by a forked
 * one, and so are all after it. */
#ifndef SONDE_EXEC_SPAWN_H
#define SONDE_EXEC_SPAWN_H

#include "base/heap.h"
#include "exec/death.h"

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
};

/* At the start of sonde_main. Does not return in a worker that was spawned by this call; true if it was by a later one,
 * so that this one must do nothing. */
bool sonde_spawn_enter(char **argv, const sonde_property *properties, size_t n);
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
struct sonde_spawn_plan *sonde_spawn_plan(const struct sonde_spawn *spawn, const struct sonde_spawn_order *order);
void sonde_spawn_plan_free(struct sonde_spawn_plan *plan);
/* In the child. Returns only if it is not possible. */
void sonde_spawn_execute(const struct sonde_spawn_plan *plan);

#endif
