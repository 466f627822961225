#!/bin/sh
# What bench/run shrink says of itself: one seed of the challenge and of the drawn classes, all of them minimal.
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | cut -c 1-300 | head -n 20; fi; }

(cd "$SRC" && BUILD=$CHECK_BUILD bench/run shrink --seeds 1-1 --json) >rows 2>log
report $? "bench/run shrink"
# The hold-outs, which come behind the variants, are there to show what is not reached.
sed -n '1,/"row":"cache"/p' rows | grep -v '"row":"cache"' >claimed
grep '"minimal":false' claimed >log
[ ! -s log ] && [ "$(wc -l <claimed)" -ge 60 ]
report $? "$(wc -l <claimed) rows of the challenge and of the drawn classes are minimal"
grep -q '"minimal":false' rows
report $? "and where a result is not, it is not called so"
echo "1..$n"
