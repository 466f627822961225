#!/bin/sh
# What the counts of cases say: how many there were, how many were different, and when that is too few.
# Stages: gcc
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
run 77 '^GAVE UP never_valid: no input is valid; all were tried, in [0-9]+ cases$' "no valid input in the whole space" never_valid
run 77 'none of [0-9]+,[0-9]{3} inputs was valid$' "none among many" never_valid_at_large --runs 3000
run 77 'instead of assuming it' "... and what to try" never_valid_at_large --runs 3000
run 77 'Search longer, .*: --time' "... searching longer may help" never_valid_at_large --runs 3000
"$p" --filter never_valid --seed 1 --no-store >out 2>&1
! grep -q 'Search longer' out
report $? "... but not where all inputs were tried"
run 77 'GAVE UP' "no valid case is never ok: cases limited by --runs" never_valid_at_large --runs 5
run 77 '^  30,000 cases in ' "... as many as asked for, though all are discarded" never_valid_at_large --runs 30000
run 77 '^  301 cases in ' "--max-discards holds when it is given" never_valid_at_large --runs 30000 --max-discards 3
run 77 'GAVE UP' "... without a number of tests" never_valid_at_large --tests 0 --time 0.1
run 77 'this input is not valid' "... as a replay" never_valid --replay 's1:x=3'
run 77 '^GAVE UP one_input: no case was run before the time limit$' "where no case was run, no input is called invalid" one_input --time 0.000001
run 0 '^ok   one_input: holds for the only input; checks: 1 evaluated at 1 location$' "the only input" one_input
run 0 '^ok   one_valid_input: holds for the only valid input \(20 discarded\); checks: 1 evaluated at 1 location$' "the only valid input" one_valid_input

# How many were different.
run 0 '^ok   many: 10,000 valid cases in ' "all were different: nothing is said" many --guide uniform
run 0 '^ok   few: holds for all 3 inputs; checks: [0-9,]+ evaluated at 1 location$' "a guide that only repeats itself gives way to one that finds the end" few --guide uniform
run 0 '^ok   few_and_too_large: 10,000 valid cases, 3 different \([0-9,]+ too large\) in [^,]*; checks: ' \
    "a run that finds no other input runs to its limit: there may be others" few_and_too_large
run 0 'Warning: only 3 of 10,000 valid inputs were different' "... with a warning" few_and_too_large
run 0 '"warning": "few_different"' "... which JSON has as a word" few_and_too_large --json
run 0 '"stopped": "tests"' "... with the reason" few_and_too_large --json
run 0 '"warning": null' "no warning where the property says which inputs count as one" few_classes --json
run 0 '^ok   few_classes: 10,000 valid cases, 3 different in ' "... and no end before the last test" few_classes
run 0 '"warning": null' "no warning for a space that is exhausted" few --json
run 1 'only 3 of [0-9,]+ valid inputs were different; at least 100 are wanted' "--min-unique fails" few_and_too_large --min-unique 100
run 1 'at least 50 % are wanted' "--min-unique in percent" few_and_too_large --min-unique 50%
run 1 '"kind": "unique"' "... in JSON" few_and_too_large --min-unique 50% --json
run 0 '^ok' "--min-unique met" few_and_too_large --min-unique 3
run 0 '^ok   few: holds for all' "--min-unique does not ask for more than there are" few --min-unique 100
run 2 "'5x' is neither a number nor a share" "--min-unique that cannot be read" few --min-unique 5x
run 2 "'101%' is neither" "a share above all" few --min-unique 101%
first=$("$p" --filter few_and_too_large --seed 7 --no-store --json | sed -E 's/"(seconds|cpu_s)": *[^,}]*//g')
second=$("$p" --filter few_and_too_large --seed 7 --no-store --json --time 60 --tests 10000 | sed -E 's/"(seconds|cpu_s)": *[^,}]*//g')
[ -n "$first" ] && [ "$first" = "$second" ]
report $? "the end comes by counts of cases, not by the clock"

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
