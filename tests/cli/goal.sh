#!/bin/sh
# --goal: a line or function that valid inputs are to reach, with gcc and clang.
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
cat >code.c <<'C'
static volatile int sink;
__attribute__((noinline)) void deep(int a, int b)
{
    if (a + 2 * b == 700001) {
        if (3 * a - b == 90002)
            sink = 2;
    }
}
__attribute__((noinline)) int never(int a)
{
    return a > 5 ? sink : 3;
}
void walk(int a, int b)
{
    if (a > 5000000) sink = never(a);
    deep(a, b);
}
C
cat >test.c <<'C'
#include <sonde.h>
void walk(int a, int b);
SONDE_PROPERTY(walks)
{
    int a = sonde_int(t, "a", -2000000, 2000000), b = sonde_int(t, "b", -2000000, 2000000);
    sonde_assume(t, a != 7);
    walk(a, b);
    sonde_check(t, a <= 2000000);
}
SONDE_MAIN()
C
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    "$BUILD/sonde" cc --sonde-cc=$cc -O1 test.c code.c -o test >log 2>&1
    report $? "$cc: the program"
    run() { ./test --seed 5 --no-store --tests 2000 "$@" >log 2>&1 </dev/null; }
    run --goal code.c:6 && grep -q '  Goal code.c:6: reached by [0-9]* valid inputs, first in case [0-9]*$' log && grep -q 's1:a=125715 b=287143' log
    report $? "$cc: a line behind two equations is reached, and the input is printed"
    run --goal deep && grep -q '  Goal deep: reached by 2,000 valid inputs, first in case 1$' log
    report $? "$cc: a function"
    run --goal never && grep -q 'Goal never: not reached by a valid input' log && grep -q 'Warning: --goal' log
    report $? "$cc: a goal that is not reached is a warning"
    run --goal never --strict
    [ $? = 2 ]
    report $? "$cc: an error with --strict"
    run --goal code.c:6 --jobs 2 --json && grep -q '"goal": {"location": "code.c:6", "reached": true, "valid": [1-9]' log && grep -q '"token": "s1:a=125715 b=287143"' log
    report $? "$cc: in JSON, with two jobs"
    run --goal code.c:1
    [ $? = 2 ] && grep -q 'no counter begins at this line.*the nearest lines with one: [234]$' log
    report $? "$cc: a line without a counter, with the nearest one"
    run --goal other.c:3
    [ $? = 2 ] && grep -q 'no file of this name' log && ! run --goal nothing && grep -q 'no instrumented function has this name' log
    report $? "$cc: files and functions that are not there"
    gcc -g -I"$SRC/include" test.c code.c "$BUILD/libsonde.a" -lm -o plain >log 2>&1 && ! ./plain --goal deep >log 2>&1 && grep -q 'no code is instrumented' log
    report $? "$cc: a program without instrumentation"
done
echo "1..$n"
