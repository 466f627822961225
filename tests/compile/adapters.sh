#!/bin/sh
# Properties inside other test frameworks: each adapter's example is compiled and run. Of its properties one holds, one
# is falsified, and one finds no valid input.
# Stages: long (25 s, nearly all for the headers of other frameworks; the adapters change rarely)
unset SONDE_TIME # frameworks end tests that take long
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
warn="-Wall -Wextra -Wpedantic -Wshadow -Werror -I$SRC/include -I$SRC/adapters"
export SONDE_NO_STORE=1
replay="replay with sonde_replay(careless_midpoint_lies_between, \"s1:a=-1 b=0 ?\")"

# build COMPILER SOURCE LIBRARIES...
build() {
    compiler=$1 source=$2
    shift 2
    # shellcheck disable=SC2086
    $compiler $warn "$SRC/adapters/$source" "$BUILD/libsonde.a" "$@" -pthread -lm -o program >log 2>&1
}
# fails PATTERN...: the program fails, and its output has all of these.
fails() {
    timeout 300 ./program >log 2>&1 </dev/null
    status=$?
    echo "status $status" >>log
    [ $status = 1 ] || return 1
    for pattern in "$@"; do grep -qF -- "$pattern" log || { echo "lacks: $pattern" >>log; return 1; }; done
}
says() { fails "$replay" "$@"; }
own=../tests/compile/adapters
# What each of the properties that die is to be found by.
dies() {
    fails 'SIGSEGV (invalid memory access) at address 0, in ' 'replay with sonde_replay(crashes, "s1:n=500 ?")' \
        'the case did not end within its processor time limit of ' 'replay with sonde_replay(hangs, "s1:n=500 ?")' \
        'ended the process with status 0 (exit or _exit), in ' 'replay with sonde_replay(exits, "s1:n=500 ?")' \
        'seed 1' "$@"
}
# What becomes of the exceptions, in the ways a property can be given.
throws() {
    fails 'an exception came out of the property: too large' 'replay with sonde_replay(throws, "s1:n=500 ?")' \
        'replay with sonde_replay(sondecpp::property<the_same>, "s1:n=500 ?")' "$@"
}

for cc in gcc clang; do
    if echo '#include <cmocka.h>' | $cc -x c -include setjmp.h -include stdarg.h -include stdint.h -E - >/dev/null 2>&1; then
        build "$cc -std=gnu11" cmocka_example.c -lcmocka && CMOCKA_MESSAGE_OUTPUT=STDOUT says \
            '[       OK ] midpoint_lies_between' '[  FAILED  ] careless_midpoint_lies_between' \
            '[  SKIPPED ] nothing_is_known' 'PASSED  ] 2 test(s)'
        report $? "properties run as cmocka tests ($cc)"
        build "$cc -std=gnu11" $own/cmocka_dying.c -lcmocka && CMOCKA_MESSAGE_OUTPUT=STDOUT dies '[       OK ] the_host_goes_on'
        report $? "under cmocka a crash, a hang and an exit are failures with their input ($cc)"
    else
        skip "properties run as cmocka tests ($cc)" "libcmocka-dev is not installed"
    fi
    if echo '#include <check.h>' | $cc -x c -E - >/dev/null 2>&1; then
        # shellcheck disable=SC2046
        build "$cc -std=gnu11" check_example.c $(pkg-config --libs check) \
            && says '33%: Checks: 3, Failures: 2, Errors: 0' 'properties:careless:0' 'inputs was valid'
        report $? "properties run as tests of Check ($cc)"
        # shellcheck disable=SC2046
        build "$cc -std=gnu11" $own/check_dying.c $(pkg-config --libs check) && dies 'the_host_goes_on:0: Passed'
        report $? "under Check a crash, a hang and an exit are failures with their input ($cc)"
    else
        skip "properties run as tests of Check ($cc)" "check is not installed"
    fi
done
for cxx in g++ clang++; do
    if echo '#include <gtest/gtest.h>' | $cxx -x c++ -E - >/dev/null 2>&1; then
        build "$cxx -std=c++14" gtest_example.cpp -lgtest -lgtest_main && says '[       OK ] Midpoint.midpoint_lies_between' \
            '[  FAILED  ] Midpoint.careless_midpoint_lies_between' '[  SKIPPED ] Midpoint.nothing_is_known'
        report $? "properties run as GoogleTest tests ($cxx)"
        build "$cxx -std=c++14" $own/gtest_dying.cpp -lgtest -lgtest_main && dies '[       OK ] Dying.the_host_goes_on'
        report $? "under GoogleTest a crash, a hang and an exit are failures with their input ($cxx)"
        throws '[       OK ] Objects.objects_die' '[       OK ] Objects.none_is_left' '[  FAILED  ] Objects.the_same'
        report $? "under GoogleTest destructors run, and exceptions are failures with their input ($cxx)"
    else
        skip "properties run as GoogleTest tests ($cxx)" "libgtest-dev is not installed"
    fi
done

for cxx in g++ clang++; do
    if echo '#include <catch2/catch.hpp>' | $cxx -x c++ -E - >/dev/null 2>&1; then
        build "$cxx -std=c++14" catch2_example.cpp && fails "$replay" 'nothing_is_known' 'skipped: ' 'test cases: 4 | 3 passed | 1 failed'
        report $? "properties run as test cases of Catch2 ($cxx)"
        build "$cxx -std=c++14" $own/catch2_asserts.cpp && timeout 300 ./program >log 2>&1 </dev/null
        [ $? = 6 ] && for pattern in 'CHECK( n < 500 ): 500 (0x1f4) < 500' 'replay with sonde_replay(checks, "s1:n=500' \
            'REQUIRE_FALSE( n >= 600 )' 'sonde_replay(requires_two, "s1:n=600 ?")' 'FAIL fails_by_words: far too large, at ' 'sonde_replay(fails_by_words, "s1:n=700 ?")' \
            'sonde_replay(throws_and_is_caught, "s1:n=800")' 'CRASH crashes: SIGSEGV' 'ok   holds: holds for all 1,001 inputs' 'ERROR has_a_section: SECTION("where it fails") is inside a property' \
            'test cases: 9 | 3 passed | 6 failed'; do
            grep -qF -- "$pattern" log || { echo "lacks: $pattern" >>log; false; break; }
        done && ! grep -q '^lacks: ' log && [ "$(grep -c 'the host goes on' log)" = 1 ]
        report $? "Catch2's assertions fail the case, and the test case once ($cxx)"
    else
        skip "properties run as test cases of Catch2 ($cxx)" "catch2 (2.13) is not installed"
    fi
done

for cxx in g++ clang++; do
    # shellcheck disable=SC2046
    if echo '#include <check.h>' | $cxx -x c++ -E - >/dev/null 2>&1; then
        build "$cxx -std=c++14 -Wno-pedantic -Wno-missing-field-initializers" $own/check_objects.cpp $(pkg-config --libs check) \
            && throws 'dying:0: Passed'
        report $? "under Check in C++ destructors run, and exceptions are failures with their input ($cxx)"
    else
        skip "properties run as tests of Check in C++ ($cxx)" "check or $cxx is not installed"
    fi
    if echo '#include <cmocka.h>' | $cxx -x c++ -include setjmp.h -include stdarg.h -include stdint.h -E - >/dev/null 2>&1; then
        build "$cxx -std=c++14" $own/cmocka_objects.cpp -lcmocka && CMOCKA_MESSAGE_OUTPUT=STDOUT throws \
            '[       OK ] objects_die' '[       OK ] none_is_left' '[  FAILED  ] the_same'
        report $? "under cmocka in C++ destructors run, and exceptions are failures with their input ($cxx)"
    else
        skip "properties run as cmocka tests in C++ ($cxx)" "libcmocka-dev or $cxx is not installed"
    fi
done

# sonde_use_framework, as a project without an installation sees it.
if command -v cmake >/dev/null 2>&1 && [ -f /usr/include/cmocka.h ] && [ -f /usr/include/check.h ] && [ -f /usr/include/gtest/gtest.h ]; then
    mkdir -p project && cat >project/CMakeLists.txt <<E
cmake_minimum_required(VERSION 3.13)
project(mine C CXX)
enable_testing()
add_subdirectory("$SRC" sonde)
add_executable(with_gtest "$SRC/adapters/gtest_example.cpp")
sonde_use_framework(with_gtest gtest TIMEOUT 60)
add_executable(with_cmocka "$SRC/adapters/cmocka_example.c")
target_link_libraries(with_cmocka PRIVATE m) # with a keyword, which CMake does not mix with the plain form
sonde_use_framework(with_cmocka cmocka TIMEOUT 60)
add_executable(with_check "$SRC/adapters/check_example.c")
sonde_use_framework(with_check check)
target_link_libraries(with_check m)
E
    (cmake -S project -B project/out && cmake --build project/out -j2 && cd project/out && ctest) >log 2>&1
    for pattern in 'Midpoint.midpoint_lies_between .*Passed' 'Midpoint.careless_midpoint_lies_between .*Failed' 'Midpoint.nothing_is_known .*Skipped' 'with_cmocka .*Failed' 'with_check .*Failed'; do
        grep -q "$pattern" log || echo "lacks: $pattern" >>log
    done
    ! grep -q '^lacks: ' log
    report $? "sonde_use_framework builds and registers tests of GoogleTest, cmocka and Check"
else
    skip "sonde_use_framework builds and registers tests" "CMake or a framework is not installed"
fi

# A plain assert in main.
"$BUILD/examples/10_embedded" >log 2>&1
report $? "properties run inside a plain main with assert"
echo "1..$n"
