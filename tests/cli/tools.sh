#!/bin/sh
# What each tool sees is a failure of the case: its kind, a minimal input, status 1; one fault is one failure.
# Stages: gcc
case $STAGE in *asan*) echo "builds its own sanitized programs, in the plain stages"; exit 77 ;; esac
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-400 | head -n 14; }

# build NAME FLAG...: faults.c as a user would build it; false where the compiler cannot.
build() {
    name=$1
    shift
    "$CC" -g -O1 "$@" -I"$SRC/include" "$SRC/tests/misbehave/faults.c" "$BUILD/libsonde.a" -lm -pthread -o "$name" >log 2>&1 &&
        ./"$name" --filter hang --tests 1 --replay x=1 --no-store >log 2>&1
}

# seen PROPERTY KIND TEXT TOKEN COMMAND...: one failure of that kind, minimal. A token of a case that did not return ends with ?.
seen() {
    name=$1 kind=$2 text=$3 token=$4
    shift 4
    "$@" --filter "$name" --json --report terminal --seed 1 --tests 60 --no-store >out 2>err </dev/null
    status=$?
    [ $status = 1 ] && grep -qF "\"kind\": \"$kind\"" out && grep -qF -- "$text" out && grep -qF "\"token\": \"$token\"" out &&
        [ "$(grep -o '"token"' out | wc -l)" = 1 ] && grep -q '"flaky": false' out
    result=$?
    report $result "$name: $* sees it: $kind, $text"
    [ $result = 0 ] || { echo "# status $status"; grep -o '"token": "[^"]*"' out | sed 's/^/# /'; show out err; }
}

if build tsan -fsanitize=thread; then
    for mode in ${SONDE_TEST_LONG:+--isolate=worker} --isolate=none; do
        seen race race 'data-race (ThreadSanitizer), in count_up' s1:x=37 ./tsan $mode
    done
    # Each case that fails ends the process, which takes its time to start.
    [ -z "${SONDE_TEST_LONG:-}" ] || TSAN_OPTIONS=halt_on_error=1 seen race race 'data-race (ThreadSanitizer), in count_up' 's1:x=37 ?' ./tsan
    # Into a loop that calls nobody a signal comes only past ThreadSanitizer. (3 s)
    [ -z "${SONDE_TEST_LONG:-}" ] || seen hang hang 'processor time limit of 0.1 s (--timeout), in go_on, called from hang' 's1:x=37 ?' ./tsan --timeout 0.1
    seen division crash 'SIGFPE (division by zero, or integer overflow), in divide' 's1:x=37 ?' ./tsan
    seen overrun crash 'SIGSEGV (invalid memory access)' 's1:x=37 bytes=00000000 ?' ./tsan --guard
else
    echo "# without ThreadSanitizer: it does not build or run here"
    show log
fi

if build asan -fsanitize=address,undefined; then
    seen division undefined 'undefined behaviour (integer-divide-by-zero): ' 's1:x=37 ?' ./asan
    seen use_after_free sanitizer 'heap-use-after-free, in use_freed, called from use_after_free' 's1:x=37 ?' ./asan
    seen overrun sanitizer 'heap-buffer-overflow, in look_beyond, called from overrun' 's1:x=37 bytes=00000000 ?' ./asan
fi
if build plain_asan -fsanitize=address; then
    seen division crash 'SIGFPE (division by zero, or integer overflow), in divide' 's1:x=37 ?' ./plain_asan
    ./plain_asan --filter division --replay x=37 --no-store >out 2>&1
    grep -q 'AddressSanitizer: FPE' out
    report $? "the report of AddressSanitizer is shown for the minimal case"
fi

# UBSan reports a place once per process; each case is told of it all the same.
cat >often.c <<'END'
#include <limits.h>
#include <sonde.h>
static volatile int sink, most = INT_MAX;
static void overflow(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000);
    if (x >= 37) sink = most + x;
}
static int table[8];
static __attribute__((noinline)) void put(int i) { table[i] = 1; }
static void index_beyond(sonde *t)
{
    put(sonde_int(t, "i", 0, 100000000));
}
SONDE_MAIN(overflow, index_beyond)
END
for set in undefined address,undefined; do
    "$CC" -g -O1 -fsanitize=$set -I"$SRC/include" often.c "$BUILD/libsonde.a" -lm -pthread -o often >log 2>&1 || continue
    for mode in --isolate=worker --isolate=none; do
        ./often --filter overflow --json --seed 1 --tests 100 --keep-going --no-store $mode >out 2>err
        hits=$(sed -n 's/.*"hits": \([0-9]*\).*/\1/p' out)
        failing=$(sed -n 's/.*"tests": \([0-9]*\), "valid": \([0-9]*\),.*/\1 \2/p' out | awk '{ print $1 - $2 }')
        [ "$hits" -gt 50 ] && [ "$hits" = "$failing" ] && grep -qF '"token": "s1:x=37"' out && grep -q '"flaky": false' out
        result=$?
        report $result "$set $mode: all $failing failing cases are counted, and the code keeps no state"
        [ $result = 0 ] || { echo "# hits $hits"; show out err; }
    done
done
./often --filter index_beyond --json --seed 1 --no-store >out 2>err
[ "$(grep -o '"token"' out | wc -l)" = 1 ] && grep -q 'out-of-bounds-index' out && grep -qF '"token": "s1:i=8 ?"' out
result=$?
report $result "an index beyond its array is one failure, whatever crash it leads to"
[ $result = 0 ] || show out err

if [ -z "${STAGE##*asan*}" ]; then
    echo "# without valgrind: it cannot run what AddressSanitizer has instrumented"
elif command -v valgrind >/dev/null 2>&1; then
    # Not all versions of valgrind can read what clang writes by -g, so there is none of it.
    for name in faults exact; do
        "$CC" -O1 -Wl,--strip-debug -I"$SRC/include" "$SRC/tests/misbehave/$name.c" "$BUILD/libsonde.a" -lm -pthread -o bare_$name >log 2>&1 || show log
    done
    for name in uninitialised ${SONDE_TEST_LONG:+overrun use_after_free}; do
        token=s1:x=37
        [ $name != overrun ] || token='s1:x=37 bytes=00000000'
        seen $name valgrind 'valgrind counted 1 error' "$token" valgrind -q ./bare_faults --isolate=none
    done
    seen overrun valgrind 'valgrind counted 1 error' 's1:x=37 bytes=00000000' valgrind -q --error-exitcode=9 ./bare_faults
    valgrind -q ./bare_exact --filter within --tests 50 --no-store >out 2>err
    result=$?
    [ -s err ] && result=1
    report $result "valgrind has nothing to say of what is right"
    [ $result = 0 ] || show out err
    valgrind -q --tool=none ./bare_exact --filter within --tests 50 --stats --no-store >out 2>err && grep -q 'leaks were not looked for' out
    result=$?
    report $result "a tool of valgrind's that finds no leaks is not asked for any, so that a profile is the program's"
    [ $result = 0 ] || show out err
else
    echo "# without valgrind: it is not installed"
fi
echo "1..$n"
