#!/bin/sh
# A property as a target of the real libFuzzer and the real AFL++: they find its bug, and what they find goes back to sonde.
# Stages: long (5 s; other fuzzers with our adapter, whose C side unit/fuzz_test has)
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 log | sed 's/^/# /'; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
flags="-g -Wall -Wextra -Wpedantic -Wshadow -Werror -I$SRC/include -I$SRC/adapters"
libs="$BUILD/libsonde.a -lm -pthread"
loose=
example=$SRC/adapters/fuzz_example.c
sonde=$BUILD/sonde

# build COMPILER ARGUMENT...
build() {
    compiler=$1
    shift
    # shellcheck disable=SC2086
    $compiler $flags $loose "$@" $libs >log 2>&1
}

# The same property as a test program.
printf '#include <sonde.h>\n#define SONDE_FUZZ_H\n#define SONDE_FUZZ_TARGET(p) SONDE_MAIN(p)\n#include "%s"\n' "$example" >program.c
build "$CC" program.c -o program
report $? "the property is also a test program"
# falsified TOKEN: it fails there.
falsified() { ./program --no-store --replay "$1" >log 2>&1; [ $? = 1 ] && grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log; }

# ---- libFuzzer
echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' >probe.c
if clang -fsanitize=fuzzer probe.c -o probe >log 2>&1; then
    build "clang -fsanitize=fuzzer,address" "$example" -o target && mkdir corpus
    report $? "a target for libFuzzer builds"
    ./target -seed=1 -runs=1000000 -artifact_prefix=./ corpus >log 2>&1
    grep -aq 'insert_keeps_order: falsified' log && set -- crash-* && [ -f "$1" ]
    report $? "libFuzzer finds the bug"
    token=$("$sonde" convert --with=./target "@$1" 2>log) && falsified "$token"
    report $? "what libFuzzer found fails in sonde too"
    head -qc 4 corpus/* | grep -q sond
    report $? "the mutator makes tapes"
    "$sonde" convert --to=bytes 's1:xs[{x=9} {x=8}]' seed && [ "$("$sonde" convert --with=./target @seed 2>log)" = 's1:xs[{x=9} {x=8}]' ]
    report $? "a token is a seed for libFuzzer and means the same there"
    # The fuzzer's own count of what it ran, beside ours.
    cat >count.c <<'C'
#include "sonde_fuzz.h"
static unsigned long runs;
static void say_runs(void) { fprintf(stderr, "ran %lu times\n", runs); }
static void counted(sonde *t)
{
    if (runs++ == 0) atexit(say_runs);
    sonde_list xs = sonde_list_of(t, "xs", 0, 16);
    int sum = 0;
    while (sonde_more(&xs)) sum += sonde_int(t, "x", 0, 100);
    if (sum > 100) sonde_note(t, "large");
}
SONDE_FUZZ_TARGET(counted)
C
    build "clang -fsanitize=fuzzer" count.c -o count && ./count -seed=1 -runs=5000 -print_final_stats=1 >log 2>&1
    ran=$(sed -n 's/^ran \([0-9]*\) times$/\1/p' log) units=$(sed -n 's/^stat::number_of_executed_units: *//p' log)
    echo "the property ran $ran times for $units units" >>log
    [ -n "$ran" ] && [ "$ran" -ge 5000 ] && [ $((ran - units)) -le 1 ] && [ "$units" -le "$ran" ] # it may try an empty input first
    report $? "the property runs once for each unit of libFuzzer"
    build "clang++ -x c++ -std=c++17 -fsanitize=fuzzer" -Wno-pedantic -Wno-missing-field-initializers "$example" -x none -o target_cpp && ./target_cpp -seed=1 -runs=100 >log 2>&1
    report $? "a target in C++ builds and runs"
    if [ -n "${SONDE_TEST_LONG:-}" ]; then
        (cd "$SRC" && BUILD=$CHECK_BUILD bench/run literals --guide libfuzzer,libfuzzer-bytes --only magic --seeds 1-1 --json) >rows 2>log
        [ "$(grep -c '"found":' rows)" = 2 ] && grep -q '"libfuzzer-bytes".*"found":true' rows
        report $? "the suite literals runs libFuzzer, which finds a magic number"
        (cd "$SRC" && BUILD=$CHECK_BUILD bench/run throughput --tests 5000 --seeds 1-1 --json) >rows 2>log
        [ "$(grep -c '"tests":5000,.*"edges":[1-9].*"of_bytes":[0-9]' rows)" = 18 ]
        report $? "the suite throughput has six arms for each of three properties"
    fi
else
    skip "libFuzzer finds the bug" "clang's libFuzzer is not installed"
fi

# ---- Any compiler: a runner of files
cat >crash.c <<'C'
#include "sonde_fuzz.h"
#include <unistd.h>
static void no_seven(sonde *t)
{
    int *volatile nowhere = NULL;
    sonde_open(t, "digit");
    int x = sonde_int(t, "x", 0, 9);
    if (x == 7) *nowhere = 1;
    while (x == 8) pause();
    sonde_close(t, "digit");
}
SONDE_FUZZ_TARGET(no_seven)
C
build "$CC -DSONDE_FUZZ_MAIN" crash.c -o runner && printf '\003' >three && printf '\007' >seven && ./runner three
report $? "a runner of files builds with any compiler"
(./runner seven) >log 2>&1
[ $? -gt 128 ]
report $? "a crash of the code under test is a crash of the target"
[ "$("$sonde" convert --with=./runner @seven 2>log)" = 's1:digit{x=7} ?' ]
report $? "an input that crashes has a token"
printf '\010' >eight && [ "$("$sonde" convert --with=./runner @eight 2>log)" = 's1:digit{x=8} ?' ]
report $? "an input that hangs has a token"
[ "$("$sonde" convert --with=./runner @three 2>log)" = 's1:digit{x=3}' ]
report $? "an input that passes has a token"
"$sonde" convert --with=true @three >log 2>&1
[ $? = 2 ] && grep -q 'printed no token' log
report $? "a program that is no target is told"

# ---- C++: cases are left by exceptions
cat >target.cpp <<'C'
#include "sonde_fuzz.h"

#include <cstdio>
#include <stdexcept>

struct held {
    ~held() { std::fprintf(stderr, "destroyed\n"); }
};

static void picky(sonde *t)
{
    held resource;
    int x = sonde_int(t, "x", 0, 9);
    if (x == 3) throw std::runtime_error("three is odd");
    sonde_assume(t, x != 4);
    sonde_check(t, x != 7);
}

SONDE_FUZZ_TARGET(TARGET)
C
# ends STATUS BYTE TEXT: the runner, given that byte, has run the destructor once and says so; nothing if TEXT is empty.
ends() {
    printf "\\00$2" >byte
    (ulimit -c 0; ./picky byte) >log 2>&1
    [ $? = "$1" ] && [ "$(grep -c '^destroyed$' log)" = 1 ] && if [ -n "$3" ]; then grep -qF -- "$3" log; else ! grep -q '^sonde:' log; fi
}
for target in picky 'sondecpp::property<picky>'; do
    sed "s/TARGET)/$target)/" target.cpp >picky.cpp
    build "$CXX -std=c++17 -DSONDE_FUZZ_MAIN" picky.cpp -o picky
    report $? "C++: a runner for $target builds"
    ends 134 3 "sonde: $target: falsified: an exception came out of the property: three is odd" && grep -qF "sonde: replay with --replay 's1:x=3 ?'" log
    report $? "C++: an exception is a failure with its input, and destructors have run"
    ends 134 7 "sonde: $target: falsified: picky.cpp:16: x != 7 does not hold" && grep -qF "sonde: replay with --replay 's1:x=7 ?'" log
    report $? "C++: the claim is named, with its input, and destructors have run"
    ends 0 4 '' && ends 0 5 ''
    report $? "C++: an input that is discarded, or passes, is no failure, and destructors have run"
done

# ---- AFL++
if ! command -v afl-fuzz >/dev/null 2>&1 || ! command -v afl-clang-fast >/dev/null 2>&1; then
    skip "AFL++ finds the bug" "afl++ is not installed"
else
    export AFL_QUIET=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_BENCH_UNTIL_CRASH=1
    loose=-Wno-pedantic build afl-clang-fast "$example" -o afl_target && build "$CC -O2 -fPIC -shared" "$SRC/adapters/afl_mutator.c" -o mutator.so
    report $? "a target and a mutator for AFL++ build"
    mkdir in && "$sonde" convert --to=bytes 's1:xs[{x=1} {x=5}]' in/1
    AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/mutator.so timeout 100 afl-fuzz -s 1 -V 60 -i in -o out -- ./afl_target >log 2>&1
    set -- out/default/crashes/id*
    [ -f "$1" ]
    report $? "AFL++ finds the bug"
    token=$("$sonde" convert --with=./afl_target "@$1" 2>log) && falsified "$token"
    report $? "what AFL++ found fails in sonde too"
    if [ -n "${SONDE_TEST_LONG:-}" ]; then
        (cd "$SRC" && BUILD=$CHECK_BUILD bench/run ifc-stack --guide afl --only 4,7 --tests 5000 --seeds 1-1 --json) >rows 2>log
        [ "$(grep -c '"guide":"afl",.*"tests":[1-9][0-9]*,"valid":[1-9]' rows)" = 2 ] && grep '"row":"4"' rows | grep -q '"tests":5000,.*"stopped":"tests"'
        report $? "the suite ifc-stack runs AFL++ for as many tests as asked"
    fi
fi
echo "1..$n"
