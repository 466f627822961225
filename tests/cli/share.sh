#!/bin/sh
# --share: runs of one program exchange tapes and failures through a folder, whatever becomes of the folder and of them.
# Stages: gcc
relay=$BUILD/tests/misbehave/relay inputs=$BUILD/tests/cli/inputs
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }
children() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '{ pid = $1; sub(/.*\) /, "") } $2 == parent { print pid }'; }
# until TEST...: for as long as a loaded machine may need.
until_true() { for _ in $(seq 1200); do "$@" && return 0; sleep 0.05; done; return 1; }
is_at_work() { [ -n "$(find "$1/inputs/read_word/tapes" -name '*.tape' 2>/dev/null | head -n 1)" ]; }

# Each of them is led to one half, by a lock that the other holds.
for i in 1 2; do
    NAP=1 timeout 900 "$relay" --filter relay --json --no-store --time 600 --share "dir:$PWD/place" >out$i 2>err$i </dev/null &
    eval "pid$i=\$!"
done
wait "$pid1"; status1=$?
wait "$pid2"; status2=$?
result=0
[ $status1 = 1 ] && [ $status2 = 1 ] && [ "$(sort -u err1 err2)" = "sonde: --share: created the directory '$PWD/place'" ] || result=1
for i in 1 2; do grep -q '"token": "s1:x=123456789 y=987654321 ?"' out$i || result=1; done
report $result "two runs find together what takes two, and both report it"
[ $result = 0 ] || show out1 err1 out2 err2
[ "$(find place/relay/relay/failures -name '*.tape' ! -name '*.min.tape' | wc -l)" = 1 ] && [ "$(find place/relay/relay/failures -name '*.min.tape' | wc -l)" = 1 ] &&
    [ "$(find place/relay/relay/claims -type f | wc -l)" = 0 ] && [ "$(find place/relay/relay/workers -type f | wc -l)" = 2 ]
result=$?
report $result "the place has one failure, as it was found and as it was shrunk, and no claim is left"
[ $result = 0 ] || find place | show
NAP=1 "$relay" --filter relay --json --no-store --time 600 --fail-fast --share "dir:$PWD/place" >out 2>err </dev/null
[ $? = 1 ] && grep -q '"token": "s1:x=123456789 y=987654321 ?"' out && [ ! -s err ]
result=$?
report $result "a run that comes later fails by what is there"
[ $result = 0 ] || show out err

# Queues of other fuzzers.
mkdir -p afl/main/queue
printf '\211PNG\r\n\032\nX' >'afl/main/queue/id:000000,time:0,orig:png'
"$inputs" --filter magic --json --no-store --time 600 --max-discards 0 --fail-fast --share "dir:$PWD/afl" >out 2>err </dev/null
[ $? = 1 ] && grep -q '"token": "s1:before=0 data=89504e470d0a1a0a58' out
result=$?
report $result "what AFL++ has in its queue becomes the bytes that a property draws"
[ $result = 0 ] || show out err
mkdir -p corpus
"$BUILD/sonde" convert --to=bytes s1:x=777777 corpus/0a1b >/dev/null
"$inputs" --filter crash --json --no-store --time 600 --fail-fast --share "dir:$PWD/corpus" >out 2>err </dev/null
[ $? = 1 ] && grep -q '"token": "s1:x=777777' out
result=$?
report $result "what a target made of a property has in its corpus is a tape"
[ $result = 0 ] || show out err

# A peer whose labels are more than there can be: what comes after them is still read.
if [ -n "${SONDE_TEST_LONG:-}" ]; then
    mkdir -p flood/peer/queue
    "$inputs" --filter magic --json --no-store --time 600 --tests 0 --max-discards 0 --guide uniform --fail-fast --share "dir:$PWD/flood" >out 2>err </dev/null &
    pid=$!
    for i in 1 2 3 4 5 6; do
        awk -v i=$i 'BEGIN { for (k = 0; k < 15000; k++) printf "%ss1:l%d_%d=1", k ? ";" : "", i, k }' >flood/peer/.id$i && mv flood/peer/.id$i flood/peer/queue/id:$i
    done
    until_true sh -c "grep -q '\"fetched\": 6' flood/inputs/magic/workers/* 2>/dev/null"
    result=$?
    printf 's1:before=0 data=89504e470d0a1a0a58' >flood/peer/.id && mv flood/peer/.id flood/peer/queue/id:7
    wait $pid
    [ $? = 1 ] && [ $result = 0 ] && grep -q '"token": "s1:before=0 data=89504e470d0a1a0a58' out
    result=$?
    report $result "90,000 labels of a peer are forgotten again"
    [ $result = 0 ] || show out err
fi

# Ended from outside.
COUNTERS=1 "$inputs" --filter read_word --fuzz --no-store --worker-report --share "dir:$PWD/ended" >out 2>err </dev/null &
pid=$!
until_true is_at_work ended
kill -TERM $pid
wait $pid
[ $? = 143 ] && grep -q 'read_word: worker .* cases, .* a second, .* tapes* sent' err && [ -z "$(children $pid)" ] &&
    [ -n "$(find ended/inputs/read_word/tapes -name '*.tape' | head -n 1)" ]
result=$?
report $result "a run that is terminated leaves what it found, and says what it did"
[ $result = 0 ] || { show out err; find ended; }
COUNTERS=1 "$inputs" --filter read_word --fuzz --no-store --share "dir:$PWD/killed" >out 2>err </dev/null &
pid=$!
until_true is_at_work killed
agents=$(children $pid)
kill -9 $pid
wait $pid 2>/dev/null
gone() { for one in $agents; do [ ! -d "/proc/$one" ] || [ "$(sed 's/.*) //' "/proc/$one/stat" 2>/dev/null | cut -c 1)" = Z ] || return 1; done; }
until_true gone
report $? "the agent of a run that was killed ends by itself"
COUNTERS=1 "$inputs" --filter read_word --json --no-store --seed 1 --tests 1 --max-discards 0 --share "dir:$PWD/agentless" >out 2>err </dev/null &
pid=$!
until_true [ -d agentless/inputs/read_word/workers ]
kill -9 "$(children $pid | sort -n | head -n 1)" # the agent is the first
wait $pid
[ $? = 0 ]
result=$?
report $result "a run whose agent is killed goes on"
[ $result = 0 ] || show out err

# What a worker says of itself.
"$inputs" --filter text --json --no-store --runs 1 --tests 0 --worker-report --share "dir:$PWD/words" >out 2>err </dev/null
grep -q 'text: worker .*: 1 case, .* 0 locations, 0 failures; 0 tapes sent, 0 fetched' err && [ "$(grep -c "^sonde: --share: created the directory '$PWD/words'$" err)" = 1 ]
result=$?
report $result "a folder that had to be made is named, for its path may be mistyped"
[ $result = 0 ] || show err
"$inputs" --filter crash --json --no-store --inputs afl --inputs corpus --time 600 --fail-fast --guide uniform --worker-report --share "dir:$PWD/words" >out 2>err </dev/null
grep -q 'crash: worker .* 1 failure; 0 tapes sent' err && ! grep -q 'created the directory' err && [ "$(grep -c 'guide uniform keeps no inputs, so crash sends failures but no tapes' err)" = 1 ]
result=$?
report $result "a guide that keeps nothing has nothing to send, and the run says so"
[ $result = 0 ] || show err

# Places that cannot be used.
echo >file
"$inputs" --filter text --json --no-store --seed 1 --runs 2000 --tests 0 --max-discards 0 --share "dir:$PWD/file" >out 2>err </dev/null
grep -q "warning: --share: the directory '.*/file' cannot be used" err && grep -q '"tests": 2000' out
report $? "a place that cannot be used costs a sentence, and nothing else"
"$inputs" --filter text --json --no-store --seed 1 --runs 2000 --tests 0 --max-discards 0 --share dir:/proc/none >out 2>err </dev/null
grep -q "warning: --share: the directory '/proc/none' cannot be used: No such file" err
report $? "nor does one that cannot be made"
mkdir newer && echo 'sonde share 9' >newer/sonde-share
"$inputs" --filter text --json --no-store --seed 1 --runs 2000 --tests 0 --max-discards 0 --share "dir:$PWD/newer" >out 2>err </dev/null
grep -q 'warning: --share: .* was written by another version of sonde' err && [ "$(find newer | wc -l)" = 2 ]
report $? "what another version wrote is left alone"
"$relay" --share redis://me:secret@host/ >out 2>err </dev/null
[ $? = 2 ] && grep -q -- '--share: a password on the command line can be read by everyone' err && ! grep -q secret out err
report $? "a password on the command line is refused, and not repeated"
"$relay" --share /tmp >out 2>err </dev/null
[ $? = 2 ] && grep -q -- '--share: write dir:PATH for a directory' err
report $? "a place of no kind is refused"
"$relay" --filter sorted --isolate none --no-store --tests 10 --share "dir:$PWD/alone" >out 2>err </dev/null
[ $? = 0 ] && grep -q 'warning: --share: a run without isolation' err && [ ! -e alone ]
report $? "a run without isolation says that it exchanges nothing"

# Which random stream.
seed() { env "$@" "$relay" --filter sorted --json --no-store --tests 10 --share "dir:$PWD/seeds" 2>/dev/null | sed -n 's/.*"seed": \([0-9]*\).*/\1/p' | head -n 1; }
one=$(seed SLURM_JOB_ID=7 SLURM_PROCID=1) two=$(seed SLURM_JOB_ID=7 SLURM_PROCID=2)
[ -n "$one" ] && [ "$one" != "$two" ] && [ "$one" = "$(seed SLURM_JOB_ID=7 SLURM_PROCID=1)" ] && [ "$one" != "$(seed SLURM_JOB_ID=8 SLURM_PROCID=1)" ] &&
    [ "$(seed JOB_COMPLETION_INDEX=1 HOSTNAME=a)" != "$(seed JOB_COMPLETION_INDEX=2 HOSTNAME=a)" ] && [ "$(seed A=1)" != "$(seed A=1)" ]
report $? "the number that a scheduler gives decides the seed, where none is given"
[ "$("$relay" --filter sorted --json --no-store --seed 5 --tests 10 --share "dir:$PWD/seeds" 2>/dev/null | grep -c '"seed": 5')" = 1 ]
report $? "a seed that is given stays"
[ "$(seed CI=true GITHUB_SHA=00000abcdef0123456789abcdef0123456789abc)" != 2748 ]
report $? "in CI, workers of a fleet do not all have the seed of the commit"

# By its seed a worker may have habits: what it says to the others names them. The seed follows from the number and the host.
habits() {
    rm -rf habits
    env JOB_COMPLETION_INDEX="$1" HOSTNAME=h "$inputs" --filter text --json --no-store --runs 100 --tests 0 --max-discards 0 --worker-report --share "dir:$PWD/habits" $2 >out 2>err </dev/null
    sed -n 's/.*"guide_options": "\([^"]*\)".*/\1/p' habits/inputs/text/workers/*
}
[ -z "$(habits 0)" ] && ! grep -q -- --guide-options err && [ "$(habits 1)" = fresh=0.3 ] && grep -q 'fetched; --guide-options fresh=0.3' err &&
    [ "$(habits 3)" = again=0.7 ] && [ "$(habits 4)" = hot=0.1 ]
result=$?
report $result "workers differ by more than their seed"
[ $result = 0 ] || show err habits/inputs/text/workers/*
for settled in '--seed 1' '--guide auto' '--guide cgpt' '--guide-options fresh=0.2'; do
    case $(habits 1 "$settled") in '' | fresh=0.2) ;; *) echo "$settled" ;; esac
done >settled
[ ! -s settled ]
result=$?
report $result "but where the user has settled the seed, the guide or its knobs, it stays"
[ $result = 0 ] || show settled
echo "1..$n"
