#!/bin/sh
# sonde_power_cut and files that the code under test never touched: run() changes its directory, uses openat, moves directories and replaces links and large
# files. What is undone is undone where it was done.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 30; fi
}
wraps=$(grep '^[a-z_]' "$SRC/addons/faults/names" | sed 's/^/-Wl,--wrap=/' | tr '\n' ' ')
# shellcheck disable=SC2086  # flags are meant to split
compile() {
    "$CC" -std=gnu11 -O1 -g -I"$SRC/include" "$1" "$BUILD/libsonde.a" "$BUILD/libsonde_faults.a" -Wl,-u,sonde_fault_hook_ $wraps -lm -lpthread -o "$2" >log 2>&1
}
compile "$SRC/tests/compile/power/user.c" user
report $? "it compiles"
for property in made_elsewhere removed_elsewhere renamed_elsewhere made_by_openat directory_moved link_is_replaced nothing_is_left_open; do
    ./user --no-store --seed 1 --tests 300 --filter $property >log 2>&1 && grep -q "^ok .*$property" log
    report $? "the user's files are left alone: $property"
done

# Saved whole, a file is always there: small, and larger than what used to be kept.
compile "$SRC/tests/compile/power/large.c" large
report $? "it compiles"
for size in 1000 900000 1200000 5000000; do
    SIZE=$size ./large --no-store --seed 1 >log 2>&1
    report $? "a file of $size bytes that is saved whole is always there"
done
echo "1..$n"
