#!/bin/sh
# --known-in and --only-new: failures are replayed in the program that was built before a change.
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
cat >t.c <<'C'
#include <sonde.h>
#include <time.h>
static int count;
static int crashes(int x) { return x > 500 ? *(volatile int *)0 : x; }
#ifdef HEAD
static const int moved = 1;
#define IS_HEAD 1
#else
#define IS_HEAD 0
#endif
SONDE_PROPERTY(old_check) { int x = sonde_int(t, "x", 0, 1000); sonde_check(t, x < 900); }
SONDE_PROPERTY(old_crash) { int x = sonde_int(t, "x", 0, 1000); sonde_check(t, crashes(x) == x); }
SONDE_PROPERTY(new_check) { int x = sonde_int(t, "x", 0, 1000); sonde_check(t, x < 800 || !IS_HEAD); }
/* Shrinking leads from the new failure to the old one, which is smaller. */
SONDE_PROPERTY(masked) { int x = sonde_int(t, "x", 0, 1000); sonde_check(t, x != 3 && !(IS_HEAD && x > 300)); }
SONDE_PROPERTY(state) { int x = sonde_int(t, "x", 0, 1000); count += x > 10; sonde_check(t, count < 20); }
SONDE_PROPERTY(flaky)
{
    int x = sonde_int(t, "x", 0, 1000);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    sonde_check(t, x < 500 || now.tv_nsec / 1000 % 10 < 3);
}
static volatile int is_head = IS_HEAD;
SONDE_PROPERTY(twice)
{
    int x = sonde_int(t, "x", 0, 1000), ok = x < 900;
    if (is_head) sonde_check(t, ok);
    else sonde_check(t, ok);
}
/* The check fails for other inputs as well, to which shrinking does not lead. */
SONDE_PROPERTY(wider) { int x = sonde_int(t, "x", 0, 1000), ok = x >= 700 && !(IS_HEAD && x > 800); sonde_check(t, ok); }
/* The new failure is rare, and the old one would have ended the search long before. */
SONDE_PROPERTY(rare)
{
    int x = sonde_int(t, "x", 0, 1000), y = sonde_int(t, "y", 0, 3000);
    if (is_head) sonde_check(t, y % 1000 != 777);
    sonde_check(t, x < 300);
}
/* The generator has changed: the base draws what the input lacks, and fails for it in the same check. */
SONDE_PROPERTY(renamed)
{
    int x = is_head ? sonde_int(t, "x", 0, 1000) : sonde_int(t, "z", 0, 1000), ok = is_head ? x < 700 : x > 0;
    sonde_check(t, ok);
}
SONDE_PROPERTY(one_more)
{
    int x = sonde_int(t, "x", 0, 1000), y = is_head ? 0 : sonde_int(t, "y", 0, 10), ok = is_head ? x < 700 : y > 0;
    sonde_check(t, ok);
}
SONDE_PROPERTY(one_less)
{
    int x = sonde_int(t, "x", 0, 1000), ok = x < 700;
    if (is_head) sonde_int(t, "y", 0, 10);
    sonde_check(t, ok);
}
SONDE_MAIN()
C
"$BUILD/sonde" cc -O0 t.c -o base >log 2>&1 && "$BUILD/sonde" cc -O0 -DHEAD t.c -o head >log 2>&1
report $? "the programs"
run() { ./head --known-in base --no-store --seed 3 --tests 400 "$@" >log 2>&1 </dev/null; }
run --filter old_check --only-new && grep -q '^KNOWN old_check: falsified$' log && grep -qxF '  Not new: it fails in ./base, too.' log
report $? "a failure of the base is known, although its line has moved, and with --only-new the status is 0"
run --filter old_check
[ $? = 1 ]
report $? "without --only-new the status is 1"
run --filter 'old_crash' --only-new --report tap && grep -q '^not ok 1 - old_crash # TODO fails in the base too$' log && grep -q '"in_base": "known"' log
report $? "so is a crash; TAP calls it to do"
run --filter new_check --only-new --json
[ $? = 1 ] && grep -q '"in_base": "new", "base_note": "it holds there"' log
report $? "a failure that the base does not have is new"
run --filter masked --only-new
[ $? = 1 ] && grep -q 'New: .*; the input as it was found does not fail there in the same way: --replay .s1:x=' log
report $? "so is one that shrinking took for an old one"
run --filter state --only-new
[ $? = 1 ] && grep -q 'Not known whether it is new, so it counts as new: it does not fail each time, or only after other cases.' log
report $? "a failure that depends on earlier cases is not called known"
run --filter flaky --only-new
[ $? = 1 ] && ! grep -q 'Not new' log
report $? "nor is a flaky one"
run --filter twice --only-new
[ $? = 1 ] && grep -q 'New: ' log
report $? "nor one of several checks with the same condition, at another line"
wrong=0
for seed in 1 2 3 4 5 6; do
    ./head --known-in base --no-store --only-new --seed $seed --tests 400 --filter wider >log 2>&1 </dev/null
    [ $? = 1 ] && grep -q 'New: ' log || { wrong=1 && break; }
done
report $wrong "nor one whose check fails for inputs as well that the base does not fail for"
wrong=0
for seed in 1 2 3; do
    ./head --known-in base --no-store --only-new --seed $seed --tests 20000 --max-discards 0 --filter rare >log 2>&1 </dev/null
    [ $? = 1 ] && grep -q '^  New: ' log || { wrong=1 && break; }
done
report $wrong "a known failure does not end the search for new ones"
run --filter renamed --only-new
[ $? = 1 ] && grep -q 'counts as new: ./base draws other values, so its input cannot be replayed there' log && run --filter one_more --only-new
[ $? = 1 ] && grep -q 'counts as new: ./base draws other values' log && run --filter one_less --only-new && grep -q '^KNOWN' log
report $? "nor one of a base that draws values that the input lacks"
run --filter old_check --only-new --report sarif && grep -q '"level": "warning"' log && grep -q '"baselineState": "unchanged"' log
report $? "SARIF: baselineState"
printf '#!/bin/sh\nexit 9\n' >broken && chmod +x broken && cp broken silent && printf '#!/bin/sh\nexit 1\n' >silent
for base in broken silent; do
    ./head --known-in $base --no-store --only-new --filter old_check >log 2>&1
    [ $? = 1 ] && grep -qE 'Not known whether it is new|New: ' log
    report $? "a base that is $base: the failure counts as new"
done
./head --known-in nothing >log 2>&1
[ $? = 2 ] && grep -q "'nothing' is not a program; give the test program built before the change" log
report $? "no such program"
./head --known-in head >log 2>&1
[ $? = 2 ] && grep -q "'head' is this program" log
report $? "the program itself"
./head --only-new >log 2>&1
[ $? = 2 ] && grep -q 'give --known-in PROGRAM as well' log
report $? "--only-new alone"
echo "1..$n"
