/* A run as one worker of a fleet: what it hands to the agent of the place that it shares (share/agent.c), and what it makes of
 * what comes from there.
 *
 * Tapes travel, never tables: what the harvest keeps goes out with each snapshot, as text with keys of what it shows; what comes in
 * goes through an outbox of its own to every job, which runs it and judges for itself. So a tape of another build, or
 * of a stranger, is worth what it does here, and the store of this run stays the truth about it.
 *
 * A failure is told to the others as soon as it is stored, and each of them runs it. Who claims it first shrinks it; the others
 * wait for what comes of that, and take it up if it fails here, too. Where no answer comes within seconds, the run does
 * what it does without a fleet: nothing is lost by that, and at worst something is shrunk twice.
 *
 * All of this is called in the supervisor, between other things it does; nothing waits for the agent but the end of the run. Without
 * --share there is no fleet, and every function here does nothing. */
#ifndef SONDE_ENGINE_FLEET_H
#define SONDE_ENGINE_FLEET_H

#include "engine/phases/phases.h"

struct sonde_fleet;

/* Before the search: starts the agent, if options.share asks for it. */
void sonde_fleet_begin(struct sonde_engine *e);
/* After everything: what is left is brought to the place. */
void sonde_fleet_end(struct sonde_engine *e);
/* Some fifty times a second, while the search runs. `has_read`: all that came has been run. */
void sonde_fleet_turn(struct sonde_engine *e, bool has_read);
/* Returns whether it is known who deals with a failure; by now there is nothing to wait for. */
bool sonde_fleet_has_decided(const struct sonde_engine *e, uint64_t identity);
void sonde_fleet_progress(struct sonde_engine *e, const struct sonde_stats *stats, const struct sonde_outlook *outlook);
/* How the whole fleet is doing, as JSON, for the live page; NULL: not known. Until the next turn of the watch. */
const char *sonde_fleet_roster(const struct sonde_engine *e);
/* A snapshot of the search is ready. */
void sonde_fleet_keep(struct sonde_engine *e, const struct sonde_search *search);

/* A failure was found and stored; `text` is what replays it. */
void sonde_fleet_found(struct sonde_engine *e, const struct sonde_failure *failure, const char *text);
/* When the search is over: waits until it is known who shrinks it, and for what another worker makes of it; some seconds at most. */
void sonde_fleet_await(struct sonde_engine *e, uint64_t identity);
/* What another worker has made of it: a script; false if there is none. */
bool sonde_fleet_shrunk(struct sonde_engine *e, uint64_t identity, struct sonde_tape *script);
/* Whether it is another worker's to shrink. */
bool sonde_fleet_leaves(const struct sonde_engine *e, uint64_t identity);
/* It has been dealt with here; tells the others what it was shrunk to. */
void sonde_fleet_settled(struct sonde_engine *e, const struct sonde_failure *failure);

#endif
