#!/bin/sh
# Whichever allocation fails, a run ends with a sentence and status 99, or as if nothing had happened: never in a crash,
# never with a finding that is not there. SONDE_HOSTILE_FAIL=N makes the N-th allocation of each process fail.
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
steps="1 2 3 4 5 6 7 8 9 10 12 14 16 18 20 23 26 29 33 37 42 47 53 60 67 75 84 94 105 118 132 148 166 186 208 233 261 292 327"
steps="$steps 366 410 459 514 576 645 722 809 906 1015 1137"
[ -z "${SONDE_TEST_LONG:-}" ] || steps=$(seq 1 1500)

# survives STATUS PROGRAM ARGUMENT...: for every step; STATUS is how it ends when all goes well.
survives() {
    good=$1
    shift
    worst=0
    failed=0
    for step in $steps; do
        SONDE_HOSTILE_FAIL=$step timeout 600 "$@" >out 2>err </dev/null
        status=$?
        if [ $status = 99 ] && grep -q '^sonde: out of memory (' err; then
            failed=$((failed + 1))
        elif [ $status != "$good" ] && [ $status != 0 ]; then
            worst=$status
            echo "# SONDE_HOSTILE_FAIL=$step $*: status $status"
            cat out err | sed 's/^/# /' | head -n 10
        fi
    done
    [ $worst = 0 ]
    report $? "$(basename "$1") ${2:-} ${3:-}: every failing allocation is told"
    [ $failed -gt 10 ]
    report $? "$(basename "$1") ${2:-} ${3:-}: $failed of them did fail"
}

for isolation in worker none; do
    survives 1 "$BUILD/examples/05_model" --isolate=$isolation --seed 1 --tests 200 --no-store
    survives 1 "$BUILD/examples/03_strings" --isolate=$isolation --seed 1 --tests 200 --no-store
done
survives 1 "$BUILD/examples/09_configured" --json --isolate=none --seed 1 --tests 200 --no-store
survives 1 "$BUILD/examples/08_regex" --guide uniform --seed 1 --tests 200 --no-store
echo "1..$n"
