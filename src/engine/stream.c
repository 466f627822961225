/* See stream.h. */
#include "engine/stream.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/home.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Takes those that are set into the hash; false if none is. */
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

static void read_host(char *host, size_t size)
{
    host[0] = '\0';
    if (gethostname(host, size - 1) < 0) host[0] = '\0';
    host[size - 1] = '\0';
}

/* The clock is only for systems without getrandom; the seed is printed either way. */
static uint64_t read_fresh(void)
{
    uint64_t fresh = 0;
    if (getrandom(&fresh, sizeof fresh, 0) != (ssize_t)sizeof fresh) fresh = (uint64_t)(sonde_clock_now() * 1e9);
    return fresh;
}

uint64_t sonde_stream_seed(bool is_among_many)
{
    static const char *const numbers[] = {"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "JOB_COMPLETION_INDEX",
                                          NULL};
    /* A number counts within its job. Kubernetes names the job by the host, which is another one for each attempt. */
    static const char *const jobs[] = {"SLURM_JOB_ID",
                                       "SLURM_ARRAY_JOB_ID",
                                       "SLURM_ARRAY_TASK_ID",
                                       "SLURM_RESTART_COUNT",
                                       "PMIX_NAMESPACE",
                                       "HOSTNAME",
                                       NULL};
    uint64_t hash = 1;
    char host[256];
    if (!is_among_many) return read_fresh();
    if (add_settings(&hash, numbers)) {
        add_settings(&hash, jobs);
        return sonde_mix(hash);
    }
    read_host(host, sizeof host);
    return sonde_mix(sonde_hash_add(sonde_hash_text(read_fresh(), host), (uint64_t)getpid()));
}

const char *sonde_stream_habits(uint64_t seed)
{
    /* Every other worker searches as a run does that is alone, so that what is known of one is known of half the fleet. */
    static const char *const habits[] = {NULL, "fresh=0.3", NULL, "again=0.7", NULL, "hot=0.1", NULL, "rl=0"};
    return habits[seed % (sizeof habits / sizeof *habits)];
}

char *sonde_stream_worker(uint64_t seed)
{
    enum { HOST = 256 };
    char host[HOST], text[2 * HOST];
    read_host(host, sizeof host);
    snprintf(text, sizeof text, "%.200s-%ld-%08" PRIx32, host, (long)getpid(), sonde_fold32(sonde_mix(seed + 1)));
    return sonde_safe_name(text);
}

char *sonde_stream_program(const char *program)
{
    char *path = sonde_home_executable(program);
    const char *slash = strrchr(path, '/');
    char *name = sonde_strdup(slash ? slash + 1 : path);
    sonde_free(path);
    return name;
}
