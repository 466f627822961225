#!/bin/sh
# What the report says of a failure besides the failure: that it was known, which file shows it, what was printed, and no more
# of that than one reads.
# Stages: gcc
rare=$BUILD/tests/misbehave/rare
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 20; }
expect() {
    result=$?
    report $result "$1"
    [ $result = 0 ] || show out err
}

# ---- Known failures

run() { "$rare" --filter rare --guide uniform --time 0 --store store "$@" >out 2>err </dev/null; }
run --seed 2
[ $? = 1 ] && grep -q '^  Found by case 123, [a-z]* ' out && ! grep -q 'earlier run' out
expect "a failure that is new is not known"
run --seed 2
[ $? = 1 ] && grep -q '^  Found by case 123, known from an earlier run, ' out
expect "the search finds it again: it was known"
run --seed 2 --json
[ "$(grep -o '"known": true' out | wc -l)" = 2 ]
expect "in JSON, too"
run --seed 2 --fail-fast
[ $? = 1 ] && grep -q 'Kept from an earlier run' out && grep -q '^  0 cases in ' out
expect "--fail-fast: a stored failure that still fails is the first one"
mkdir kept
cp store/rare/rare/failures/*.tape kept 2>/dev/null || cp "$(find store -name '*.tape' | head -n 1)" kept
rm -rf store
run --seed 3 --no-store --regressions kept --fail-fast
[ $? = 1 ] && grep -q '^  From the regression kept/.*\.tape, ' out && ! grep -q 'Found by case 1,' out
expect "a regression is named by its file"
run --seed 3 --no-store --regressions kept --fail-fast --json
grep -q '"regression": "kept/[^"]*\.tape"' out
expect "in JSON, too"

# ---- Output

talk() { "$rare" --seed 1 --no-store --tests 20 --fail-fast "$@" >out 2>err </dev/null; }
talk --filter chatty
[ $? = 1 ] && [ "$(grep -c '^      line [0-9]*$' out)" = 200 ] && grep -q '^      line 200$' out &&
    grep -q '^      \.\.\. and 5[0-9][0-9],[0-9]* more bytes; --verbose prints 64 kB, --isolate=none with --replay prints all of it$' out
expect "the first 200 lines, and how much is left out"
talk --filter chatty --verbose
last=$(grep '^      line [0-9]*$' out | tail -n 1)
[ "$(grep -c '^      line [0-9]*$' out)" = "${last#      line }" ] && grep -q 'more bytes; --isolate=none' out
expect "--verbose prints more, whole lines too"
printed=$(($(grep '^      line [0-9]*$' out | wc -c) - 6 * ${last#      line }))
left=$(sed -n 's/.*and \([0-9,]*\) more bytes.*/\1/p' out | tr -d ,)
[ $((printed + left)) = 538894 ]
expect "and counts what is left out, to the byte"
talk --filter chatty --json
grep -q "\"output_left_out\": $left," out
expect "as JSON does"
"$rare" --filter chatty --no-store --isolate=none --replay x=0 >out 2>err </dev/null
grep -qx 'line 1' out && grep -qx 'line 50000' out
expect "the advice is good"
talk --filter endless_line
grep -q '^      word word' out && grep -q 'more bytes' out && [ "$(grep 'word' out | wc -c)" -lt 20000 ]
expect "a line without an end is cut, which is said"

# ---- What the guide learned

talk --filter holds --explain
[ $? = 0 ] && ! grep -q 'What the guide learned:$' out && grep -q '^  The guide learned nothing\.$' out
expect "--explain has no heading over nothing"
echo "1..$n"
