#!/bin/sh
# A failed check counts however the case ends afterwards: by an assume, a limit, a call that a machine takes back, in a
# thread, while cleaning up, or in a forked process. It shrinks to the least x, and replays.
# Stages: gcc
program=$BUILD/tests/misbehave/ends
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-600 | head -n 12; fi
}
run() { "$program" --seed 1 --json --no-store --time 0 --tests 100 "$@" >out 2>err </dev/null; }

# fails KIND NAME OPTION...
fails() {
    kind=$1 name=$2
    shift 2
    run --filter "$name" "$@"
    [ $? = 1 ] && grep -q "\"kind\": \"$kind\"" out && grep -q '"value": 37}' out && ! grep -q '"flaky": true' out \
        && ! grep -q '"value": [0-9]*}.*"value": [1-9]' out
    report $? "$name $*: the check has failed, for 37"
    token=$(sed -n 's/.*"token": "\([^"]*\)".*/\1/p' out)
    run --filter "$name" "$@" --replay "$token"
    [ $? = 1 ] && grep -q "\"kind\": \"$kind\"" out
    report $? "$name $*: its token replays"
}

for name in assume overrun too_few_elements thread rule nested_rule setup child_expects child_becomes_another grandchild_expects \
    raw_child_expects late_child_expects; do
    fails expect $name
done
for name in deferred teardown child_checks; do fails check $name; done
for isolation in none case; do
    fails expect assume --isolate $isolation
    fails check child_checks --isolate $isolation
done
fails expect late_child_expects --isolate none
grep -q 'in a child process that the property forked' out
report $? "a check that a child has failed says so"
fails jump thread_exits
grep -q 'pthread_exit' out
report $? "a property that ends its thread is told about pthread_exit, not only about exceptions"
echo "1..$n"
