#!/bin/sh
# The lemma that targeting rests on (a condition holds if and only if its utility is not negative) is proved, without axioms.
# Stages: gcc
[ -n "$SONDE_TEST_LONG" ] || { echo "the proof is checked by make check-long"; exit 77; }
command -v coqc >/dev/null || { echo "coqc is not installed (package coq)"; exit 77; }
cp "$SRC/docs/proof/truth.v" . || exit 2
coqc truth.v >out 2>&1
status=$?
sed 's/^/# /' out
if [ $status = 0 ]; then echo "ok 1 - coq accepts docs/proof/truth.v"; else echo "not ok 1 - coq accepts docs/proof/truth.v"; fi
if [ "$(grep -c '^Closed under the global context' out)" = 3 ]; then echo "ok 2 - nothing is assumed"; else echo "not ok 2 - nothing is assumed"; fi
# The cases of the mapping are those of the code.
missing=
for function in by_difference sonde_truth_not_ sonde_all_of sonde_any_of; do
    grep -qE "[ *]$function\(" "$SRC/src/case/truth.c" || missing="$missing $function"
done
if [ -z "$missing" ]; then echo "ok 3 - what it is about is in src/case/truth.c"; else echo "not ok 3 -$missing"; fi
echo "1..3"
