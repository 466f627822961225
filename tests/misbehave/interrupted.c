/* Three properties: one that ends, one that runs on and makes the file MARK when it has begun, one that is not come to. With
 * FAILS in the environment the first is falsified, with RUNS_ON_FAILS the second, once; with MISUSES the first misuses sonde;
 * with HANGS the second waits in its first case. */
#include <fcntl.h>
#include <sonde.h>
#include <stdlib.h>
#include <unistd.h>

static void ends(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000);
    if (getenv("MISUSES")) sonde_int(t, "y", 1, 0);
    sonde_check(t, x < 37 || !getenv("FAILS"));
}

static void runs_on(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000000);
    const char *mark = getenv("MARK");
    int file = mark ? open(mark, O_CREAT | O_WRONLY, 0666) : -1;
    if (file >= 0) close(file);
    while (getenv("HANGS")) pause();
    sonde_check(t, x < 37 || !getenv("RUNS_ON_FAILS"));
    usleep(1000);
}

static void not_come_to(sonde *t)
{
    sonde_int(t, "x", 0, 1000);
}

SONDE_MAIN(ends, runs_on, not_come_to)
