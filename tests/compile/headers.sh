#!/bin/sh
# Each public header, alone, under every language and compiler that we promise, with no warning.
n=0
warn="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

# try COMPILER LANGUAGE STANDARD HEADER
try() {
    n=$((n + 1))
    # shellcheck disable=SC2086
    if printf '#include <%s>\nint x;\n' "$4" | "$1" -x "$2" "-std=$3" $warn -I"$SRC/include" -fsyntax-only - >log 2>&1; then
        echo "ok $n - $4 is $3 for $1"
    else
        echo "not ok $n - $4 is $3 for $1"
        sed 's/^/# /' log
    fi
}

for header in sonde.h sonde/extend.h sonde/derive.h sonde/derived.h sonde/globals.h sonde/mutants.h; do
    for std in c11 c17 gnu11 ${SONDE_TEST_LONG:+gnu17 c2x}; do
        for cc in gcc clang; do try $cc c $std $header; done
    done
done
for header in sonde.h sonde/extend.h sonde/derive.h sonde/derived.h sonde/globals.h sonde/mutants.h sonde.hpp; do
    [ -e "$SRC/include/$header" ] || continue
    for std in c++11 c++17 c++20 ${SONDE_TEST_LONG:+c++14}; do
        for cxx in g++ clang++; do try $cxx c++ $std $header; done
    done
done
echo "1..$n"
