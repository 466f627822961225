#!/bin/sh
# bench/run factorial: the arithmetic of its table. tests/compile/zoo.sh runs it on subjects.
# Stages: gcc
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out | head -n 20; fi; }
python3 - "$SRC/bench" >out 2>&1 <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from factorial import PARTS, SETS, canonical, name_of, shapley
shares = lambda v: [round(shapley(v, i), 12) for i in range(len(PARTS))]
weights = [3, -1, 0, 0.5, 2]
assert shares([sum(w for i, w in enumerate(weights) if s >> i & 1) for s in SETS]) == weights  # each adds its own
assert shares([float(s & 3 != 0) for s in SETS]) == [0.5, 0.5, 0, 0, 0]  # either of two is enough
assert shares([float(s & 7 == 7) for s in SETS]) == [round(1 / 3, 12)] * 3 + [0, 0]  # three are needed
odd = [(7 * s * s + 3 * s) % 31 for s in SETS]
assert abs(sum(shares(odd)) - (odd[-1] - odd[0])) < 1e-9  # nothing is lost
assert [name_of(s) for s in SETS if canonical(s) != s] == ["seeds", "rl+seeds", "target+seeds", "rl+target+seeds"]
END
report $? "Shapley values of games whose values are known"
python3 - >rows <<'END'
import json
print(json.dumps({"suite": "factorial", "tests": 1000, "commit": "abc", "cpu_s": [1] * 32}))
for subject in range(1, 9):
    for seed in 1, 2:  # cgpt alone halves the tests, whatever else there is
        print(json.dumps([subject, seed, 4, [100 * subject / (2 if s & 2 else 1) for s in range(32)], "3" * 32]))
END
"$SRC/bench/run" factorial --table "$PWD/rows" >out 2>&1 && grep -qF '| `cgpt` | 2.00 (2.00 .. 2.00) | 2.00 (2.00 .. 2.00) | 2.00 (2.00 .. 2.00) | 2.00 (2.00 .. 2.00) |' out &&
    grep -qF '| `zest` | 1.00 (1.00 .. 1.00) |' out && grep -q '^8 subjects with 32 faults, 16 searches for each set, 1000 tests; commit abc' out
report $? "the table of a file of rows"
echo "1..$n"
