#!/bin/sh
# bench/run papers: entries are listed, shown from recorded rows, judged, and not run twice.
# Stages: gcc
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out | head -n 20; fi; }
papers() { "$SRC/bench/run" papers --record "$PWD/record" "$@" >out 2>&1; }

papers --list && [ "$(grep -c '^[a-z]*-[a-z0-9]* ' out)" -ge 15 ] && grep -q '^rlcheck-fig4 *bench/run papers rlcheck-fig4 [0-9]' out
report $? "--list prints id, command, minutes"
! papers no-such-figure && grep -q "there is no entry 'no-such-figure'" out
report $? "an unknown entry is an error"
papers && grep -q '^  not run: bench/run papers rlcheck-fig4' out
report $? "what is not recorded is not run"
for seed in 1 2; do
    for arm in "Random uniform bst 84" "Sequence rl-classic bst 670" "Tree rl-classic bst-tree 430" "LR rl-classic bst-states 930" "rl rl bst 9800"; do
        # shellcheck disable=SC2086
        set -- $arm
        echo "{\"suite\": \"bst\", \"row\": \"$3\", \"guide\": \"$2\", \"seed\": $seed, \"unique_valid\": $4$seed, \"commit\": \"abc\", \"key\": [\"bst --guide $2 --only $3\", \"quick\", $seed]}"
    done
done >record
papers && grep -q '^  reproduced, preliminary: Tree L/R makes 11.1 times' out && grep -q '2 seeds, commit abc' out
report $? "rows are judged, and few seeds are preliminary"
cp record before
papers --html "$PWD/page.html" --continue --seeds 2 rlcheck-fig4 && cmp -s record before && grep -q '<h2 id=rlcheck-fig4>' page.html &&
    [ "$(grep -c '<h2' page.html)" -ge 15 ]
report $? "--continue does not run again what is there; --html writes a page of all entries"
python3 - "$SRC/bench" >out 2>&1 <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import papers
assert papers.ranks([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == (papers.ranks([6, 7, 8, 9, 10], [1, 2, 3, 4, 5])[0], 0.0)
p, a12 = papers.ranks([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
assert abs(p - 0.01219) < 1e-4, p  # as R has it: wilcox.test(exact=FALSE)
assert papers.ranks([1, 1], [1, 1]) == (1.0, 0.5)
assert papers.ranks([1.0, float("inf")], [2.0, float("inf")])[1] == 0.375
END
report $? "ranks are those of Mann, Whitney, Vargha and Delaney"
python3 - "$SRC/bench" >out 2>&1 <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import papers
words = ("reproduced", "not reproduced", "differs because", "not decided")
known = {e.name: e for e in papers.ENTRIES}
for entry in papers.ENTRIES:
    rows = []
    for k, (arm, suite, own, _) in enumerate(entry.arms):
        for seed in range(1, 11):
            for name in ("x", "y"):
                row = {"suite": suite, "row": name, "seed": seed, "commit": "abc", "tests": 1000, "valid": 500, "unique_valid": 100 + k, "diverse_valid": 90 + k + seed,
                       "sem_all": 60 + k, "sem_valid": 50 + k, "sem_edges": 100, "syn_all": 30 + k, "cpu_s": 1.0 + k, "found": True, "tests_to_failure": 10 + k,
                       "accept": 0.5, "seeds_sem_valid": 40, "seeds_end_s": 0.5, "seeds_made_s": 0.25, "series": [[0.4, 9, 9, 9, 9, 9, 39], [0.8, 9, 9, 9, 9, 9, 41]]}
                row["key"] = list(papers.key_of(suite, own + entry.quick, "quick", seed))
                rows.append(row)
    word, text, lines = papers.describe(entry, rows, False)
    assert word in words, (entry.name, word)
    assert "10 seeds%s, commit abc" % entry.budget(False) in text and lines, (entry.name, text)
    assert papers.describe(entry, [], False)[0] == "not run", entry.name
    assert papers.describe(entry, [r for r in rows if r["seed"] == 1], False)[0].endswith("preliminary") or entry.full_seeds < 2, entry.name
    if entry.name == "kummer-table2":  # what seeds reach after 0.5 s Zest has after 0.8 s
        assert word == "reproduced" and ["x, Zest is there", "CHO"] == [c for c in next(l for l in lines if "there" in l[0])[:2]], lines
# Where no number of so few seeds could be significant, nothing is decided.
few, many = ({("x", arm): [base + k for k in range(n)] for arm, base in (("Zest", 0), ("CHO", 90), ("RND", 80), ("PAR", 70), ("COV", 60))} for n in (3, 10))
assert papers.judge_fig5_of_kummer(few)[0] == "not decided" and papers.judge_fig5_of_kummer(many)[0] == "reproduced"
assert papers.judge_fig5_of_kummer({(row, arm): values for row in "xy" for (_, arm), values in many.items()})[0] == "differs because"  # CHO is best on all
assert papers.judge_fig5_of_kummer({key: many["x", "Zest"] for key in many})[0] == "not reproduced"
many.update({("y", arm): values[:] for (_, arm), values in many.items()})
many["y", "COV"] = [200.0] * 10
assert papers.judge_fig5_of_kummer(many)[0] == "reproduced", papers.judge_fig5_of_kummer(many)
many["y", "PAR"] = [-9.0] * 10
assert papers.judge_fig5_of_kummer(many)[0] == "differs because" and "below: PAR on y" in papers.judge_fig5_of_kummer(many)[1]
assert papers.judge_reliable({key: [1.0] * len(v) for key, v in few.items()})[0] == "not decided"
assert papers.judge_reliable({key: [1.0] * len(v) for key, v in many.items()})[0] == "reproduced"
assert papers.count([1.0, float("inf")]) == "1 of 2" and papers.count([1.0]) == "1"
# Who is first to a fault that all find at once is chance.
first = papers.judge_first("A", ["B"], 0.5)
assert first({("x", "A"): [0.001], ("x", "B"): [0.002], ("y", "A"): [2.0], ("y", "B"): [1.0]})[0] == "not reproduced"
assert first({("x", "A"): [0.001], ("x", "B"): [0.002], ("y", "A"): [1.0], ("y", "B"): [2.0]})[0] == "reproduced"
assert first({("x", "A"): [0.002], ("x", "B"): [0.001]})[0] == "not decided"
# FuzzChick must find what the paper's finds within as many tests, and more than the others.
arms = [arm[0] for arm in known["fuzzchick-fig8"].arms]
rows = {(str(f), arm): [9.0 if k in (2, 3, 4) and (f < 12 or k == 4) else float("inf")] * 5 for f in range(1, 21) for k, arm in enumerate(arms)}
assert known["fuzzchick-fig8"].judge(rows, 100000)[0] == "reproduced"
assert known["fuzzchick-fig8"].judge(rows, 90000000)[0] == "not reproduced"
assert abs(papers.interval(1.0, 2) - 12.71 / 2 ** 0.5) < 1e-6 and papers.interval(None, 5) is None
END
report $? "every entry judges rows, with ten seeds and with one, and says what is missing"
echo "1..$n"
