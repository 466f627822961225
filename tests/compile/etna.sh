#!/bin/sh
# The suite `etna`: each of its 131 tasks has an input that fails, the correct version has none, and a wrong input is noticed.
# Stages: long (a suite of the benches, which no user builds)
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | tail -n 15; fi; }
here=$PWD
etna() { (cd "$SRC" && BUILD=$CHECK_BUILD "${suite:-$CHECK_BUILD/bench/etna}" ${suite:+etna} "$@"); }

suite=bench/run # which builds the program; then it is called without
etna --witnesses bench/etna/witnesses.txt --tests 3000 >log 2>&1 &&
    grep -qx '131 of 131 tasks have an input that fails; 0 properties of the correct version fail' log
report $? "every task can be falsified, and the correct version is not"
suite=
[ "$(sed 's|/.*||' "$SRC/bench/etna/witnesses.txt" | sort | uniq -c | tr -s ' \n' ' ')" = " 53 BST 58 RBT 20 STLC " ]
report $? "the tasks are the published ones in number: 53, 58, 20"
# Another input for the first task, which does not show its mutant.
sed '1s/ .*/ E 4 8 1/' "$SRC/bench/etna/witnesses.txt" >wrong
etna --witnesses "$here/wrong" --tests 200 >log 2>&1
[ $? = 1 ] && grep -q '^not ok: BST/insert_1/InsertPost ' log && grep -q '^130 of 131 tasks' log
report $? "an input that does not fail is noticed"
etna --workload STLC --guide uniform,auto --seeds 1-2 --tests 300 --json --write "$here/tasks" >json 2>log
report $? "the tasks of a workload are searched"
for field in workload strategy mutant property foundbug passed discards time; do
    [ "$(grep -c "\"$field\":" json)" = 80 ] || echo "$field" >>lacking
done
[ ! -e lacking ] && [ "$(wc -l <tasks)" = 20 ] && grep -q '^{"task":"STLC/shift_var_none/SinglePreserve","uniform":\[[0-9]*,[0-9]*\],"auto":\[[0-9]*,[0-9]*\]}$' tasks
report $? "each trial is a line with ETNA's fields, each task one of the record"
etna --workload STLC --guide auto --seeds 1-2 --tests 2000 >json 2>log && grep -qE '^STLC +auto +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+/20$' json
report $? "the buckets are printed"
echo "1..$n"
