/* What threads meet at: locks, and what is like them. Their state lies here, by address, and not in the object itself: the real
 * functions would take all threads for one, and a run that is left in the middle must not leave a lock behind. */
#ifndef SONDE_THREADS_OBJECTS_H
#define SONDE_THREADS_OBJECTS_H

#include "control.h"

enum { SONDE_NOBODY = -1 };

struct sonde_object {
    const void *address;
    uint32_t run;
    int32_t owner;    /* thread; SONDE_NOBODY: free */
    uint32_t count;   /* of a recursive lock; of a barrier, who has arrived */
    uint32_t readers; /* of a lock for readers and writers */
    uint64_t round;   /* of a barrier */
    const char *kind; /* "mutex" */
    const void *site; /* where it was taken */
};

/* The object at this address, free if it is new in this run. `kind`: what it is, "mutex". */
SONDE_HIDDEN struct sonde_object *sonde_object_at(const void *address, const char *kind);
/* It is destroyed, or its memory is: its address may become another. */
SONDE_HIDDEN void sonde_object_forget(const void *address);

/* The running thread holds it for reading, or no longer: false if it did not. */
SONDE_HIDDEN void sonde_object_read(struct sonde_object *o, const void *site);
SONDE_HIDDEN bool sonde_object_unread(struct sonde_object *o);

/* The thread that holds it; it was taken at `site`. And given back. */
SONDE_HIDDEN void sonde_object_take(struct sonde_object *o, const void *site);
SONDE_HIDDEN void sonde_object_give(struct sonde_object *o);

#endif
