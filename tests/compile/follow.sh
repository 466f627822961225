#!/bin/sh
# What distances are good for: assumes that call predicates of other files are met, and claims that hold nearly always are
# broken. Counts with fixed seeds; uniform draws meet such assumes once in 10,000 inputs at best, and break no such claim.
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
tool=$(cd "$BUILD" && pwd)/sonde
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
cp "$SRC"/tests/compile/follow/* .

# valid PROPERTY GUIDE SEED RUNS
valid() {
    ./follow --filter $1 --guide $2 --seed $3 --runs $4 --tests 0 --time 0 --max-discards 0 --no-store --json 2>/dev/null \
        | sed -n 's/.*"valid": \([0-9]*\),.*/\1/p'
}
# The same, those that are different.
different() {
    ./follow --filter $1 --guide $2 --seed $3 --runs $4 --tests 0 --time 0 --max-discards 0 --no-store --json 2>/dev/null \
        | sed -n 's/.*"unique_valid": \([0-9]*\),.*/\1/p'
}
breaks() { ./follow --filter $1 --guide $2 --seed $3 --runs 20000 --tests 0 --time 0 --no-store >log 2>&1; [ $? = 1 ]; }

for cc in clang gcc; do
    command -v $cc >/dev/null || continue
    "$tool" cc --sonde-cc=$cc -O1 -Wall -Werror follow.c predicates.c -o follow
    report $? "$cc: builds"
    for property in sorted record; do
        for seed in 1 2; do
            got=$(different $property target $seed 4000)
            # By the count of comparisons alone, about 2,900 of the sorted lists.
            least=$([ $property = sorted ] && echo 3000 || echo 400)
            [ "${got:-0}" -ge "$least" ]
            report $? "$cc: $property, seed $seed: $got of 4000 inputs are valid and new, at least $least should be"
        done
        got=$(valid $property uniform 1 2000)
        [ "${got:-9}" -le 2 ]
        report $? "$cc: $property: $got by uniform draws"
    done
    for property in rare steep assumed; do
        for seed in 1 2 3; do
            breaks $property target $seed
            report $? "$cc: $property, seed $seed: broken by its margin"
        done
        ! breaks $property random 1
        report $? "$cc: $property: not by chance"
    done
done
"$tool" cc --no-rewrite -O1 follow.c predicates.c -o follow && ! breaks rare target 1
report $? "without distances nothing leads there"
echo "1..$n"
