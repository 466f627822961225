#!/bin/sh
# The suite `roadblocks`: each subject has an input that reaches its bug, a wrong input is noticed, and rows have their fields.
# Stages: long (a suite of the benches, which no user builds)
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | tail -n 15; fi; }
here=$PWD
roadblocks() { (cd "$SRC" && BUILD=$CHECK_BUILD bench/run roadblocks "$@"); }

roadblocks --witnesses >log 2>&1
status=$?
subjects=$(cat "$SRC"/bench/roadblocks/*.c | grep -c '^SONDE_PROPERTY')
[ $status = 0 ] && [ "$(grep -c ": $subjects of $subjects subjects have an input that reaches the bug$" log)" = 2 ]
report $? "every subject can be solved, with gcc and with clang"
sed 's/^date .*/date s1:y=2021 m=2 d=28/; /^state /d' "$SRC/bench/roadblocks/witnesses.txt" >wrong
roadblocks --compilers gcc --witnesses "$here/wrong" >log 2>&1
[ $? = 1 ] && grep -qx 'not ok: date, gcc: its input does not reach the bug' log && grep -qx 'not ok: state, gcc: there is no input' log
report $? "an input that does not reach the bug is noticed, and a missing one"
roadblocks --only sum,lin2x2 --seeds 3-4 --tests 2000 --json >log 2>&1 && python3 - <<'END' >>log 2>&1
import json
rows = [json.loads(line) for line in open("log")]
assert {(r["subject"], r["compiler"], r["seed"]) for r in rows if r["arm"] == "auto"} == {(s, c, k) for s in ("sum", "lin2x2") for c in ("gcc", "clang") for k in (3, 4)}
for r in rows:
    assert r["found"] == (r["tests_to_failure"] is not None) and (not r["found"] or 1 <= r["tests_to_failure"] <= r["tests"] <= 2000), r
END
report $? "a row for each subject, compiler and seed, with what was found"
cat >rows <<'END'
{"subject": "a", "set": "s", "compiler": "gcc", "arm": "auto", "seed": 1, "found": true, "tests_to_failure": 10}
{"subject": "a", "set": "s", "compiler": "gcc", "arm": "auto", "seed": 2, "found": true, "tests_to_failure": 30}
{"subject": "b", "set": "s", "compiler": "gcc", "arm": "auto", "seed": 1, "found": true, "tests_to_failure": 20}
{"subject": "b", "set": "s", "compiler": "gcc", "arm": "auto", "seed": 2, "found": false, "tests_to_failure": null}
END
roadblocks --tables "$here/rows" >log 2>&1 && grep -qx '| b | 1/2, 20 |' log && grep -qx '| auto, gcc | all | 1 of 2 | 2 | 20 |' log
report $? "a subject counts as found if every seed found it"
echo "1..$n"
