#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
/* See descriptor.h. The table belongs to the process; it is copied by fork, which is how a worker knows
 * what to close. Called by the main thread only. */
#include "base/descriptor.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

/* HIGH is above what programs usually open and below the usual limit of 1,024; under a lower limit the upper half
 * is used. */
enum { MOST = 128, HIGH = 600 };

static struct {
    int descriptor;
    bool for_workers;
} hidden[MOST];
static size_t n_hidden;

/* Programs close or guess small numbers; those from HIGH on are rarely met. */
static int moved_up(int descriptor)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return descriptor;
    rlim_t from = limit.rlim_cur > HIGH + MOST ? HIGH : limit.rlim_cur / 2;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, (int)from);
    if (moved < 0) return descriptor;
    close(descriptor);
    return moved;
}

int sonde_descriptor_hide(int descriptor, bool for_workers)
{
    if (descriptor < 0) return descriptor;
    int moved = moved_up(descriptor);
    fcntl(moved, F_SETFD, FD_CLOEXEC);
    if (n_hidden < MOST) {
        hidden[n_hidden].descriptor = moved;
        hidden[n_hidden++].for_workers = for_workers;
    }
    return moved;
}

/* i-- because the last entry has moved here and must be looked at, too. */
void sonde_descriptor_forget(int descriptor)
{
    for (size_t i = 0; i < n_hidden; i++)
        if (hidden[i].descriptor == descriptor) hidden[i--] = hidden[--n_hidden];
}

void sonde_descriptor_leave(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < n_hidden; i++) {
        if (hidden[i].for_workers) hidden[kept++] = hidden[i];
        else close(hidden[i].descriptor);
    }
    n_hidden = kept;
}
