#!/bin/sh
# Calls of sonde_together in reports: name, arguments, and what they returned.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | cut -c 1-300 | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
sonde cc --threads --sonde-cc="$CC" -Wall -Wextra -Werror -g -O1 "$SRC/tests/compile/threads/calls.c" -o calls >log 2>&1
report $? "the program is compiled and linked"
# shows PROPERTY TEXT...: it fails, and its report has these lines.
shows() {
    property=$1
    shift
    ./calls --seed 1 --no-store --tests 2000 --filter "$property" >log 2>&1 </dev/null
    got=$?
    for text; do grep -qF -- "$text" log || got=missing; done
    [ $got = 1 ]
    report $? "$property: $1"
}
shows with_printer 'threads = [[add(1) -> 1], [add(1) -> 1]]' 'thread 1, from ' ': add(1) -> 1'
shows without_printer 'add(1) -> call [1, 1, 0, 0]'
shows two_arguments 'add(by = 1, text = "a") -> 1'
shows shown_argument 'add(<1>) -> 1'
shows no_argument 'get() -> -1'
shows no_result 'get() -> '
shows waits 'wait_forever(1) does not return'
shows crashes '[[crash(1)], [crash(1)]]'
./calls --seed 1 --no-store --tests 2000 --filter with_printer --json --report html:page.html >log 2>&1
grep -qF '{"path": "calls.threads[0].calls[0]", "value": "add(1) -> 1"}' log
report $? "JSON has the calls, too"
grep -qF 'add(1) -> 1' page.html || grep -qF 'add(1) -\u003e 1' page.html
report $? "and so has the page"
echo "1..$n"
