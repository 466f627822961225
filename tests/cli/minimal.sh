#!/bin/sh
# Numbers that are flags, odd or of one residue are minimal for each seed, and a run does not end before its limit.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 12; }
program=$BUILD/tests/misbehave/minimal

# minimal NAME TOKEN: for eight seeds
minimal() {
    result=0
    for seed in 1 2 3 4 5 6 7 8; do
        "$program" --filter "$1" --seed $seed --json --no-store >out 2>err </dev/null
        grep -qF "\"token\": \"$2\"" out && grep -q '"shrink_complete": true' out || { result=1; break; }
    done
    report $result "$1: $2"
    [ $result = 0 ] || show out err
}

minimal flags 's1:flags=2056 ?'
minimal flags_after_bytes 's1:s=00 flags=2056 ?'
minimal odd_byte 's1:byte=03 ?'
minimal two_bytes 's1:bytes=0503 ?'
minimal counted 's1:bytes=03010001 ?'
minimal stride 's1:len=575 flags=5 ?'
minimal below_zero 's1:x=-2056 ?'
minimal left_behind 's1:x=3000 y=100 ?'

# More calls would not help here, so they are not advised.
result=1
for seed in 1 2 3 4 5 6 7 8; do
    "$program" --filter at_random --seed $seed --no-store >out 2>err </dev/null
    grep -q 'shrink-calls' out err && { result=1; break; }
    grep -qF '(smaller inputs failed, but not each time)' out && result=0
done
report $result "a shrink that depends on chance does not advise more calls"
[ $result = 0 ] || show out err

# A graph whose valid inputs `auto` first finds few of: there are others, so the run goes to its end.
result=0
for seed in 1 ${SONDE_TEST_LONG:+2 5}; do
    "$program" --filter dag --seed $seed --tests 20000 --json --no-store >out 2>err </dev/null
    grep -q '"stopped": "tests"' out && grep -q '"valid": 20000' out || { result=1; break; }
done
report $result "a guide that repeats itself does not end the run"
[ $result = 0 ] || show out err
echo "1..$n"
