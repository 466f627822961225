#!/bin/bash -eu
# A build script of OSS-Fuzz and ClusterFuzzLite: properties as targets of libFuzzer. They set CC, CFLAGS, LIB_FUZZING_ENGINE, OUT, SRC and WORK; sonde is in
# $SRC/sonde. For a project of your own, put its sources and properties in the place of the example's.
set -eu
cd "$SRC/sonde"
# The library itself is not instrumented: what it does is not what is searched.
env -u CFLAGS -u CXXFLAGS make -s BUILD="$WORK/sonde" WERROR= lib
# shellcheck disable=SC2086  # flags are meant to split
$CC $CFLAGS -Iinclude -Iadapters -c adapters/fuzz_example.c -o "$WORK/target.o"
# shellcheck disable=SC2086
${CXX:-$CC} $CFLAGS "$WORK/target.o" "$WORK/sonde/libsonde.a" $LIB_FUZZING_ENGINE -lm -lpthread -o "$OUT/fuzz_example"
