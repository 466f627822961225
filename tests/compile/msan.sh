#!/bin/sh
# sonde cc --sanitize=memory: the library is compiled along, once, and what is read before it was written fails its case.
# Compiling takes most of a minute, so by default only the messages are tested.
case $STAGE in gcc) ;; *) echo "the same in every stage; runs in stage gcc"; exit 77 ;; esac
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 12; }
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
faults=$SRC/tests/misbehave/faults.c

"$BUILD/sonde" cc --sonde-cc=gcc --sanitize=memory "$faults" -o faults >out 2>&1
[ $? = 2 ] && grep -q 'MemorySanitizer needs clang, and the compiler is gcc; name another one' out
report $? "gcc has no MemorySanitizer: a sentence says so"
[ -r "$BUILD/share/sonde.c" ]
report $? "the library's source lies beside the tool"

if ! command -v clang >/dev/null 2>&1; then
    echo "# clang is not installed: MemorySanitizer is not tried"
elif [ -z "${SONDE_TEST_LONG:-}" ]; then
    echo "# MemorySanitizer itself is tried by make check-long"
else
    "$BUILD/sonde" cc --sonde-cc=clang --sanitize=memory -g -O1 "$faults" -o faults >out 2>&1
    result=$?
    report $result "a program with MemorySanitizer"
    [ $result = 0 ] || show out
    grep -q 'compiling the library with MemorySanitizer, once' out
    report $? "says that it compiles the library"
    for mode in worker case none; do
        ./faults --filter uninitialised --isolate=$mode --json --report terminal --seed 1 --tests 30 --no-store >out 2>err
        status=$?
        case $mode in
        none) [ $status != 0 ] && grep -q 'use-of-uninitialized-value' err ;; # a crash is the end there
        *) [ $status = 1 ] && grep -q 'use-of-uninitialized-value, in decide, called from uninitialised' out && grep -q '"token": "s1:x=37 ?"' out ;;
        esac
        result=$?
        report $result "--isolate=$mode: a value that nobody wrote is a failure"
        [ $result = 0 ] || show out err
    done
    cat >shrinks.c <<'EOF'
#include <sonde.h>
#include <stdlib.h>
__attribute__((noinline)) static int reads(int i) { int *p = malloc(400); for (int k = 0; k < 60; k++) p[k] = k; int r = p[i] >= 0; free(p); return r; }
SONDE_PROPERTY(number) { int i = sonde_int(t, "i", 0, 99); sonde_check(t, reads(i) || i >= 0); }
SONDE_PROPERTY(list) { sonde_list l = sonde_list_of(t, "l", 0, 20); while (sonde_more(&l)) if (reads(sonde_int(t, "i", 0, 99))) sonde_label(t, "x"); }
SONDE_MAIN()
EOF
    "$BUILD/sonde" cc --sonde-cc=clang --sanitize=memory -g shrinks.c -o shrinks >out 2>&1
    for seed in 1 2 3; do
        ./shrinks --seed $seed --no-store --json >out 2>err
        [ $? = 1 ] && grep -q '"token": "s1:i=60 ?"' out && grep -q '"token": "s1:l\[{i=60}\] ?"' out
        result=$?
        report $result "seed $seed: shrunk to the first element that nobody wrote, alone"
        [ $result = 0 ] || show out err
    done
    "$BUILD/sonde" cc --sonde-cc=clang --sanitize=memory -g -O1 "$SRC/tests/misbehave/exact.c" -o exact >out 2>&1 && [ ! -s out ]
    report $? "the next program finds it compiled"
    ./exact --filter within --tests 300 --seed 1 --no-store >out 2>&1
    result=$?
    report $result "drawn values and sonde_alloc are initialised"
    [ $result = 0 ] || show out
fi
echo "1..$n"
