/* An agent: the process that stands between a run and the place it shares. The run hands it what it found and is handed what
 * would be new to it, both over a wire (wire.h) that neither waits at. So a place that is slow, full, gone or wrong costs
 * the search nothing; what is to be sent waits here, as far as there is room.
 *
 * What would be new: the run says which places it has reached, by their keys; a tape of others is fetched if it names a key
 * that is not among them and that no tape fetched lately has named. Those that name none are taken, few at a time.
 * More are fetched only when the run has read what it got, so a newcomer is not drowned, and a slow property takes as much
 * as it can use. A tape of its own is kept back if others have sent all of its keys before.
 *
 *     run --tapes, keys, failures--> agent --what the place lacks--> place
 *     run <--tapes to run----------- agent <--what the run lacks---- place */
#ifndef SONDE_SHARE_AGENT_H
#define SONDE_SHARE_AGENT_H

#include "share/place.h"

/* Until the other side of the wire is gone; then brings the rest to the place, within some seconds. Closes fd. Answers an exit
 * status. */
int sonde_agent_run(const struct sonde_place_ops *ops, const struct sonde_place_setup *setup, int fd);

#endif
