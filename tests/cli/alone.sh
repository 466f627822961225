#!/bin/sh
# Where no process or no shared memory is to be had, properties run in the supervisor. What the code under test does there
# is reported as such, with its input: not as a fault of sonde, not as a pass, and Ctrl-C still ends the run.
# Stages: gcc
case $STAGE in *asan*) echo "a sanitizer reports these faults itself"; exit 77 ;; esac
kinds=$BUILD/tests/misbehave/kinds
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | cut -c 1-300 | head -n 12; fi; }

cat >nofork.c <<'EOF'
#include <errno.h>
#include <sys/types.h>
pid_t fork(void)
{
    errno = EAGAIN;
    return -1;
}
EOF
$CC -shared -fPIC -o nofork.so nofork.c || exit 1

# ends STATUS TEXT COMMAND...: ends so, names the input, and does not blame sonde.
ends() {
    wanted=$1 text=$2
    shift 2
    timeout -s KILL 60 "$@" >log 2>&1 </dev/null
    status=$?
    echo "status $status" >>log
    [ $status = "$wanted" ] && grep -qF -- "$text" log && grep -q 's1:x=' log && ! grep -q 'sonde itself' log
}

without_processes() { name=$1; shift; ends "$@" env LD_PRELOAD="$PWD/nofork.so" "$kinds" --filter "$name" --seed 1 --no-store --timeout 0.2; }
without_processes segv 139 'FAIL segv: SIGSEGV'
report $? "no process: a crash is the property's, with its input"
without_processes calls_exit 3 'the code under test ended the process (exit)'
report $? "no process: an exit is the property's, with its input"
without_processes calls__exit 1 'the code under test ended the process (_exit)'
report $? "no process: an _exit with status 0 is the property's, and the status is not 0"
without_processes hang 134 'did not end within its processor time limit'
report $? "no process: a hang ends"
ends 139 'FAIL segv: SIGSEGV' env LD_PRELOAD="$PWD/nofork.so" "$kinds" --filter segv --seed 1 --no-store --replay 's1:x=37 ?'
report $? "no process: a replayed crash is the property's"

without_memory() { name=$1; shift; ends "$@" sh -c "ulimit -f 1000; exec \"$kinds\" --filter $name --seed 1 --no-store --timeout 0.2"; }
without_memory segv 139 'FAIL segv: SIGSEGV'
report $? "no shared memory: a crash is the property's, with its input"
without_memory calls_exit 3 'the code under test ended the process (exit)'
report $? "no shared memory: an exit is the property's, with its input"
without_memory hang 134 'did not end within its processor time limit'
report $? "no shared memory: a hang ends"

ends 1 'the code under test ended the process (_exit)' "$kinds" --filter calls__exit --seed 1 --no-store --isolate=none
report $? "without isolation: an _exit with status 0 is the property's, and the status is not 0"

# A property may fork without isolation: the child's _exit is its own. The code under test may be in a shared library.
cat >library.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>
void leave(int way) { if (way == 1) _Exit(0); else if (way == 2) _exit(7); }
EOF
cat >leaves.c <<'EOF'
#include <sonde.h>
#include <sys/wait.h>
#include <unistd.h>
void leave(int way);
static void by_Exit(sonde *t) { if (sonde_int(t, "x", 0, 100) > 50) leave(1); }
static void by_seven(sonde *t) { if (sonde_int(t, "x", 0, 100) > 50) leave(2); }
static void by_child(sonde *t)
{
    int status = -1;
    pid_t child = sonde_bool(t, "b") ? fork() : vfork();
    if (child == 0) _exit(0);
    sonde_check_eq(t, waitpid(child, &status, 0), child);
    sonde_check_eq(t, status, 0);
}
SONDE_MAIN(by_Exit, by_seven, by_child)
EOF
$CC -shared -fPIC -o libleave.so library.c && $CC -I"$SRC/include" leaves.c ./libleave.so "$BUILD/libsonde.a" -lm -lpthread -o static \
    && $CC -I"$SRC/include" leaves.c ./libleave.so -L"$BUILD" -lsonde -Wl,-rpath,"$BUILD" -o shared || exit 1
for program in static shared; do
    ends 1 'the code under test ended the process (_exit)' ./$program --filter by_Exit --seed 1 --no-store --isolate=none
    report $? "without isolation: an _Exit in a shared library is the property's ($program library)"
    ends 7 'the code under test ended the process (_exit)' ./$program --filter by_seven --seed 1 --no-store --isolate=none
    report $? "without isolation: an _exit keeps a status other than 0 ($program library)"
    timeout -s KILL 60 ./$program --filter by_child --seed 1 --tests 20 --no-store --isolate=none >log 2>&1 && ! grep -q FAIL log
    report $? "without isolation: a child process may _exit ($program library)"
done

cat >holds.c <<'EOF'
#include <sonde.h>
static void holds(sonde *t)
{
    sonde_check_ge(t, sonde_int(t, "x", 0, 1000000000), 0);
}
SONDE_MAIN(holds)
EOF
$CC -I"$SRC/include" holds.c "$BUILD/libsonde.a" -lm -lpthread -o holds || exit 1
timeout -s KILL 20 timeout -s TERM 1 env LD_PRELOAD="$PWD/nofork.so" ./holds --fuzz --no-store >log 2>&1 </dev/null
status=$?
echo "status $status" >>log
[ $status = 124 ] && grep -q '^INTERRUPTED' log
report $? "no process: a signal ends the search"
echo "1..$n"
