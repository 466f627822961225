#!/bin/sh
# Workers end with a supervisor that was killed. A zombie has ended; when it is waited for is up to process 1.
# Stages: gcc
kept=$BUILD/tests/cli/inputs
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
children() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '{ pid = $1; sub(/.*\) /, "") } $2 == parent { print pid }'; }
runs() { case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in '' | Z* | X*) return 1 ;; esac; }
for options in "--jobs 1" "--jobs 2" "--isolate case"; do
    "$kept" --filter spell --no-store --tests 0 --max-discards 0 --time 300 $options >/dev/null 2>&1 </dev/null &
    supervisor=$!
    workers=
    for _ in $(seq 300); do workers=$(children $supervisor); [ -n "$workers" ] && break; sleep 0.1; done
    kill -9 $supervisor
    wait $supervisor 2>/dev/null
    left=
    for _ in $(seq 300); do
        left=
        for pid in $workers; do runs "$pid" && left="$left $pid"; done
        [ -z "$left" ] && break
        sleep 0.1
    done
    [ -n "$workers" ] && [ -z "$left" ]
    report $? "$options: no worker runs on"
    [ -z "$left" ] || kill -9 $left
done
echo "1..$n"
