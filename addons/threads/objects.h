/* What threads meet at: locks, and what is like them. Their state lies here, by address, and not in the object itself: the real
 * functions would take all threads for one, and a run that is left in the middle must not leave a lock behind. */
#ifndef SONDE_THREADS_OBJECTS_H
#define SONDE_THREADS_OBJECTS_H

#include "control.h"
#include "table.h"

enum { SONDE_NOBODY = -1 };

struct sonde_object {
    struct sonde_slot slot;
    int32_t owner;     /* thread; SONDE_NOBODY: free */
    uint32_t count;    /* of a recursive lock; of a barrier, who has arrived */
    uint32_t readers;  /* of a lock for readers and writers */
    uint64_t round;    /* of a barrier */
    bool is_robust;    /* a mutex whose next owner is told if this one ends */
    bool is_abandoned; /* ... which has happened, and it is not consistent again */
    bool is_lost;      /* ... and was unlocked so: never to be locked again */
    const char *kind;  /* "mutex" */
    const void *site;  /* where it was taken */
};

/* The object at this address, free if it is new in this run. `kind`: what it is, "mutex". */
SONDE_HIDDEN struct sonde_object *sonde_object_at(const void *address, const char *kind);
/* The same behind a step of the running thread that uses it: ends the run if its memory is gone, or if it was destroyed. */
SONDE_HIDDEN struct sonde_object *sonde_object_use(const void *address, const char *kind, const void *site);
/* Ends the run if the object lies in memory that was freed, in a frame that has returned, or if it was destroyed. */
SONDE_HIDDEN void sonde_object_check(const void *address, const char *kind, const void *site);
/* Marks its memory as that of an object that was destroyed; initialising it again removes the mark. */
SONDE_HIDDEN void sonde_object_destroy(void *address);
/* It is destroyed, or its memory is: its address may become another. */
SONDE_HIDDEN void sonde_object_forget(const void *address);

/* It is about to be initialised: its memory must be there. */
SONDE_HIDDEN void sonde_object_begin(const void *address, const char *kind, const void *site);
/* It is about to be destroyed: ends the run if a thread holds it or waits for it, or if it is gone already. */
SONDE_HIDDEN void sonde_object_let_go(const void *address, const char *kind, const void *site);
/* Robust mutexes of a thread that ends are given back, for EOWNERDEAD. */
SONDE_HIDDEN void sonde_objects_abandon(struct sonde_fiber *f);

static inline bool sonde_object_is_own(const struct sonde_object *o)
{
    return o->owner == (int32_t)sonde_control.running->id;
}

/* The running thread holds it for reading, or no longer: false if it did not. */
SONDE_HIDDEN void sonde_object_read(struct sonde_object *o, const void *site);
SONDE_HIDDEN bool sonde_object_unread(struct sonde_object *o);

/* The thread that holds it; it was taken at `site`. And given back. */
SONDE_HIDDEN void sonde_object_take(struct sonde_object *o, const void *site);
SONDE_HIDDEN void sonde_object_give(struct sonde_object *o);
SONDE_HIDDEN void sonde_objects_check(void);

#endif
