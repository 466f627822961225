#!/bin/sh
# Calls that threads under control cannot make end the run by name; a thread that sonde did not start is named in the report.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 12 log | cut -c 1-300 | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
source=$SRC/tests/compile/threads/refused.c
sed -n 's|^REFUSED[A-Z_]*(\([a-z_]*\)[,)].*/\* \(.*\) \*/|\1 \2|p' "$source" >wanted
for kind in fibers os; do
    sonde cc --threads=$kind --sonde-cc="$CC" -Wall -Wextra -Wno-deprecated-declarations -g -O1 "$source" -o refused >log 2>&1
    report $? "$kind: the program is compiled and linked"
    while read -r name text; do
        ./refused --seed 1 --no-store --tests 20 --filter "$name" >log 2>&1 </dev/null
        [ $? = 2 ] && grep -qF -- "ERROR $name: $text" log
        report $? "$kind: $name is refused: $text"
    done <wanted
    ./refused --seed 1 --no-store --tests 2000 --filter real_thread >log 2>&1
    [ $? = 0 ] && ! grep -q 'holds for all' log && grep -q 'Not seen: threads ran that sonde_threads did not start' log
    report $? "$kind: a property that starts a thread does not hold for all inputs"
done
[ "$(wc -l <wanted)" -ge 34 ]
report $? "all of them were tried"
echo "1..$n"
