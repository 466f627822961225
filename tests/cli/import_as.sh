#!/bin/sh
# --import-as COMMAND: the command has limits, and neither it nor what it starts outlives the run.
# Stages: gcc
import=$BUILD/tests/cli/import
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 20; fi
}
printf '{"a":1}' >a.json
printf '[]' >b.json
run() { timeout -k 1 60 "$import" --filter json --no-store --seed 1 --guide simplest --runs 1 --max-discards 0 "$@" >out 2>err </dev/null; }
# left MARK: processes whose command line has the mark.
left() { grep -al "$1" /proc/[0-9]*/cmdline 2>/dev/null | while read -r file; do case $(tr '\0' ' ' <"$file" 2>/dev/null) in sleep*) echo "$file" ;; esac; done; }

run --import a.json --import b.json --import-as 'sleep 1000.1' --time 1
[ $? != 124 ] && grep -q "a.json' is left out: 'sleep 1000.1' took longer than --wall-timeout or --time allows" err &&
    grep -q "b.json' is left out: 'sleep 1000.1' took longer" err
report $? "a command that does not end is ended by --time, and the files after it are left out"
run --import a.json --import-as 'sleep 1000.2' --wall-timeout 0.1 --time 0
[ $? != 124 ] && grep -q "a.json' is left out: 'sleep 1000.2' took longer" err
report $? "and by --wall-timeout"
run --import a.json --import-as 'yes' --time 0
[ $? != 124 ] && grep -q "a.json' is left out: 'yes' printed more than 1 MiB, and was ended" err
report $? "a command that prints without end is ended"
run --import a.json --import-as 'sleep 1000.3 & cat' --time 0
[ $? != 124 ] && grep -q 'files imported as a whole: 1 of 1' err
report $? "a command that leaves a process with its pipe is not waited for"
run --import a.json --import-as 'cat; exit 7' --time 0
grep -q "a.json' is left out: 'cat; exit 7' ended with status 7" err
report $? "a command that fails has its status reported"
[ -z "$(left 1000.1)$(left 1000.2)$(left 1000.3)" ]
report $? "and nothing is left of any of them"

for signal in TERM INT; do
    # In a shell without job control a process in the background ignores INT.
    env --default-signal=INT timeout -s KILL 60 "$import" --filter json --no-store --import a.json --import-as 'echo here >started; sleep 1000.4' --wall-timeout 100 >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 600); do [ -s started ] && break; sleep 0.1; done
    run=$(cat /proc/$pid/task/$pid/children)
    kill -$signal $run
    wait $pid
    [ $? -gt 128 ] && [ -z "$(left 1000.4)" ]
    report $? "$signal ends the run while a command is running, and the command"
    rm -f started
done
echo "1..$n"
