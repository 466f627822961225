#!/bin/sh
# What targeting rests on is proved, without axioms: a condition holds if and only if its utility is not negative, and a utility below 0
# is minus the least slack that makes it hold. src/case/truth.c computes what the proved function computes, on a million conditions.
# Not modelled: doubles, strings, masks, remainders, and the rounding of differences beyond 2^53, of which only the sign is compared.
# Stages: gcc
[ -n "$SONDE_TEST_LONG" ] || { echo "the proof is checked by make check-long"; exit 77; }
command -v coqc >/dev/null || { echo "coqc is not installed (package coq)"; exit 77; }
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 log | sed 's/^/# /'; fi
}
cp "$SRC/docs/proof/truth.v" "$SRC/tests/compile/proof"/* . || exit 2
coqc truth.v >log 2>&1
report $? "coq accepts docs/proof/truth.v"
theorems=$(grep -c '^Print Assumptions' truth.v)
[ "$theorems" -ge 12 ] && [ "$(grep -c '^Closed under the global context' log)" = "$theorems" ] && [ "$(wc -l <log)" = "$theorems" ]
report $? "nothing is assumed"

command -v ocamlopt >/dev/null || { echo "ocamlopt is not installed (package ocaml)"; echo "1..$n"; exit 0; }
{ coqc extract.v && ocamlopt -w -a model.mli model.ml compare.ml -o compare; } >log 2>&1
report $? "the proved function is extracted and compiled"
$CC -std=gnu11 -O2 -Wall -Wextra -Werror -I"$SRC/include" conditions.c "$BUILD/libsonde.a" -pthread -lm -o conditions >log 2>&1
report $? "so is the program that asks truth.c"
{ ./conditions 1000000 1 exact || echo "conditions: status $?"; } | ./compare >log 2>&1 && grep -qE '^1000000 conditions, [45][0-9]{5} below 0, 0 differ$' log
report $? "a million conditions have the utility that was proved"
{ ./conditions 100000 2 wide || echo "conditions: status $?"; } | ./compare wide >log 2>&1 && grep -qE '^100000 conditions, [45][0-9]{4} below 0, 0 differ$' log
report $? "where differences are rounded, their sign is right"
./conditions 1000 3 exact | awk 'NR == 500 { sub(/^[^ ]*/, sprintf("%.0f", $1 + 1)) } { print }' | ./compare >log 2>&1
[ $? = 1 ] && grep -qx '1000 conditions, [0-9]* below 0, 1 differ' log
report $? "one utility that is wrong by 1 is noticed"
echo "1..$n"
