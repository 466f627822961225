#!/bin/sh
# --share redis://: runs exchange through a real server, which may want a password, be stopped, killed or not be there.
# Stages: gcc
# Seconds: 52
relay=$BUILD/tests/misbehave/relay inputs=$BUILD/tests/cli/inputs sonde=$BUILD/sonde
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }
until_true() { for _ in $(seq 1200); do "$@" && return 0; sleep 0.05; done; return 1; }
command -v redis-server >/dev/null || { echo "there is no redis-server"; exit 77; }
"$BUILD/sonde-share" status redis+unix:/nowhere 2>&1 | grep -q 'built without hiredis' && { echo "sonde-share was built without hiredis"; exit 77; }

export SONDE_SHARE_AGENT="$BUILD/sonde-share" SONDE_SHARE_PASSWORD=right-one
socket=$PWD/redis.sock
# A path of a socket may have some hundred characters.
[ ${#socket} -lt 100 ] || { socket=$(mktemp -d)/redis.sock; trap 'rm -rf "$(dirname "$socket")"' EXIT; }
start() {
    redis-server --port 0 --unixsocket "$socket" --save '' --appendonly yes --dir "$PWD" --requirepass right-one --daemonize no >server.log 2>&1 &
    server=$!
    until_true redis_answers
}
redis_answers() { "$sonde" share status "redis+unix:$socket" >/dev/null 2>&1; }
start
report $? "the server runs, and takes the password"

for i in 1 2; do
    NAP=1 timeout 900 "$relay" --filter relay --json --no-store --time 600 --share "redis+unix:$socket" >out$i 2>err$i </dev/null &
    eval "pid$i=\$!"
done
wait "$pid1"; status1=$?
wait "$pid2"; status2=$?
result=0
[ $status1 = 1 ] && [ $status2 = 1 ] && [ ! -s err1 ] && [ ! -s err2 ] || result=1
for i in 1 2; do grep -q '"token": "s1:x=123456789 y=987654321 ?"' out$i || result=1; done
report $result "two runs find together what takes two, and both report it"
[ $result = 0 ] || show err1 err2 out1 out2
"$sonde" share status "redis+unix:$socket" >out 2>err
[ $? = 0 ] && grep -q '^relay/relay: .* cases, .* tapes, 1 failure, 1 shrunk' out && [ ! -s err ]
result=$?
report $result "the server has one failure, which was shrunk"
[ $result = 0 ] || show out err
"$sonde" share status --json "redis+unix:$socket" | python3 -c 'import json, sys; p = json.load(sys.stdin)["properties"]; assert p[0]["failures"][0]["kind"] == "check"' 2>err
report $? "status is JSON if it is asked for"

# A peer has flooded the place with failures that are none, before and after one that is real.
awk 'BEGIN { p = "sonde:1:{inputs/magic}:"; printf "SADD sonde:1:rooms inputs/magic\n"; for (i = 1; i <= 20100; i++)
    printf "XADD %sfailures * f \"%016x\\x00a\\x00b\\x00c\\x00d\\x00s1:before=0 data=%s\\x00\" w peer\n", p, i, i == 20000 ? "89504e470d0a1a0a58" : sprintf("%08x", i) }' |
    redis-cli -s "$socket" -a right-one --no-auth-warning >/dev/null 2>&1
# And with entries that are longer than any of ours: together more than an agent takes at a time.
head -c 3000000 /dev/zero | tr '\0' a >huge
for stream in failures notices; do
    for i in 1 2 3 4 5 6; do redis-cli -s "$socket" -a right-one --no-auth-warning -x XADD "sonde:1:{inputs/magic}:$stream" '*' w peer f <huge >/dev/null; done
done
"$sonde" share status "redis+unix:$socket" >out 2>err
grep -q '^inputs/magic: .* 20100 failures' out
result=$?
report $result "status counts all failures of a place that is flooded"
[ $result = 0 ] || show out err
"$inputs" --filter magic --json --no-store --time 100 --tests 0 --max-discards 0 --guide uniform --fail-fast --share "redis+unix:$socket" >out 2>err </dev/null
[ $? = 1 ] && grep -q '"token": "s1:before=0 data=89504e470d0a1a0a58' out
result=$?
report $result "what was found last is read first: failures that are none do not hide one that is real"
[ $result = 0 ] || show out err

# What another version wrote is another version's.
version() { redis-cli -s "$socket" -a right-one --no-auth-warning set sonde:version "$1" >/dev/null; }
version 9
"$sonde" share status "redis+unix:$socket" >out 2>err
[ $? = 2 ] && grep -q 'sonde share status: the server was used by another version of sonde .*use the same version everywhere' err
result=$?
"$inputs" --filter text --json --no-store --seed 1 --runs 20000 --tests 0 --max-discards 0 --share "redis+unix:$socket" >out 2>err </dev/null
grep -q 'warning: --share: the server was used by another version of sonde' err && grep -q '"tests": 20000' out || result=1
version 1
"$sonde" share status "redis+unix:$socket" 2>err | grep -q '^relay/relay: .* 1 failure, 1 shrunk' || result=1
report $result "data of another version causes a warning and stays unchanged"
[ $result = 0 ] || show err out

SONDE_SHARE_PASSWORD=wrong "$inputs" --filter text --json --no-store --seed 1 --runs 20000 --tests 0 --max-discards 0 --share "redis+unix:$socket" >out 2>err </dev/null
grep -q 'warning: --share: the server rejects the password' err && ! grep -q wrong out err && grep -q '"tests": 20000' out
result=$?
report $result "a wrong password costs a sentence, and is not repeated"
[ $result = 0 ] || show err out
env -u SONDE_SHARE_PASSWORD "$inputs" --filter text --json --no-store --seed 1 --runs 20000 --tests 0 --max-discards 0 --share "redis+unix:$socket" >out 2>err </dev/null
grep -q 'warning: --share: the server requires a password: set SONDE_SHARE_PASSWORD' err
report $? "a password that is missing costs a sentence"
echo right-one >secret
env -u SONDE_SHARE_PASSWORD SONDE_SHARE_PASSWORD_FILE=secret "$sonde" share status "redis+unix:$socket" >out 2>err
report $? "a password may stand in a file"
env -u SONDE_SHARE_PASSWORD "$sonde" share status redis://192.0.2.1/ >out 2>err
[ $? = 2 ] && grep -q 'is on another host and no password is set' err
report $? "a server on another host without a password is refused"
"$sonde" share status rediss://localhost/ >out 2>err
[ $? = 2 ] && grep -q 'has no TLS .*stunnel' err
report $? "TLS that is not there is refused with what to do"

# Export and import, both ways.
"$sonde" share export "redis+unix:$socket" tapes relay >out 2>err && [ "$(find tapes -name '*.tape' | wc -l)" -ge 1 ] && "$sonde" show "@$(find tapes -name '*.tape' | head -n 1)" >/dev/null
report $? "tapes come out"
"$sonde" share export --bytes "redis+unix:$socket" bytes relay >out && [ "$(find bytes -type f | wc -l)" = "$(find tapes -type f | wc -l)" ] &&
    head -c 4 "$(find bytes -type f | head -n 1)" | grep -q sond
report $? "and as targets of fuzzers read them"
"$sonde" share import "dir:$PWD/folder" relay relay tapes bytes >out 2>err && "$sonde" share status "dir:$PWD/folder" | grep -q "^relay/relay: 0 workers, .* $(find tapes -type f | wc -l) tapes"
result=$?
report $result "they go into another place, the same tape once"
[ $result = 0 ] || show out err
"$sonde" share import "dir:$PWD/folder" relay relay nowhere >out 2>err
[ $? = 2 ] && grep -q "'nowhere' cannot be read" err
report $? "what is not there to be brought is an error"
"$sonde" share prune --dry-run "redis+unix:$socket" | grep -q '^relay/relay: [0-9]* of [0-9]* tapes would be dropped' && "$sonde" share prune "redis+unix:$socket" >out
report $? "what nothing needs is dropped"

# The server is stopped, killed, and comes back.
NAP=1 COUNTERS=1 "$inputs" --filter read_word --fuzz --no-store --share "redis+unix:$socket" >out 2>err </dev/null &
pid=$!
shared() { "$sonde" share status "redis+unix:$socket" 2>/dev/null | grep -q 'inputs/read_word: 1 worker,.* [1-9][0-9]* tapes'; }
until_true shared
report $? "a run shows up"
kill -STOP $server
if [ -z "${SONDE_TEST_LONG:-}" ]; then sleep 1; else sleep 30; fi
kill -0 $pid
result=$?
kill -CONT $server
kill -9 $server
wait $server 2>/dev/null
start && kill -0 $pid || result=1
until_true shared || result=1
kill -TERM $pid
wait $pid
[ $? = 143 ] || result=1
report $result "a run goes on while its server is stopped or dead, and finds it when it is back"
[ $result = 0 ] || show out err server.log

# A network that takes 200 ms each way and cuts every connection after some seconds, wherever it is.
mkfifo hold
python3 "$SRC/tests/cli/proxy.py" "$socket" 0.2 6 <hold >proxy 2>proxy.err &
proxy=$!
exec 9>hold
until_true [ -s proxy ]
place=redis://127.0.0.1:$(cat proxy)/
forget() { redis-cli -s "$socket" -a right-one --no-auth-warning flushall >/dev/null; }
forget
NAP=1 COUNTERS=1 "$inputs" --filter read_word --fuzz --no-store --share "$place" >out 2>err </dev/null 9>&- &
pid=$!
until_true shared
result=$?
kill -TERM $pid
wait $pid
[ $? = 143 ] && ! grep -q 'Permission denied\|password' err || result=1
report $result "over a network that is slow and cuts connections, tapes arrive, and a run ends when it is told to"
[ $result = 0 ] || show proxy.err err out
if [ -n "${SONDE_TEST_LONG:-}" ]; then
    # One worker is given the failure, which no other finds alone.
    forget
    told() { "$sonde" share status "redis+unix:$socket" 2>/dev/null | grep -q "^relay/relay: $1"; }
    echo 's1:x=123456789 y=987654321' >given
    NAP=1 timeout 600 "$relay" --filter relay --json --no-store --time 500 --fail-fast --share "$place" >out1 2>err1 </dev/null 9>&- &
    pid=$!
    until_true told '1 worker'
    NAP=1 timeout 600 "$relay" --filter relay --json --no-store --time 500 --fail-fast --inputs given --share "$place" >out2 2>err2 </dev/null 9>&-
    status2=$?
    wait $pid
    [ $? = 1 ] && [ $status2 = 1 ] && grep -q '"token": "s1:x=123456789 y=987654321 ?"' out1 && grep -q '"token": "s1:x=123456789 y=987654321 ?"' out2 &&
        told '.* 1 failure, 1 shrunk'
    result=$?
    report $result "and a failure reaches the other worker, and is there once"
    [ $result = 0 ] || show err1 err2 out1 out2
fi
exec 9>&-
wait $proxy

# How often a tool waits for the network: 48 tapes in and out, three times sixteen, each way less often than one in two.
forget
mkdir many
for i in $(seq 48); do echo "s1:x=$i" >"many/$i.tape"; done
python3 "$SRC/tests/cli/proxy.py" "$socket" 0 0 <hold >proxy2 2>proxy.err &
proxy=$!
exec 9>hold
until_true [ -s proxy2 ]
place=redis://127.0.0.1:$(head -n 1 proxy2)/
"$sonde" share import "$place" relay relay many >out 2>err 9>&- && "$sonde" share export "$place" back relay >>out 2>>err 9>&-
[ "$(grep -c '^48 tapes' out)" = 2 ] && [ "$(cat back/*.tape | grep -c '^s1:x=')" = 48 ]
result=$?
exec 9>&-
wait $proxy
[ "$(sed -n 's/.* cut \(.*\) turns/\1/p' proxy2)" -lt 40 ] || result=1
report $result "tapes go in and out many at a time"
[ $result = 0 ] || show out err proxy2
kill $server
wait $server

# A full disk under the server: a file system of its own, which takes root; a file fills it, and is removed.
mkdir disk
if unshare -m mount -t tmpfs none disk 2>/dev/null; then
    unshare -m sh -c 'mount -t tmpfs -o size=512k none disk && exec redis-server --port 0 --unixsocket "$0" --save "" --appendonly yes --dir disk --requirepass right-one' "$socket" >server.log 2>&1 &
    server=$!
    until_true redis_answers
    filler=/proc/$server/root$PWD/disk/filler
    dd if=/dev/zero of="$filler" bs=4k 2>/dev/null
    refuses() { redis-cli -s "$socket" -a right-one --no-auth-warning set filler "$(seq 2000)" | grep -q MISCONF; }
    until_true refuses
    result=$?
    NAP=1 COUNTERS=1 "$inputs" --filter read_word --fuzz --no-store --share "redis+unix:$socket" >out 2>err </dev/null &
    pid=$!
    until_true grep -q 'warning: --share: the server .* has no disk space or memory left' err || result=1
    rm "$filler"
    until_true shared || result=1
    kill -TERM $pid
    wait $pid
    [ $? = 143 ] || result=1
    report $result "a full disk under the server costs a sentence, and tapes arrive when there is room again"
    [ $result = 0 ] || show err out server.log
    kill $server
    wait $server
fi
NAP=1 "$relay" --filter sorted --json --no-store --tests 300 --share "redis+unix:$socket" >out 2>err </dev/null
[ $? = 0 ]
report $? "a server that is not there changes nothing"
SONDE_SHARE_AGENT=/nowhere/sonde-share "$inputs" --filter text --json --no-store --seed 1 --runs 20000 --tests 0 --max-discards 0 --share "redis+unix:$socket" >out 2>err </dev/null
grep -q 'warning: --share: there is no sonde-share on the PATH' err && grep -q '"tests": 20000' out
report $? "where there is no agent for servers, a sentence says so"
echo "1..$n"
