/* See options.h. These are the defaults that --help and the manual page name. In the hostile build limits are small, so
 * that runs reach them. */
#include "engine/search/options.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/limit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

void sonde_options_default(struct sonde_options *options)
{
    *options = (struct sonde_options){.tests = 10000,
                                      .seconds = 10,
                                      .guide = "auto",
                                      .max_choices = SONDE_LIMIT(65536, 2000),
                                      .memory = SONDE_LIMIT(UINT64_C(64) << 20, 65536),
                                      .max_discards = 100,
                                      .gives_way = true,
                                      .shrink = true,
                                      .shrink_seconds = 60,
                                      .characteristic = "tape",
                                      .import_as = "exact",
                                      .isolation = SONDE_ISOLATE_NONE,
                                      .jobs = 1,
                                      .timeout_cpu = 1,
                                      .timeout_wall = 10,
                                      .memory_limit = UINT64_C(4) << 30};
}

/* ---- Which worker of a fleet this is */

/* Adds to the hash the environment variables that are set; returns false if none is set. */
static bool add_settings(uint64_t *hash, const char *const *names)
{
    bool has_any = false;
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (!value) continue;
        *hash = sonde_hash_text(sonde_hash_text(*hash, *names), value);
        has_any = true;
    }
    return has_any;
}

/* Returns random bits for a seed. Uses the clock only on systems without getrandom; the seed is printed either way. */
static uint64_t read_fresh(void)
{
    uint64_t fresh = 0;
    if (getrandom(&fresh, sizeof fresh, 0) != (ssize_t)sizeof fresh) fresh = (uint64_t)(sonde_clock_now() * 1e9);
    return fresh;
}

/* Returns a seed for a run that was given none. For a worker among many it is derived from numbers that schedulers set,
 * such as SLURM_PROCID. So the workers of a job differ, and a restarted worker gets the same seed. If no such number is
 * set, host and process id are mixed in. */
static uint64_t choose_seed(bool is_among_many)
{
    static const char *const numbers[] = {"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "JOB_COMPLETION_INDEX",
                                          NULL};
    /* A worker's number is unique only within its job. Kubernetes names the job by the host, which differs for each
     * attempt. */
    static const char *const jobs[] = {"SLURM_JOB_ID",
                                       "SLURM_ARRAY_JOB_ID",
                                       "SLURM_ARRAY_TASK_ID",
                                       "SLURM_RESTART_COUNT",
                                       "PMIX_NAMESPACE",
                                       "HOSTNAME",
                                       NULL};
    uint64_t hash = 1;
    char host[256] = "";
    if (!is_among_many) return read_fresh();
    if (add_settings(&hash, numbers)) {
        add_settings(&hash, jobs);
        return sonde_mix(hash);
    }
    if (gethostname(host, sizeof host - 1) < 0) host[0] = '\0';
    return sonde_mix(sonde_hash_add(sonde_hash_text(read_fresh(), host), (uint64_t)getpid()));
}

/* Returns knobs that make a worker with this seed search differently from the others, so that they overlook less
 * together; NULL: none. For fleets whose user has set neither seed, guide nor knobs. */
static const char *knobs_of_worker(uint64_t seed)
{
    /* Every other worker searches as a single run does, so that experience with single runs holds for half the
     * fleet. */
    static const char *const knobs[] = {NULL, "fresh=0.3", NULL, "again=0.7", NULL, "hot=0.1", NULL, "rl=0"};
    return knobs[seed % (sizeof knobs / sizeof *knobs)];
}

/* ---- From three sources */

/* Removes the bounds that were not given, for a search that is stopped from outside. */
static void lift_bounds(struct sonde_options *o)
{
    if (!o->tests_given) o->tests = 0;
    if (!o->seconds_given) o->seconds = 0;
    o->max_discards = 0;
    o->keep_going = true;
}

/* Command line and environment come first, then what the property sets for itself, then the defaults. */
void sonde_options_merge(struct sonde_options *o, const sonde_property *property, const struct sonde_options *given)
{
    *o = *given;
    if (property->tests && !o->tests_given) o->tests = property->tests;
    if (property->seconds > 0 && !o->seconds_given) o->seconds = property->seconds;
    if (property->guide && !o->guide_given) o->guide = property->guide;
    if (property->min_unique && !o->min_unique_given) o->min_unique = (struct sonde_least){.n = property->min_unique};
    if (o->flat_seconds > 0) o->fuzz = true;
    if (o->fuzz) lift_bounds(o);
    if (o->replay) o->shrink = false; /* a replay shows the given input, not a smaller one */
    enum { SEEDS = 1000000000 };      /* number of different seeds: a seed is short enough to type */
    if (!o->seed_given) o->seed = choose_seed(o->share != NULL) % SEEDS;
    bool is_chosen = o->seed_given || o->guide_given || o->guide_options || strcmp(o->guide, "auto") != 0;
    if (o->share && !is_chosen) o->guide_options = knobs_of_worker(o->seed);
}

/* ---- Listeners */

void sonde_tell(struct sonde_reporter *const *reporters, size_t n_reporters, const struct sonde_event *event)
{
    for (size_t i = 0; i < n_reporters; i++)
        if (!reporters[i]->failure) reporters[i]->event(reporters[i], event);
}
