#!/bin/sh
# A store that cannot be used: one clear warning, and testing continues to the same verdict. And Ctrl-C.
# Stages: gcc asan
kinds=$BUILD/tests/misbehave/kinds
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }

# warned WHAT TEXT: one line on standard error, with TEXT; falsified all the same.
warned() {
    "$kinds" --filter several --keep-going --tests 2000 --seed 1 --json --store "${3:-store}" >out 2>err </dev/null
    status=$?
    [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "warning: .*$2.*testing continues" err && [ "$(grep -o '"token"' out | wc -l)" = 3 ]
    result=$?
    report $result "$1: one warning, and testing continues"
    [ $result = 0 ] || { echo "# status $status"; show err out; }
}

rm -rf store
echo precious >store
"$kinds" --filter several --tests 20 --seed 1 --store store >out 2>err </dev/null
[ $? = 2 ] && grep -q -- "--store: 'store' is not a directory; give one" err && [ ! -s out ]
report $? "the store is a file: an error, before anything is run"
warned "the store is below a file" "Not a directory" store/below
grep -q precious store
report $? "the file is left alone"
rm -f store

if [ "$(id -u)" != 0 ]; then
    mkdir store && chmod 500 store
    warned "the store is read-only" "Permission denied"
    chmod 700 store && rm -r store
fi
if [ -w /proc/self/comm ]; then
    warned "the store is in a place where nothing can be made" "" /proc/self/sonde
fi

# In a mount namespace of our own, if the system lets us: a full disk and a read-only one.
mkdir -p disk
if unshare -rm sh -c 'mount -t tmpfs -o size=16k none disk' 2>/dev/null; then
    cat >inside <<'END'
mount -t tmpfs -o size=16k none disk
head -c 16384 /dev/zero >disk/ballast 2>/dev/null
[ "$1" = full ] || { rm disk/ballast; mkdir disk/store; mount -o remount,bind,ro disk; }
shift
exec "$@"
END
    for what in full read-only; do
        text='No space left on device'
        [ $what = full ] || text='Read-only file system'
        unshare -rm sh inside $what "$kinds" --filter several --keep-going --tests 2000 --seed 1 --json --store disk/store >out 2>err
        status=$?
        [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "$text; testing continues" err && [ "$(grep -o '"token"' out | wc -l)" = 3 ]
        result=$?
        report $result "the disk is $what: one warning, and testing continues"
        [ $result = 0 ] || { echo "# status $status"; show err out; }
    done
fi

# Ctrl-C and SIGTERM: an orderly end with a report, everything stored.
for signal in INT TERM; do
    rm -rf store
    "$kinds" --filter several --keep-going --tests 0 --time 0 --runs 1000000000 --guide uniform --json --store store --jobs 2 >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 400); do
        [ "$(find store -name '*.tape' 2>/dev/null | wc -l)" -lt 3 ] || break
        sleep 0.25
    done
    kill -$signal $pid # twice, as timeout(1) does: to the program, and to its group
    kill -$signal $pid
    wait $pid
    status=$?
    [ $status = 1 ] && grep -q '"stopped": "interrupted"' out && [ "$(grep -o '"token"' out | wc -l)" = 3 ] && [ ! -s err ]
    result=$?
    report $result "SIG$signal ends with a report"
    [ $result = 0 ] || { echo "# status $status"; show err out; }
    [ "$(find store -name '*.tape' | wc -l)" = 3 ] && [ -z "$(find store -name '.*.tmp')" ]
    report $? "SIG$signal: all is stored"
done

# The handlers of the supervisor stand before its first worker does.
wait_for_worker() {
    for _ in $(seq 400); do
        [ -z "$(cat /proc/$pid/task/$pid/children 2>/dev/null)" ] || return 0
        sleep 0.1
    done
}

# A case that hangs is not waited for.
rm -rf store
"$kinds" --filter sleeps --json --seed 1 --store store --wall-timeout 100 >out 2>err </dev/null &
pid=$!
wait_for_worker
kill -TERM $pid
start=$(date +%s)
wait $pid
status=$?
[ $status = 143 ] && grep -q '"verdict": "interrupted", "stopped": "interrupted"' out && [ $(($(date +%s) - start)) -lt 50 ]
result=$?
report $result "SIGTERM does not wait for a case that hangs"
[ $result = 0 ] || { echo "# status $status"; show err out; }

# The second one ends at once.
rm -rf store
"$kinds" --filter sleeps --json --seed 1 --store store --wall-timeout 100 >out 2>err </dev/null &
pid=$!
wait_for_worker
kill -TERM $pid
sleep 0.2
kill -TERM $pid
start=$(date +%s)
wait $pid
status=$?
[ $status = 143 ] && [ $(($(date +%s) - start)) -lt 20 ]
report $? "the second signal ends it at once, with status 143"
echo "1..$n"
