#!/bin/sh
# .reset = SONDE_GLOBALS: variables of what `sonde cc` has compiled are as before the first case, in each case, and nobody else's are. A parser made by
# flex and bison and a program with Lua keep state; with reset their verdicts do not depend on what ran before (check-long: 1,000 of 1,000).
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 30; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
cp "$SRC"/tests/compile/globals/* .
sonde=$BUILD/sonde
runs=${SONDE_TEST_LONG:+1000}
runs=${runs:-15}

# holds OPTIONS...: the first property holds in every case, the second fails by its input, whatever came before.
holds() {
    ./once --no-store --seed 1 --tests 500 "$@" >log 2>&1
    [ $? = 1 ] && grep -q '^ok .*is_called_once' log && grep -q ' x = 5000' log && ! grep -q 'earlier case' log
}
# compiles NAME FLAGS...
compiles() {
    name=$1
    shift
    "$sonde" cc "$@" code.c once.c -o once >log 2>&1 && holds
    report $? "every variable is restored ($name)"
}

compiles 'gcc -O0' --sonde-cc=gcc -O0
compiles 'clang -O0' --sonde-cc=clang -O0
compiles 'clang -O2, ASan and UBSan' --sonde-cc=clang -O2 --sanitize
compiles 'gcc -O2, ASan and UBSan' --sonde-cc=gcc -O2 --sanitize
compiles 'gcc, a section for each variable' --sonde-cc=gcc -O1 -fdata-sections -Wl,--gc-sections
compiles 'clang -O2' --sonde-cc=clang -O2 -fPIC
holds --isolate none
report $? "... without isolation, where the second property begins as the first did"
holds --isolate case --tests 40
report $? "... in a process for each case"
holds --jobs 2
report $? "... with two jobs"
holds --spawn
report $? "... in workers that are programs of their own"
grep -q '100.0 %  a case after another' log || grep -q '99.[0-9] %  a case after another' log
report $? "a variable with SONDE_KEPT counts on"
./once --no-store --filter fails --replay 's1:x=4999' >log 2>&1 && ./once --no-store --filter fails --replay 's1:x=4999 ; s1:x=2 ; s1:x=4999' >log 2>&1
report $? "a replay of several cases restores between them"
NO_RESET=1 ./once --no-store --seed 1 --filter fails >log 2>&1
grep -q '^FAIL fails_by_its_input' log && grep -q ' x = 5000' log && ! grep -qE 'some steps gave up|not each time|cut short' log
report $? "without .reset shrinking is repeated in new workers, so the state does not hide the smallest input"

# In a library, and in parts: compiled by sonde cc, linked by another.
"$sonde" cc --sonde-cc=gcc -O1 -fPIC -shared code.c -o libcode.so >log 2>&1 &&
    "$sonde" cc --sonde-cc=gcc -O1 once.c -L. -lcode -Wl,-rpath,"$PWD" -o once >>log 2>&1 && holds
report $? "variables of a shared library are restored"
"$sonde" cc --sonde-cc=gcc -O1 -c code.c >log 2>&1 && "$sonde" cc --sonde-cc=gcc -O1 -c once.c >>log 2>&1 &&
    gcc code.o once.o -L"$BUILD" -lsonde -lm -Wl,-rpath,"$BUILD" -o once >>log 2>&1 && holds
report $? "... and those of a program with the shared libsonde"

# A program that sonde cc has not compiled.
gcc -O1 -I"$SRC/include" code.c once.c "$BUILD/libsonde.a" -lm -lpthread -o once >log 2>&1 && {
    ./once --no-store >log 2>&1
    [ $? = 2 ] && grep -q 'no variables of the code under test are known' log
}
report $? "a program that sonde cc has not compiled is an error with a sentence"

# The heap.
cat >heap.c <<'C'
#include <sonde.h>
#include <stdlib.h>
static char *table;
__attribute__((constructor)) static void make(void) { table = calloc(1, 100); }
static void frees(sonde *t)
{
    if (sonde_int(t, "x", 0, 1 << 20) % 7 == 3) free(table), table = calloc(1, 200);
    table[5]++;
}
static void keeps(sonde *t)
{
    static char *lazy;
    if (!lazy) lazy = malloc(100);
    lazy[sonde_int(t, "x", 0, 1 << 20) % 100] = 1;
}
static void loses(sonde *t)
{
    volatile char *block = sonde_int(t, "x", 0, 1 << 20) > 77 ? malloc(7) : NULL;
    if (block) block[0] = 1;
    keeps(t);
}
int main(int argc, char **argv)
{
    sonde_property all[] = {{.name = "frees", .run = frees, .reset = SONDE_GLOBALS}, {.name = "keeps", .run = keeps, .reset = SONDE_GLOBALS},
                            {.name = "loses", .run = loses, .reset = SONDE_GLOBALS}};
    return sonde_main(argc, argv, all, 3);
}
C
"$sonde" cc --sonde-cc=clang -O1 --sanitize heap.c -o heap >log 2>&1 && {
    ./heap --no-store --seed 1 --filter frees >log 2>&1
    [ $? = 2 ] && grep -q 'freed a block of the heap' log
}
report $? "a block of before the first case that a case frees is an error with a sentence (ASan)"
./heap --no-store --seed 1 --tests 600 --filter keeps >log 2>&1 && ./heap --no-store --seed 1 --tests 600 --filter keeps --isolate none >log 2>&1
report $? "what a variable held is no leak"
./heap --no-store --seed 1 --tests 600 --filter loses >log 2>&1
[ $? = 1 ] && grep -q 'LeakSanitizer' log && grep -q ' x = 78' log
report $? "what nothing held is one"

# C++: static objects of namespaces and functions, with their guards.
cat >objects.cpp <<'C'
#include <sonde.hpp>
#include <string>
struct named { std::string name; int n; named() : name("a name that is too long to be stored inside"), n(1) {} };
static named everywhere;
static named &first_use() { static named here; return here; }
static void objects_are_new(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000);
    sonde_check_eq(t, everywhere.n, 1);
    sonde_check_eq(t, first_use().n, 1);
    sonde_check_eq(t, first_use().name.size(), everywhere.name.size());
    everywhere.n += x + 1, first_use().n += x + 1;
}
int main(int argc, char **argv)
{
    sonde_property all = sonde_property();
    all.name = "objects_are_new", all.run = sondecpp::property<objects_are_new>, all.reset = SONDE_GLOBALS;
    return sonde_main(argc, argv, &all, 1);
}
C
for cxx in g++ clang++; do
    command -v $cxx >/dev/null 2>&1 || { skip "static objects of C++ ($cxx)" "there is no $cxx"; continue; }
    "$sonde" c++ --sonde-cc=$cxx -O1 objects.cpp -o objects >log 2>&1 && ./objects --no-store --seed 1 --tests 500 >log 2>&1
    report $? "static objects of C++ are restored ($cxx)"
done

# always STATUS PROGRAM: the same verdict for so many seeds.
always() {
    seed=0
    while [ $seed -lt "$runs" ]; do
        seed=$((seed + 1))
        "$2" --no-store --seed $seed --tests 100 >log 2>&1
        [ $? = "$1" ] || return 1
    done
}
if command -v flex >/dev/null 2>&1 && command -v bison >/dev/null 2>&1; then
    flex -o sum.lex.c sum.l && bison -d -o sum.tab.c sum.y &&
        "$sonde" cc --sonde-cc=gcc -O1 sum.lex.c sum.tab.c sums.c -o sums >log 2>&1 && NO_RESET=1 ./sums --no-store --seed 1 >log 2>&1
    [ $? = 1 ] && grep -q 'fails only after 1 earlier case' log
    report $? "a parser of flex and bison that stays in a comment fails by what ran before"
    always 0 ./sums
    report $? "... and holds with .reset ($runs of $runs)"
else
    skip "a parser of flex and bison" "flex or bison is not installed"
fi
if "$sonde" cc --sonde-cc=gcc -O1 lua.c -llua5.4 -o lua >log 2>&1; then
    NO_RESET=1 ./lua --no-store --seed 1 >log 2>&1
    [ $? = 1 ] && grep -q 'fails only after 1 earlier case' log
    report $? "a program that keeps its Lua fails by what ran before"
    always 0 ./lua
    report $? "... and holds with .reset ($runs of $runs)"
else
    skip "a program that keeps its Lua" "liblua5.4-dev is not installed"
fi
echo "1..$n"
