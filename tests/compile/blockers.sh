#!/bin/sh
# The planted blockers of bench/blockers: each can be passed once its cause is gone, and a wrong witness is noticed.
# Stages: long (programs of the benches, which no user builds)
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | tail -n 15; fi; }
here=$PWD
blockers() { (cd "$SRC" && BUILD=$CHECK_BUILD bench/run blockers "$@"); }

blockers >log 2>&1
[ $? = 0 ] && [ "$(grep -c ': 50 of 50 blockers are as their comments say$' log)" = 2 ]
report $? "each blocker has an input that passes it without its cause, with gcc and with clang"
sed 's/^queue-flush .*/queue-flush s1:token=0 xs[{op=6 priority=0}]/; /^matrix-norm /d' "$SRC/bench/blockers/witnesses.txt" >wrong
blockers --compilers gcc --tests 100 --witnesses "$here/wrong" >log 2>&1
[ $? = 1 ] && grep -q '^not ok: queue-flush .*: its witness does not take the branch$' log && grep -q '^not ok: matrix-norm .*: there is no witness$' log
report $? "an input that does not pass is noticed, and a missing one"
blockers --judge >log 2>&1
for compiler in gcc:48 clang:48; do # measured: 49 and 49
    [ "$(sed -n "s/^${compiler%:*}: \([0-9]*\) of 50 causes are named right$/\1/p" log)" -ge "${compiler#*:}" ]
    report $? "--blockers names most causes right (${compiler%:*})"
done
echo "1..$n"
