#!/bin/sh
# Derived functions end for a list of 10^6 nodes, a DAG with 2^40 paths and a deep tree; long doubles have bits that no double has.
# Stages: gcc
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive was not built: libclang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log out 2>/dev/null | head -n 40; fi; }
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
cp "$SRC"/tests/compile/derived_large/* .
for by in gcc clang; do
    "$BUILD/sonde" cc --sonde-cc=$by -Wall -Wextra -Werror -O1 large.c -o large >log 2>&1
    report $? "$by: it compiles without a warning"
    timeout -s KILL 300 ./large --no-store --seed 1 --tests 300 --timeout 30 --wall-timeout 200 >out 2>&1
    for name in a_dag_equals_itself a_dag_is_printed_in_part a_long_list_is_compared long_doubles_have_low_bits; do
        grep -q "^ok  *$name:" out
        report $? "$by: $name"
    done
    grep -qF '.next.next.v: 7 is not 8' out
    report $? "$by: a difference along a list has its path"
    grep -q '^ERROR a_deep_tree_is_a_misuse: cannot compare a struct node that nests more than 10,000 deep; compare it' out
    report $? "$by: a tree that is too deep is a misuse, which names the type"
    grep -q ' %  no double$' out && grep -q ' %  none in the range$' out
    report $? "$by: long doubles are drawn with all their bits"
done
echo "1..$n"
