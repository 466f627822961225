#!/bin/sh
# Calls of the C library that fail on purpose: linked in or preloaded. In the fixture each call is made once on a file or a socket, with
# what sonde writes itself between them; what failed must be what was drawn, and nothing of sonde's.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 40; fi
}

cat >exact.c <<'C'
#define _GNU_SOURCE
#include <sonde.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int sockets[2];

static void every_call(sonde *t)
{
    char path[40], other[48], data[8] = "1234567";
    snprintf(path, sizeof path, "%s/sonde-exact-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"); /* fsync is quick there */
    close(mkstemp(path));
    snprintf(other, sizeof other, "%s.b", path);
    sonde_faults(t, "io", SONDE_FAULT_ALL);
    int fd = open(path, O_RDWR | O_CREAT, 0600), error_of_open = errno;
    ssize_t wrote = fd < 0 ? 0 : write(fd, data, 8);
    int error_of_write = errno;
    sonde_note(t, "between");
    int synced = fd < 0 ? 0 : fsync(fd);
    int renamed = rename(path, other), error_of_rename = errno;
    ssize_t sent = send(sockets[0], data, 1, 0);
    int error_of_send = errno;
    sonde_faults_end(t);
    if (fd >= 0) close(fd);
    if (sent == 1) recv(sockets[1], data, 1, 0);
    sonde_check(t, access(renamed == 0 ? other : path, F_OK) == 0); /* what fails has no effect */
    unlink(path);
    unlink(other);
    const char *want = getenv("WANT");
    bool met = (!strcmp(want, "EMFILE") && fd < 0 && error_of_open == EMFILE) || (!strcmp(want, "short") && wrote == 4)
               || (!strcmp(want, "ENOSPC") && wrote < 0 && error_of_write == ENOSPC)
               || (!strcmp(want, "EINTR") && wrote < 0 && error_of_write == EINTR)
               || (!strcmp(want, "EAGAIN") && wrote < 0 && error_of_write == EAGAIN)
               || (!strcmp(want, "fsync") && synced != 0) || (!strcmp(want, "rename") && renamed != 0 && error_of_rename == EIO)
               || (!strcmp(want, "ECONNRESET") && sent < 0 && error_of_send == ECONNRESET);
    sonde_check(t, !met);
}

int main(int argc, char **argv)
{
    sonde_property all = {.name = "every_call", .run = every_call};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) return 9;
    return sonde_main(argc, argv, &all, 1);
}
C

make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$PWD/root" PREFIX=/opt/sonde install >log 2>&1
lib=$PWD/root/opt/sonde/lib
PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
export PKG_CONFIG_PATH LD_LIBRARY_PATH SONDE_TIME=0
compile() { # compile OUTPUT FLAGS...
    out=$1
    shift
    "$CC" -std=gnu11 -O1 -g -I"$SRC/include" exact.c "$@" -o "$out" >log 2>&1
}

# meets KIND CALL: it is found, alone, and noted with its line.
meets() {
    # shellcheck disable=SC2086  # a command and its arguments
    WANT=$1 $command --no-store --seed 1 >log 2>&1
    [ $? = 1 ] && [ "$(grep -cE '\(\) (is short|fails)' log)" = 1 ] &&
        grep -qE "$2\(\) (is short|fails).*at .*exact.c:[0-9]+" log
    report $? "$1 of $2 is found, alone, and noted with its line ($name)"
}

# works NAME COMMAND
works() {
    name=$1 command=$2
    meets short write
    meets EINTR write
    meets EAGAIN write
    meets ENOSPC write
    meets EMFILE open
    meets fsync fsync
    meets rename rename
    meets ECONNRESET send
    WANT=nothing $command --no-store --seed 1 --tests 500 --isolate none >log 2>&1
    report $? "what fails has no effect, and nothing of sonde's fails ($name)"
}

# shellcheck disable=SC2046  # flags are meant to split
{
    rm -f "$lib"/libsonde.so*
    compile wrapped $(pkg-config --static --libs sonde-faults) && works linked ./wrapped
    compile plain $(pkg-config --static --libs sonde) && works preloaded "env LD_PRELOAD=$BUILD/libsonde_faults.so ./plain"
}
[ "$n" = 18 ]
report $? "every way of linking works"

# What is left by an assume or a crash is left whole: spans, machines, faults and the crash that was waited for.
cat >within.c <<'C'
#include <sonde.h>
#include <fcntl.h>
#include <unistd.h>

static void touch(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    if (fd >= 0 && write(fd, "x", 1) != 1) close(fd), fd = -1;
    if (fd >= 0) close(fd);
}
static void work(void *t)
{
    sonde_span(t, "work");
    sonde_assume(t, sonde_int(t, "key", 0, 9) > 5);
    touch("within.out");
}
static void die(sonde *t, void *world) { sonde_crash(t, "dies", work, t), (void)world; }
static void live(sonde *t, void *world) { touch("within.out"), (void)t, (void)world; }
static void fail_later(sonde *t, void *world)
{
    sonde_faults(t, "io", SONDE_FAULT_ALL);
    sonde_assume(t, sonde_bool(t, "odd"));
    sonde_faults_end(t);
    (void)world;
}
static const sonde_rule rules[] = {SONDE_RULE(die), SONDE_RULE(live), SONDE_RULE(fail_later)};
static const sonde_machine machine = {.rules = rules, .n_rules = 3, .size = 1};

SONDE_PROPERTY(crash_in_machine) { sonde_drive(t, "calls", &machine); }

static const sonde_machine touching = {.rules = rules + 1, .n_rules = 1, .size = 1};
static void drive(void *t)
{
    sonde_span(t, "work");
    sonde_drive(t, "calls", &touching);
}

SONDE_PROPERTY(machine_in_crash)
{
    sonde_crash(t, "dies", drive, t);
    sonde_assume(t, sonde_int(t, "key", 0, 9) > 5);
}

static void write_stream(void *path)
{
    FILE *file = fopen(path, "w");
    if (!file) return;
    if (ftruncate(fileno(file), 0)) rewind(file);
    fclose(file);
}

SONDE_PROPERTY(streams_are_closed)
{
    sonde_crash(t, "dies", write_stream, "within.out");
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    sonde_check(t, 0 <= fd && fd < 24);
    sonde_int(t, "case", 0, 1 << 30); /* so that there is more than one */
}

SONDE_MAIN()
C
# shellcheck disable=SC2046  # flags are meant to split
"$CC" -std=gnu11 -O1 -g -I"$SRC/include" within.c $(pkg-config --static --libs sonde-faults) -o within >log 2>&1 &&
    ./within --no-store --seed 1 --tests 1000 >log 2>&1 && [ "$(grep -c '^ok .*1,000 valid' log)" = 3 ] && ! grep -q Warning log
report $? "crashes within machines and machines within crashes, left by assumes"

# Headers give the calls other names.
cat >names.c <<'C'
#include <sonde.h>
#include <fcntl.h>
#include <unistd.h>

static volatile size_t eight = 8;
static volatile int flags = O_RDONLY;
static void fails(sonde *t)
{
    char data[16];
    sonde_faults(t, "io", SONDE_FAULT_OPEN | SONDE_FAULT_EINTR);
    int fd = open("names.c", O_RDONLY), other = open("names.c", flags);
    ssize_t n = fd < 0 ? 8 : read(fd, data, eight), m = fd < 0 ? 8 : pread(fd, data, eight, 1);
    FILE *file = fopen("names.c", "r");
    sonde_faults_end(t);
    sonde_cover(t, 1, fd < 0, "open");
    sonde_cover(t, 1, other < 0, "open, flags that are no constant");
    sonde_cover(t, 1, n != 8, "read");
    sonde_cover(t, 1, m != 8, "pread");
    sonde_cover(t, 1, !file, "fopen");
    if (fd >= 0) close(fd);
    if (other >= 0) close(other);
    if (file) fclose(file);
}
SONDE_MAIN(fails)
C
all_fail() { # all_fail WHAT FLAGS...
    what=$1
    shift
    # shellcheck disable=SC2046  # flags are meant to split
    "$CC" -std=gnu11 -O2 -g "$@" -I"$SRC/include" names.c $(pkg-config --static --libs sonde-faults) -o names >log 2>&1 &&
        ./names --no-store --seed 1 --tests 2000 --guide random >log 2>&1 &&
        "$CC" -std=gnu11 -O2 -g "$@" -I"$SRC/include" names.c $(pkg-config --static --libs sonde) -o names >log 2>&1 &&
        LD_PRELOAD=$BUILD/libsonde_faults.so ./names --no-store --seed 1 --tests 2000 --guide random >log 2>&1
    report $? "calls fail $what"
}
all_fail "with -D_FILE_OFFSET_BITS=64" -D_FILE_OFFSET_BITS=64
all_fail "with -D_FORTIFY_SOURCE=2" -D_FORTIFY_SOURCE=2
all_fail "with both" -D_FORTIFY_SOURCE=2 -D_FILE_OFFSET_BITS=64

WANT=nothing ./plain --no-store >log 2>&1
[ $? = 2 ] && grep -q 'pkg-config --libs sonde-faults' log && grep -q LD_PRELOAD log
report $? "without them a sentence says what is missing"
echo "1..$n"
