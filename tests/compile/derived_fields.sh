#!/bin/sh
# Fields that compilers treat specially: enumerations in bit-fields, and atomic members, with gcc and clang.
# Stages: gcc
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive was not built: libclang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log out 2>/dev/null | cut -c 1-300 | head -n 20; fi; }
tool=$(cd "$BUILD" && pwd)/sonde
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS

cat >test.c <<'C'
#include <sonde.h>
#include <sonde/derive.h>
#include <stdatomic.h>
enum gap { G_A = -5, G_B = 7, G_C = 1000000 };
enum high { H_A = -1, H_B = 12 };
enum plain { P_A, P_B = 12, P_C = 15 };
struct bits {
    enum gap g : 24;
    enum high narrow : 4; /* holds -8..7: H_B would come out as -4 */
    enum plain p : 4;
    enum gap whole;
};
struct atoms {
    _Atomic int a;
    _Atomic(long) b;
    atomic_bool c;
    atomic_uchar d;
    _Atomic enum gap e;
};
SONDE_DERIVE(struct bits, bits);
SONDE_DERIVE(struct atoms, atoms);

SONDE_PROPERTY(constants)
{
    const struct bits *b = draw_bits(t, "b");
    sonde_cover(t, 5, b->g == G_A, "negative");
    sonde_cover(t, 5, b->g == G_B, "small");
    sonde_cover(t, 5, b->g == G_C, "large");
    sonde_cover(t, 5, b->p == P_C, "all bits");
    sonde_cover(t, 5, b->whole == G_A, "negative in a whole field");
    sonde_check(t, b->g == G_A || b->g == G_B || b->g == G_C);
    sonde_check(t, b->narrow == H_A);
    sonde_check(t, b->p == P_A || b->p == P_B || b->p == P_C);
}

SONDE_PROPERTY(members)
{
    struct atoms *a = draw_atoms(t, "a");
    sonde_check_same(t, atoms, a, a);
    sonde_cover(t, 5, a->a < 0, "negative");
    sonde_cover(t, 5, a->c, "true");
    sonde_cover(t, 5, a->d > 127, "high");
    sonde_cover(t, 5, a->e == G_A, "constant");
}
SONDE_MAIN()
C
for by in gcc clang; do
    "$tool" cc --sonde-cc=$by -g -O1 test.c -o test >log 2>&1
    report $? "$by compiles what is derived"
    ./test --filter constants --no-store --seed 1 --tests 4000 --guide uniform >out 2>&1
    [ $? = 0 ] && [ "$(grep -c 'wanted 5 %: met' out)" = 5 ]
    report $? "$by: a bit-field has every constant that it can hold, negative ones too, and no others"
    ./test --filter members --no-store --seed 1 --tests 4000 --guide uniform >out 2>&1
    [ $? = 0 ] && [ "$(grep -c 'wanted 5 %: met' out)" = 4 ]
    report $? "$by: atomic members are drawn"
done
echo "1..$n"
