/* Makes a run one worker of a fleet: sends tapes and failures to the agent of the shared location (share/agent.c), and
 * runs those it receives.
 *
 * Tapes are exchanged, never tables. The saved corpus is sent with each snapshot, as tokens with the keys of the
 * features they show (snapshot.h). Received tapes go through a separate outbox to every job, which runs and judges
 * them. So a tape of another build, or from an untrusted source, is worth only what it does here. Nothing that is
 * received changes the store of this run directly.
 *
 * A failure is sent to the other workers as soon as it is stored, and each of them runs it. The first worker to claim
 * the failure shrinks it; the others wait for the shrunk tape, and use it if it fails for them, too. If no reply comes
 * within seconds, the run continues as it would without a fleet. Nothing is lost then; at worst a failure is shrunk
 * twice.
 *
 * All of this is called in the supervisor, between its other work; only the end of the run waits for the agent. Without
 * --share there is no fleet, and every function here does nothing. */
#ifndef SONDE_ENGINE_FLEET_H
#define SONDE_ENGINE_FLEET_H

#include "engine/phases/phases.h"

struct sonde_fleet;

/* Starts the agent before the search, if options.share asks for it. */
void sonde_fleet_begin(struct sonde_engine *e);
/* Sends the messages that are left and ends the agent; called last. */
void sonde_fleet_end(struct sonde_engine *e);
/* Exchanges all messages that are ready; called about fifty times a second while the search runs. `has_read`: all
 * received tapes have been run. */
void sonde_fleet_turn(struct sonde_engine *e, bool has_read);
/* Returns true if the run need not wait any longer to learn which worker shrinks the failure. */
bool sonde_fleet_has_decided(const struct sonde_engine *e, uint64_t identity);
/* Notes the counts of this run for the next report to the fleet. */
void sonde_fleet_progress(struct sonde_engine *e, const struct sonde_stats *stats, const struct sonde_outlook *outlook);
/* Returns how the whole fleet is doing, as JSON, for the live page; NULL: not known. Valid until the next call that
 * receives messages. */
const char *sonde_fleet_roster(const struct sonde_engine *e);
/* Sends a snapshot of the search that is ready. */
void sonde_fleet_keep(struct sonde_engine *e, const struct sonde_search *search);

/* Sends a failure that was found and stored; `text` is the token that replays it. */
void sonde_fleet_found(struct sonde_engine *e, const struct sonde_failure *failure, const char *text);
/* Waits, after the search, until it is known which worker shrinks the failure, and for the result of another worker.
 * Takes some seconds at most. */
void sonde_fleet_await(struct sonde_engine *e, uint64_t identity);
/* Fills in the script to which another worker has shrunk the failure; returns false if there is none. */
bool sonde_fleet_shrunk(struct sonde_engine *e, uint64_t identity, struct sonde_tape *script);
/* Returns whether another worker shrinks the failure, so that this one leaves it alone. */
bool sonde_fleet_leaves(const struct sonde_engine *e, uint64_t identity);
/* Sends the tape to which this run has shrunk the failure to the other workers. */
void sonde_fleet_send_shrunk(struct sonde_engine *e, const struct sonde_failure *failure);

#endif
