#!/bin/sh
# What uses up stack, time, memory or descriptors fails each time it is run again; state that many cases have left is
# reproduced; only what no input decides is flaky, and the report says what differed and what to try.
# Stages: gcc
# Not sanitized (sanitizers have files open, too)
# Seconds: 20
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }
limits=$BUILD/tests/misbehave/limits
soft=$(ulimit -Sn)
[ "$soft" != unlimited ] && [ "$soft" -le 1024 ] || ulimit -Sn 1024

# firm NAME KIND OPTION...: a failure of that kind, which its token shows again and again. $again_with: options of the
# replays, if others.
again_with=
firm() {
    name=$1 kind=$2
    shift 2
    "$limits" --filter "$name" --seed 1 --json --no-store --no-aslr "$@" >out 2>err </dev/null
    [ $? = 1 ] && grep -q '"verdict": "falsified"' out && grep -q "\"kind\": \"$kind\"" out
    result=$?
    token=$(sed 's/.*"token": "\([^"]*\)".*/\1/' out)
    for time in 1 ${SONDE_TEST_LONG:+2 3}; do # addresses differ
        # shellcheck disable=SC2086  # options
        if [ -n "$again_with" ]; then set -- $again_with; fi
        "$limits" --filter "$name" --replay "$token" --no-store "$@" >again 2>&1 </dev/null
        [ $? = 1 ] || result=1
    done
    report $result "$name: firm, and replayed"
    [ $result = 0 ] || show out err again
}

# A long search for smaller inputs shows nothing more of the margin, and each call of it lasts as long as the limit.
few='--shrink-calls 10'
[ -z "${SONDE_TEST_LONG:-}" ] || few=
firm deep stack_overflow
# shellcheck disable=SC2086  # an option and its value
firm deep_list stack_overflow $few
firm large memory --memory-limit 40M
# The processor time of a case can vary by more than the margin if the load changes meanwhile, so replays get less.
again_with='--timeout 0.01'
# shellcheck disable=SC2086
firm slow hang --timeout 0.1 $few
again_with=
firm descriptors check
firm every_twentieth check
grep -q '"earlier_cases": 18' out
report $? "as many earlier cases as it takes"
firm after_fifty check
grep -q '"earlier_cases": 49' out
report $? "as many earlier cases as it takes, more than are remembered"
if [ -n "$SONDE_TEST_LONG" ]; then # 7 s, and others show the same limits
    firm full_table check
    firm lost_descriptors check
fi
firm uninitialised check

LIMITS_MARK=mark "$limits" --filter outside --seed 1 --json --report terminal --no-store >out 2>err </dev/null
[ $? = 1 ] && grep -q '"verdict": "flaky"' out && grep -q '"differed": "run again 5 times, each in a new process, it failed [12] time' out \
    && grep -q '"advice": "clocks, random numbers' out && grep -q 'What to try' err
result=$?
report $result "outside: flaky, with what differed and what to try"
[ $result = 0 ] || show out err

for way in worker none; do
    timeout -k 1 40 "$limits" --filter slows_down --time 1 --isolate=$way --no-store >out 2>err </dev/null
    [ $? = 0 ] && grep -q 'the time limit' out
    result=$?
    report $result "the time limit holds where cases become slow, --isolate=$way"
    [ $result = 0 ] || show out err
done
timeout -s KILL 60 "$limits" --filter fixed_block --seed 1 --shrink-time 2 --no-store >out 2>err </dev/null
[ $? = 1 ] && grep -q '^FAIL fixed_block' out
result=$?
report $result "the limit of shrinking holds for a large block"
[ $result = 0 ] || show out err
echo "1..$n"
