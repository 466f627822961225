#!/bin/sh
# What the counts of cases say: how many there were, how many were different, and when that is too few.
p=$BUILD/tests/cli/counting
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

# run STATUS TEXT WHAT PROPERTY [OPTION...]: ends so and prints that.
run() {
    status=$1 text=$2 what=$3 property=$4
    shift 4
    "$p" --filter "$property" --seed 1 --no-store "$@" >out 2>&1 </dev/null
    got=$?
    [ $got = "$status" ] && grep -qE -e "$text" out
    report $? "$what"
    [ $got = "$status" ] && grep -qE -e "$text" out || { echo "# status $got"; sed 's/^/# /' out; }
}

few='[1-9][0-9]? valid cases? in [0-9.]+ m?s, of the 10,000 wanted'
run 0 "^ok   slow: $few" "a slow property that holds is ok, with how few cases there were" slow --time 0.2 --tests 10000
run 0 '^ok 1 - slow' "in TAP, too" slow --time 0.2 --report tap
run 0 'skipped="0"' "in JUnit, too" slow --time 0.2 --report junit
run 0 '"verdict": "passed", "stopped": "time"' "in JSON, too" slow --time 0.2 --json
run 77 '^GAVE UP slow_and_picky: ' "one that discards nearly everything until time is over gives up" slow_and_picky --time 0.2 --guide uniform
run 77 '^GAVE UP never_valid: no input is valid; all 101 were tried\. ' "no valid input in the whole space" never_valid
run 77 'none of [0-9]+,[0-9]{3} inputs was valid\..* rejected [0-9]+,[0-9]{3}; ' "none among many" never_valid_at_large --runs 3000
run 77 'GAVE UP' "no valid case is never ok: cases limited by --runs" never_valid_at_large --runs 5
run 77 'GAVE UP' "... without a number of tests" never_valid_at_large --tests 0 --time 0.1
run 77 'this input is not valid' "... as a replay" never_valid --replay 's1:x=3'
run 0 '^ok   one_input: holds for the only input$' "the only input" one_input
run 0 '^ok   one_valid_input: holds for the only valid input \(20 discarded\)$' "the only valid input" one_valid_input

# A corpus that takes longer to read than there is time: the cases still get their time.
mkdir -p store/counting/slow/corpus
i=0
while [ $i -lt 1000 ]; do
    i=$((i + 1))
    printf '# sonde tape 1\n# property: slow\n# kind: coverage\ns1:port=%s\n' $((1024 + i)) >store/counting/slow/corpus/$i.tape
done
"$p" --filter slow --store store --time 0.001 --seed 1 >out 2>&1
[ $? = 0 ] && grep -qE '^ok   slow: [1-9]' out
report $? "reading a corpus leaves time for a case"
echo "1..$n"
