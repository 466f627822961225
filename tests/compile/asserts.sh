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
at() { echo ", at $own/$1:$(grep -n "$2" "$own/$1" | head -n 1 | cut -d : -f 1)"; }
replays() { echo "sonde_replay($1, \"s1:n=500$2\")"; }

for cc in gcc clang; do
    if echo '#include <cmocka.h>' | $cc -x c -include setjmp.h -include stdarg.h -include stdint.h -E - >/dev/null 2>&1; then
        build "$cc -std=gnu11" cmocka_asserts.c -lcmocka
        for isolation in worker none; do
            file=cmocka_asserts.c
            CMOCKA_MESSAGE_OUTPUT=STDOUT SONDE_ISOLATE=$isolation fails 7 "$(at $file assert_in_range)" '500 is not within the range 0-499' \
                "$(replays asserts ' ?')" "$(at $file assert_int_equal)" '"s1:n=700 ?"' "$(at $file assert_string_equal)" \
                "$(replays asserts_two ' ?')" "$(at $file 'mock()')" 'Could not get value to mock function mocked' "$(at $file fail_msg)" \
                "$(at $file 'assert_false(.(')" "$(at $file 'assert_true')" 'in a child process' "$(replays asserts_in_child)" \
                '[       OK ] jumps_inside' '[       OK ] skips' \
                "$(at $file assert_int_not_equal)" '[       OK ] a_skip_without_the_adapter_is_a_failure' '[       OK ] a_jump_into_the_host_is_a_failure' '7 FAILED TEST' \
                && [ "$(grep -c 'error: Failure!$' log)" = 7 ]
            report $? "cmocka's assertions fail the case, and the test once ($cc, $isolation)"
        done
    else
        skip "cmocka's assertions fail the case" "libcmocka-dev is not installed"
    fi
done
for cc in gcc clang; do
    if echo '#include <check.h>' | $cc -x c -E - >/dev/null 2>&1; then
        # shellcheck disable=SC2046
        build "$cc -std=gnu11" check_asserts.c $(pkg-config --libs check)
        for mode in yes no; do
            file=check_asserts.c
            CK_FORK=$mode fails 3 "$(at $file ck_assert_int_lt)" "Assertion 'n < 500' failed: n == 500, 500 == 500" "$(replays asserts ' ?')" \
                "$(at $file ck_assert_msg)" 'words of the test' "$(replays asserts_with_words ' ?')" "$(at $file 'ck_assert(n')" \
                "Assertion 'n < 500' failed" '25%: Checks: 4, Failures: 3, Errors: 0'
            report $? "Check's assertions fail the case, and the test once ($cc, CK_FORK=$mode)"
        done
    else
        skip "Check's assertions fail the case" "check is not installed"
    fi
done
for cxx in g++ clang++; do
    build "$cxx -std=c++14" plain_throws.cpp
    for isolation in worker none; do
        SONDE_ISOLATE=$isolation fails 1 'the property was left by an exception' "$(replays throws ' ?')"
        report $? "an exception of a framework fails the case, and never reaches its runner ($cxx, $isolation)"
    done
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
