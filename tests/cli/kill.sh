#!/bin/sh
# kill -9 at random moments, of the supervisor or of a worker: what had been told as found is in the store, workers die
# with their supervisor, a run goes on without a worker, the next run starts as ever, and no temporary file remains.
# 20 times, with check-long 200 times.
# Stages: gcc
[ "${STAGE:-gcc}" = gcc ] || { echo "one build is enough"; exit 77; }
rounds=10
[ -z "${SONDE_TEST_LONG:-}" ] || rounds=200
seed=${KILL_SEED:-$$}
echo "# KILL_SEED=$seed"
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

cp "$BUILD/tests/misbehave/storm" storm
program=$(pwd -P)/storm
running() { ls -l /proc/[0-9]*/exe 2>/dev/null | grep -F -- "-> $program"; }
children() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '{ pid = $1; sub(/.*\) /, "") } $2 == parent { print pid }'; }
moments=$(awk -v seed="$seed" -v n=$rounds 'BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%.3f\n", 0.01 + 0.6 * rand() * rand() }')

round=0 lost=0 left=0 ended_badly=0 told=0 untold=0 next=0
for moment in $moments; do
    round=$((round + 1))
    [ $((round % 5)) != 1 ] || rm -rf store
    ./storm -v --seed $round --tests 100000000 --time 0 --jobs 2 --keep-going --store store >out 2>err </dev/null &
    supervisor=$!
    sleep "$moment"
    if [ $((round % 2)) = 0 ]; then
        kill -9 $supervisor
    else
        worker=$(children $supervisor | head -n 1)
        [ -z "$worker" ] || kill -9 "$worker" 2>/dev/null
        sleep 0.05
        kill -TERM $supervisor
    fi
    wait $supervisor 2>/dev/null
    status=$?
    # SIGTERM may come before its handler is there.
    if [ $((round % 2)) = 1 ] && [ $status != 1 ] && [ $status != 143 ]; then
        ended_badly=$((ended_badly + 1))
        { echo "round $round, moment $moment: status $status"; head -n 5 err; tail -n 3 out; } | sed 's/^/# /'
    fi
    for file in $(sed -n 's/.*; kept in //p' out); do
        told=$((told + 1))
        grep -q '^s1:x=[0-9]* y=[0-9]*' "$file" || lost=$((lost + 1))
    done
    for _ in $(seq 200); do
        [ -n "$(running)" ] || break
        sleep 0.1
    done
    [ -z "$(running)" ] || { left=$((left + 1)); running | sed "s/^/# round $round left /"; }
    [ $((round % 5)) = 0 ] || continue
    timeout 600 ./storm --seed 1 --tests 50 --store store >out 2>err </dev/null
    status=$?
    [ $status -le 1 ] && [ ! -s err ] && [ -z "$(find store -name '.*.tmp' 2>/dev/null)" ] || {
        next=$((next + 1))
        { echo "status $status"; head -n 5 err; } | sed 's/^/# /'
    }
done
[ $lost = 0 ] && [ $told -gt $rounds ]
report $? "of $told failures told, $lost are not in the store"
[ $left = 0 ]
report $? "no worker outlives its supervisor"
[ $ended_badly = 0 ]
report $? "a run goes on without a worker, and ends with a report"
[ $next = 0 ]
report $? "the next run starts as ever, and no temporary file remains"
echo "1..$n"
