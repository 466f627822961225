#!/bin/sh
# Options about all properties of a program, and about those that hold: --total-time, --show-output.
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 40; fi; }
cat >all.c <<'C'
#include <sonde.h>
SONDE_PROPERTY(prints, .crash_only = true) { printf("x is %d\n", sonde_int(t, "x", 0, 1 << 30)); }
SONDE_PROPERTY(searches, .crash_only = true) { sonde_int(t, "x", 0, 1 << 30), sonde_int(t, "y", 0, 1 << 30); }
SONDE_PROPERTY(is_small) { sonde_check(t, sonde_int(t, "x", 0, 10) >= 0); }
SONDE_PROPERTY(searches_too, .crash_only = true) { sonde_int(t, "x", 0, 1 << 30), sonde_int(t, "y", 0, 1 << 30); }
SONDE_MAIN()
C
$CC -g -I"$SRC/include" all.c "$BUILD/libsonde.a" -lm -pthread -ldl -o all >log 2>&1
unset SONDE_TIME

# Whether it took that long cannot be asked on a busy machine; what ended each search can.
./all --no-store --seed 1 --total-time 0.8 >log 2>&1
[ $? = 0 ] && [ "$(grep -c '^ok .*the time limit;' log)" = 3 ] && grep -q 'is_small: holds for all 11 inputs' log && ! grep -q ' 10,000 valid' log
report $? "--total-time ends every search by its share of the time"
./all --no-store --seed 1 --total-time 0.4 --json >log 2>&1
[ "$(grep -c '"stopped": "time"' log)" = 3 ]
report $? "... as JSON has it"
./all --no-store --seed 1 --total-time 600 --tests 50 >log 2>&1
[ "$(grep -c ' 50 valid' log)" = 3 ]
report $? "with --tests, whichever comes first"
./all --no-store --seed 1 --total-time 600 --time 0.1 >log 2>&1
[ "$(grep -c '^ok .*the time limit;' log)" = 3 ]
report $? "with --time, no property takes longer than that"
SONDE_TOTAL_TIME=0.4 ./all --no-store --fuzz >log 2>&1
[ $? = 0 ] && [ "$(grep -c '^ok ' log)" = 4 ]
report $? "a search of all properties that ends by it needs no other limit"

for how in '' '--isolate=case' '--spawn' '--jobs 2'; do
    # shellcheck disable=SC2086  # no word, or several
    ./all --no-store --seed 1 --filter prints --tests 5 --show-output $how >out 2>log
    [ $? = 0 ] && [ "$(grep -c '^x is [0-9]*$' log)" -ge 5 ] && grep -q '^ok .*prints: 5 valid' out
    report $? "--show-output lets through what cases print, to standard error (${how:-workers})"
done
./all --no-store --seed 1 --filter prints --tests 5 >log 2>&1
! grep -q '^x is' log
report $? "without it nothing of that is seen"
echo "1..$n"
