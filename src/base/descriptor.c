#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
/* See descriptor.h. The table belongs to the process. fork copies the table, so a worker knows which descriptors to
 * close. Only the main thread calls these functions. */
#include "base/descriptor.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

/* MOST is the size of the table. HIGH is above the numbers that programs usually open and below the usual limit of
 * 1,024. Under a lower limit the upper half of the numbers is used. */
enum { MOST = 128, HIGH = 600 };

static struct {
    int descriptor;
    bool for_workers;
} hidden[MOST];
static size_t n_hidden;

/* Programs close or guess small numbers, and rarely numbers from HIGH on. */
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

FILE *sonde_descriptor_create(const char *path)
{
    int file = sonde_descriptor_hide(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), false);
    return file >= 0 ? fdopen(file, "w") : NULL;
}

/* Fills the gap with the last entry, which i-- then compares as well. */
void sonde_descriptor_forget(int descriptor)
{
    for (size_t i = 0; i < n_hidden; i++)
        if (hidden[i].descriptor == descriptor) hidden[i--] = hidden[--n_hidden];
}

void sonde_descriptor_close_for_worker(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < n_hidden; i++) {
        if (hidden[i].for_workers) hidden[kept++] = hidden[i];
        else close(hidden[i].descriptor);
    }
    n_hidden = kept;
}
