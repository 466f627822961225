#!/bin/sh
# What a custom reporter starts is neither killed nor waited for by the run: the reporter needs it until its end.
# Stages: gcc
reporter=$BUILD/tests/cli/reporter
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 20; fi
}
for options in "" "--jobs 2" "--isolate case"; do
    rm -f got.txt
    timeout 100 "$reporter" --no-store --seed 1 --tests 200 --no-shrink --report mine:out $options >log 2>err </dev/null
    [ $? = 1 ] && [ "$(cat got.txt)" = "property crashes ended
property crashes_again ended" ]
    report $? "$options: the run ends with its status, and the reporter's process gets all that was written to it"
    grep -q '^pclose: 0 ()' out && grep -q '^ended: waited for, status 7' out
    report $? "$options: the reporter itself waits for its processes"
    grep -q '^daemon: alive' out
    report $? "$options: a daemon that it started lives"
done
echo "1..$n"
