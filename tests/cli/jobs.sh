#!/bin/sh
# --jobs: what one job finds worth keeping reaches the others, also when workers are killed all the time, and the report
# counts what was reached once.
# Stages: gcc
relay=$BUILD/tests/misbehave/relay
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }
number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" out; }
children() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '{ pid = $1; sub(/.*\) /, "") } $2 == parent { print pid }'; }

"$relay" --filter relay --json --no-store --seed 1 --jobs 1 --tests 20000 >out 2>err </dev/null
[ $? = 0 ] && [ "$(number imported)" = 0 ]
report $? "one job alone does not find what takes two"

found() {
    [ "$1" = 1 ] && grep -q '"token": "s1:x=123456789 y=987654321 ?"' out && grep -q '"flaky": false' out &&
        [ "$(number imported)" -gt 0 ] && [ ! -s err ]
}
for jobs in 2 3; do
    timeout 900 "$relay" --filter relay --json --no-store --seed 1 --jobs $jobs --time 600 >out 2>err </dev/null
    found $?
    result=$?
    report $result "$jobs jobs find it, each with what another found"
    [ $result = 0 ] || show out err
done
"$relay" --filter relay --json --no-store --guide enumerate --jobs 2 --tests 3000 >out 2>err </dev/null
[ $? = 0 ] && [ "$(number unique_valid)" = 3000 ]
report $? "every input once is every input once, with two jobs as well"
timeout 900 "$relay" --filter relay --json --no-store --seed 1 --jobs 2 --tests 3000 --isolate case >out 2>err </dev/null
[ $? -le 1 ] && [ ! -s err ]
report $? "jobs with a process per case end in good order"

# Killed again and again, wherever it is: what was learned is still there, or is learned again from the tapes that were kept.
"$relay" --filter relay --report json:out,terminal --verbose --no-store --seed 1 --jobs 2 --tests 0 --time 0 --max-discards 0 --keep-going \
    >told 2>err </dev/null &
supervisor=$!
killed=0
for _ in $(seq 1000); do
    [ $killed -lt 20 ] || ! grep -q '^relay: case [0-9]*: check: ' told || break
    worker=$(children $supervisor | sed -n "$((killed % 2 + 1))p")
    [ -z "$worker" ] || { kill -9 "$worker" 2>/dev/null && killed=$((killed + 1)); }
    sleep 0.1
done
kill -TERM $supervisor
wait $supervisor
found $?
result=$?
[ $killed -gt 5 ] || result=1
report $result "it is found though workers are killed ($killed times)"
[ $result = 0 ] || show out err

for jobs in 1 2 4; do
    "$relay" --filter sorted --json --no-store --seed 1 --jobs $jobs --tests 4000 >out 2>err </dev/null
    echo "$(number edges) $(number valid_edges)"
done >counts
[ "$(sort -u counts | wc -l)" = 1 ] && grep -q '^[1-9][0-9]* [1-9]' counts
result=$?
report $result "edges are counted once, whichever jobs reached them"
[ $result = 0 ] || show counts err
"$relay" --filter relay --list >/dev/null && "$relay" --filter sorted --seed 1 --tests 500 --stats --no-store | grep -q 'edges of instrumented code'
report $? "--stats tells how many"
echo "1..$n"
