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

static int sockets[2], quick[2]; /* quick: do not wait */

/* Each call once. What fails has no effect. */
static bool meets_file(sonde *t, const char *want)
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
    sonde_faults_end(t);
    if (fd >= 0) close(fd);
    sonde_check(t, access(renamed == 0 ? other : path, F_OK) == 0);
    unlink(path);
    unlink(other);
    return (!strcmp(want, "EMFILE") && fd < 0 && error_of_open == EMFILE) || (!strcmp(want, "short") && wrote == 4)
           || (!strcmp(want, "ENOSPC") && wrote < 0 && error_of_write == ENOSPC) || (!strcmp(want, "fsync") && synced != 0)
           || (!strcmp(want, "rename") && renamed != 0 && error_of_rename == EIO);
}

static bool meets_socket(sonde *t, const char *want)
{
    char data[1] = "";
    sonde_faults(t, "io", SONDE_FAULT_ALL);
    ssize_t sent = send(sockets[0], data, 1, 0);
    int error_of_send = errno;
    ssize_t wrote = write(quick[0], data, 1);
    int error_of_write = errno;
    sonde_faults_end(t);
    if (sent == 1) recv(sockets[1], data, 1, 0);
    if (wrote == 1) recv(quick[1], data, 1, 0);
    return (!strcmp(want, "ECONNRESET") && sent < 0 && error_of_send == ECONNRESET)
           || (!strcmp(want, "EINTR") && sent < 0 && error_of_send == EINTR)
           || (!strcmp(want, "EAGAIN") && wrote < 0 && error_of_write == EAGAIN);
}

static void every_call(sonde *t)
{
    const char *want = getenv("WANT");
    bool is_socket = strchr("E", *want) && strcmp(want, "EMFILE") && strcmp(want, "ENOSPC");
    sonde_check(t, !(is_socket ? meets_socket(t, want) : meets_file(t, want)));
}

int main(int argc, char **argv)
{
    sonde_property all = {.name = "every_call", .run = every_call};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, quick)) return 9;
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
    meets EINTR send
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
    ./within --no-store --seed 1 --tests 1000 >log 2>&1 && [ "$(grep -c '^ok .*1,000 valid' log)" = 3 ] && ! grep Warning log | grep -vq 'no check was evaluated\|no call that can fail was made'
report $? "crashes within machines and machines within crashes, left by assumes"

# Headers give the calls other names.
cat >names.c <<'C'
#include <sonde.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile size_t eight = 8;
static volatile int flags = O_RDONLY;
static void fails(sonde *t)
{
    char data[16];
    sonde_faults(t, "io", SONDE_FAULT_OPEN | SONDE_FAULT_EINTR | SONDE_FAULT_SHORT);
    int fd = open("names.c", O_RDONLY), other = open("names.c", flags);
    ssize_t n = fd < 0 ? 8 : read(fd, data, eight), m = fd < 0 ? 8 : pread(fd, data, eight, 1);
    FILE *file = fopen("names.c", "r");
    struct iovec parts[2] = {{data, 4}, {data + 4, 4}};
    int made = creat("names.new", 0600), ends[2];
    ssize_t put = made < 0 ? 8 : writev(made, parts, 2), got = fd < 0 ? 8 : readv(fd, parts, 2);
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) sonde_fail(t, "no sockets");
    ssize_t sent = sendto(ends[0], data, 4, 0, NULL, 0), received = sent == 4 ? recvfrom(ends[1], data, eight, 0, NULL, NULL) : 4;
    sonde_faults_end(t);
    close(ends[0]), close(ends[1]);
    if (made >= 0) close(made);
    sonde_cover(t, 1, made < 0, "creat");
    sonde_cover(t, 1, put != 8, "writev");
    sonde_cover(t, 1, got != 8, "readv");
    sonde_cover(t, 1, sent != 4, "sendto");
    sonde_cover(t, 1, received != 4, "recvfrom");
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

# Streams: what a failing fclose had not written is lost, and ferror() knows of a failure; the line is that of the call, not of a header.
cat >streams.c <<'C'
#include <sonde.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <fcntl.h>
#include <unistd.h>

static size_t length_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}
static bool asks_ferror, asks_fclose;
static void writes(sonde *t)
{
    sonde_faults(t, "io", SONDE_FAULT_ENOSPC | SONDE_FAULT_SHORT);
    FILE *file = fopen("streams.out", "w");
    if (!file) return;
    fwrite("1234", 1, 4, file);
    fputs("5678", file);
    bool good = !asks_ferror || !ferror(file);
    good &= fclose(file) == 0 || !asks_fclose;
    sonde_faults_end(t);
    if (good) sonde_check_eq(t, length_of("streams.out"), 8);
}
SONDE_PROPERTY(asks_nothing) { asks_ferror = asks_fclose = false, writes(t); }
SONDE_PROPERTY(asks_only_ferror) { asks_ferror = true, asks_fclose = false, writes(t); }
SONDE_PROPERTY(asks_both) { asks_ferror = asks_fclose = true, writes(t); }
SONDE_PROPERTY(short_vector)
{
    char data[8] = "1234567";
    struct iovec whole = {data, 8};
    int fd = open("streams.out", O_RDWR | O_CREAT | O_TRUNC, 0600);
    sonde_faults(t, "io", SONDE_FAULT_SHORT);
    ssize_t n = writev(fd, &whole, 1);
    sonde_faults_end(t);
    bool is_right = (n == 8 || n == 4) && length_of("streams.out") == (size_t)n;
    close(fd);
    sonde_check(t, is_right);
    sonde_check(t, n == 8);
}
static volatile size_t eight = 8;
SONDE_PROPERTY(by_a_header)
{
    char data[16];
    int fd = open("streams.c", O_RDONLY);
    sonde_faults(t, "io", SONDE_FAULT_SHORT);
    ssize_t n = read(fd, data, eight);
    sonde_faults_end(t);
    close(fd);
    sonde_check(t, n == 8);
}
SONDE_MAIN()
C
# shellcheck disable=SC2046  # flags are meant to split
"$CC" -std=gnu11 -O2 -g -D_FORTIFY_SOURCE=2 -I"$SRC/include" streams.c $(pkg-config --libs sonde-faults) -o streams >log 2>&1
./streams --no-store --seed 1 --filter asks_nothing >log 2>&1
[ $? = 1 ]
report $? "a failing fwrite that nobody asks for is found"
./streams --no-store --seed 1 --filter asks_only_ferror >log 2>&1
[ $? = 1 ] && grep -q 'fclose() fails: ENOSPC, at streams.c:21' log && ! grep -q 'fwrite()' log
report $? "a failing fclose loses what was not written; ferror() knows of fwrite"
./streams --no-store --seed 1 --filter asks_both >log 2>&1
report $? "... and code that asks for both holds"
./streams --no-store --seed 1 --filter short_vector >log 2>&1
[ $? = 1 ] && grep -q 'writev() is short, at streams.c:34' log && grep -q ' n == 8' log
report $? "a short writev of one part writes half of it"
./streams --no-store --seed 1 --filter by_a_header >log 2>&1
[ $? = 1 ] && grep -q 'read() is short, at streams.c:47' log
report $? "with -D_FORTIFY_SOURCE the line is that of the call, not of a header"

WANT=nothing ./plain --no-store >log 2>&1
[ $? = 2 ] && grep -q 'pkg-config --libs sonde-faults' log && grep -q LD_PRELOAD log
report $? "without them a sentence says what is missing"
echo "1..$n"
