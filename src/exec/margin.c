/* See margin.h. Soft limits are raised up to the hard ones; where these are the same, nothing changes, and whoever relies on a
 * failure has to run it several times. */
#include "exec/margin.h"

#include <malloc.h>
#include <sys/resource.h>

void sonde_margin_add(struct sonde_case_limits *limits, double share)
{
    const double of_time = 4;
    limits->cpu_seconds *= 1 + of_time * share;
    limits->wall_seconds *= 1 + of_time * share;
    limits->memory += (uint64_t)((double)limits->memory * share);
    limits->margin = share;
}

void sonde_margin_hurry(struct sonde_case_limits *limits)
{
    /* 50 ms of processor time: more than any ordinary case takes, a twentieth of the usual limit. */
    const double least = 0.05;
    if (limits->cpu_seconds > least) limits->cpu_seconds = least;
    if (limits->wall_seconds > 10 * least) limits->wall_seconds = 10 * least;
}

/* The stack of a process grows as long as the limit of that moment allows, so a forked one can be given more. */
void sonde_margin_apply(const struct sonde_case_limits *limits)
{
    static const int kinds[] = {RLIMIT_STACK, RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && limits->margin > 0; i++) {
        struct rlimit r;
        if (getrlimit(kinds[i], &r) != 0 || r.rlim_cur == RLIM_INFINITY) continue;
        rlim_t more = r.rlim_cur + (rlim_t)((double)r.rlim_cur * limits->margin);
        r.rlim_cur = r.rlim_max != RLIM_INFINITY && more > r.rlim_max ? r.rlim_max : more;
        setrlimit(kinds[i], &r);
    }
}

void sonde_margin_fill(unsigned char fill)
{
#ifdef M_PERTURB
    mallopt(M_PERTURB, fill);
#else
    (void)fill;
#endif
}

bool sonde_margin_is_over(const struct sonde_case_limits *limits)
{
    struct rusage used;
    return limits->memory && getrusage(RUSAGE_SELF, &used) == 0 && (uint64_t)used.ru_maxrss * 1024 > limits->memory;
}
