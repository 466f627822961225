#!/bin/sh
# Faults in threads: those under control draw them, fibers and kernel threads alike; those that sonde did not start do not, which is told.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 30; fi
}
cat >threads.c <<'C'
#include <sonde.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int failed;
static void *writes(void *unused)
{
    int fd = open("threads.out", O_WRONLY | O_CREAT, 0600);
    failed = fd < 0 || write(fd, "x", 1) != 1;
    if (fd >= 0) close(fd);
    return unused;
}
static void start(sonde *t, void *unused)
{
    pthread_t a;
    failed = 0;
    unlink("threads.out");
    pthread_create(&a, NULL, writes, unused);
    pthread_join(a, NULL);
    sonde_check(t, !failed);
}
SONDE_PROPERTY(in_a_thread)
{
    sonde_faults(t, "io", SONDE_FAULT_ENOSPC);
    sonde_threads(t, "schedule", start, NULL);
}
static void run(void *t) { sonde_threads(t, "schedule", start, NULL); }
SONDE_PROPERTY(dies_in_a_thread)
{
    bool has_died = sonde_crash(t, "dies", run, t);
    sonde_classify(t, has_died, "died");
    sonde_cover(t, 5, has_died, "died");
}
SONDE_PROPERTY(in_a_stranger)
{
    pthread_t a;
    unlink("threads.out");
    sonde_faults(t, "io", SONDE_FAULT_ENOSPC);
    pthread_create(&a, NULL, writes, NULL);
    pthread_join(a, NULL);
    sonde_check(t, !failed);
}
SONDE_MAIN()
C
make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$PWD/root" PREFIX=/opt/sonde install >log 2>&1
prefix=$PWD/root/opt/sonde
for kind in threads threads=os; do
    # shellcheck disable=SC2046  # flags are meant to split
    "$prefix/bin/sonde" cc --$kind --sonde-cc="$CC" -g threads.c $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --libs sonde-faults) -o threads >log 2>&1
    report $? "it compiles (--$kind)"
    ./threads --no-store --seed 1 --filter in_a_thread >log 2>&1
    [ $? = 1 ] && grep -qE '(open|write)\(\) fails: ENOSPC, at threads.c' log
    report $? "a thread under control meets a fault (--$kind)"
    ./threads --no-store --seed 1 --filter dies_in_a_thread --tests 500 >log 2>&1
    report $? "... and dies, with all others (--$kind)"
done
# shellcheck disable=SC2046
"$CC" -std=gnu11 -g -I"$SRC/include" threads.c $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --libs sonde-faults) -o plain >log 2>&1 &&
    ./plain --no-store --seed 1 --filter in_a_stranger >log 2>&1
[ $? = 0 ] && grep -q 'Not seen: not followed: calls of threads and processes that sonde did not start' log && ! grep -q 'holds for all' log
report $? "a thread that sonde did not start meets none, which is told"
echo "1..$n"
