#!/bin/sh
# What a program reads and prints does not depend on the locale that it sets: here the decimal point is a comma.
# Stages: gcc
declared=$BUILD/tests/cli/declared
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

cat >comma <<'EOF'
LC_NUMERIC
decimal_point "<U002C>"
thousands_sep "<U002E>"
grouping 3;3
END LC_NUMERIC
EOF
localedef -c -i comma ./xx_XX >/dev/null 2>&1
export LOCPATH="$PWD" LC_ALL=xx_XX
"$declared" --list 2>&1 | grep -q 'one half is 0,5' || { echo "no locale with a decimal comma can be made here"; exit 77; }

# run STATUS ARGUMENT...
run() { wanted=$1; shift; "$declared" --no-store --seed 1 "$@" >out 2>err; [ $? = "$wanted" ] || { sed 's/^/# /' out err | head -n 10; false; }; }

run 0 --filter holds --time 0.2
report $? "--time 0.2"
run 0 --filter holds --tests 0.05k --wall-timeout 2.5 --shrink-time 1.5m
report $? "counts and other times"
run 2 --filter holds --time 0,2 && grep -q "'0,2' is not a time" err
report $? "a comma is no point"
run 0 --filter holds --tests 50 --guide cgpt --guide-options hot=0.25,again=0.1
report $? "--guide-options hot=0.25"
run 0 --filter holds --tests 50 --guide rl-classic --guide-options epsilon=0.5
report $? "--guide-options epsilon=0.5"
run 1 --filter fails && grep -q "s1:y=0.5 ?'" out
report $? "values are printed with a point"
run 1 --filter fails --replay s1:y=0.75 && grep -q 'y = 0.75' out
report $? "and read with one"
run 1 --filter fails --report tyche && ! grep -q '"run_start": [0-9]*,[0-9][0-9][0-9],' out && grep -q '"run_start": [0-9]*\.' out
report $? "and so are the times of observations"
echo "1..$n"
