#!/bin/sh
# Instrumented code that does not do the same for the same input: the run reports how much of it there is, and what helps.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
cat >test.c <<'END'
#include <sonde.h>
static void walks(sonde *t)
{
    static unsigned calls;
    static volatile int at;
    int x = sonde_int(t, "x", 0, 1000000);
    if (x > 500000) at++;
    sonde_check(t, x * 2 < 2000001 && x >= 0); /* measured by one guide, and not by another */
#ifdef UNSTABLE
    if (calls++ % 2) at = 21;
    else at -= 32;
#else
    (void)calls;
#endif
}
SONDE_MAIN(walks)
END
number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" log; }
for cc in clang gcc; do
    command -v $cc >/dev/null || continue
    export SONDE_CC=$cc
    "$BUILD/sonde" cc -O1 -g "-I$SRC/include" test.c "$BUILD/libsonde.a" -lm -o stable >log 2>&1 &&
        "$BUILD/sonde" cc -O1 -g "-I$SRC/include" -DUNSTABLE test.c "$BUILD/libsonde.a" -lm -o unstable >>log 2>&1
    report $? "$cc: the programs"
    ./stable --seed 1 --no-store --tests 2000 --json >log 2>&1 </dev/null
    stable=$(number edges)
    [ "$(number unstable)" = 0 ] && [ "$stable" -gt 0 ]
    report $? "$cc: nothing is unstable in stable code"
    for jobs in 1 2; do
        ./unstable --seed 1 --no-store --tests 2000 --jobs $jobs --json >log 2>&1 </dev/null
        [ "$(number unstable)" -ge 2 ] && [ "$(number edges)" -le $((stable + 1)) ] && [ "$(number valid_edges)" -le $((stable + 1)) ]
        report $? "$cc, $jobs jobs: both ways of the branch are unstable, and no edges"
    done
    ./unstable --seed 1 --no-store --tests 2000 --stats >log 2>&1 </dev/null
    grep -q '[2-9] counters and comparisons of instrumented code are unstable' log && grep -q -- 'runs of one seed may differ; --no-aslr makes' log
    report $? "$cc: --stats reports it and names --no-aslr"
    ./unstable --seed 1 --no-store --tests 2000 --stats --no-aslr >log 2>&1 </dev/null
    grep -q 'code are unstable' log && { ! grep -q -- '--no-aslr makes' log || grep -q 'does not allow' log; }
    report $? "$cc: which is not advised where it is given"
done
echo "1..$n"
