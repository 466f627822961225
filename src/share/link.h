/* The run's end of the wire, and the start of its agent. For a directory, the agent is a forked process. For a server,
 * it is a separate program (sonde-share), because it needs a client library, which test programs must not need.
 * Whatever happens to the agent, the run continues. */
#ifndef SONDE_SHARE_LINK_H
#define SONDE_SHARE_LINK_H

#include "share/place.h"

#include <sys/types.h>

/* A run's connection to its agent. */
struct sonde_link {
    struct sonde_wire wire;
    pid_t agent; /* process id of the agent; 0: there is no agent */
};

/* Checks the name of a location, without accessing it. Returns NULL if it is valid, else the error (static). */
const char *sonde_link_check(const char *place);
/* Starts the agent. Calls `leave` in it first, to give up the run's resources. Returns 0 or a negative errno. */
int sonde_link_open(struct sonde_link *link, const struct sonde_place_setup *setup, void (*leave)(void));
/* Receives a message of the agent. */
typedef void sonde_link_take(void *context, const struct sonde_wire_message *message);
/* Lets the agent send the rest to the location, waits for that, and then kills the agent. Waits ten seconds at most, or
 * five if the agent does not report that the location responds. Calls `take` with messages that arrive meanwhile. */
void sonde_link_close(struct sonde_link *link, sonde_link_take *take, void *context);

#endif
