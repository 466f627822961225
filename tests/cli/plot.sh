#!/bin/sh
# Stages: gcc
# --plot-data: a table of how the search went.
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 5 out err data.csv 2>/dev/null | sed 's/^/# /'; fi; }
test=$BUILD/tests/cli/served
"$test" --filter sums --seed 1 --tests 20000 --no-store --plot-data data.csv >out 2>err </dev/null
[ $? = 0 ] && [ "$(head -n 1 data.csv)" = seconds,cpu_s,tests,valid,different,shapes,edges,valid_edges,guide ]
report $? "the header is as promised"
# Each column but the last is a number that never falls; the last row has what the report has.
awk -F , 'NR > 1 { if (NF != 9) bad = 1; for (i = 1; i < 9; i++) { if ($i !~ /^[0-9.]+$/ || $i + 0 < last[i] + 0) bad = 1; last[i] = $i } rows++ }
    END { exit bad || rows < 2 || last[4] != 20000 }' data.csv
report $? "rows are moments in the order of time, the last one with the final numbers"
"$test" --seed 1 --tests 100 --no-store --plot-data data.csv >out 2>err </dev/null
[ $? = 2 ] && grep -q -- '--plot-data: a table is about one property' err
report $? "a table is about one property"
"$test" --filter sums --tests 100 --no-store --plot-data /nonexistent/data.csv >out 2>err </dev/null
[ $? = 2 ] && grep -q "plot-data: cannot write '/nonexistent/data.csv'" err
report $? "a file that cannot be written is said before the run"
echo "1..$n"
