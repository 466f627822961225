#!/bin/sh
# Each call that changes files (power/calls.c): a process can die at it, and its effect can be lost; what is not followed is told, and then nothing is proven.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 30; fi
}
wraps=$(grep '^[a-z_]' "$SRC/addons/faults/names" | sed 's/^/-Wl,--wrap=/' | tr '\n' ' ')
# shellcheck disable=SC2086  # flags are meant to split
"$CC" -std=gnu11 -O1 -g -I"$SRC/include" "$SRC/tests/compile/power/calls.c" "$BUILD/libsonde.a" "$BUILD/libsonde_faults.a" -Wl,-u,sonde_fault_hook_ $wraps \
    -lm -lpthread -o calls >log 2>&1
report $? "it compiles"

act=0
for call in pwritev pwritev2 copy_file_range sendfile splice truncate ftruncate fallocate posix_fallocate fallocate write renameat renameat2 link linkat symlink symlinkat \
    mkfifo mkdir mkdirat rmdir unlinkat remove creat openat fclose fflush stdio fclose fclose; do
    ACT=$act ./calls --no-store --seed 1 --filter dies >log 2>&1
    [ $? = 1 ] && grep -q " $call() is not reached: a crash" log
    report $? "a process dies at $call"
    # mapped to one word: the file, or its name
    ACT=$act ./calls --no-store --seed 1 --filter is_lost >log 2>&1
    [ $? = 1 ] && grep -q 'power cut: .*: no fsync' log && ! grep -q 'Not seen' log
    report $? "what $call did can be lost"
    act=$((act + 1))
done

# told WORDS
told() {
    ACT=$act ./calls --no-store --seed 1 --filter is_told --tests 200 >log 2>&1 && grep -q "Not seen: not followed: $1" log && ! grep -q 'holds for all' log
    report $? "told: $1"
    act=$((act + 1))
}
told 'chmod of db'
told 'freopen of db'
told 'a stream that was opened before run() of a'
told 'calls of threads and processes that sonde did not start'
grep -q 'not followed: db: it was changed by a call that sonde does not see' log
report $? "told: a change by another program"
told 'calls of threads and processes that sonde did not start'

# The system's own fsync fails: no draw made it so.
echo '#include <errno.h>
int fsync(int fd) { errno = EIO; return fd < 0 ? -2 : -1; }' >fails.c
"$CC" -shared -fPIC fails.c -o fails.so || exit 1
LD_PRELOAD=$PWD/fails.so
export LD_PRELOAD
told 'db: fsync failed: Input/output error'
unset LD_PRELOAD

./calls --no-store --seed 1 --filter nothing_comes_back >log 2>&1
report $? "streams of a dead process write nothing"

missing=$(grep '^[a-z_]' "$SRC/addons/faults/names" | while read -r name; do grep -q "^| .*\`$name\`" "$SRC/addons/faults/README.md" || echo "$name"; done)
echo "without a row: $missing" >log
[ -z "$missing" ]
report $? "each function that is replaced has a row in faults/README.md"
echo "1..$n"
