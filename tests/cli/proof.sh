#!/bin/sh
# "Holds for all inputs" is said of what did the same a second time, in another process, and of nothing else.
# Stages: gcc
p=$BUILD/tests/cli/proof
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

# run STATUS TEXT WHAT PROPERTY [OPTION...]: ends so and prints that.
run() {
    status=$1 text=$2 what=$3 property=$4
    shift 4
    PROOF_FILE=$PWD/cases "$p" --filter "$property" --seed 1 --no-store "$@" >out 2>&1 </dev/null
    got=$?
    [ $got = "$status" ] && grep -qE -e "$text" out
    result=$?
    report $result "$what"
    [ $result = 0 ] || { echo "# status $got"; sed 's/^/# /' out; }
}

run 0 '^ok   holds: holds for all 100 inputs; checks: 100 evaluated at 1 location$' "what holds again is proved" holds
for isolation in worker case none; do
    run 0 '"verdict": "exhausted".* "rerun": 100,' "all 100 inputs were run again, --isolate=$isolation" holds --json --isolate=$isolation
done
run 0 '"verdict": "exhausted".* "rerun": 100,' "... with two jobs" holds --json --jobs 2
run 0 '"verdict": "exhausted".* "rerun": 1000,' "of 2,500 inputs 1,000 were" holds_for_many --json
for isolation in worker case none; do
    run 0 '"verdict": "passed"' "never of a property that starts threads, --isolate=$isolation" starts_a_thread --json --tests 200 --isolate=$isolation
done
run 0 '^ok   starts_a_thread: 10,000 valid cases, 4 different in' "... which is run as often as was asked for" starts_a_thread
run 0 'Warning: the property is not deterministic' "what draws otherwise the second time is said" draws_otherwise
run 0 '"verdict": "passed".*"warning": "not_deterministic"' "... and is no proof" draws_otherwise --json
for isolation in worker none; do
    run 1 '^FAIL grows: falsified|^FLAKY' "... nor an end of the search, --isolate=$isolation" grows --isolate=$isolation --fail-fast
done
run 1 '^FAIL grows: falsified' "... nor with two jobs" grows --jobs 2 --fail-fast
rm -f cases
run 1 '^FLAKY|^FAIL|^CRASH' "what fails the second time is a failure" fails_later

# In a space that is known, claims of cover are judged exactly, by the generator's own probabilities.
run 1 'of all inputs, weighed by their probabilities, 0\.10 % meet it' "a share of 0.1 % is not 5 %" seven
run 0 'likely +wanted 45 %: met \(45\.0 %, exactly\)' "inputs are weighed by chance and weights" likely
run 0 '"exact": 4[45]\.?[0-9]*, "verdict": "met"' "... in JSON" likely --json

# What is said of other values was tried.
run 1 '^ +x = [0-9]+$' "a valid input that the search has seen shows that the value matters" remainders
run 1 '^ +mode = 0$' "of few values all are tried" modes
run 1 '^ +idle = false  \(or any other value\)$' "any other value: where all were tried" modes
run 1 '^ +wide = 0  \(4 other values fail too\)$' "else how many were tried" modes
run 1 '^ +some = 1  \(1 other value fails too\)$' "a kind of weight 0 is no other value" kinds
run 1 '^ +one = 1$' "... and the only kind that can be drawn has none" kinds
run 1 '^ +some: may vary, ([0-9]+) of \1 other values fail as well$' "--explain counts the other kind" kinds --explain
! grep -q '^ *one: ' out
report $? "... and none where none can be drawn"
echo "1..$n"
