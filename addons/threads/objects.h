/* The state of locks, barriers, semaphores and condition variables, in a table by their address. The memory of the
 * object itself is not used, for two reasons. The real functions would treat all fibers as one thread. And a run that
 * is left in the middle must not leave a lock taken. */
#ifndef SONDE_THREADS_OBJECTS_H
#define SONDE_THREADS_OBJECTS_H

#include "control.h"
#include "table.h"

enum { SONDE_NO_OWNER = -1 }; /* value of `owner`: the object is free */

/* The state of one object in this run. */
struct sonde_object {
    struct sonde_slot slot;
    int32_t owner;     /* number of the thread that holds the object; SONDE_NO_OWNER: free */
    uint32_t count;    /* how often a recursive lock is held; how many threads have arrived at a barrier */
    uint32_t readers;  /* number of read locks held on a read-write lock */
    uint64_t round;    /* number of times that a barrier has opened */
    bool is_robust;    /* a mutex whose next owner gets EOWNERDEAD if the present one ends */
    bool is_abandoned; /* the owner of a robust mutex ended, and pthread_mutex_consistent was not called since */
    bool is_lost;      /* the mutex was unlocked while abandoned, and can never be locked again */
    const char *kind;  /* what the object is, such as "mutex" */
    const void *site;  /* where the owner took the object */
};

/* Returns the object at this address, free if it is new in this run. `kind` names it, such as "mutex". */
SONDE_HIDDEN struct sonde_object *sonde_object_at(const void *address, const char *kind);
/* Returns the object like sonde_object_at, after sonde_object_check. To be called after the step of the running
 * thread. */
SONDE_HIDDEN struct sonde_object *sonde_object_use(const void *address, const char *kind, const void *site);
/* Ends the run if the object is in memory that was freed or in a frame that has returned, or if it was destroyed. */
SONDE_HIDDEN void sonde_object_check(const void *address, const char *kind, const void *site);
/* Marks the memory of an object that was destroyed; initialising it again removes the mark. */
SONDE_HIDDEN void sonde_object_destroy(void *address);
/* Resets the state of an object, because its address may become another object. */
SONDE_HIDDEN void sonde_object_reset(const void *address);

/* Resets an object that is about to be initialised, after a check that its memory is valid. */
SONDE_HIDDEN void sonde_object_begin(const void *address, const char *kind, const void *site);
/* Resets an object that is about to be destroyed. Ends the run if a thread holds it or waits for it, or if it was
 * destroyed before. */
SONDE_HIDDEN void sonde_object_end(const void *address, const char *kind, const void *site);
/* Releases the robust mutexes of a thread that ends, so that their next owners get EOWNERDEAD. */
SONDE_HIDDEN void sonde_objects_abandon(struct sonde_fiber *f);

/* Returns whether the running thread holds the object. */
static inline bool sonde_object_is_own(const struct sonde_object *o)
{
    return o->owner == (int32_t)sonde_control.running->id;
}

/* Adds the running thread to the readers of a lock. */
SONDE_HIDDEN void sonde_object_read(struct sonde_object *o, const void *site);
/* Removes the running thread from the readers of a lock. Returns false if it was not a reader. */
SONDE_HIDDEN bool sonde_object_unread(struct sonde_object *o);

/* Makes the running thread the owner, which took the object at `site`. */
SONDE_HIDDEN void sonde_object_take(struct sonde_object *o, const void *site);
/* Releases an object that a thread owns. */
SONDE_HIDDEN void sonde_object_give(struct sonde_object *o);
/* Asserts the invariants of all objects. */
SONDE_HIDDEN void sonde_objects_check(void);

#endif
