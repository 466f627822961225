#!/bin/sh
# --json: one valid object per property, whatever happens; the same twice, but for times; nothing else on that stream.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 20; fi; }
json_lines=$BUILD/tests/cli/json_lines

for source in "$SRC"/examples/0*.c; do
    name=$(basename "$source" .c)
    "$BUILD/examples/$name" --json --seed 1 --tests 5000 --no-store >first 2>err </dev/null
    "$json_lines" <first >log 2>&1
    report $? "$name: every line is a whole object"
    [ "$(wc -l <first)" = "$("$BUILD/examples/$name" --list | wc -l)" ] && [ ! -s err ]
    report $? "$name: one line per property, and no other output"
    "$BUILD/examples/$name" --json --seed 1 --tests 5000 --no-store >second 2>/dev/null </dev/null
    for run in first second; do sed -E 's/"(seconds|cpu_s)": *[^,}]*//g' $run >$run.timeless; done
    diff first.timeless second.timeless >log
    report $? "$name: the same twice"
done
"$BUILD/tests/cli/misuse" --json --seed 1 --tests 20 --max-discards 1 --no-store >out 2>err </dev/null
"$json_lines" <out >log 2>&1
report $? "misuse and giving up are objects too"

"$BUILD/examples/09_configured" --filter median --guide enumerate --json --no-store >out
cp out log
grep -q '"verdict": "exhausted".*"tests": 1331, "valid": 1331' out
report $? "1,331 inputs are exhausted after exactly 1,331 tests"

"$BUILD/examples/11_learning" --json --seed 1 --tests 200 --no-store --stats --explain >out 2>err </dev/null
"$json_lines" <out >log 2>&1 && grep -q '"stats": "[^"]' out && grep -q '"explain": "' out && [ ! -s err ]
report $? "--stats and --explain are fields"
"$BUILD/examples/11_learning" --report tap --seed 1 --tests 200 --no-store --stats >out 2>err </dev/null
grep -q -- '--stats has no effect on this kind of report' err
report $? "with TAP alone a sentence says that they are not"

# The code under test prints; none of it comes between the lines.
"$BUILD/tests/cli/noisy" --json --seed 1 --tests 50 --no-store >out 2>err </dev/null
"$json_lines" <out >log 2>&1 && [ "$(wc -l <out)" = 1 ]
report $? "what the code under test prints does not mix into it"
echo "1..$n"
