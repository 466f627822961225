#!/bin/sh
# One place for builds that have nothing in common but the property (gcc -O2, clang -O0), and for the real libFuzzer and the real AFL++, both ways.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 log | cut -c 1-600 | sed 's/^/# /'; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
sonde=$BUILD/sonde
unset SONDE_SEED
export SONDE_SHARE_AGENT="$BUILD/sonde-share"
flags="-g -I$SRC/include -I$SRC/adapters"
libs="$BUILD/libsonde.a -lm -pthread"

# Values that nobody meets by chance open the next step; at -O2 the second is no branch. Which steps are failures is a build's own affair, as with a sanitizer.
cat >code.c <<'C'
int steps(unsigned a, unsigned b);
static unsigned mix(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352dU;
    x = (x ^ x >> 15) * 0x846ca68bU;
    return x ^ x >> 16;
}
int steps(unsigned a, unsigned b)
{
    int n = 0;
    for (unsigned i = 0; i < 4; i++) n += (a >> 8 * i & 255) > 128;
    if (mix(a) != 0x903c29d8U) return n;
    if (mix(b) != 0xca0aa7efU) return 10;
    return 20;
}
C
cat >property.c <<'C'
#ifdef TARGET
#include "sonde_fuzz.h"
#else
#include <sonde.h>
#endif
#include <stdint.h>
int steps(unsigned a, unsigned b);
static void opens(sonde *t)
{
    unsigned a = (unsigned)sonde_u64(t, "a", 0, UINT32_MAX), b = (unsigned)sonde_u64(t, "b", 0, UINT32_MAX);
    int n = steps(a, b);
#if BAD == 10
    sonde_check(t, n != 10);
#elif BAD == 20
    sonde_check(t, n != 20);
#else
    sonde_check(t, n >= 0);
#endif
}
#ifdef TARGET
SONDE_FUZZ_TARGET(opens)
#else
SONDE_MAIN(opens)
#endif
C
# build FOLDER COMPILER OPTIMISATION BAD
build() {
    mkdir -p "$1"
    # shellcheck disable=SC2086
    "$sonde" cc --sonde-cc="$2" "$3" $flags -c code.c -o "$1/code.o" >log 2>&1 && "$2" "$3" $flags -DBAD="$4" property.c "$1/code.o" -o "$1/test" $libs >>log 2>&1
}
run() { program=$1; shift; "$program" --json --no-store --max-discards 0 "$@" >out 2>log </dev/null; }
keys() { find "$1" -name '*-*.tape' | sed 's/.*-\(.*\)\.tape/\1/' | fold -w 8 | sort -u; }
echo 's1:a=1234567890 b=0' >first
echo 's1:a=1234567890 b=3141592653' >second

command -v clang >/dev/null || { echo "there is no clang"; exit 77; }
build gcc gcc -O2 99 && build clang clang -O0 99 && build gcc-strict gcc -O2 20 && build clang-strict clang -O0 10
report $? "four builds of one property"
run clang-strict/test --seed 1 --runs 20000 --tests 0
report $? "alone, a run does not come to what is hidden"
for compiler in gcc clang; do
    run $compiler/test --runs 300 --tests 0 --inputs first --share "dir:$PWD/$compiler-alone"
    grep -o '"edges": [0-9]*' out >$compiler.edges
    keys "$compiler-alone" >$compiler.keys
done
[ -s gcc.keys ] && [ -s clang.keys ] && [ "$(comm -12 gcc.keys clang.keys | wc -l)" = 0 ] && ! cmp -s gcc.edges clang.edges
report $? "which have other places, and no name of one in common"

# gcc's worker leaves what it found; in clang's strict build that is a failure. And the other way round.
run gcc/test --runs 300 --tests 0 --inputs first --share "dir:$PWD/place"
[ $? = 0 ] && run clang-strict/test --time 300 --fail-fast --share "dir:$PWD/place"
[ $? = 1 ] && grep -q '"token": "s1:a=1234567890' out
report $? "what gcc -O2 reached fails in a build by clang -O0"
run clang/test --runs 300 --tests 0 --inputs second --share "dir:$PWD/place"
[ $? = 0 ] && run gcc-strict/test --time 300 --fail-fast --share "dir:$PWD/place"
[ $? = 1 ] && grep -q '"token": "s1:a=1234567890 b=3141592653' out
report $? "and what clang -O0 reached fails in a build by gcc -O2"
"$sonde" share status "dir:$PWD/place" >log 2>&1 && grep -q '^test/opens: .* 2 failures, 2 shrunk' log
report $? "the place has both failures, each shrunk"

# ---- libFuzzer: its corpus is the place.
if echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' | clang -fsanitize=fuzzer -x c - -o probe >log 2>&1; then
    for bad in 99 20; do
        # shellcheck disable=SC2086
        clang -O1 -fsanitize=fuzzer $flags -DTARGET -DBAD=$bad property.c code.c -o libfuzzer-$bad $libs >log 2>&1 || echo no >failed
    done
    [ ! -e failed ] && mkdir corpus && "$sonde" convert --to=bytes 's1:a=1234567890 b=0' corpus/one >log &&
        ./libfuzzer-99 -seed=1 -runs=2000 corpus >log 2>&1 && [ "$(find corpus -type f | wc -l)" -ge 2 ]
    report $? "libFuzzer fills its corpus"
    run clang-strict/test --time 300 --fail-fast --share "dir:$PWD/corpus"
    [ $? = 1 ] && grep -q '"token": "s1:a=1234567890' out
    report $? "sonde runs what is there"
    run clang/test --runs 300 --tests 0 --inputs second --share "dir:$PWD/corpus"
    "$sonde" share export --bytes "dir:$PWD/corpus" from-sonde opens >log 2>&1
    ./libfuzzer-20 -seed=1 -runs=1 -artifact_prefix=./lf- corpus from-sonde >log 2>&1
    [ $? != 0 ] && grep -aq 'opens: falsified' log && "$sonde" convert --with=./libfuzzer-99 "@$(echo lf-crash-*)" 2>>log | grep -q 's1:a=1234567890 b=3141592653'
    report $? "and libFuzzer what sonde found"
else
    skip "libFuzzer" "clang's libFuzzer is not installed"
fi

# ---- AFL++: its output folder is the place.
if command -v afl-fuzz >/dev/null && command -v afl-clang-fast >/dev/null; then
    export AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1 AFL_FAST_CAL=1
    for bad in 99 20; do
        # shellcheck disable=SC2086
        AFL_QUIET=1 afl-clang-fast -O1 $flags -DTARGET -DBAD=$bad property.c code.c -o afl-$bad $libs >log 2>&1 || echo no >failed-afl
    done
    mkdir -p seeds && "$sonde" convert --to=bytes 's1:a=1234567890 b=0' seeds/one >>log
    [ ! -e failed-afl ] && afl-fuzz -V 2 -t 10000 -m none -i seeds -o afl -M main -- ./afl-99 >log 2>&1
    [ -n "$(find afl/main/queue -name 'id:*' | head -n 1)" ]
    report $? "AFL++ fills its queue"
    run clang-strict/test --time 300 --fail-fast --share "dir:$PWD/afl"
    [ $? = 1 ] && grep -q '"token": "s1:a=1234567890' out
    report $? "sonde runs what is there"
    run clang/test --runs 300 --tests 0 --inputs second --share "dir:$PWD/afl"
    "$sonde" share export --bytes "dir:$PWD/afl" for-afl opens >log 2>&1
    AFL_IMPORT_FIRST=1 AFL_BENCH_UNTIL_CRASH=1 timeout 300 afl-fuzz -V 120 -t 10000 -m none -i seeds -o afl-2 -M main -F "$PWD/for-afl" -- ./afl-20 >log 2>&1
    crash=$(find afl-2/main/crashes afl-2/default/crashes -name 'id:*' 2>/dev/null | head -n 1)
    [ -n "$crash" ] && "$sonde" convert --with=./afl-99 "@$crash" 2>>log | grep -q 's1:a=1234567890 b=3141592653'
    report $? "and AFL++ what sonde found"
else
    skip "AFL++" "there is no afl-fuzz, or no afl-clang-fast"
fi
echo "1..$n"
