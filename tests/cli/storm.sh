#!/bin/sh
# A storm of crashes: one input in a hundred, in fifty places, two workers. All fifty are found, each once, minimal and
# stored; and nothing is left over: no process, no zombie, no descriptor, no shared memory, no temporary file. 10^5
# cases, with check-long 10^6 (some 25,000 workers die: the guide likes the end of a range, which crashes).
# Stages: gcc
[ "${STAGE:-gcc}" = gcc ] || { echo "one build is enough"; exit 77; }
tests=100000
[ -z "${SONDE_TEST_LONG:-}" ] || tests=1000000
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

cp "$BUILD/tests/misbehave/storm" storm
program=$(pwd -P)/storm
running() { ls -l /proc/[0-9]*/exe 2>/dev/null | grep -F -- "-> $program"; }
children() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '{ sub(/.*\) /, "") } $2 == parent'; }
shared() { ls /dev/shm 2>/dev/null | grep -c sonde; }

before=$(shared)
./storm --json --seed 1 --tests $tests --time 0 --jobs 2 --keep-going --store store >out 2>err </dev/null &
supervisor=$!
descriptors=0 zombies=0 most=0
while kill -0 $supervisor 2>/dev/null; do
    now=$(ls /proc/$supervisor/fd 2>/dev/null | wc -l)
    [ "$now" -le "$descriptors" ] || descriptors=$now
    now=$(children $supervisor | grep -c '^Z')
    [ "$now" -le "$zombies" ] || zombies=$now
    now=$(children $supervisor | wc -l)
    [ "$now" -le "$most" ] || most=$now
    sleep 0.2
done
wait $supervisor
status=$?

[ $status = 1 ] && grep -q '"stopped": "tests"' out && grep -q "\"valid\": $tests," out
report $? "the storm is weathered to its end"
[ "$(grep -o '"token": "[^"]*"' out | sort -u | grep -cE '"s1:x=[0-9]*99 y=0 \?"|"s1:x=99 y=0 \?"')" = 50 ]
report $? "fifty places, each minimal"
[ "$(grep -o '"token"' out | wc -l)" = 50 ] && [ "$(grep -o '"flaky": false' out | wc -l)" = 50 ]
report $? "each once, and none flaky"
[ "$(grep -o 'in place_[0-9]*_[ab], called from storm' out | sort -u | wc -l)" = 50 ]
report $? "each with the name of its function"
failing=$(grep -o '"hits": [0-9]*' out | awk '{ n += $2 } END { print n }')
[ "$((failing + tests))" = "$(sed 's/.*"tests": \([0-9]*\),.*/\1/' out)" ]
report $? "every crash is counted ($failing)"
[ "$(find store -name '*.tape' | wc -l)" = 50 ] && [ -z "$(find store -name '.*.tmp')" ]
report $? "fifty tapes are stored, and no temporary file"
[ ! -s err ]
report $? "without a warning"
[ "$descriptors" -lt 20 ] && [ "$most" -le 3 ] && [ "$zombies" -le 2 ]
report $? "$descriptors descriptors, $most workers and $zombies just dead at most"
[ -z "$(running)" ] && [ "$(shared)" = "$before" ]
report $? "no process and no shared memory is left"
echo "1..$n"
echo "# $(sed 's/.*"seconds": \([0-9.]*\), "cpu_s": \([0-9.]*\).*/\1 s, \2 s of CPU/' out)"
