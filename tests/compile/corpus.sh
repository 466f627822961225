#!/bin/sh
# The corpus tools: min, merge and cov ask a test program, built with sonde cc, what tapes reach.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 log | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
sonde=$BUILD/sonde
tokens() { cat "$1"/*.tape | grep '^s1:' | sort; }
cat >test.c <<'C'
#include <sonde.h>
#include <stdlib.h>

static int judge(int a, int b)
{
    if (a == 9)
        abort();
    if (a > b)
        return 1;
    if (a == b)
        return 2;
    if (b == 8)
        return 3;
    return 0;
}

static void judged(sonde *t)
{
    int last = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 20);
    while (sonde_more(&xs)) last = judge(sonde_int(t, "a", 0, 9), sonde_int(t, "b", 0, 9));
    sonde_check(t, last < 4);
}

SONDE_MAIN(judged)
C
"$sonde" cc -g -O0 test.c -o test >log 2>&1
report $? "a test program builds"
mkdir in
i=0
for tape in 'xs[{a=1 b=2}]' 'xs[{a=1 b=3}]' 'xs[{a=2 b=1}]' 'xs[{a=5 b=5}]' 'xs[{a=6 b=6}]' 'xs[{a=9 b=1}]' 'xs[{a=3 b=4}]'; do
    i=$((i + 1))
    echo "s1:$tape" >in/$i
done
"$sonde" convert --to=bytes 's1:xs[{a=4 b=2}]' in/8

"$sonde" min in out -- ./test >log 2>&1 && grep -q '^3 of 8 tapes kept' log && grep -q '1 fail' log
report $? "min keeps one tape for each way through the code, and none that fails"
tokens out >log
printf '%s\n' 's1:xs[{a=1 b=2}]' 's1:xs[{a=2 b=1}]' 's1:xs[{a=5 b=5}]' | cmp -s - log
report $? "the first of equals is kept"
"$sonde" merge out in -- ./test >log 2>&1 && grep -q '^0 of 8' log
report $? "merge adds nothing that is known"
mkdir more && echo 's1:xs[{a=1 b=8}]' >more/1 && "$sonde" merge out more in -- ./test >log 2>&1 && grep -q '^1 of 9' log && [ "$(tokens out | wc -l)" = 4 ]
report $? "merge adds what is new"
mkdir long && echo 's1:xs[{a=1 b=2} {a=1 b=2} {a=1 b=2}]' >long/1 && "$sonde" min --trim long trimmed -- ./test >log 2>&1 && tokens trimmed >log && [ "$(cat log)" = 's1:xs[{a=1 b=2} {a=1 b=2}]' ]
report $? "min --trim drops what a tape does not need"
"$sonde" cov in -- ./test >log 2>&1 && grep -q 'judge: ' log && grep -A1 'judge: ' log | grep -qx '    not reached: 7, 13'
report $? "cov names the line that no tape reaches, in spite of a tape that crashes"
"$sonde" cov --lcov out -- ./test >log 2>&1 && grep -q '^SF:.*test\.c$' log && grep -q '^DA:13,1$' log && grep -q end_of_record log
report $? "cov --lcov counts the tapes that reach a line"
mkdir "o'neil" && cp test "o'neil/te\$t" && mkdir tmp && TMPDIR=$PWD/tmp "$sonde" cov in -- "./o'neil/te\$t" >log 2>&1 && grep -q '    not reached: 7, 13' log
report $? "cov of a program whose path has a quote"
"$sonde" min in nothing -- true >log 2>&1
[ $? = 2 ] && grep -q "'true' does not report" log
report $? "a program that is no test program is told"
"$sonde" min in -- ./test >log 2>&1
[ $? = 2 ] && "$sonde" min no-such-folder x -- ./test >log 2>&1
[ $? = 2 ] && grep -q 'no-such-folder' log
report $? "missing folders are told"
"$sonde" diff 's1:x=1 y=2' 's1:x=1 y=3' >log
[ $? = 1 ] && [ "$(cat log)" = '  x = 1
- y = 2
+ y = 3' ] && "$sonde" diff 's1:x=1' 's1:x=1' >log
report $? "diff shows where two tapes part"
"$sonde" convert 's1:t{x=1}' bytes && "$sonde" convert --to=tape @bytes file && [ "$("$sonde" convert --to=token @file)" = 's1:t{x=1}' ]
report $? "token, bytes and file are one tape"
echo "1..$n"
