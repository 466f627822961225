/* sonde-share: access to shared locations. It is a separate program because servers need a client library, which test
 * programs must not need. It is the agent of runs that share through a server (`sonde-share agent`, started by the
 * library), and it implements `sonde share` for people. */
#ifndef SONDE_TOOLS_SHARE_H
#define SONDE_TOOLS_SHARE_H

#include "share/place.h"

/* Redis, Valkey and other servers with the same protocol (redis.c). Without hiredis, open fails with a message. */
extern const struct sonde_place_ops sonde_redis_ops;

/* Returns the operations for the name of a location. */
const struct sonde_place_ops *sonde_share_ops(const char *name);

/* Runs a command of `sonde share`. argv[0] is its name; options come before the arguments. Prints errors on stderr and
 * returns an exit status: SONDE_USAGE for wrong arguments or an unusable location, SONDE_INTERNAL if not everything
 * could be done. */
int sonde_share_status(int argc, char **argv);
int sonde_share_watch(int argc, char **argv);
int sonde_share_export(int argc, char **argv);
int sonde_share_import(int argc, char **argv);
int sonde_share_prune(int argc, char **argv);

#endif
