#!/bin/sh
# A search that goes on after a failure is after others: it does not make the same one over and over, however near to valid inputs
# it is, and a crash costs the guide that made it a case, as a claim does.
# Stages: gcc
onwards=$BUILD/tests/misbehave/onwards
tests=3000
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

for guide in auto rl target; do
    for property in crashes claims; do
        "$onwards" --filter $property --guide $guide --keep-going --json --seed 2 --tests $tests --time 0 --no-store --no-shrink >out 2>err </dev/null
        failing=$(grep -o '"hits": [0-9]*' out | awk '{ n += $2 } END { print n + 0 }')
        grep -q "\"valid\": $tests," out && [ "$failing" -gt 0 ] && [ "$failing" -lt $tests ]
        report $? "$guide, $property: $failing cases fail beside $tests valid ones, fewer"
    done
done
echo "1..$n"
