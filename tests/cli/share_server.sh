#!/bin/sh
# --share redis:// and sonde share with servers that are none: what they send is bounded in bytes and in time, and a run ends when
# it is to end. tests/cli/server.py is all of them, on 127.0.0.1.
# Stages: gcc
relay=$BUILD/tests/misbehave/relay sonde=$BUILD/sonde
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { cat -v "$@" | sed 's/^/# /' | cut -c 1-600 | head -n 12; }
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
"$BUILD/sonde-share" status redis+unix:/nowhere 2>&1 | grep -q 'built without hiredis' && { echo "sonde-share was built without hiredis"; exit 77; }
export SONDE_SHARE_AGENT="$BUILD/sonde-share" SONDE_SHARE_PASSWORD=hunter2secret
# AddressSanitizer keeps freed memory, 256 MB of it unless it is told otherwise, and the agent would not be small.
export ASAN_OPTIONS=quarantine_size_mb=1
has_control() { LC_ALL=C tr -d '\n\040-\176' <"$1" | grep -q .; }

# try KIND: in a directory of that name; the file `wrong` has what was not as it should be.
try() {
    mkdir "$1" && cd "$1" || exit 1
    exec 2>log
    : >wrong
    python3 "$SRC/tests/cli/server.py" "$1" port </dev/null >server.log 2>&1 &
    server=$!
    for _ in $(seq 600); do [ -s port ] && break; sleep 0.05; done
    url=redis://u@127.0.0.1:$(cat port)/
    NAP=1 timeout 100 "$relay" --filter sorted --json --no-store --seed 1 --time 4 --tests 0 --share "$url" >out 2>err </dev/null &
    run=$!
    # The most that its agent has ever held, in kB.
    peak=0 agent=
    while kill -0 $run 2>/dev/null; do
        [ -n "$agent" ] || agent=$(ps -eo pid=,args= | awk -v url="$url" '$2 ~ /sonde-share/ && index($0, "agent " url) { print $1; exit }')
        now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/${agent:-none}/status" 2>/dev/null)
        [ -n "$now" ] || agent= # it ended, and another may come
        [ "${now:-0}" -le $peak ] || peak=$now
        sleep 0.5
    done
    wait $run
    status=$?
    [ $status = 0 ] && grep -q '"stopped": "time"' out || echo "the run: status $status" >>wrong
    [ $peak -gt 0 ] && [ $peak -lt 65536 ] || echo "its agent: $peak kB" >>wrong
    case $1 in silent | drip) grep -q "warning: --share: the server '127.0.0.1' did not respond in time" err || echo "no warning" >>wrong ;; esac
    timeout 100 "$sonde" share status --json "$url" >got 2>err2
    [ $? != 124 ] || echo "sonde share status waits" >>wrong
    ! has_control err && ! has_control err2 || echo "control characters" >>wrong
    ! grep -q hunter2 out err got err2 || echo "the password" >>wrong
    kill $server
}
kinds='silent drip endless hugebulk hugearray nest garbage status types cursor error'
for kind in $kinds; do (try $kind) & done
wait
for kind in $kinds; do
    [ -f $kind/wrong ] && [ ! -s $kind/wrong ]
    result=$?
    report $result "a server of kind '$kind': the run ends, its agent stays small, the password is not shown"
    [ $result = 0 ] || show $kind/wrong $kind/err $kind/err2 $kind/log $kind/server.log
done
echo "1..$n"
