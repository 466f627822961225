#!/bin/sh
# Ways to keep data on a disk (power/ways.c): right ones hold, for all inputs where all of it is followed; each mistake is found, and the
# counterexample names the sync that is missing. Linked and preloaded; what is not followed is told. (check-long: more cases, three seeds.)
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
compile "$SRC/tests/compile/power/ways.c" ways &&
    "$CC" -std=gnu11 -O1 -g -I"$SRC/include" "$SRC/tests/compile/power/ways.c" "$BUILD/libsonde.a" -lm -lpthread -ldl -rdynamic -o plain >log 2>&1
report $? "it compiles"
tests=${SONDE_TEST_LONG:+50000}
tests=${tests:-1000}

./ways --no-store --seed 1 --tests "$tests" --filter 'right_*' >log 2>&1
report $? "right ways hold"
[ "$(grep -c '^ok .*: holds for all' log)" = 11 ] && grep -q 'Not seen: not followed: tmp: .*mapped for writing' log
report $? "... all eleven that are followed as a proof, and the mapping is not"
# Both have the same code of the model; the way in is what differs.
LD_PRELOAD=$BUILD/libsonde_faults.so ./plain --no-store --seed 1 --tests "$((tests / 5))" --filter 'right_*' >log 2>&1 && [ "$(grep -c '^ok ' log)" = 12 ]
report $? "... preloaded as well"

# is_found PROPERTY NOTE
is_found() {
    found=0
    for seed in 1 ${SONDE_TEST_LONG:+2 3}; do
        ./ways --no-store --seed $seed --filter "$1" >log 2>&1
        [ $? = 1 ] && grep -q "$2" log || { found=1; break; }
    done
    report $found "$1 is found"
}
data='no fsync since it was written' name='no fsync of its directory since'
is_found wrong_no_fsync "power cut: tmp has 0 bytes instead of 1,500: $data"
is_found wrong_no_fsync_of_directory "power cut: renameat(\"tmp\", \"db\") is lost: $name"
is_found wrong_no_fflush "power cut: tmp has 0 bytes instead of 1,500: $data"
is_found wrong_no_msync "power cut: tmp has lost .* bytes at 0.*: $data"
is_found wrong_in_place 'write() is not reached: a crash'
is_found wrong_truncate 'write() is not reached: a crash'
is_found wrong_unlink_first 'is not reached: a crash\|is lost'
is_found wrong_journal_no_fsync "power cut: journal .*: $data"
is_found wrong_journal_no_fsync_of_directory "power cut: open(\"journal\") is lost: $name"
is_found wrong_journal_removed_before_data "power cut: db has lost .*: $data"
is_found wrong_log_without_sums "power cut: log .*: $data"
is_found wrong_log_no_fsync "power cut: log .*: $data"
is_found wrong_directory "power cut: mkdir(\"sub\") is lost: $name"
is_found wrong_new_file "power cut: open(\"sub\") is lost: $name"
is_found wrong_fortieth_file "power cut: m39 has 0 bytes instead of 1,500: $data"
is_found wrong_fsync_again 'an fsync failed, and a later fsync does not write the data again'
echo "1..$n"
