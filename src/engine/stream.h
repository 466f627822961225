/* Which worker of a fleet this is: its random stream, its name, and what its program is called by the others. */
#ifndef SONDE_ENGINE_STREAM_H
#define SONDE_ENGINE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* A seed that nobody gave: a fresh one. For a worker among many it follows from the numbers that schedulers give (SLURM_PROCID and the
 * like), so that a job's workers differ and each is the same when it is started again; where there are none, the host and the
 * process are in it. */
uint64_t sonde_stream_seed(bool is_among_many);
/* Knobs by which a worker of this seed searches otherwise than its fellows, so that what all of them overlook is less; NULL: none. For fleets
 * whose user has settled neither seed, guide nor knobs. */
const char *sonde_stream_habits(uint64_t seed);
/* Tells it from all others at work. sonde_free it. */
char *sonde_stream_worker(uint64_t seed);
/* The last part of the path of the executable. sonde_free it. */
char *sonde_stream_program(const char *program);

#endif
