#!/bin/sh
# Everything that a property can do wrong: the right kind, a message for people, status 1, the minimal input, a stored
# tape, and a replay command that leads back to it; in a worker, in a process per case, and with sanitizers.
# Stages: gcc asan
kinds=$BUILD/tests/misbehave/kinds
# Of processor time: sanitizers need more of it before the loop.
limit=0.05
case $STAGE in *asan*) ;; *) limit=0.03 ;; esac
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }

# The first failure's field of the JSON in `out`.
field() { sed -n "s/.*\"failures\": \[{[^]]*\"$1\": \"\(\([^\"\\\\]\|\\\\.\)*\)\".*/\1/p" out; }

# bad NAME KIND TEXT OPTION...: fails with that kind, TEXT in the message, minimal at x=37, stored, and replays. The token ends with ?
# where the property did not return.
bad() {
    name=$1 kind=$2 text=$3 unfinished=' ?'
    case $name in expect | forks) unfinished= ;; esac
    shift 3
    rm -rf store
    "$program" --filter "$name" --json --report terminal --seed 1 --tests 200 --store store "$@" >out 2>err </dev/null
    status=$?
    tape=$(find store -name '*.tape' 2>/dev/null)
    [ $status = 1 ] && grep -qF "\"verdict\": \"falsified\"" out && grep -qF "\"kind\": \"$kind\"" out &&
        grep -qF -- "$text" out && grep -q "\"token\": \"s1:\([^\"]*; s1:\)*x=${minimal:-37}$unfinished\"" out && [ "$(wc -l <out)" = 1 ] &&
        [ "$(echo "$tape" | wc -l)" = 1 ] && grep -q "^# kind: $kind\$" "$tape"
    result=$?
    report $result "$name $*: $kind, ${text:-no more to say}"
    [ $result = 0 ] || { echo "# status $status, stored: $tape"; show out err; return; }
    command=$(grep -- '--replay' err)
    sh -c "$command $* --json --no-store" >out 2>err </dev/null
    [ $? = 1 ] && grep -qF "\"kind\": \"$kind\"" out && "$program" --filter "$name" --replay "$tape" --no-store "$@" >out 2>&1
    [ $? = 1 ]
    result=$?
    report $result "$name $*: the printed command and the stored tape fail again"
    [ $result = 0 ] || { echo "# $command"; show out err; }
    "$program" --filter "$name" --json --seed 1 --tests 1 --store store "$@" >out 2>err </dev/null
    [ $? = 1 ] && grep -qF "\"kind\": \"$kind\"" out && [ -e "$tape" ]
    result=$?
    report $result "$name $*: the next run knows it"
    [ $result = 0 ] || show out err
}

# good NAME OPTION...: passes.
good() {
    name=$1
    shift
    "$program" --filter "$name" --json --seed 1 --tests 200 --no-store "$@" >out 2>err </dev/null
    status=$?
    [ $status = 0 ]
    report $? "$name $*: passes"
    [ $status = 0 ] || { echo "# status $status"; show out err; }
}

# Kinds that any build tells of in the same words. Options come last.
all_kinds() {
    bad check check 'x < WRONG_FROM does not hold' "$@"
    bad expect expect 'x < WRONG_FROM does not hold' "$@"
    bad fail fail '37 is too much' "$@"
    bad plain_assert crash 'SIGABRT (abort, or a failed assert), in insist, called from plain_assert' "$@"
    bad calls_exit exit 'ended the process with status 3 (exit or _exit), in leave, called from calls_exit' "$@"
    bad calls_quick_exit exit 'ended the process with status 5 (exit or _exit), in leave_quickly, called from calls_quick_exit' "$@"
    bad calls__exit exit 'ended the process with status 0 (exit or _exit); by _exit, so the location is unknown"' "$@"
    bad hang hang "the case did not end within its processor time limit of $limit s (--timeout), in spin, called from hang" --timeout $limit "$@"
    bad killed killed 'killed by SIGKILL: by the code under test' "$@"
    bad forks fork 'the property called fork, and the child process returned from it' "$@"
    bad closes_descriptors check 'x < WRONG_FROM does not hold' "$@"
    bad babbles check 'x < WRONG_FROM does not hold' "$@"
    good forks_well "$@"
    good child_crashes "$@"
}

# Kinds whose words a sanitizer changes.
plain_kinds() {
    bad segv crash 'SIGSEGV (invalid memory access) at address 0, in write_nowhere, called from segv' "$@"
    bad bus crash 'SIGBUS (misaligned access, or beyond the end of a mapped file) at address 0x' "$@"
    bad fpe crash 'SIGFPE (division by zero, or integer overflow), in divide_by_zero, called from fpe' "$@"
    bad ill crash 'SIGILL (invalid instruction), in run_into_trap, called from ill' "$@"
    bad stack_overflow stack_overflow 'the stack overflowed (endless recursion, or a huge local array), in descend"' "$@"
    bad deep_crash crash 'at address 0, in crash_at_depth, called from deep_crash"' "$@"
    bad thread_crashes crash 'in write_nowhere, called from crash_here' "$@"
    bad bad_setup crash 'in write_nowhere, called from bad_setup' "$@"
    minimal=0 bad bad_teardown crash 'in write_nowhere, called from bad_teardown' "$@"
    bad bad_defer crash 'in write_nowhere, called from undo_badly' "$@"
}

program=$kinds
all_kinds
case $STAGE in
*asan*) bad segv undefined 'undefined behaviour' ;;
*)
    plain_kinds
    bad sleeps hang 'the case did not end within its time limit of 0.1 s (--wall-timeout): it was waiting, in wait_forever' --wall-timeout 0.1
    bad memory memory 'the process took more memory than allowed (--memory-limit), in eat, called from memory' --memory-limit 40M
    [ "${SONDE_TEST_LONG:-}" ] && { all_kinds --isolate case; plain_kinds --isolate case; }
    bad segv crash 'in write_nowhere, called from segv' --isolate case
    bad calls__exit exit 'ended the process with status 0' --isolate case
    bad segv crash 'in write_nowhere, called from segv' --jobs 2
    bad depends_on_state check 'big < 3 does not hold'
    grep -q '"token": "s1:x=37 ; s1:x=37 ; s1:x=37 ?"' out
    report $? "the cases before it are shrunk, too"
    ;;
esac
good depends_on_state --isolate case

# The line of a crash, from debug information; a stripped program has none.
line=$(grep -nF '*nowhere = 1;' "$SRC/tests/misbehave/kinds.c" | head -n 1 | cut -d : -f 1)
if command -v addr2line >/dev/null && [ "$line" ] && [ "${STAGE#asan}" = "$STAGE" ]; then # UBSan has words of its own
    "$kinds" --filter segv --seed 1 --no-store >out 2>err </dev/null
    head -n 1 out | grep -q "^\(CRASH\|FAIL\) segv: .*, in write_nowhere (kinds.c:$line), called from segv"
    report $? "segv: the headline has the line ($line)"
    strip -g -o stripped "$kinds" && ./stripped --filter segv --seed 1 --no-store >out 2>err </dev/null
    head -n 1 out | grep -q "^\(CRASH\|FAIL\) segv: .*, in write_nowhere, called from segv"
    report $? "segv: without debug information it has the function"
fi

# What was not looked for is said.
"$kinds" --filter forks_well --seed 1 --tests 100 --no-store --stats >out 2>err </dev/null
grep -q '^ *leaks were not looked for' out
said=$?
case $STAGE in *asan*) [ $said = 1 ] ;; *) [ $said = 0 ] ;; esac
report $? "--stats says that leaks were not looked for, where that is so"

# blamed NAME TEXT: whoever stands before or behind the function in the program is innocent.
blamed() {
    [ -x blame ] && { ./blame --filter "$1" --seed 1 --json --tests 200 --no-store >out 2>err </dev/null; [ $? = 1 ]; } &&
        grep -qF -- ", in $2\"" out && grep -qF '"token": "s1:x=37 ?"' out
    result=$?
    report $result "$compiler $level: $1: in $2"
    [ $result = 0 ] || show log out err
}
case $STAGE in
*asan*) ;;
*)
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        for level in -O0 -O1 -O2; do
            rm -f blame
            "$compiler" -g "$level" -I"$SRC/include" "$SRC/tests/cli/blame.c" "$BUILD/libsonde.a" -lm -lpthread -o blame >log 2>&1
            blamed reads 'value_of, called from sum, called from reads'
            blamed traps 'trap_at_once, called from traps'
            blamed calls_nothing 'calls_nothing'
        done
    done
    ;;
esac

# Killed before it was confirmed, a failure that needs earlier cases is stored with them, and the next run finds out which.
rm -rf store
"$kinds" --filter depends_on_state --seed 1 --tests 100000000 --time 0 --keep-going --guide uniform --store store >out 2>err </dev/null &
supervisor=$!
for _ in $(seq 100); do
    tape=$(find store -name '*.tape' 2>/dev/null)
    [ -z "$tape" ] || break
    sleep 0.1
done
kill -9 $supervisor
wait $supervisor 2>/dev/null
[ -n "$tape" ] && grep -q '^s1:x=[0-9]* ; s1:x=' "$tape"
result=$?
report $result "the cases before a failure are stored with it"
[ $result = 0 ] || { echo "# $tape"; show "$tape"; }
"$kinds" --filter depends_on_state --json --seed 1 --tests 1 --store store >out 2>err </dev/null
[ $? = 1 ] && grep -q '"token": "s1:x=37 ; s1:x=37 ; s1:x=37 ?"' out && grep -q '^s1:x=37 ; s1:x=37 ; s1:x=37 ?$' "$tape"
result=$?
report $result "the next run makes the shortest sequence of them"
[ $result = 0 ] || { show out err; show "$tape"; }

# Around all cases of a process: an error of the test itself, said once, with the function to blame.
for when in setup teardown; do
    for jobs in 1 2; do
        timeout 300 "$kinds" --filter bad_worker_$when --tests 100 --no-store --jobs $jobs >out 2>err </dev/null
        status=$?
        [ $status = 2 ] && grep -q "worker_$when failed: ." out
        result=$?
        report $result "a worker_$when that crashes is an error, with $jobs jobs"
        [ $result = 0 ] || { echo "# status $status"; show out err; }
    done
done

# Each distinct failure once, with its own minimal input and its number of hits; the search goes on for a while only.
"$kinds" --filter several --json --no-store --seed 1 --keep-going --tests 2000 >out 2>err
for token in s1:x=3 s1:x=4 s1:x=500; do grep -qF "\"token\": \"$token\"" out || break; done &&
    [ "$(grep -o "\"token\"" out | wc -l)" = 3 ] && grep -q "\"hits\": 100,.*\"hits\": 100,.*\"hits\": 1," out
result=$?
report $result "three bugs in one property are three failures"
[ $result = 0 ] || show out err
"$kinds" --filter several --json --no-store --seed 1 --tests 2000 --fail-fast >out 2>err
[ "$(grep -o '"token"' out | wc -l)" = 1 ] && grep -q '"stopped": "found"' out
report $? "--fail-fast stops at the first"
"$kinds" --filter several --json --no-store --seed 1 --tests 1000000 >out 2>err
[ "$(sed 's/.*"tests": \([0-9]*\).*/\1/' out)" -le "$(($(sed 's/.*"tests_to_failure": \([0-9]*\).*/\1/' out) * 10 + 100))" ]
result=$?
report $result "without an option the search goes on for ten times its tests"
[ $result = 0 ] || show out err

# What does not come back is flaky, and says what differed.
rm -rf mark store
FLAKY_MARK=mark "$kinds" --filter flaky --json --report terminal --store store --seed 1 >out 2>err
[ $? = 1 ] && grep -q '"verdict": "flaky"' out && grep -q '"differed": "run again 5 times, each in a new process, it never failed (it held; its draws were the same' out && find store -name '*.tape' | grep -q .
result=$?
report $result "a failure that does not come back is flaky, and stored"
[ $result = 0 ] || show out err
echo "1..$n"
