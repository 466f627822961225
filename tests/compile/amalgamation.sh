#!/bin/sh
# The two-file amalgamation builds alone, without a warning, and works.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 60; fi
}

# Joined once in a build, for sonde cc, too.
make -s -C "$SRC" BUILD="$BUILD" CC="$CC" amalgamation >log 2>&1
report $? "make amalgamation"
cp -r "$BUILD/amalgamation" . && cd amalgamation || exit 1
cmp "$SRC/include/sonde.h" sonde.h >log
report $? "sonde.h is the public header, unchanged"
cp "$SRC/examples/01_first.c" first.c
# By gcc in check-long, for 13 s where clang takes 5: all files by themselves are compiled by both in `make check`.
compilers=gcc
! command -v clang >/dev/null || compilers="clang ${SONDE_TEST_LONG:+gcc}"
for cc in $compilers; do
    # The files by themselves are compiled with -O2 and the same warnings; here it is about their union.
    "$cc" -Wall -Wextra -Werror -c sonde.c -o sonde.o >log 2>&1
    report $? "sonde.c builds with $cc -c and nothing else, without a warning"
    nm -g --defined-only sonde.o 2>&1 | awk 'NF == 3 && $3 !~ /^(sonde_|__sanitizer_(cov|weak_hook)_|__ubsan_on_report|__tsan_on_report|__tsan_on_finalize|_ZN6__tsan10OnFinalizeEb$|__asan_on_error$|_[eE]xit$|DW\.ref\.)/' >log
    [ ! -s log ]
    report $? "sonde.o defines only sonde_ symbols and the callbacks of sanitizers ($cc)"
    "$cc" -I. first.c sonde.o -o first -lm -lpthread >log 2>&1
    report $? "an example links with it ($cc)"
    ./first --seed 1 >log 2>&1 </dev/null
    [ $? = 1 ] && grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log
    report $? "and finds its bug ($cc)"
done
echo "1..$n"
