#!/bin/sh
# Stages: gcc
# --explain=lines: of programs with a planted bug, the line of the bug is among the first three places of the explanation. By
# default four bugs, one of which crashes; with SONDE_TEST_LONG all forty by both compilers, of which each twenty must give 15.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
command -v addr2line >/dev/null || command -v llvm-symbolizer >/dev/null || { echo "no addr2line and no llvm-symbolizer"; exit 77; }
where=$SRC/tests/compile/lines

# bug CC FILE NUMBER: builds that program and lets it explain; log has what it printed.
bug() {
    case $1 in clang) points=inline-8bit-counters,pc-table,trace-cmp ;; *) points=trace-pc,trace-cmp ;; esac
    "$1" -g -O0 -fsanitize-coverage=$points -DBUG="$3" -I"$SRC/include" -c "$where/$2.c" -o under_test.o &&
        "$1" -g -DBUG="$3" -I"$SRC/include" "$where/$2_test.c" under_test.o "$BUILD/libsonde.a" -lm -lpthread -o a.out || return 1
    ./a.out --guide cgpt --seed 1 --tests 20000 --no-store --explain=lines >log 2>&1 </dev/null
    [ $? = 1 ]
}
# named FILE NUMBER: the line is one of the first three places.
named() {
    line=$(grep -n "P($2," "$where/$1.c" | cut -d: -f1)
    sed -n '/How it differs/,/Other values/p' log | sed -n 2,4p | grep -q "$1.c:$line[-:]"
}

if [ "${SONDE_TEST_LONG:-0}" = 1 ]; then
    for cc in clang gcc; do
        for from in 0 20; do
            hits=0
            for file in calendar utf8 ranges ring heap match value spans; do
                for i in $(grep -o 'P([0-9]*,' "$where/$file.c" | tr -dc '0-9\n'); do
                    [ "$i" -gt $from ] && [ "$i" -le $((from + 20)) ] || continue
                    bug $cc $file "$i" && named $file "$i" && hits=$((hits + 1))
                done
            done
            echo "# $cc, bugs $((from + 1)) to $((from + 20)): $hits of 20"
            [ $hits -ge 15 ]
            report $? "$cc, bugs from $((from + 1)) on: at least 15 lines of 20 are among the first three"
        done
    done
fi

bug clang calendar 6 && named calendar 6
report $? "clang: a bound that is one too low"
bug clang match 28 && named match 28 && grep -q ': matters, ' log
report $? "clang: an ending that is wrong for one character"
command -v gcc >/dev/null && bug gcc ranges 15 && named ranges 15 && grep -q 'parts: may vary, [0-9]* of' log
report $? "gcc: a bound that is one too high; values that may vary"

# A crash takes the counters of its process with it, unless they are saved.
cat >crash.c <<'END'
#include <stddef.h>
int depth(const char *text);
int depth(const char *text)
{
    int n = 0, most = 0;
    for (; *text; text++) {
        if (*text == 'b') n++;
        if (*text == 'c') n--;
        if (n > most) most = n;
        if (n == -2)
            *(volatile char *)0 = 0;
    }
    return most;
}
END
cat >crash_test.c <<'END'
#include <sonde.h>
int depth(const char *text);
static void has_a_depth(sonde *t)
{
    sonde_check(t, depth(sonde_string_of(t, "text", "abc", 0, 12)) >= 0);
}
SONDE_MAIN(has_a_depth)
END
for cc in clang gcc; do
    case $cc in clang) points=inline-8bit-counters,pc-table,trace-cmp ;; *) points=trace-pc,trace-cmp ;; esac
    $cc -g -O0 -fsanitize-coverage=$points -c crash.c -o crash.o && $cc -I"$SRC/include" crash_test.c crash.o \
        "$BUILD/libsonde.a" -lm -lpthread -o crash && ./crash --seed 1 --no-store --explain=lines >log 2>&1 </dev/null
    [ $? = 1 ] && sed -n '/How it differs/,/Other values/p' log | sed -n 2,3p | grep -qE 'crash.c:1[01][-:]'
    report $? "$cc: the line of a crash"
    ./crash --seed 1 --no-store --explain=lines --json >log 2>&1 </dev/null
    grep -q '"explanation": {"failing": [0-9]*, "passing": [0-9]*, "instrumented": true, "lines": \[{"file": "[^"]*crash.c"' log
    report $? "$cc: the same as JSON"
done

$CC -I"$SRC/include" crash_test.c crash.c "$BUILD/libsonde.a" -lm -lpthread -o plain &&
    ./plain --seed 1 --no-store --explain=lines >log 2>&1 </dev/null
grep -q 'is not instrumented. Compile it with sonde cc' log
report $? "code that is not instrumented: it says so"
./plain --seed 1 --no-store --explain=search >log 2>&1 </dev/null
! grep -q 'How it differs' log && ./plain --seed 1 --no-store --explain >log 2>&1 </dev/null
grep -q 'How it differs' log
report $? "search is not lines; without a word it is both"
./plain --explain=words >log 2>&1
[ $? = 2 ] && grep -q "'words' is not one of lines|search" log
report $? "another word is refused"
echo "1..$n"
