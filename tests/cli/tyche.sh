#!/bin/sh
# Stages: gcc
# --report tyche: each line is what Tyche reads.
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 5 log err 2>/dev/null | cut -c 1-400 | sed 's/^/# /'; fi; }
python3 -c 'import jsonschema' 2>/dev/null || { echo "no python3-jsonschema"; exit 77; }
cat >check.py <<'END'
import json, jsonschema, sys
schema, counts = json.load(open(sys.argv[1])), {}
validator = jsonschema.Draft7Validator(schema)
for line in open(sys.argv[2], newline="\n"):
    one = json.loads(line)
    validator.validate(one)
    assert not any(ord(c) < 32 for c in line[:-1]), "control characters"
    key = one.get("status", one["type"])
    counts[key] = counts.get(key, 0) + 1
print(" ".join(f"{k}={v}" for k, v in sorted(counts.items())))
END
check() { python3 check.py "$SRC/tests/data/tyche.schema.json" lines >log 2>&1; }
"$BUILD/examples/11_learning" --seed 1 --guide random --tests 3000 --no-store --report tyche:lines >out 2>err </dev/null
check && grep -q 'passed=' log && grep -q 'failed=1' log && grep -q 'alert=1' log
report $? "a property that is falsified"
"$BUILD/tests/cli/served" --seed 1 --tests 5000 --no-store --report tyche:lines >out 2>err </dev/null
check && grep -q '^info=2 passed=2000$' log
report $? "two that hold: of each a sample of a thousand"
grep -q '"arguments": {"a": [0-9]*, "b": [0-9]*}' lines && grep -q '"representation": "a = [0-9]*\\nb = ' lines
report $? "values have their names"
"$BUILD/tests/cli/hostile_reports" --seed 1 --no-store --report tyche:lines >out 2>err </dev/null
check
report $? "texts of the program never become anything else"
echo "1..$n"
