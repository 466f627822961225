#!/bin/sh
# A property that attaches to its supervisor (ptrace) and ends its case does not leave the run stopped.
# Stages: gcc
traces=$BUILD/tests/misbehave/traces
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 20; fi
}
# ends STATUS PROPERTY OPTION...
ends() {
    wanted=$1 name=$2
    shift 2
    timeout -s KILL 60 "$traces" --filter "$name" --no-store --seed 1 --tests 300 --json "$@" >out 2>err </dev/null
    status=$?
    [ $status = "$wanted" ]
    report $? "$name $*: status $wanted"
}
for options in "" "--isolate case" "--jobs 2"; do
    ends 1 attaches_and_fails $options
    grep -q '"token": "s1:x=37' out
    report $? "and the smallest input"
    ends 0 attaches_and_holds $options
    ends 1 attaches_and_crashes $options
    ends 1 attaches_and_exits $options
    ends 1 seizes_and_fails $options
    ends 0 attaches_properly $options
done
echo "1..$n"
