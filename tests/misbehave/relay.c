/* Searches that need each other. Only one process at a time holds a lock. The one that does is led to the first number,
 * and never sees more; the others are led from the first number to the second, and cannot find the first. So both numbers
 * are found only if what one job found reaches another. */
#include "lib/sorted_cov.h"

#include <fcntl.h>
#include <math.h>
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 123456789, SECOND = 987654321, MOST = 2000000000 };

static bool is_holder, naps;

static void take_lock(void *context)
{
    (void)context;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open("relay.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    naps = getenv("NAP") != NULL;                          /* so that a run that waits for another costs nothing */
    is_holder = fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0; /* held until the process ends */
}

static void relay(sonde *t)
{
    int x = sonde_int(t, "x", 0, MOST), y = sonde_int(t, "y", 0, MOST);
    if (naps) usleep(500);
    if (is_holder) sonde_target(t, "way", -fabs((double)x - FIRST));
    else if (x == FIRST) sonde_target(t, "way", 1 + MOST - fabs((double)y - SECOND));
    sonde_check(t, !(x == FIRST && y == SECOND));
}

/* Instrumented code: what is reached is reached by any of the jobs. */
static void sorted(sonde *t)
{
    int values[8];
    size_t n = 0;
    if (naps) usleep(500);
    sonde_list list = sonde_list_of(t, "values", 0, 8);
    while (sonde_more(&list)) values[n++] = sonde_int(t, "v", 0, 9);
    sonde_assume(t, is_sorted(values, n));
}

int main(int argc, char **argv)
{
    const sonde_property all[] = {
        {.name = "relay", .run = relay, .worker_setup = take_lock, .guide = "target"},
        {.name = "sorted", .run = sorted, .worker_setup = take_lock, .guide = "cgpt"},
    };
    return sonde_main(argc, argv, all, sizeof all / sizeof *all);
}
