#!/bin/sh
# packaging/oss-fuzz/build.sh runs as it stands, with the variables that OSS-Fuzz sets, and its target finds the planted bug (check-long).
# Stages: gcc
[ -n "${SONDE_TEST_LONG:-}" ] || { echo "it is run by make check-long"; exit 77; }
echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' >probe.c
clang -fsanitize=fuzzer probe.c -o probe >log 2>&1 || { echo "clang's libFuzzer is not installed"; exit 77; }
mkdir out work tree && ln -s "$SRC" tree/sonde
if SRC=$PWD/tree OUT=$PWD/out WORK=$PWD/work CC=clang CXX=clang CFLAGS='-O1 -g -fsanitize=fuzzer-no-link' LIB_FUZZING_ENGINE=-fsanitize=fuzzer bash "$SRC/packaging/oss-fuzz/build.sh" >log 2>&1; then
    echo "ok 1 - the build script makes a target"
else
    echo "not ok 1 - the build script makes a target"
    sed 's/^/# /' log
fi
out/fuzz_example -seed=1 -runs=200000 >log 2>&1
if [ $? != 0 ] && grep -q 's1:' log; then
    echo "ok 2 - which finds the bug, and prints the token"
else
    echo "not ok 2 - which finds the bug, and prints the token"
    tail -n 20 log | sed 's/^/# /'
fi
echo "1..2"
