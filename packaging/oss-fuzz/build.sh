#!/bin/bash -eu
# A build script of OSS-Fuzz and ClusterFuzzLite: properties as targets of libFuzzer. They set CC, CFLAGS, LIB_FUZZING_ENGINE, OUT and SRC; sonde is in
# $SRC/sonde. For a project of your own, put its sources and properties in the place of the example's.
set -eu
cd "$SRC/sonde"
make -s BUILD="$WORK" amalgamation
# shellcheck disable=SC2086  # flags are meant to split
$CC $CFLAGS -c "$WORK/amalgamation/sonde.c" -o "$WORK/sonde.o"
# shellcheck disable=SC2086
$CC $CFLAGS -Iinclude -Iadapters -c adapters/fuzz_example.c -o "$WORK/target.o"
# shellcheck disable=SC2086
${CXX:-$CC} $CFLAGS "$WORK/target.o" "$WORK/sonde.o" $LIB_FUZZING_ENGINE -lm -lpthread -o "$OUT/fuzz_example"
