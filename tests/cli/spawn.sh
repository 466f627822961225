#!/bin/sh
# --spawn: workers have the threads that constructors start, and everything else is as with forked ones: deaths are
# found, confirmed, shrunk, stored and replayed, state is carried from worker to worker, nothing is left over.
# Stages: gcc
threads=$BUILD/tests/misbehave/threads kinds=$BUILD/tests/misbehave/kinds
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }

timeout 600 "$threads" --filter is_served --spawn --tests 10 --no-store >out 2>err </dev/null
if grep -q 'does not allow fixed addresses' err; then echo "the system does not allow fixed addresses"; exit 77; fi

# good NAME OPTION...
good() {
    name=$1
    shift
    timeout 600 "$threads" --filter "$name" --json --seed 1 --no-store "$@" >out 2>err </dev/null
    status=$?
    [ $status = 0 ] && [ ! -s err ]
    result=$?
    report $result "$name $*: passes"
    [ $result = 0 ] || { echo "# status $status"; show out err; }
}

# bad PROGRAM NAME KIND TEXT TOKEN OPTION...: fails so, with TOKEN, is stored, and replays by the printed command.
bad() {
    program=$1 name=$2 kind=$3 text=$4 token=$5
    shift 5
    rm -rf store
    timeout 600 "$program" --filter "$name" --json --report terminal --seed 1 --tests 200 --store store "$@" >out 2>err </dev/null
    status=$?
    [ $status = 1 ] && grep -qF "\"kind\": \"$kind\"" out && grep -qF -- "$text" out &&
        grep -qF "\"token\": \"$token\"" out && grep -qF '"flaky": false' out && ! grep -q warning err &&
        [ "$(find store -name '*.tape' | wc -l)" = 1 ]
    result=$?
    report $result "$name $*: $kind, $text"
    [ $result = 0 ] || { echo "# status $status"; show out err; return; }
    command=$(grep -- '--replay' err)
    timeout 600 sh -c "$command $* --json --no-store" >out 2>err </dev/null
    [ $? = 1 ] && grep -qF "\"kind\": \"$kind\"" out
    result=$?
    report $result "$name $*: the printed command fails again"
    [ $result = 0 ] || { echo "# $command"; show out err; }
    timeout 600 "$program" --filter "$name" --json --seed 1 --tests 1 --store store "$@" >out 2>err </dev/null
    [ $? = 1 ] && grep -qF "\"kind\": \"$kind\"" out
    result=$?
    report $result "$name $*: the next run knows it"
    [ $result = 0 ] || show out err
}

timeout 600 "$threads" --filter is_served --json --tests 10 --no-store --wall-timeout 0.3 --fail-fast --no-shrink >out 2>err </dev/null
[ $? = 1 ] && grep -q '"kind": "hang"' out
report $? "without it, a property waits for a thread that a fork left behind"

good is_served --spawn
good is_served --spawn --jobs 2
good is_served --spawn --isolate case --tests 20
good is_prepared --spawn --isolate case --tests 20
good has_context --spawn
grep -q '"magic word": [1-9]' out
report $? "a dictionary that main made is there in the worker"
good has_context --spawn --jobs 2
bad "$threads" served_wrongly check 'twice(x) < 2 * WRONG_FROM does not hold' 's1:x=37 ?' --spawn
bad "$threads" depends_on_state check 'served_before < 3 does not hold' 's1:x=37 ; s1:x=37 ; s1:x=37 ?' --spawn
case $STAGE in
*asan*) bad "$threads" served_then_crashes sanitizer 'in fall_over, called from served_then_crashes' 's1:x=37 ?' --spawn ;;
*)
    bad "$threads" served_then_crashes crash 'in fall_over, called from served_then_crashes' 's1:x=37 ?' --spawn
    bad "$threads" served_then_crashes crash 'in fall_over, called from served_then_crashes' 's1:x=37 ?' --spawn --jobs 2
    bad "$threads" served_then_crashes crash 'in fall_over, called from served_then_crashes' 's1:x=37 ?' --spawn --isolate case
    bad "$threads" server_crashes crash 'in crash_in_server, called from serve' 's1:x=37 ?' --spawn
    bad "$kinds" fpe crash 'in divide_by_zero, called from fpe' 's1:x=37 ?' --spawn
    bad "$kinds" stack_overflow stack_overflow 'in descend' 's1:x=37 ?' --spawn
    ;;
esac
bad "$kinds" calls_exit exit 'in leave, called from calls_exit' 's1:x=37 ?' --spawn
# Of processor time: sanitizers need more of it before the loop.
limit=0.03
bad "$kinds" hang hang 'in spin, called from hang' 's1:x=37 ?' --spawn --timeout $limit
bad "$kinds" forks fork 'the property called fork' 's1:x=37' --spawn
bad "$kinds" closes_descriptors check 'x < WRONG_FROM' 's1:x=37 ?' --spawn
bad "$kinds" killed killed 'killed by SIGKILL' 's1:x=37 ?' --spawn

# The same inputs as with forked workers, in the same order: what is learned is carried over.
for way in '' --spawn; do
    "$kinds" --filter several --guide random --json --no-store --seed 5 --tests 2000 --keep-going $way 2>&1 |
        grep -oE '"(tests|valid|id|token|tests_to_failure|hits|original_size|shrink_calls)": [^,]*' >out$way
done
cmp -s out out--spawn && grep -q '"hits": ' out
result=$?
report $result "the same search as with forked workers"
[ $result = 0 ] || show out out--spawn

# Where it cannot be done, one sentence, and workers are forked.
NO_SECOND_START=1 timeout 600 "$threads" --filter has_context --json --no-store --spawn --tests 20 >out 2>err </dev/null
status=$?
[ $status = 1 ] && [ "$(grep -c 'did not reach sonde_main' err)" = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'by main' out
result=$?
report $result "a program that does not come to sonde_main again: one warning, and forked workers"
[ $result = 0 ] || { echo "# status $status"; show out err; }
TWO_MAINS=1 timeout 600 "$threads" --spawn --filter '*[ea]*ly' --no-store --tests 20 >out 2>err </dev/null
status=$?
[ $status = 1 ] && grep -q 'ok .*early: 20 valid' out && grep -q 'FAIL served_wrongly' out && [ ! -s err ]
result=$?
report $result "the second sonde_main of a program has workers, too"
[ $result = 0 ] || { echo "# status $status"; show out err; }

# Nothing is left over.
cp "$threads" left
./left --filter has_context --spawn --jobs 2 --no-store --tests 0 --time 0 >out 2>err </dev/null &
supervisor=$!
sleep 1
kill -9 $supervisor
wait $supervisor 2>/dev/null
for _ in $(seq 200); do
    left=$(ls -l /proc/[0-9]*/exe 2>/dev/null | grep -cF -- "-> $(pwd -P)/left")
    [ "$left" != 0 ] || break
    sleep 0.1
done
[ "$left" = 0 ]
report $? "no spawned worker outlives its supervisor"
echo "1..$n"
