#!/bin/sh
# Processes that the code under test starts end with the run, do not hold the user's output, and neither they nor the
# code itself can write into a report. Each run carries a mark in its environment, by which all that came from it is found.
# Stages: gcc
# Seconds: 48
family=$BUILD/tests/misbehave/family
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 12; }

left() { grep -al "FAMILY_MARK=$mark" /proc/[0-9]*/environ 2>/dev/null | sed 's|/proc/\(.*\)/environ|\1|' | while read -r pid; do
    case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) in '' | Z*) ;; *) echo "$pid" ;; esac
done; }

# ends STATUS NAME OPTION...: with that status, and nothing is left of it; its output through a pipe ends with it.
ends() {
    wanted=$1 name=$2
    shift 2
    mark=$$.$n
    FAMILY_MARK=$mark timeout -s KILL 100 sh -c '{ "$@" 2>err; echo $? >status; } | cat >out' - "$family" --filter "$name" --seed 1 --json \
        --no-store --tests 100 "$@" </dev/null
    ended=$?
    remaining=$(left)
    [ $ended = 0 ] && [ "$(cat status)" = "$wanted" ] && [ -z "$remaining" ] && [ "$(wc -l <out)" = 1 ]
    result=$?
    report $result "$name $*: status $wanted, its output ends with it, and nothing is left"
    [ $result = 0 ] || { echo "# status $(cat status), left: $(echo $remaining)"; show out err; }
    [ -z "$remaining" ] || kill -9 $remaining
    rm -f status
}

ends 0 daemons_and_holds
ends 0 daemons_and_holds --isolate case
ends 1 daemons_and_fails
ends 1 daemons_and_fails --jobs 2
ends 1 daemons_and_fails --isolate case
ends 1 waits_for_shell --wall-timeout 0.2 --no-shrink --fail-fast
grep -q '"kind": "hang"' out
report $? "a shell that is waited for is a hang"
ends 1 leaves_spinning --no-shrink
ends 1 uses_server
grep -q '"token": "s1:x=37 ?"' out && ! grep -q 'kill(server' out
report $? "what worker_setup has started is there in every case"
ends 1 uses_server --isolate case
grep -q '"token": "s1:x=37 ?"' out && ! grep -q 'kill(server' out
report $? "also where each case has a process"

# A child that comes back from the property is a failure, however late and however it was forked.
for name in comes_back_late grandchild_comes_back raw_child_comes_back raw_child_comes_back_late; do
    for options in "" "--isolate case"; do
        ends 1 $name $options
        grep -q '"kind": "fork"' out && grep -q '"token": "s1:x=37"' out && ! grep -q '"flaky": true' out
        result=$?
        report $result "$name $options: the case that forked is blamed, and minimal"
        [ $result = 0 ] || show out err
    done
done
ends 1 comes_back_late --tests 1 --replay x=50
grep -q '"kind": "fork"' out
report $? "also when it is replayed"
ends 0 raw_child_ends
ends 0 leaves_sleeping

# A program that has children of its own keeps them.
mark=$$.own
FAMILY_CHILD=1 FAMILY_MARK=$mark "$family" --filter daemons_and_fails --seed 1 --no-store --fail-fast --no-shrink >out 2>err </dev/null
kept=$(for pid in $(left); do tr '\0' ' ' <"/proc/$pid/cmdline"; done)
case $kept in *'sleep 30 '*) true ;; *) false ;; esac
report $? "children of the program itself are left alone"
remaining=$(left)
[ -z "$remaining" ] || kill -9 $remaining

# The second Ctrl-C ends the program at once, and what its workers have started.
mark=$$.twice
FAMILY_MARK=$mark "$family" --filter waits_for_shell --seed 1 --no-store --wall-timeout 100 >out 2>err </dev/null &
supervisor=$!
for _ in $(seq 300); do
    case $(for pid in $(left); do tr '\0' ' ' <"/proc/$pid/cmdline"; done) in *'sleep 1000'*) break ;; esac
    sleep 0.1
done
kill -INT $supervisor
kill -TERM $supervisor
wait $supervisor
status=$?
for _ in $(seq 50); do
    remaining=$(left)
    [ -n "$remaining" ] || break
    sleep 0.1
done
[ $status = 143 ] || [ $status = 130 ]
report $? "the second request ends the run, status $status"
[ -z "$remaining" ]
report $? "and what the workers had started"
[ -z "$remaining" ] || kill -9 $remaining

for how in terminal json tap junit; do
    "$family" --filter writes_anywhere --seed 1 --no-store --tests 100 --report $how >out 2>err </dev/null
    [ $? = 0 ] && [ -s out ] && ! grep -q forged out err
    report $? "--report $how: the code under test cannot write into it"
done
"$family" --filter writes_anywhere --seed 1 --no-store --tests 100 --report json:file.json >out 2>err </dev/null
[ $? = 0 ] && [ -s file.json ] && ! grep -q forged file.json out err
report $? "nor into a file"
echo "1..$n"
