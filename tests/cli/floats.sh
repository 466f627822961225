#!/bin/sh
# The floating-point environment of the code under test is its own: neither traps nor small numbers that are flushed to zero
# change what sonde draws or computes.
# Stages: gcc clang
floats=$BUILD/tests/misbehave/floats
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 12; }
expect() {
    wanted=$1 name=$2
    shift 2
    "$floats" --filter "$name" --seed 1 --no-store --tests 2000 "$@" >out 2>err </dev/null
    [ $? = "$wanted" ]
    result=$?
    report $result "$name $*: status $wanted"
    [ $result = 0 ] || show out err
}
for isolate in worker none; do
    expect 0 traps --isolate $isolate
    expect 1 draws_small_numbers --isolate $isolate
    expect 0 keeps_the_programs --isolate $isolate
done
expect 0 keeps_the_programs --spawn
echo "1..$n"
