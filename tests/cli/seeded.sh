#!/bin/sh
# The guide seeded and its options, in a whole program.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 log | sed 's/^/# /'; fi
}
test=$BUILD/examples/11_learning
# Whether the example's bug is found does not matter here.
run() {
    "$test" --no-store --keep-going --seed 1 --tests 3000 --guide seeded "$@" >log 2>&1 </dev/null
    status=$?
    [ $status -lt 2 ] || return $status
}
numbers() { grep -E '^ *(cases=|rl: |zest: )' log; }

run --stats && grep -q 'filter=generator' log && grep -q '^ *zest: cases' log
report $? "seeds, the generator's filter, then zest"
numbers >first
run --stats && numbers | cmp -s first -
report $? "a seed repeats a run"
run --stats --jobs 2 && grep -Eq '3,000 valid( cases|,)' log
report $? "several jobs"
run --stats --seed-tests 777 && grep -q ' made=777 ' log && grep -q 'rl: cases=777 ' log
report $? "--seed-tests makes just so many"
SONDE_SEED_TESTS=333 run --stats && grep -q ' made=333 ' log
report $? "so does the environment"
run --stats --seed-time 1ms && grep -q ' rounds=1 ' log
report $? "--seed-time ends, too"
for filter in random sequence choices; do
    run --stats --seed-tests 1000 --guide-options "filter=$filter,size=30" && grep -q "filter=$filter rounds=1 made=1000 ran=30 " log
    report $? "filter=$filter: the selected ones are run"
done
run --guide-options filter=best
[ $? = 2 ] && grep -q "filter='best' is not allowed; give one of random, sequence, choices, generator" log
report $? "a filter that is none is told"
run --seed-tests 0
[ $? = 2 ] && grep -q -- '--seed-tests' log
report $? "and so is a number of tests that is none"
echo "1..$n"
