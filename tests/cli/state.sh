#!/bin/sh
# --find-state: which state of earlier cases a failure depends on. bench/state/run has twenty leaks.
# Stages: gcc
# Not sanitized (the blocks of a sanitizer's heap are not known)
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | cut -c 1-600 | head -n 40; fi; }
says() { grep -qF -- "$1" log || { echo "missing: $1" >>log; return 1; }; }
cat >leaks.c <<'LEAKS'
#include <sonde.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static unsigned tally; /* changes, and never matters */
static bool leaves(sonde *t)
{
    tally++;
    return sonde_int(t, "a", 0, 1000) >= 900;
}
static int last;
SONDE_PROPERTY(variable)
{
    sonde_check(t, last < 2);
    if (leaves(t)) last++;
}
static int first, second;
SONDE_PROPERTY(two)
{
    bool does = leaves(t);
    sonde_check(t, !(first && second));
    if (does) first = second = 1;
}
SONDE_PROPERTY(locale)
{
    sonde_check(t, !strcmp(setlocale(LC_ALL, NULL), "C"));
    if (leaves(t)) setlocale(LC_ALL, "C.UTF-8");
}
SONDE_PROPERTY(directory)
{
    char now[4096];
    sonde_check(t, getcwd(now, sizeof now) && strcmp(now, "/") != 0);
    if (leaves(t)) (void)!chdir("/");
}
SONDE_PROPERTY(outside)
{
    sonde_check(t, !getenv("HOME") || access("/proc/self/fd/0", F_OK) == 0);
    extern int unknown(int);
    sonde_check(t, unknown(leaves(t)) < 3);
}
SONDE_PROPERTY(plain)
{
    sonde_check(t, sonde_int(t, "a", 0, 1000) < 900);
}
SONDE_MAIN()
LEAKS
echo 'static int sum; int unknown(int x); int unknown(int x) { return sum += x; }' >other.c
"$CC" -c other.c -o other.o && SONDE_CC=$CC "$BUILD/sonde" cc -g leaks.c other.o -o leaks >log 2>&1 || { report 1 "the program compiles"; exit 1; }
run() { ./leaks --filter "$1" --find-state --no-store --seed 1 --time 0 --tests 3000 >log 2>&1; [ $? = 1 ]; }

where=leaks.c:13
[ "$STAGE" != clang ] || where='leaks.c: last' # addr2line finds no variables in clang's debug information
run variable && says 'State:' && says 'last (4 bytes) is left changed; with it restored, the input does what it does alone' && says "$where" && ! grep -q tally log
report $? "a variable, with its file and line, and no other"
run two && says 'first (4 bytes) is left changed' && says 'second (4 bytes) is left changed'
report $? "two variables, each of which would do"
run locale && says 'the locale is left changed' && ! grep -q bytes log
report $? "the locale"
run directory && says 'the working directory is left changed'
report $? "the working directory"
run outside && says 'not found: ' && says 'variables of other code'
report $? "state that is not known is not named"
run plain && ! says 'State:'
report $? "a failure that needs no earlier cases is left alone"
./leaks --filter variable --find-state --no-store --replay 'a=950 ; a=950 ; ?' >log 2>&1
[ $? = 1 ] && says 'last (4 bytes) is left changed'
report $? "with --replay"
./leaks --filter variable --find-state --no-store --seed 1 --json >log 2>&1
[ $? = 1 ] && says '"state": ["' && says 'last (4 bytes) is left changed; with it restored, the input does what it does alone"]'
report $? "in JSON"
