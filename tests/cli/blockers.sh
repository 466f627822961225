#!/bin/sh
# --blockers: why valid cases never take a branch that they reach.
# Stages: gcc clang
# Not sanitized (it links the library into programs that are not)
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out log 2>/dev/null | tail -n 30; fi; }
cat >test.c <<'END'
#include <sonde.h>
int port = 80;
int taken;
__attribute__((noinline)) static void serve(int width, int day, const char *name, size_t n)
{
    if (width >= 70000) taken++;
    if (port == 443) taken++;
    if (day == 31) taken++;
    if (n > 99) taken++;
    for (size_t i = 0; i < n; i++)
        if (name[i] == '#') taken++;
}
SONDE_PROPERTY(serves)
{
    int width = sonde_int(t, "width", 0, 1000), day = sonde_int(t, "day", 1, 31);
    char *name = sonde_string_of(t, "name", "abc", 0, 20);
    size_t n = 0;
    while (name[n]) n++;
    sonde_assume(t, day <= 28);
    serve(width, day, name, n);
    sonde_check(t, taken == 0);
}
SONDE_PROPERTY(fails_beside)
{
    int x = sonde_int(t, "x", 0, 1000000000);
    if (x == 123456) taken++;
    sonde_check(t, x < 999999999);
}
__attribute__((noinline)) static void map(unsigned address)
{
    if (address > 0xF0000000u) taken++;
}
SONDE_PROPERTY(maps)
{
    map(sonde_u32(t, "address", 0, 0xC0000000));
    sonde_check(t, taken == 0);
}
SONDE_PROPERTY(draws_much)
{
    for (int i = 0; i < 4000; i++) sonde_int(t, "i", 0, 9);
    map(sonde_u32(t, "address", 0, 0xC0000000));
    sonde_check(t, taken == 0);
}
SONDE_MAIN()
END
"$BUILD/sonde" cc --sonde-cc="$CC" -O1 -g test.c -o test >log 2>&1
report $? "the program is built"
./test --no-store --no-color --seed 1 --filter serves --tests 3000 --time 0 --blockers >out 2>log
[ $? = 0 ] && grep -q '^ *test.c:6: serve: needs a value >= [67][09]*; the nearest of [0-9,]* compared was [0-9]* (no valid case reaches line 6)$' out &&
    grep -q '^ *it depends on width; the ends of that range give no value nearer than 1000$' out
report $? "a draw whose range ends before the compared value"
grep -A1 'test.c:7: serve: ' out | grep -q '^ *no draw influences it: the value is the same in [0-9]* changed inputs$'
report $? "a variable that no draw influences"
grep -A1 'test.c:8: serve: ' out | grep -q '^ *an input that takes the branch is discarded by the assume at test.c:19$'
report $? "values that an assume keeps away"
grep -A1 'test.c:9: serve: ' out | grep -q '^ *it depends on name; the ends of that range give no value nearer than 20$'
report $? "the length of a string"
grep -A1 'test.c:11: serve: needs a value <= 35' out | grep -q '^ *it depends on name; the ends of that range give no value nearer than '
report $? "a character that the alphabet lacks"
! grep -q 'test.c:21' out
report $? "a check that always holds is not a blocker"
./test --no-store --seed 1 --filter serves --tests 3000 --time 0 --blockers --json >out 2>log
grep -q '"blockers": \[{"file": "test.c", "line": 6, "function": "serve", "not_reached": 6, "cause": "range", "text": "it depends on width; the ends' out &&
    grep -q '"cause": "assume", "text": "an input that takes the branch is discarded by the assume at test.c:19"' out && grep -q '"assume_file": "test.c", "assume_line": 19, "token": null' out && grep -q '\], "blockers_not_examined": 0' out
report $? "JSON has the same"
./test --no-store --seed 1 --filter serves --tests 300 --json >out 2>log && ! grep -q blockers out
report $? "without the option there is no such field"
./test --no-store --no-color --seed 1 --filter fails_beside --guide uniform --tests 200 --time 0 --blockers >out 2>log
[ $? = 1 ] && grep -q '999999999\|1000000000' out
report $? "a changed input that fails is reported as a failure"
./test --no-store --no-color --seed 1 --filter maps --tests 300 --time 0 --blockers >out 2>log
# Signed, 0xC0000000 and 0 are on both sides of the constant.
grep -q '^ *test.c:31: map: needs a value >= 402653184[01]; the nearest of [0-9,]* compared was 3[0-9]* (' out &&
    grep -q '^ *it depends on address; the ends of that range give no value nearer than 3221225472$' out
report $? "unsigned numbers"
./test --no-store --no-color --seed 1 --filter draws_much --guide uniform --tests 300 --time 0 --blockers >out 2>log
grep -q '^ *test.c:31: map: needs a value >= 402653184[01]; the nearest of [0-9,]* compared was 3[0-9]* (' out
report $? "inputs so large that not all of them are kept"
./test --no-store --no-color --seed 1 --filter draws_much --tests 300 --time 0 --max-choices 100 --blockers >out 2>log
grep -q 'Not known: the search kept no valid input to run again.' out && ! grep -q 'None\.' out
report $? "a run without a valid input is said to know nothing"
"$CC" -I"$SRC/include" test.c "$BUILD/libsonde.a" -lm -lpthread -o plain >log 2>&1 && ./plain --no-store --no-color --filter serves --tests 100 --blockers >out 2>>log
[ $? = 0 ] && grep -q 'Not known: the code under test is not instrumented. Compile it with sonde cc.' out
report $? "code that is not instrumented is said to be so"
if command -v node >/dev/null; then
    ./test --no-store --seed 1 --filter draws_much --tests 300 --time 0 --max-choices 100 --blockers --report html:unknown.html >out 2>log
    ./plain --no-store --filter serves --tests 100 --blockers --report html:plain.html >>out 2>>log
    node "$SRC/tests/lib/page.mjs" unknown.html plain.html >>out 2>>log && grep -q '"blockers_unknown": true' unknown.html
    report $? "and so do the pages"
    ./test --no-store --seed 1 --filter serves --tests 3000 --time 0 --blockers --report html:all.html >>out 2>>log
    for more in 1 7; do sed "s/\"blockers_not_examined\": 0/\"blockers_not_examined\": $more/" all.html >more$more.html; done
    grep -q '"blockers_not_examined": 7' more7.html && node "$SRC/tests/lib/page.mjs" more1.html more7.html >>out 2>>log
    report $? "a page says how many branches were not examined"
fi
if "$BUILD/sonde" cc --sonde-cc="$CC" --sanitize -g -O1 test.c -o sanitized >log 2>&1; then
    ./sanitized --blockers --no-store --seed 1 >out 2>&1
    [ $? = 2 ] && grep -q 'blockers: this build has a sanitizer' out
    report $? "a build with a sanitizer is refused"
fi
echo "1..$n"
