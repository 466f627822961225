#!/bin/sh
# A fleet whose workers and server are killed at random moments, whose place is flooded by a peer, and which is of two builds:
# no failure is lost, none is there twice, nobody crashes. And the recipes of docs/fleet.md that can be run here.
# Stages: gcc
# Seconds: 117
inputs=$BUILD/tests/cli/inputs relay=$BUILD/tests/misbehave/relay sonde=$BUILD/sonde
rounds=6
[ -z "${SONDE_TEST_LONG:-}" ] || rounds=100
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }
until_true() { for _ in $(seq 1200); do "$@" && return 0; sleep 0.05; done; return 1; }
gone() { ! kill -0 "$1" 2>/dev/null; }
random() { awk -v seed="$1" 'BEGIN { srand(seed); printf "%.2f", rand() * 0.8 }'; }
export SONDE_SHARE_AGENT="$BUILD/sonde-share"

# Workers on a folder, killed at any moment. Each has the failure in its way: it is in a file of the folder, as another fuzzer would leave it.
mkdir -p place/other/queue
"$sonde" convert --to=bytes s1:x=777777 place/other/queue/id:000000 >/dev/null
for i in $(seq $rounds); do
    NAP=1 "$inputs" --filter crash --fuzz --no-store --share "dir:$PWD/place" >out$i 2>err$i </dev/null &
    pid=$!
    sleep "$(random "$i")"
    kill -9 $pid
    wait $pid 2>/dev/null
done
timeout 300 "$inputs" --filter crash --json --no-store --time 120 --fail-fast --share "dir:$PWD/place" >out 2>err </dev/null
status=$?
result=0
[ $status = 1 ] && [ ! -s err ] && grep -q '"token": "s1:x=777777' out || result=1
[ "$(find place/inputs/crash/failures -name '*.tape' ! -name '*.min.tape' | wc -l)" = 1 ] || result=1
report $result "workers that are killed at $rounds moments lose no failure and leave none twice"
[ $result = 0 ] || { show out err; find place | show; }
! grep -l . err[0-9]* >files 2>/dev/null
report $? "none of them had anything to say"
until_true sh -c '! ls place/inputs/crash/tapes/*/.*.tmp 2>/dev/null | grep -q .'
report $? "nothing is left half written"

# GNU parallel, as in docs/fleet.md, with two builds: of each worker another seed, and all report what one of them finds.
if command -v parallel >/dev/null; then
    cp "$relay" other-build && printf 'x' >>other-build && mkdir builds && cp other-build builds/relay
    printf '%s\n' "$relay" "$PWD/builds/relay" "$relay" |
        NAP=1 timeout 600 parallel --will-cite -j 3 "{} --filter relay --json --no-store --time 300 --share dir:$PWD/fleet >job{#} 2>&1; echo \$? >>statuses" </dev/stdin
    [ "$(sort statuses | uniq -c | tr -d ' \n')" = 31 ] && [ "$(grep -ho '"seed": [0-9]*' job1 job2 job3 | sort -u | wc -l)" = 3 ] &&
        [ "$(find fleet/relay/relay/failures -name '*.min.tape' | wc -l)" = 1 ]
    result=$?
    report $result "three workers of two builds under GNU parallel find it together, and it is shrunk once"
    [ $result = 0 ] || show statuses job1 job2 job3
fi

# What a matrix of CI does: the folder comes back from a cache, and goes on.
NAP=1 "$relay" --filter relay --json --no-store --time 120 --fail-fast --share dir:fleet >out 2>err </dev/null
status=$?
[ ! -d fleet ] || [ $status = 1 ]
report $? "a later run with the same folder begins with what is there"

# A server, killed and started again while a worker runs, with a peer that floods it.
if command -v redis-server >/dev/null && ! "$BUILD/sonde-share" status redis+unix:/nowhere 2>&1 | grep -q 'built without hiredis'; then
    socket=$(mktemp -d)/redis.sock
    trap 'rm -rf "$(dirname "$socket")"' EXIT
    start() { redis-server --port 0 --unixsocket "$socket" --save '' --appendonly yes --dir "$PWD" --daemonize no >server.log 2>&1 & server=$!; }
    answers() { redis-cli -s "$socket" ping 2>/dev/null | grep -q PONG; }
    start
    until_true answers
    flood=2000
    [ -z "${SONDE_TEST_LONG:-}" ] || flood=100000
    # Damaged and strange: names and keys that are none, tapes that are none, failures that are none.
    awk -v n=$flood 'BEGIN { srand(1); p = "sonde:1:{relay/relay}:"; for (i = 0; i < n; i++) {
        r = int(rand() * 5); name = sprintf("%08x%08x", rand() * 2^31, rand() * 2^31); key = sprintf("%08x", rand() * 2^31)
        if (r == 0) printf "XADD %snotices * n %s k %s w peer\n", p, name, substr(key, 1, int(rand() * 9))
        else if (r == 1) { printf "XADD %snotices * n %s k %s w peer\n", p, name, key; printf "SET %st:%s s1:x=%d\n", p, name, i }
        else if (r == 2) printf "XADD %snotices * a b\n", p
        else if (r == 3) printf "XADD %sfailures * f %s%c w peer\n", p, name, 65 + i % 26
        else printf "XADD %sfailures * f \"%s\\x00a\\x00b\\x00c\\x00d\\x00s1:x=%d\\x00\" w peer\n", p, name, i } }' | redis-cli -s "$socket" >/dev/null 2>&1
    for i in 1 2; do
        NAP=1 timeout 600 "$relay" --filter relay --json --no-store --time 500 --share "redis+unix:$socket" >out$i 2>err$i </dev/null &
        eval "pid$i=\$!"
    done
    for i in $(seq $((rounds / 3))); do
        sleep "$(random "$i")"
        kill -9 $server
        wait $server 2>/dev/null
        start
        until_true answers
    done
    wait "$pid1"; status1=$?
    wait "$pid2"; status2=$?
    [ $status1 = 1 ] && [ $status2 = 1 ] && grep -q '"token": "s1:x=123456789 y=987654321 ?"' out1 && grep -q '"token": "s1:x=123456789 y=987654321 ?"' out2
    result=$?
    report $result "two workers find it together though their server is killed $((rounds / 3)) times and holds $flood entries of a peer that floods"
    [ $result = 0 ] || show err1 err2 out1 out2
    kill $server
    wait $server
fi
echo "1..$n"
