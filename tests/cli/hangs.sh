#!/bin/sh
# A loop without end is one failure, minimal and never flaky, whatever it was doing when it was stopped; and what does not end
# around the cases is ended, too.
# Stages: gcc
# Seconds: 45
hangs=$BUILD/tests/misbehave/hangs
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }
tokens() { grep -o '"token": "[^"]*"' out | sort | tr '\n' ' '; }

# Of processor time: enough samples of the loop to tell it from others.
limit=0.05

# hang NAME TOKENS OPTION...
hang() {
    name=$1 wanted=$2
    shift 2
    "$hangs" --filter "$name" --seed 1 --json --no-store --timeout $limit "$@" >out 2>err </dev/null
    [ $? = 1 ] && [ "$(tokens)" = "$wanted" ] && ! grep -q '"flaky": true' out && grep -q '"kind": "hang"' out
    result=$?
    report $result "$name $*: $wanted"
    [ $result = 0 ] || { tokens | sed 's/^/# /'; show out err; }
}

hang calls_in_turn '"token": "s1:x=901 ?" ' --tests 60
grep -qE ', (in|called from) calls_in_turn"' out # innermost, if it was seen in both of the functions that it calls
report $? "the function with the loop is named"
[ -z "${SONDE_TEST_LONG:-}" ] || hang has_two_loops '"token": "s1:x=601 ?" "token": "s1:x=901 ?" ' --tests 40 --keep-going
hang calls_in_turn '"token": "s1:x=901 ?" ' --tests 60 --isolate case
[ -z "${SONDE_TEST_LONG:-}" ] || hang has_two_loops '"token": "s1:x=601 ?" "token": "s1:x=901 ?" ' --tests 40 --keep-going --isolate case
hang defers_for_ever '"token": "s1:x=37 ?" ' --tests 20
for seed in 1 ${SONDE_TEST_LONG:+2 3}; do
    "$hangs" --filter calls_in_turn --replay x=950 --seed $seed --json --no-store --timeout $limit >out 2>err </dev/null
    [ $? = 1 ] && grep -q '"verdict": "falsified"' out
    report $? "replayed, it fails and is not flaky ($seed)"
done

# Whatever the limit and the load: there are enough samples to see all three functions of the loop, and to name none of them.
named=0
runs='1 2 3'
[ -z "${SONDE_TEST_LONG:-}" ] || runs='1 2 3 4 5 6 7 8 9 10'
for run in $runs; do
    "$hangs" --filter takes_turns --replay x=950 --json --no-store --timeout 0.01 >out 2>err </dev/null
    grep -q ', in takes_turns"' out && named=$run
    [ $named = $run ] || break
done
[ $named = $run ]
report $? "the function with the loop is named by each run, with a short limit"

for name in setup_spins setup_waits teardown_spins teardown_waits; do
    for isolate in worker case; do
        case $name$isolate in *_waitscase) [ -n "$SONDE_TEST_LONG" ] || continue ;; esac
        timeout -s KILL 100 "$hangs" --filter $name --no-store --tests 20 --time 1 --wall-timeout 0.3 --isolate $isolate >out 2>err </dev/null
        [ $? = 2 ] && grep -q "worker_${name%_*} failed: did not end within .*_around" out
        result=$?
        report $result "$name, --isolate $isolate: an error that names it"
        [ $result = 0 ] || show out err
    done
done
case $STAGE in
*asan*) ;; # which has a stack of its own for that
*)
    "$hangs" --filter thread_overflows --seed 1 --json --no-store >out 2>err </dev/null
    [ $? = 1 ] && grep -q '"kind": "stack_overflow"' out && grep -q 'the stack of a thread overflowed' out && [ "$(tokens)" = '"token": "s1:x=37 ?" ' ]
    result=$?
    report $result "the overflow of a thread's stack is named as such"
    [ $result = 0 ] || show out err
    ;;
esac
echo "1..$n"
