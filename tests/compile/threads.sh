#!/bin/sh
# Threads under control: sonde cc --threads and sonde_threads, with both compilers.
# Stages: gcc clang
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
programs=$SRC/tests/compile/threads/programs.c
sonde cc --threads --sonde-cc="$CC" -Wall -Wextra -Werror -g -O1 "$programs" -o programs >log 2>&1
report $? "a program is compiled and linked in one step"

program=./programs
tests=${SONDE_TEST_LONG:+3000}
# run STATUS PROPERTY TEXT...: it ends so, and says all of this.
run() {
    wanted=$1 property=$2
    shift 2
    $program --seed 1 --no-store --tests "${tests:-600}" --filter "$property" >log 2>&1 </dev/null
    got=$?
    for text; do grep -qF -- "$text" log || got=missing; done
    [ "$got" = "$wanted" ]
    report $? "$property: status $wanted, ${1:-ok}"
}
run 1 lost_update 'counter == 2' 'thread 2' 'leaves the case'
run 1 claim_in_a_thread 'counter == 1'
run 1 lock_order 'thread 1 waits for a mutex that thread 2 holds; thread 2 waits for a mutex that thread 1 holds' 'waits forever'
run 1 lost_wake_up 'deadlock: thread 0 waits for the end of a thread; thread 1 waits for a signal'
run 1 crash 'SIGSEGV' 'thread 1'
run 1 no_progress 'no progress: thread 1'
run 1 leaked_thread 'thread 1 was neither joined nor detached'
run 1 wrong_unlock 'thread 1 unlocks a mutex that thread 0 has locked'
run 1 kept_lock 'thread 1 ends while it still holds a mutex'
run 1 destroyed_lock 'thread 0 destroys a mutex that thread 0 has locked'
run 1 use_after_free 'thread 1 ' 'memory that thread 2 has freed'
run 1 double_free 'frees memory that thread'
run 0 right_memory
run 1 torn_copy 'strlen(own.name) == own.n'
run 1 data_race 'data race: thread' 'nothing orders the two accesses' 'Not seen: atomic operations with an order weaker'
run 1 plain_race 'data race: thread'
run 0 right_without_find_races
run 0 right_order 'Not seen: atomic operations with an order weaker than memory_order_seq_cst'
run 0 right_all_without_races
run 1 kept_reading 'thread 0 ends while it still holds a lock for reading'
# It takes 20 s: each case ends when its share of steps is used up.
[ -z "${SONDE_TEST_LONG:-}" ] || run 1 left_daemon 'thread 1 was detached and does not end'
run 0 right_stacks
run 0 right_by_futex
run 1 asleep_by_futex 'waits for a futex'
run 2 draw_elsewhere 'called in a thread that sonde_threads controls' 'in draws'
run 2 blocking_call 'read() in thread 0 waits for something' 'in reads_from_pipe'
run 2 fork_inside 'fork() in a thread of sonde_threads cannot be controlled' 'in forks'
run 0 all_right
run 0 right_in_c11
run 0 right_spinning
run 0 right_with_a_pipe
run 1 together_racy 'no sequential order of the calls explains their results' 'thread 2, from '
run 0 together_right
run 0 together_by_key
run 0 together_by_value
run 1 together_by_value_racy 'no sequential order of the calls explains their results'
run 2 together_no_value "removing the calls of one .value changes the model's results for the other calls"
run 0 together_waiting
run 1 together_sleepy 'no sequential order of the calls explains their results and which of them wait forever' 'waits forever'
run 2 together_too_many 'the check takes at most 64'

# C++, whose library starts the threads.
cxx=$(echo "$CC" | sed 's/gcc/g++/; s/clang/clang++/')
if sonde c++ --threads --sonde-cc="$cxx" -Wall -Wextra -Werror -std=c++17 -g -O1 "$SRC/tests/compile/threads/cpp.cpp" -o cpp >log 2>&1; then
    report 0 "a program in C++ is compiled and linked"
    program=./cpp
    run 1 lost_update 'counter == 2'
    run 1 relaxed_update 'value.load() == 2'
    run 1 lock_order 'thread 1 waits for a mutex that thread 2 holds'
    run 1 shared_pointer 'thread'
    tests=3000 run 1 if_not_while '!queue.empty()'
    run 1 not_joined 'SIGABRT'
    run 0 right_locals
    run 0 right_exceptions
    run 0 right_exit
    run 0 right_library
else
    report 1 "a program in C++ is compiled and linked"
fi

# A schedule is an input like any other: replayed exactly, in whichever process.
./programs --seed 1 --no-store --filter lost_update --json >one.json 2>log
grep -q '"schedule": {"switches": 1, "threads": 3}' one.json && grep -q '"flaky": false' one.json && grep -q '"earlier_cases": 0' one.json
report $? "it shrinks to one switch"
token=$(sed -n 's/.*"token": "\([^"]*\)".*/\1/p' one.json)
ok=0
for how in "" "--isolate case" "--isolate none" "--jobs 2" "--spawn"; do
    # shellcheck disable=SC2086
    ./programs --no-store --filter lost_update --replay "$token" $how >log 2>&1 </dev/null
    [ $? = 1 ] || ok=1
done
report $ok "the token replays in a worker, in a process of its own, and without one"
for how in "--isolate case" "--jobs 2"; do
    # shellcheck disable=SC2086
    ./programs --seed 3 --no-store --tests 1000 --filter lock_order $how >log 2>&1 </dev/null
    [ $? = 1 ] && grep -q 'deadlock' log
    report $? "a deadlock is found with $how"
done

# What cannot be seen is said: a library that was compiled by another.
echo 'int outside(int x); int outside(int x) { return x; }' >outside.c
cat >inside.c <<'END'
#include <pthread.h>
#include <sonde.h>
int outside(int x);
static void *calls(void *unused) { return outside(1) ? unused : NULL; }
static void run(sonde *t, void *unused)
{
    pthread_t x;
    pthread_create(&x, NULL, calls, unused);
    pthread_join(x, NULL);
    (void)t;
}
static void outside_is_called(sonde *t) { sonde_threads(t, "run", run, NULL); }
SONDE_MAIN(outside_is_called)
END
$CC -shared -fPIC outside.c -o liboutside.so >log 2>&1 &&
    sonde cc --threads --sonde-cc="$CC" -g inside.c -L. -loutside -Wl,-rpath,"$PWD" -o inside >log 2>&1 &&
    ./inside --no-store --tests 50 >log 2>&1 && grep -q 'no thread was interrupted in liboutside.so' log
report $? "a library that is not instrumented is named"
./inside --no-store --tests 50 --json >log 2>&1 && grep -qF '"not_seen": ["no thread was interrupted in liboutside.so, ' log
report $? "also in JSON"
sed 's/outside(1) ? unused : NULL/(*(volatile int *)0 = outside(1), unused)/' inside.c >crash.c
sonde cc --threads --sonde-cc="$CC" -g crash.c -L. -loutside -Wl,-rpath,"$PWD" -o crash >log 2>&1 && ./crash --no-store --tests 50 >log 2>&1
[ $? = 1 ] && grep -q SIGSEGV log && grep -q 'Not seen: no thread was interrupted in liboutside.so' log
report $? "also if the first case crashes"

# A warm-up that hangs: one worker waits for it, and those that come later know. It runs in another process than the worker.
cat >hangs.c <<'END'
#include <fcntl.h>
#include <sonde.h>
#include <unistd.h>
static volatile int always = 1;
static pid_t worker;
static void count(const char *file)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(fd, "x", 1) != 1) _exit(9);
    close(fd);
}
static void begin(void *unused)
{
    (void)unused;
    count("workers");
    worker = getpid();
}
static void run(sonde *t, void *unused)
{
    (void)t, (void)unused;
}
SONDE_PROPERTY(hangs, .worker_setup = begin)
{
    count(getpid() == worker ? "cases" : "warm-ups");
    while (always) {}
    sonde_threads(t, "run", run, NULL);
}
SONDE_MAIN()
END
rm -f workers cases warm-ups
sonde cc --threads --sonde-cc="$CC" -g -O1 hangs.c -o hangs >log 2>&1 &&
    ./hangs --no-store --no-shrink --tests 12 --timeout 0.05 --wall-timeout 300 >log 2>&1
[ $? = 1 ] && grep -q 'within its processor time limit' log && [ "$(wc -c <cases)" -gt 1 ] && [ "$(wc -c <workers)" -gt 1 ] &&
    [ "$(wc -c <warm-ups)" -eq 1 ]
report $? "a case that hangs in the warm-up hangs there once"
if [ -n "$SONDE_TEST_LONG" ]; then
    rm -f workers cases warm-ups
    ./hangs --spawn --no-store --tests 50 --timeout 0.2 --wall-timeout 300 >log 2>&1
    [ $? = 1 ] && ! grep -q 'forked instead' log && [ "$(wc -c <workers)" -gt 1 ] && [ "$(wc -c <warm-ups)" -eq 1 ]
    report $? "also where workers are spawned"
fi

# In steps, as a library, and where it cannot be.
sonde cc --threads --sonde-cc="$CC" -g -c "$programs" -o programs.o >log 2>&1 &&
    sonde cc --threads --sonde-cc="$CC" programs.o -o steps >log 2>&1 &&
    ./steps --seed 1 --no-store --tests 1000 --filter all_right >log 2>&1
report $? "it is compiled and linked in two steps"
sonde cc --threads --sanitize "$programs" -o none >log 2>&1
[ $? = 2 ] && grep -q -- '--threads cannot be combined with sanitizers' log
report $? "--threads with --sanitize is refused"
sonde cc --sonde-cc="$CC" "$programs" -o plain >log 2>&1 && ./plain --no-store --filter lost_update >log 2>&1
[ $? = 2 ] && grep -q 'compile and link it, and the code under test, with sonde cc --threads' log
report $? "without --threads sonde_threads is a misuse that names the option"
echo "1..$n"
