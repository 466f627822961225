#!/bin/sh
# sonde cc --mutants: a program with all its mutants does the same as without, unless one is chosen; gcc and clang.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 log | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
tool=$(cd "$BUILD" && pwd)/sonde
cp "$SRC"/tests/compile/mutants/*.[ch] .
# says STATUS WORDS COMMAND...: it ends so and prints these words
says() {
    wanted=$1 words=$2
    shift 2
    "$@" >log 2>&1
    [ $? = "$wanted" ] && grep -qF -e "$words" log
}

step=3 # every third site and mutant, unless there is time
[ -z "$SONDE_TEST_LONG" ] || step=1

for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    mutate() { "$tool" cc --sonde-cc=$cc --no-cover --mutants "$@"; }
    link() { $cc -w "-I$SRC/include" "$@" driver.c; }

    # ---- With none chosen, all is as before
    for level in -O0 -O2; do
        $cc -w $level main.c code.c other.c -o plain && mutate $level -c code.c -o code.o >log 2>&1 \
            && mutate $level -c other.c -o other.o >>log 2>&1 && link main.c code.o other.o -o mutants 2>>log
        report $? "$cc $level: two mutated files, beside main.c as it is"
        ./plain >plain.txt && ./mutants >mutants.txt && cmp plain.txt mutants.txt >log 2>&1
        report $? "$cc $level: without a mutant the program does the same"
    done
    says 0 ' 2 more do not compile' mutate -v -fdiagnostics-color=always -c code.c -o coloured.o
    report $? "$cc: mutants that do not compile are found also with coloured messages"
    COUNT=1 ./mutants >counts.txt
    grep -q '^code.c: .* 0 compared, 0 differed$' counts.txt
    report $? "$cc: nothing is compared without watch"
    sites=$(sed -n 's/^code.c: .* mutants, \([0-9]*\) sites.*/\1/p' counts.txt)
    : >log
    for site in $(seq 1 $step "$sites"); do
        SITE=$site WATCH=1 COUNT=1 ./mutants >one.txt 2>&1
        grep -qxF -f plain.txt one.txt && ! grep -q ' [1-9][0-9]* compared' one.txt || echo "site $site: $(cat one.txt)" >>log
    done
    [ "$sites" -gt 90 ] && [ ! -s log ]
    report $? "$cc: nor does a null mutant, even if it is watched"

    # ---- Chosen mutants
    LIST=1 ./mutants >list.txt
    total=$(sed -n 's/^code.c: \([0-9]*\) mutants.*/\1/p' counts.txt) changed=0 tried=0
    for mutant in $(seq 1 $step "$total"); do
        tried=$((tried + 1))
        MUTANT=$mutant timeout 2 ./mutants >one.txt 2>/dev/null
        [ "$(cat one.txt)" = "$(cat plain.txt)" ] || changed=$((changed + 1))
    done
    echo "$changed of $tried, $total in all" >log
    [ "$total" -gt 170 ] && [ $((changed * 10)) -gt $((tried * 7)) ]
    report $? "$cc: most mutants change what is printed"
    row() { grep -qF -e "$1" list.txt; }
    for wanted in 'code.c:40:16 add - [n-- > 0] -> [n-- >= 0] kind 0' 'everything MAX [(a) > (b)] -> [(a) >= (b)]' \
        'loops - [n -= 100] -> [n += 100] kind 7' 'kinds - [break] -> [] kind 12' 'everything - [snprintf(buffer, sizeof buffer,' \
        'texts true [true] -> [true - 1] kind 8 hints 66' 'texts - [p == NULL] -> [p != NULL] kind 0' 'other.c:6:14 other - [b < 3] -> [b <= 3]'; do
        row "$wanted"
        report $? "$cc: has $wanted"
    done
    cp list.txt log
    ! grep -qE '(assert|LOG_IT|SUM)( |$)|other.c:5:|not_this|\[made =|lifetimes - \[p =|jumps - \[setjmp|case|SIZE|\[NULL\]' list.txt
    report $? "$cc: nothing of logging, marked lines, compound literals, setjmp and constant expressions"
    # shellcheck disable=SC2016 # these quotes are printed
    ! grep -qF '[p - q]' list.txt && says 0 'other.c:20: `p - q` as `p + q`: ' mutate -v -c other.c -o other.o
    report $? "$cc: what does not compile is left out, and listed with -v"
    mutant=$(grep -n 'floating - \[d - f\|loops - \[n > 500\] -> \[n >= 500\]' list.txt | grep 'code.c' | head -n 1 | cut -d: -f1)
    first=$(grep -n '^code.c' list.txt | head -n 1 | cut -d: -f1)
    MUTANT=$((mutant - first + 1)) WATCH=1 COUNT=1 ./mutants >log 2>&1
    grep -qE '^code.c: .* [1-9][0-9]* compared, [0-9]+ differed$' log
    report $? "$cc: watch compares the chosen mutant with the original"

    # ---- Headers, libraries, other commands
    mutate=--mutants='*/code.h,code.h'
    "$tool" cc --sonde-cc=$cc --no-cover "$mutate" -c code.c -o inline.o && link main.c inline.o other.o -o inline 2>log && LIST=1 ./inline >list.txt
    grep -qE 'code.h:[0-9]+:[0-9]+ twice - \[a \* 2\] -> \[a \+ 2\]' list.txt && ! grep -q '^code.c' list.txt
    report $? "$cc: a glob chooses static inline functions of a header"
    mutate -fPIC -shared code.c other.c -o libcode.so >log 2>&1 && $cc -w "-I$SRC/include" -rdynamic main.c driver.c ./libcode.so -o dynamic 2>>log \
        && ./dynamic >dynamic.txt && cmp plain.txt dynamic.txt >>log 2>&1 && LIST=1 ./dynamic | grep -q '^other.c:6:14 '
    report $? "$cc: a shared library brings its mutants along"
    mutate -S code.c -o code.s >log 2>&1 && grep -q sonde_mutants_here_ code.s
    report $? "$cc: -S writes mutants, too"
    mutate -E code.c >code.i 2>log && [ ! -s log ] && ! grep -q sonde_mutant_hit_ code.i
    report $? "$cc: -E only preprocesses"
    printf 'int f(int a)\n{\n    int b;\n    return a +;\n}\n' >wrong.c
    says 1 'wrong.c:4:' mutate -c wrong.c -o wrong.o && ! grep -q 'sonde-' log
    report $? "$cc: errors are those of the source"
    printf 'int f(int a)\n{\n    int b;\n    return a + 1;\n}\n' >warned.c
    mutate -Wall -c warned.c -o warned.o >log 2>&1 && [ "$(grep -c 'warned.c:3.*unused' log)" = 1 ] && ! grep -q 'sonde' log
    report $? "$cc: so are warnings, once"
done

# ---- Hints
printf '%s\n' 'int last(int *v, int n)' '{' '    int s = 0;' '    for (int i = 0; i < n; i++) s += v[i];' \
    '    for (int i = 0; i < 5; i++)' '        if (v[i] > 7) v[i] = 0;' '    for (int i = 0; i < n; i++) s++;' '    return s;' '}' >bounds.c
echo 'int main(void) { return 0; }' >main_only.c
"$tool" cc --no-cover --mutants -c bounds.c -o bounds.o >log 2>&1 && ${CC:-cc} -w "-I$SRC/include" main_only.c bounds.o driver.c -o bounds 2>>log
LIST=1 ./bounds >log 2>&1
grep -q 'bounds.c:4:.*\[i <= n\] kind 0 hints 72$' log && grep -q 'bounds.c:5:.*\[5 + 1\] kind 8 hints 72$' log &&
    grep -q 'bounds.c:5:.*\[5 - 1\] kind 8 hints 64$' log && grep -q 'bounds.c:6:.*\[v\[i\] >= 7\] kind 0 hints 64$' log &&
    grep -q 'bounds.c:7:.*\[i <= n\] kind 0 hints 64$' log
report $? "a bound that is one too far for an index has the hint of an access out of bounds, no other bound has"

# ---- Tests with the library, and what is refused
cc=$(command -v clang >/dev/null && echo clang || echo gcc)
cat >test.c <<'C'
#include <sonde.h>
#include "code.h"
static int limit(int a)
{
    return a / 4 + 2;
}
static void is_less(sonde *t)
{
    int a = sonde_int(t, "a", -9, 9);
    sonde_check(t, other(a) == (a < limit(3)));
}
int main(int argc, char **argv)
{
    static const sonde_property all[] = {{.name = "is_less", .run = is_less}};
    return sonde_main(argc, argv, all, 1);
}
C
SONDE_CC=$cc "$tool" cc --mutants test.c other.c -o test >log 2>&1 && ./test --no-store >>log 2>&1
report $? "a test with mutants passes as without"
nm test >log 2>&1
[ "$(grep -c sonde_mutants_here_ log)" = 1 ]
report $? "the test itself has no mutants"
says 0 'test.c: 6 mutants at 1 sites' "$tool" cc --mutants='test*' -v -w -c test.c -o test.o
report $? "unless a glob chooses it: then its functions have some, but not its draws and checks"
says 2 'no source here has a function' "$tool" cc --mutants=othr.c test.c other.c -o test
report $? "a glob that matches nothing is refused"
says 2 'name files with the code under test' "$tool" cc --mutants test.c -o test
report $? "so is a program of tests alone"
says 1 'wrong.c:4:' "$tool" cc --mutants test.c wrong.c -o test && ! grep -q 'no source here' log
report $? "an error of the compiler is shown, not taken for a program of tests alone"
echo '#include "missing.h"' >missing.c
says 1 'missing.h' "$tool" cc --mutants test.c missing.c -o test && ! grep -q 'no source here' log
report $? "so is a header that is missing"
says 2 'the options are --mutants' "$tool" cc --mutant=3 other.c -c
report $? "an option that resembles --mutants is refused"
says 2 'cannot be combined with --threads' "$tool" cc --mutants --threads -c other.c
report $? "so are threads"
cp other.c other.cc
says 0 'other.cc is compiled without mutants: --mutants is for C' "$tool" c++ --mutants -c other.cc -o other.o
report $? "C++ is compiled without mutants, with a warning"
says 0 'no effect on this command, because of -save-temps' "$tool" cc --mutants -save-temps -c other.c -o other.o
report $? "so is a source that cannot be replaced"
printf 'int log_this(int);\nint f(int a) { trace_it(a); return 0 ; }\nint trace_it(int a) { return a; }\n' >skip.c
"$tool" cc --mutants --mutants-skip='nothing,trace*' --print-rewritten -w skip.c 2>&1 | grep -c '"trace_it(a)"' >log
grep -qx 0 log
report $? "--mutants-skip leaves calls alone"
# ---- Verdicts about mutants that are hard to judge
mkdir judged && cd judged || exit 1
echo 'int twice(int a) { return a * 2; }' >code.c
cat >test.c <<'C'
#include <sonde.h>
#include <stdio.h>
#include <string.h>
int twice(int a);
/* With a mutant: fails at case 3 of the first process, nowhere in the second, and at case 5 of the third. */
SONDE_PROPERTY(is_flaky)
{
    static int process, n;
    int mutant = twice(3);
    char name[20];
    sonde_int(t, "a", 0, 1000);
    snprintf(name, sizeof name, "count%d", mutant);
    if (mutant != 6 && !n) {
        FILE *f = fopen(name, "a");
        fputc('x', f);
        process = (int)ftell(f);
        fclose(f);
    }
    n++;
    sonde_check(t, mutant == 6 || !((process == 1 && n == 3) || (process == 3 && n == 5)));
}
/* With a mutant: writes over all memory that is shared with other processes. */
SONDE_PROPERTY(overwrites)
{
    char line[512], mode[8];
    unsigned long from, to;
    sonde_int(t, "a", 0, 1000);
    if (twice(3) == 6) return;
    FILE *f = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && mode[3] == 's' && mode[1] == 'w')
            memset((void *)from, 0xa5, to - from < 1 << 20 ? to - from : 1 << 20);
    fclose(f);
}
SONDE_MAIN()
C
"$tool" cc --mutants -w test.c code.c -o test >log 2>&1
says 0 '3 mutants: 0 killed, 0 survived, 0 never reached, 0 not tried, 3 not confirmed' ./test --mutate --no-store --filter is_flaky --tests 100
report $? "a check that fails again, but elsewhere in a series, does not confirm a kill"
says 0 '3 mutants: 3 killed' ./test --mutate --no-store --filter overwrites --tests 100
report $? "a mutant that writes over the result of its trial has not survived"
cd .. || exit 1
echo "1..$n"
