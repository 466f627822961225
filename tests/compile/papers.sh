#!/bin/sh
# bench/run papers: entries are listed, shown from recorded rows, judged, and not run twice.
# Stages: gcc
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out | head -n 20; fi; }
papers() { "$SRC/bench/run" papers --record "$PWD/record" "$@" >out 2>&1; }

papers --list && [ "$(grep -c '^[a-z]*-[a-z0-9]* ' out)" = 25 ] && grep -q '^rlcheck-fig4 *bench/run papers rlcheck-fig4: 10 seeds, [0-9.]* minutes' out &&
    papers --list --size paper && grep -q '^zest-fig4 *bench/run papers zest-fig4 --size paper: 20 seeds of 60 s, [0-9.]* minutes' out
report $? "--list prints id, command, seeds, minutes, in both sizes"
! papers no-such-figure && grep -q "there is no entry 'no-such-figure'" out
report $? "an unknown entry is an error"
papers && grep -q '^  not run: bench/run papers rlcheck-fig4' out
report $? "what is not recorded is not run"
commit=$(cd "$SRC/bench" && python3 -B -c 'import papers; print(papers.commit())')
for seed in 1 2 3 4 5; do
    for arm in "Random uniform bst 84" "Sequence rl-classic bst 670" "Tree rl-classic bst-tree 430" "LR rl-classic bst-states 930" "rl rl bst 9800"; do
        # shellcheck disable=SC2086
        set -- $arm
        echo "{\"suite\": \"bst\", \"row\": \"$3\", \"guide\": \"$2\", \"seed\": $seed, \"unique_valid\": $4$seed, \"commit\": \"$commit\", \"key\": [\"bst --guide $2 --only $3\", \"quick\", $seed]}"
    done
done >record
papers && grep -q "^  reproduced, 5 seeds: .*Tree L/R 11 times (p 0.04).*Commit $commit" out
report $? "rows are judged; the seeds are in the word"
head -n 20 record >four && papers --record "$PWD/four" && grep -q '^  not decided, 4 seeds: ' out
report $? "four seeds decide nothing"
cp record before
papers --html "$PWD/page.html" --continue --seeds 5 rlcheck-fig4 && cmp -s record before && grep -q '<h2 id=rlcheck-fig4>' page.html &&
    [ "$(grep -c '<h2' page.html)" = 25 ] && [ "$(grep -c '<svg' page.html)" -ge 2 ] && ! grep -qE '<script|https?:' page.html
report $? "--continue does not run again what is there; --html writes a page of all entries, with charts"
papers --estimate --continue --seeds 5 rlcheck-fig4 && grep -q '^0 commands' out && papers --estimate --all && grep -q '^[45][0-9]* commands, about [0-9]* minutes' out &&
    sed "s/\"$commit\"/\"other\"/" before >record && papers --estimate --continue --seeds 5 rlcheck-fig4 && grep -q '^25 commands' out
report $? "--estimate runs nothing; rows of another commit do not count as there"
papers --estimate --seeds 1 zest-fig4 && grep -q '^3 commands' out && papers --estimate --seeds 1 --beside zest-fig4 && grep -q '^4 commands' out
report $? "arms that no claim speaks of are run with --beside"
sed 's/"bst /"ifc-stack /' before | python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    for arm in "uniform", "afl", "crowbar", "cgpt-classic --copy", "uniform --smart":
        found = row["seed"] < 3 or arm == "uniform --smart"
        row.update(row="7", found=found, tests=50, tests_to_failure=50, cpu_s=row["seed"], key=["ifc-stack --guide %s --tests 100000" % arm, "quick", row["seed"]])
        print(json.dumps(row))' >record && papers && grep -q '^  row  *arm .* A12  *paper, s  *MTTF, s$' out &&
    grep -qE '^  7  *QcCrowbar: AFL\+\+, naive .* 3,38[01]  *> 3$' out && grep -qE '^  7  *hand-written: .* 0.001  *3$' out
report $? "a mean time to failure stands beside tests; with runs that found nothing it is a lower bound"
python3 - "$SRC/bench" >out 2>&1 <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import papers, verdict
inf = float("inf")
near = lambda x, y: abs(x - y) <= 1e-9 * max(1, abs(y))
p = lambda a, b: verdict.mann_whitney(a, b)[0]
# As lib/stats.c and R's wilcox.test(exact = TRUE) have them.
assert near(p([1, 2, 3], [4, 5, 6]), 0.1) and near(p(list(range(10)), [99]), 2 / 11) and near(p(list(range(10)), list(range(10, 20))), 2 / 184756)
assert verdict.mann_whitney([1, 1], [1, 1]) == (1.0, 0.5) and verdict.mann_whitney([1.0, inf], [2.0, inf])[1] == 0.375
# With ties: of 20 runs 10 and 3 find something, Fisher's exact test; and by hand, six ways to put two of four ranks 1, 2.5, 2.5, 4.
assert near(p([1] * 10, [1] * 3 + [0] * 7), 2 * 120 / 77520) and near(p([1, 2], [2, 3]), 4 / 6)
big = p(list(range(40)), [x + 0.5 for x in range(20, 60)])
assert 1e-12 < big < 1e-5, big  # beyond 900 pairs by the normal distribution
assert verdict.holm([0.01, 0.04, 0.03]) == [0.03, 0.06, 0.06]
assert verdict.sign_test([1] * 10, 0) == (2 / 1024, 1.0) and verdict.sign_test([0, 0], 0) == (1.0, 0.5)
assert verdict.shift([0.0] * 10, [0.0] * 10) == (0.0, (0.0, 0.0)) and verdict.shift([0], [0])[1] == (-inf, inf)
assert verdict.shift(list(range(10)), [x + 0.5 for x in range(10)])[1] == (-3.5, 2.5)  # the 24th of 100 from each side
assert papers.count([1.0, inf]) == "1 of 2" and papers.count([1.0]) == "1"
assert abs(papers.interval(1.0, 2) - 12.71 / 2 ** 0.5) < 1e-6 and papers.interval(None, 5) is None
END
report $? "p, A12, intervals and corrections are those of the literature, with ties, too"
python3 "$SRC/tests/compile/papers/judges.py" "$SRC/bench" >out 2>&1 && grep -q '^all three verdicts of 25 judges' out
report $? "every judge can say all three words, and bench/recheck.py says the same"
for size in paper quick; do
    python3 -B "$SRC/bench/recheck.py" "$SRC/bench/results/papers.jsonl" $size | sort >theirs
    "$SRC/bench/run" papers --size $size | awk '/^[a-z]+-[a-z0-9]+: / { id = $1 } /^  (not )?(reproduced|decided|run)[,:]/ { sub(/:.*/, ""); print id " " substr($0, 3) }' | sort >out
    [ "$(wc -l <out)" = 25 ] && cmp -s out theirs
    report $? "both programs judge the recorded rows of the size $size alike"
done
# A row of docs/papers.md that is called shown and names an entry: the entry is reproduced. `theirs` has "ID: verdict, ...".
awk -F ' [|] ' 'FILENAME == "theirs" { split($0, at, ": "); verdict[at[1]] = at[2]; next }
    /^[|] [RZTKC][0-9]+ [|]/ && $4 == "shown" { for (id in verdict) if (index($0, "`" id "`") && verdict[id] !~ /^reproduced/) print $1 ": " id " is " verdict[id] }' \
    theirs "$SRC/docs/papers.md" >out
[ ! -s out ]
report $? "docs/papers.md calls nothing shown that is not reproduced"
echo "1..$n"
