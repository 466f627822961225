/* sonde-share: places that workers share, as a program of its own because servers need a client library. It is the agent of runs that share a
 * server (`sonde-share agent`, started by the library), and `sonde share` for people. */
#ifndef SONDE_TOOLS_SHARE_H
#define SONDE_TOOLS_SHARE_H

#include "share/place.h"

/* Redis, Valkey and what else speaks like them (redis.c); opens nothing, with a sentence, where there is no hiredis. */
extern const struct sonde_place_ops sonde_redis_ops;

/* Which of them a name is for. */
const struct sonde_place_ops *sonde_share_ops(const char *name);

int sonde_share_status(int argc, char **argv);
int sonde_share_watch(int argc, char **argv);
int sonde_share_export(int argc, char **argv);
int sonde_share_import(int argc, char **argv);
int sonde_share_prune(int argc, char **argv);

#endif
