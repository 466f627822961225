#!/bin/sh
# Threads under control that wait where sonde cannot see it, or reads streams, starts processes, jumps: a sentence each, with both kinds of threads.
# Stages: gcc clang
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
# run STATUS PROPERTY TEXT...: it ends so, and says all of this.
run() {
    wanted=$1 property=$2
    shift 2
    "./$kind" --seed 1 --no-store --tests 300 --wall-timeout 2 --filter "$property" >log 2>&1 </dev/null
    got=$?
    for text; do grep -qF -- "$text" log || got=missing; done
    [ "$got" = "$wanted" ]
    report $? "$kind: $property: status $wanted, ${1:-ok}"
}
for kind in fibers os; do
    sonde cc --threads=$kind --sonde-cc="$CC" -Wall -Wextra -Werror -g -O1 "$SRC/tests/compile/threads/waits.c" -o $kind >log 2>&1
    report $? "$kind: it compiles"
    run 0 right_streams
    run 2 empty_stream 'fgetc() in thread 1 waits for something' 'in reads_alone'
    run 2 unseen_wait 'thread 1 of sonde_threads waited until --wall-timeout' 'in scans'
    run 2 system_inside 'system() in a thread of sonde_threads cannot be controlled' 'in calls_system'
    run 2 popen_inside 'popen() in a thread' 'in calls_popen'
    run 2 vfork_inside 'vfork() in a thread' 'in calls_vfork'
    if [ "$(uname -m)" = x86_64 ]; then
        run 1 jump_elsewhere 'thread 2 jumps to the stack of thread 1 (longjmp)'
    fi
done

# As distributions compile: longjmp has another name then.
kind=fortified
set -- -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
"$CC" -O2 "$@" -std=gnu11 -D_GNU_SOURCE -I"$SRC/src" -I"$SRC/include" -c "$SRC/addons/threads/jumps.c" -o jumps.o >log 2>&1
report $? "the library's own functions compile with _FORTIFY_SOURCE"
sonde cc --threads --sonde-cc="$CC" "$@" -g -O1 "$SRC/tests/compile/threads/waits.c" -o fortified >log 2>&1
report $? "fortified: it compiles"
if [ "$(uname -m)" = x86_64 ]; then
    run 1 jump_elsewhere 'thread 2 jumps to the stack of thread 1 (longjmp)'
fi
echo "1..$n"
