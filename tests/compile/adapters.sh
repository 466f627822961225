#!/bin/sh
# Properties inside other test frameworks: each adapter's example is compiled and run. Of its properties one holds, one
# is falsified, and one finds no valid input.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
warn="-Wall -Wextra -Wpedantic -Wshadow -Werror -I$SRC/include -I$SRC/adapters"
replay="replay with sonde_replay(careless_midpoint_lies_between, \"s1:a=-1 b=0\")"

# build COMPILER SOURCE LIBRARIES...
build() {
    compiler=$1 source=$2
    shift 2
    # shellcheck disable=SC2086
    $compiler $warn "$SRC/adapters/$source" "$BUILD/libsonde.a" "$@" -pthread -lm -o program >log 2>&1
}
# says PATTERN...: the program fails, and its output has all of these.
says() {
    ./program >log 2>&1 </dev/null
    [ $? = 1 ] || return 1
    for pattern in "$replay" "$@"; do grep -qF -- "$pattern" log || return 1; done
}

for cc in gcc clang; do
    if echo '#include <cmocka.h>' | $cc -x c -include setjmp.h -include stdarg.h -include stdint.h -E - >/dev/null 2>&1; then
        build "$cc -std=gnu11" cmocka_example.c -lcmocka && CMOCKA_MESSAGE_OUTPUT=STDOUT says \
            '[       OK ] midpoint_lies_between' '[  FAILED  ] careless_midpoint_lies_between' \
            '[  SKIPPED ] nothing_is_known' 'PASSED  ] 2 test(s)'
        report $? "properties run as cmocka tests ($cc)"
    else
        skip "properties run as cmocka tests ($cc)" "libcmocka-dev is not installed"
    fi
    if echo '#include <check.h>' | $cc -x c -E - >/dev/null 2>&1; then
        # shellcheck disable=SC2046
        build "$cc -std=gnu11" check_example.c $(pkg-config --libs check) \
            && says '33%: Checks: 3, Failures: 2, Errors: 0' 'properties:careless:0' 'only 0 of'
        report $? "properties run as tests of Check ($cc)"
    else
        skip "properties run as tests of Check ($cc)" "check is not installed"
    fi
done
for cxx in g++ clang++; do
    if echo '#include <gtest/gtest.h>' | $cxx -x c++ -E - >/dev/null 2>&1; then
        build "$cxx -std=c++14" gtest_example.cpp -lgtest -lgtest_main && says '[       OK ] Midpoint.midpoint_lies_between' \
            '[  FAILED  ] Midpoint.careless_midpoint_lies_between' '[  SKIPPED ] Midpoint.nothing_is_known'
        report $? "properties run as GoogleTest tests ($cxx)"
    else
        skip "properties run as GoogleTest tests ($cxx)" "libgtest-dev is not installed"
    fi
done

# A plain assert in main.
"$BUILD/examples/10_embedded" >log 2>&1
report $? "properties run inside a plain main with assert"
echo "1..$n"
