#!/bin/sh
# A case that fails is a finding with a tape, a report and status 1, also if it is not a test of the search: while files are imported or
# inputs are read, when a case is run a second time, while another failure is shrunk.
# Stages: gcc
program=$BUILD/tests/misbehave/met
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-900 | head -n 12; fi
}
printf 77x >file
printf 77 >number
printf abc >bytes

# meets NAME KIND WHEN VALUE OPTION...: a failure of that kind, met at that time, for that value; with a tape in the store, which replays.
meets() {
    name=$1 kind=$2 when=$3 value=$4
    shift 4
    rm -rf store
    "$program" --filter "$name" --seed 1 --guide uniform --json --store store "$@" >out 2>err </dev/null
    [ $? = 1 ] && tr '{' '\n' <out | grep "\"kind\": \"$kind\"" | grep "\"found_when\": $when" | grep '"flaky": false' >found \
        && grep -q "$value" out && ! grep -q 'writes nothing' err
    report $? "$name: a $kind is met, and reported"
    token=$(sed -n 's/.*"token": "\([^"]*\)".*/\1/p' found | head -n 1)
    grep -rqF -- "$token" store && "$program" --filter "$name" --no-store --json --replay "$token" >out 2>err </dev/null
    [ $? = 1 ] && grep -q "\"kind\": \"$kind\"" out
    report $? "$name: its tape is in the store, and replays"
}

meets dies_on_import crash '"while files were imported"' '"value": 77}' --tests 1 --import file
meets fails_on_import expect '"while files were imported"' '"value": 77}' --tests 1 --import number
meets fails_when_probed check '"when the simplest input' '"value": ""}' --runs 1 --inputs bytes
meets fails_the_second_time check '"when a case was run a second time"' '"earlier_cases": 1' --tests 10
meets fails_while_shrunk check '"while another failure was shrunk"' '"value": 0}' --tests 3
meets fails_as_example expect null '"value": 50}' --tests 1
echo "1..$n"
