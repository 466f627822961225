#!/bin/sh
# Which accesses are steps: each property of a process has its own table, and what becomes shared after the warm-up is interrupted.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
for kind in fibers os; do
    sonde cc --threads=$kind --sonde-cc="$CC" -Wall -Wextra -Werror -g -O1 "$SRC/tests/compile/threads/sites.c" -o sites >log 2>&1
    report $? "$kind: the program is compiled and linked"
    tests=20000
    [ $kind = fibers ] || tests=3000

    ./sites --seed 1 --no-store --tests 1000 --isolate none --filter apart --filter together >log 2>&1
    [ $? = 1 ] && grep -q '^ok .*apart' log && grep -qE '^(FAIL|RACE|DEADLOCK) .*together' log
    report $? "$kind: without workers, the second property has its own table"
    ./sites embed >log 2>&1 && grep -qx 'apart 0 together 1 apart 0' log
    report $? "$kind: so it is in a program that calls sonde_run"

    for property in rare_number rare_pair rare_list rare_strings rare_in_many; do
        [ $kind = fibers ] || [ $property = rare_number ] || continue
        ./sites --seed 1 --no-store --tests $tests --filter $property --json >log 2>&1
        [ $? = 1 ] && grep -q '"flaky": false' log
        report $? "$kind: $property: what the warm-up saw as private is interrupted"
        token=$(sed -n 's/.*"token": "\([^"]*\)".*/\1/p' log | head -n 1)
        ok=0
        for how in "" "--isolate case" "--isolate none" "--spawn"; do
            # shellcheck disable=SC2086
            ./sites --no-store --filter $property --replay "$token" $how >log 2>&1 </dev/null
            [ $? = 1 ] || ok=1
        done
        report $ok "$kind: $property: its token replays in a new process"
    done
done
sonde cc --threads --sonde-cc="$CC" -g -O1 "$SRC/tests/compile/threads/sites.c" -o sites >log 2>&1 &&
    ./sites --seed 1 --no-store --tests 3000 --filter long_for_one >log 2>&1 && grep -q 'Not seen: thread switches beyond the step count of the warm-up' log
report $? "a run that is much longer than those of the warm-up is said to be searched in part"
echo "1..$n"
