/* A run's end of the wire, and the start of its agent: a forked process for a folder, another program for a server
 * (sonde-share, which needs a library that this one must not). Whatever becomes of the agent, the run goes on. */
#ifndef SONDE_SHARE_LINK_H
#define SONDE_SHARE_LINK_H

#include "share/place.h"

#include <sys/types.h>

struct sonde_link {
    struct sonde_wire wire;
    pid_t agent; /* 0: there is none */
};

/* NULL if it names a place that there can be, else what is wrong: static. Looks at the text alone. */
const char *sonde_link_check(const char *place);
/* Starts the agent; `leave` is called in it first, to leave everything that is the run's. 0 or a negative errno. */
int sonde_link_open(struct sonde_link *link, const struct sonde_place_setup *setup, void (*leave)(void));
/* Lets the agent bring what it has to the place, and waits for it: ten seconds at most, and half of that if the agent does not
 * report that the place answers; then kills it. `take` gets what it sends meanwhile. */
typedef void sonde_link_take(void *context, const struct sonde_wire_message *message);
void sonde_link_close(struct sonde_link *link, sonde_link_take *take, void *context);

#endif
