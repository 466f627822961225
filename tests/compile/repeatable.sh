#!/bin/sh
# One seed is one run, or the run warns that it is not: code whose way depends on memory addresses.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; head -n 25 log | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS SONDE_NO_ASLR SONDE_SEED
PATH=$BUILD:$PATH
export PATH
cat >hashes.c <<'END'
#include <sonde.h>
#include <stdint.h>
#include <stdlib.h>
static volatile int sink;
static void by_address(int *keys, size_t n)
{
    void *all[16];
    for (size_t i = 0; i < n; i++) all[i] = malloc(24 + (size_t)keys[i] % 3 * 16);
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = (uint64_t)(uintptr_t)all[i] * UINT64_C(0x9e3779b97f4a7c15) >> 60;
        if (hash == 3) sink = 1;
        if (hash == 7) sink = 2;
        if (hash == (uint64_t)(keys[i] & 15)) sink = 3;
    }
    for (size_t i = 0; i < n; i++) free(all[i]);
}
static void by_value(int *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (keys[i] == 77) sink = keys[i];
}
static void draw(sonde *t, void (*use)(int *, size_t))
{
    int keys[16];
    size_t n = 0;
    sonde_list list = sonde_list_of(t, "keys", 0, 16);
    while (sonde_more(&list)) keys[n++] = sonde_int(t, "key", 0, 1000);
    use(keys, n);
    sonde_check(t, n <= 16);
}
SONDE_PROPERTY(addresses) { draw(t, by_address); }
SONDE_PROPERTY(values) { draw(t, by_value); }
SONDE_MAIN()
END
sonde cc --sonde-cc="$CC" -g -O1 hashes.c -o hashes >log 2>&1
report $? "a program is compiled"
./hashes --filter addresses --seed 1 --tests 2000 --no-store --json >log 2>&1
grep -q '"kind": "not_repeatable"' log
report $? "a seed and code that depends on addresses: the run warns"
./hashes --filter values --seed 1 --tests 2000 --no-store --json >log 2>&1
! grep -q not_repeatable log
report $? "a seed and code that does not: no warning"
./hashes --filter addresses --tests 2000 --no-store --json >log 2>&1
! grep -q not_repeatable log
report $? "without a seed no run is to be repeated: no warning"
if ./hashes --no-aslr --filter values --tests 1 --no-store 2>&1 | grep -q 'the system does not allow it'; then
    echo "1..$n"
    exit 0
fi
for k in 1 2; do
    ./hashes --no-aslr --filter addresses --seed 1 --tests 2000 --no-store --json 2>&1 |
        sed -E 's/"(seconds|cpu_s|[a-z_]*per_second|[a-z_]*seconds)": *[^,}]*//g' >run$k
done
cp run1 log
cmp -s run1 run2 && ! grep -q not_repeatable run1
report $? "with --no-aslr the runs are equal, and there is no warning"
echo "1..$n"
