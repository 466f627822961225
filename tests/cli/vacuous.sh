#!/bin/sh
# An `ok` that tests nothing is warned of, and one that tests something is not (tests/cli/vacuous.c, tests/cli/sound.c).
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | cut -c 1-600 | head -n 40; fi; }
export SONDE_TIME=0 SONDE_SEED=1
failing="$BUILD/libsonde_faults.so $BUILD/libsonde_oom.so"
run() { env LD_PRELOAD="$failing" "$BUILD/tests/cli/vacuous" --no-store "$@" >log 2>&1; }
# kinds PROPERTY: those of its warnings, in order
kinds() { grep "\"property\": \"$1\"" log | grep -oE '"warnings": \[[^]]*\]' | grep -oE '"kind": "[a-z_]*"' | cut -d '"' -f 4 | sort -u | tr '\n' ' '; }

run --json
while read -r property wanted; do
    got=$(kinds "$property")
    case " $got" in *" $wanted "*) true ;; *) false ;; esac
    report $? "$property: $wanted"
done <<'LIST'
v01_no_check no_checks
v02_check_behind_a_condition check_never_reached
v03_one_of_two check_never_reached
v04_loop_over_nothing no_checks
v05_assumed no_checks
v06_proof_of_nothing no_checks
v07_assume_never_holds assume_never_held
v08_faults_without_a_call faults_never_happened
v09_crash_without_a_call faults_never_happened
v10_cover_never_reached cover_never_reached
v11_cover_never_met cover_undecided
v12_no_allocation faults_never_happened
LIST
[ "$(kinds v03_one_of_two)" = "check_never_reached " ] && grep '"v03_one_of_two"' log | grep -q '"file": "[^"]*vacuous.c", "line": [0-9]'
report $? "the check that is not reached is named with its location"
grep '"v06_proof_of_nothing"' log | grep -q '"checks": 0'
report $? "no check was counted where there is none"

run --filter v06_proof_of_nothing
grep -q 'ran for all 101 inputs, which proves nothing' log && ! grep -q holds log
report $? "trying all inputs without a check is not called a proof"

for property in v01_no_check v02_check_behind_a_condition v03_one_of_two v08_faults_without_a_call; do
    run --filter $property --strict
    [ $? = 2 ] && grep -q -- "--strict: $property: " log
    report $? "--strict: $property is status 2, and named"
done
run --filter v10_cover_never_reached --strict
report $? "--strict leaves warnings alone that are not about checks"

# Wherever cases run, the counts reach the report.
for option in --jobs=3 --isolate=none '--isolate=case --tests 300' '--fuzz --tests 2000' --guide=uniform --spawn; do
    least=$(echo "$option" | sed -n 's/^--isolate=case.* //p') # a process for each
    # shellcheck disable=SC2086  # two words are two options
    run --filter v03_one_of_two --tests 2000 --json $option
    checks=$(grep -oE '"checks": [0-9]+' log | cut -d ' ' -f 2)
    [ "$(kinds v03_one_of_two)" = "check_never_reached " ] && [ "${checks:-0}" -ge "${least:-2000}" ]
    report $? "$option: counted as ever ($checks)"
done
run --filter v03_one_of_two --tests 3 --json && [ -z "$(kinds v03_one_of_two)" ]
report $? "three cases say nothing about what is never reached"
run --filter v02 --replay 'x=3' && ! grep -q Warning log
report $? "a replay is not warned of"

# sonde_cover: of all valid cases, not of those that came to the call.
cat >cover.c <<'C'
#include <sonde.h>
SONDE_PROPERTY(in_a_branch) { int x = sonde_int(t, "x", 0, 99999); if (x >= 50000 && x < 50500) sonde_cover(t, 50, true, "half of all"); }
SONDE_PROPERTY(all_inputs) { int x = sonde_int(t, "x", 0, 99); if (x == 7) sonde_cover(t, 50, true, "half of all"); }
SONDE_PROPERTY(exactly) { int x = sonde_int(t, "x", 0, 99); if (x < 20) sonde_cover(t, 10, x < 10, "a tenth"); }
SONDE_PROPERTY(exactly_less) { int x = sonde_int(t, "x", 0, 99); if (x > 80) sonde_cover(t, 11, x >= 90, "a tenth"); }
SONDE_MAIN()
C
$CC -g -I"$SRC/include" cover.c "$BUILD/libsonde.a" -lm -pthread -ldl -o cover >log 2>&1
for property in in_a_branch all_inputs exactly_less; do
    ./cover --no-store --filter "$property" >log 2>&1
    [ $? = 1 ] && grep -q MISSED log
    report $? "sonde_cover that too few valid cases meet: $property"
done
./cover --no-store --filter exactly >log 2>&1 && grep -q 'met (10.0 %, exactly)' log
report $? "the share of an exhausted space is of all its valid inputs"
./cover --no-store --filter all_inputs --as-c >as.c 2>log
[ $? = 1 ] && $CC -g -I"$SRC/include" -I. as.c "$BUILD/libsonde.a" -lm -pthread -ldl -o as >log 2>&1 && { ./as >log 2>&1; [ $? = 1 ]; }
report $? "--as-c of a missed sonde_cover is a program that fails"

env LD_PRELOAD="$failing" "$BUILD/tests/cli/sound" --no-store --json >log 2>&1
[ $? = 0 ] && ! grep -q '"warning": "' log && [ "$(grep -c '"verdict"' log)" -ge 10 ]
report $? "properties that test something are not warned of"
"$BUILD/tests/cli/worth" --no-store --json >log 2>&1
[ "$(grep -c '"property": "n' log)" = 9 ] && ! grep '"property": "n' log | grep -q '"warnings": \[\]'
report $? "each of nine that test nothing is warned of, beside others that use sonde_fail"
[ "$(grep '"property": "y' log | grep -c '"warnings": \[\]')" = 10 ]
report $? "none of ten beside them that test something is"

for example in "$SRC"/examples/[0-9]*.c "$SRC"/examples/[0-9]*.cpp; do
    name=$(basename "$example" | sed 's/\..*//')
    "$BUILD/examples/$name" --no-store 2>&1 </dev/null | grep 'Warning: ' | sed "s/^/$name: /"
done >log
[ ! -s log ]
report $? "no example is warned of"

# blind: does the search see the code under test?
cat >under.c <<'C'
int under_test(int x);
int under_test(int x) { return x > 5 ? x * 2 : x; }
C
cat >blind.c <<'C'
#include <sonde.h>
int under_test(int x);
static __attribute__((noinline)) int draw(sonde *t) { return sonde_int(t, "x", 0, 1000000); }
SONDE_PROPERTY(calls) { sonde_check(t, under_test(sonde_int(t, "x", 0, 1000000)) >= 0); }
SONDE_PROPERTY(draws_and_calls) { sonde_check(t, under_test(draw(t)) >= 0); }
SONDE_MAIN()
C
cat >seen.c <<'C'
#include <sonde.h>
#include <string.h>
int under_test(int x);
static __attribute__((noinline)) int inside(int x) { return x > 7 ? x : 7; }
SONDE_PROPERTY(code_in_the_file) { sonde_check(t, under_test(inside(sonde_int(t, "x", 0, 1000000))) >= 0); }
SONDE_PROPERTY(libc) { sonde_check(t, strlen(sonde_string(t, "s", 0, 9)) <= 9); }
SONDE_MAIN()
C
SONDE_CC=$CC
export SONDE_CC
cc() { "$BUILD/sonde" cc -g -O1 -I"$SRC/include" "$@" >log 2>&1; }
$CC -g -O1 -c under.c -o plain.o && cc -c under.c -o instrumented.o && cc blind.c plain.o -o blind && ./blind --no-store --json >log 2>&1
[ "$(kinds calls)$(kinds draws_and_calls)" = "blind blind " ] && grep -q 'that are not instrumented: under_test' log
report $? "blind: code under test that is not instrumented"
cc blind.c instrumented.o -o blind && ./blind --no-store --json >log 2>&1
[ -z "$(kinds calls)$(kinds draws_and_calls)" ] && [ "$(grep -c '"passed"' log)" = 2 ]
report $? "not blind: it is instrumented"
cc seen.c plain.o -o seen && ./seen --no-store --json >log 2>&1
[ -z "$(kinds code_in_the_file)$(kinds libc)" ] && [ "$(grep -c '"passed"' log)" = 2 ]
report $? "not blind: some of the code under test is seen; calls of the C library do not count"
$CC -g -I"$SRC/include" blind.c plain.o "$BUILD/libsonde.a" -lm -pthread -ldl -o blind >log 2>&1 && ./blind --no-store --json >log 2>&1
[ -z "$(kinds calls)" ]
report $? "not blind: nothing of the program is instrumented, and nothing is said to be"

# Once per run, and only where something holds.
"$BUILD/examples/06_assume_and_classify" --no-store >log 2>&1
[ "$(grep -c '^Not looked for in this build: leaks, ' log)" = 1 ]
report $? "a plain build says once what it did not look for"
"$BUILD/examples/06_assume_and_classify" --no-store --quiet >log 2>&1
! grep -q 'Not looked for' log
report $? "... and not with --quiet"
"$BUILD/examples/01_first" --no-store >log 2>&1
! grep -q 'Not looked for' log
report $? "... nor where nothing holds"

cat >settings.cc <<'C'
#include <sonde.hpp>
SONDE_PROPERTY(plain) { sonde_check(t, sonde_int(t, "x", 0, 1000000) >= 0); }
SONDE_PROPERTY(crash_only, .crash_only = true, .tests = 123) { sonde_int(t, "x", 0, 1000000); }
SONDE_PROPERTY(unreached) { int x = sonde_int(t, "x", 0, 1000000); sonde_check(t, x >= 0); if (x > 2000000) sondecpp_check_eq(t, x, 1); }
template <class T> static void helper(sonde *t, T x) { if (x < 0) sonde_check(t, x > 1); sonde_check(t, x >= 0); }
SONDE_PROPERTY(by_a_template) { helper(t, sonde_int(t, "x", 0, 1000000)); }
SONDE_MAIN()
C
for o in -O0 -O2 "-O2 -fPIC -ffunction-sections -Wl,--gc-sections" "-O2 -flto"; do
    case $o in -O2 | *flto) [ -n "${SONDE_TEST_LONG:-}" ] || continue ;; esac
    # shellcheck disable=SC2086  # options
    ${CXX:-g++} -g $o -I"$SRC/include" settings.cc "$BUILD/libsonde.a" -lm -pthread -ldl -o settings >log 2>&1 &&
        ./settings --no-store --json >log 2>&1
    [ -z "$(kinds plain)$(kinds crash_only)$(kinds by_a_template)" ] && [ "$(kinds unreached)" = "check_never_reached " ] &&
        grep -q '"crash_only".*"valid": 123,' log
    report $? "C++, $o: settings, and the one check that is not reached"
done
echo "1..$n"
