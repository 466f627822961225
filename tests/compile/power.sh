#!/bin/sh
# sonde_power_cut: what a disk may hold when the power fails. A file that is saved whole survives it; one fsync less, and it does not, which shrinks
# to the same choices with every seed. (check-long: the file that is saved whole, 100,000 cases.)
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 30; fi
}
wraps=$(grep '^[a-z_]' "$SRC/addons/faults/names" | sed 's/^/-Wl,--wrap=/' | tr '\n' ' ')
# shellcheck disable=SC2086  # flags are meant to split
"$CC" -std=gnu11 -O1 -g -I"$SRC/include" "$SRC/tests/compile/power/save.c" "$BUILD/libsonde.a" "$BUILD/libsonde_faults.a" -Wl,-u,sonde_fault_hook_ $wraps \
    -lm -lpthread -o save >log 2>&1
report $? "it compiles"
tests=${SONDE_TEST_LONG:+100000}
tests=${tests:-1000}

# survives VARIANT WHAT
survives() {
    VARIANT=$1 ./save --no-store --seed 1 --tests "$tests" --time 600 >log 2>&1 && grep -q '%  the power failed' log
    report $? "$2 ($tests cases)"
}
# is_found VARIANT NOTE TOKEN WHAT: with three seeds
is_found() {
    good=0
    for seed in 1 2 3; do
        VARIANT=$1 ./save --no-store --seed $seed >log 2>&1
        [ $? = 1 ] && grep -q "$2" log && grep -qF "'s1:$3 ?'" log && good=$((good + 1))
    done
    [ $good = 3 ]
    report $? "$4"
}
survives 0 "a file that is saved whole is the old or the new one"
survives 5 "... by streams"
is_found 1 'power cut: file.new has 0 bytes instead of 1: no fsync since it was written' \
    'size=1 power_fails=yes open=0 write=0 rename=0 fsync=0 loses=1' "without an fsync the new name comes before the data"
is_found 2 'power cut: rename(.*file.new", ".*file") is lost: no fsync of its directory since' \
    'size=1 power_fails=yes open=0 write=0 fsync=0 rename=0 loses=1' "without an fsync of the directory the rename is lost"
is_found 3 'write() is not reached' 'size=1 power_fails=yes open=0 write=1 loses=0' "written in place, half of it is left"
is_found 4 'has 0 bytes instead of 1' 'size=1 power_fails=yes fopen=0 fflush=0 rename=0 fsync=0 loses=1' "a stream without an fsync is no better"
VARIANT=1 ./save --no-store --seed 1 --isolate none >log 2>&1
[ $? = 1 ] && grep -q 'no fsync since it was written' log && VARIANT=1 ./save --no-store --replay 's1:size=1 power_fails=yes rename=0 loses=0 ?' >log 2>&1
report $? "without isolation, and replayed with everything kept"
echo "1..$n"
