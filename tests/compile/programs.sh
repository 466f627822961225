#!/bin/sh
# The suite `programs`: its reading of linker maps; and, in long runs and where the sources can be had, three real programs.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 log | sed 's/^/# /'; fi
}
cat >map <<'M'
 .text          0x0000000000401000      0x100 out/obj/lexer.o
 .text          0x0000000000401100       0x20 out/obj/meaning.o
 .text.unlikely
                0x0000000000401130       0x10 out/obj/meaning.o
 .text.empty    0x0000000000401140        0x0 out/obj/meaning.o
 .data          0x0000000000402000       0x10 out/obj/meaning.o
 .text          0x0000000000401150       0x10 lib.a(meaning.o)
M
awk -v files='meaning other' -f "$SRC/bench/programs/ranges.awk" map >log 2>&1
printf '%s\n' '401100 401120' '401130 401140' | cmp -s - log
report $? "the code of semantic files is found in a linker's map"
if [ -z "${SONDE_TEST_LONG:-}" ]; then
    exit 0
fi
# One row per program and arm; a program that cannot be had is left out with a sentence.
row() { grep "\"row\":\"$1\",\"guide\":\"$2\"" rows; }
field() { sed "s/.*\"$1\":\([0-9.]*\).*/\1/"; }
(cd "$SRC" && BUILD=$CHECK_BUILD bench/run programs --only lua,pcap,asn1 --guide uniform,auto,uniform-black,zest-bytes --seeds 7-7 --seconds 4 --json) >rows 2>log
report $? "the suite runs"
for program in lua pcap asn1; do
    if grep -q "$program is left out" log; then
        n=$((n + 1))
        echo "ok $n - $program # SKIP $(grep "$program is left out" log)"
        continue
    fi
    for guide in uniform auto uniform-black zest-bytes; do
        row $program $guide >one
        valid=$(field valid <one) all=$(field sem_all <one) by_valid=$(field sem_valid <one) edges=$(field sem_edges <one)
        [ "${valid:-0}" -gt 100 ] && [ "${by_valid:-0}" -gt 50 ] \
            && [ "$by_valid" -le "$all" ] && [ "$(field diverse_valid <one)" -le "$(field unique_valid <one)" ] && [ "$all" -lt "$edges" ]
        report $? "$program: $guide makes valid inputs that reach semantic code ($valid, $by_valid of $all of $edges edges)"
    done
done
# Seeds of the thesis: one in nine, counted apart from the inputs that RLCheck made, and others by another filter.
(cd "$SRC" && BUILD=$CHECK_BUILD bench/run programs --only lua --guide thesis-cho,thesis-cov --seeds 7-7 --seconds 4 --json) >rows 2>log
report $? "arms with seeds run"
if ! grep -q 'lua is left out' log; then
    for guide in thesis-cho thesis-cov; do
        row lua $guide >one
        made=$(field seeds_made <one) selected=$(field seeds_selected <one) ran=$(field seeds_end <one)
        [ "${selected:-0}" -gt 0 ] && [ "$ran" -le "$selected" ] && [ $((8 * selected)) -lt "$made" ] \
            && [ "$(field seeds_sem_valid <one)" -lt "$(field sem_valid <one)" ] && [ "$(field valid <one)" -ge "$(field seeds_valid <one)" ]
        report $? "$guide: $ran of $selected seeds of $made inputs are run and counted"
    done
    cho=$(row lua thesis-cho | field seeds_sem_valid) cov=$(row lua thesis-cov | field seeds_sem_valid)
    [ "${cho:-0}" -gt "${cov:-0}" ]
    report $? "a few hundred seeds cover more than the dozens of COV ($cho, $cov edges)"
fi
