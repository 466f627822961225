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
echo "1..$n"
