#!/bin/sh
# Assertions of other test frameworks inside of properties are failures with their text and location: they shrink and replay, the framework
# fails the test once, and its other tests run once, outside of workers.
# Stages: gcc
unset SONDE_TIME # frameworks end tests that take long
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 60; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
export SONDE_NO_STORE=1
own=$SRC/tests/compile/adapters

# build COMPILER SOURCE LIBRARIES...
build() {
    compiler=$1 source=$2
    shift 2
    # shellcheck disable=SC2086
    $compiler -g -Wall -Wextra -Wshadow -Werror -I"$SRC/include" -I"$SRC/adapters" "$own/$source" "$BUILD/libsonde.a" "$@" -pthread -lm -o program >log 2>&1
}
# fails STATUS PATTERN...: the program ends with that status, its output has all of these, and its last test was run once.
fails() {
    wanted=$1
    shift
    timeout 300 ./program >log 2>&1 </dev/null
    status=$?
    echo "status $status" >>log
    [ $status = "$wanted" ] || return 1
    for pattern in "$@"; do grep -qF -- "$pattern" log || { echo "lacks: $pattern" >>log; return 1; }; done
    [ "$(grep -c 'the host goes on' log)" = 1 ]
}
at() { echo "Failed, at $own/$1:$(grep -n "$2" "$own/$1" | head -n 1 | cut -d : -f 1):"; }
replays() { echo "sonde_replay($1, \"s1:n=500$2\")"; }

for cxx in g++ clang++; do
    if echo '#include <gtest/gtest.h>' | $cxx -x c++ -E - >/dev/null 2>&1; then
        build "$cxx -std=c++14" gtest_asserts.cpp -lgtest -lgtest_main
        for isolation in worker none; do
            SONDE_ISOLATE=$isolation fails 1 "$(at gtest_asserts.cpp 'EXPECT_LT(draw')" 'actual: 500 vs 500' 'words of the test' \
                "$(replays expects)" "$(at gtest_asserts.cpp 'ASSERT_LT(n')" 'the trace' "$(replays asserts_and_assumes ' ?')" \
                "$(at gtest_asserts.cpp 'join()')" "$(replays expects_in_thread)" "$(at gtest_asserts.cpp 'EXPECT_FALSE')" \
                "$(replays expects_when_deferred)" '[       OK ] Asserts.skips' '[       OK ] Asserts.a_run_of_my_own' '4 FAILED TESTS' \
                && [ "$(grep -c ': Failure$' log)" = 4 ]
            report $? "EXPECT_* and ASSERT_* fail the case, and the test once ($cxx, $isolation)"
        done
    else
        skip "EXPECT_* and ASSERT_* fail the case" "libgtest-dev is not installed"
    fi
done
echo "1..$n"
