#!/bin/sh
# Line tables where they may be: compressed, in a file beside the program, in one that its build id names. And a tool that was
# built without libdw says what is missing.
# Stages: gcc
sonde=$BUILD/sonde
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 20; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

cat >without.c <<'TEXT'
#include "lines.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    struct sonde_lines l;
    const char *why = sonde_lines_read(&l, argv[argc - 1]);
    sonde_lines_clear(&l);
    return why ? puts(why) < 0 : 1;
}
TEXT
$CC -I"$SRC/include" -I"$SRC/src" -I"$SRC/tools" without.c "$SRC/tools/lines.c" "$BUILD/libsonde.a" -lm -lpthread -o without 2>log &&
    ./without without >log 2>&1 && grep -q 'without a reader of line tables; install libdw' log
report $? "without libdw the reason is given"

cat >covered.c <<'TEXT'
#include <sonde.h>

static void checked(sonde *t)
{
    int x = sonde_int(t, "x", -10, 10);
    if (x > 20)
        x = 0;
    sonde_check(t, x <= 10);
}

SONDE_MAIN(checked)
TEXT
# page PROGRAM: writes page.html without lines; lines COMMAND...: adds them
page() { SONDE_TOOL=/bin/true "$1" --no-store --seed 1 --tests 200 --report html:page.html >log 2>&1; }
lines() { "$@" html page.html >>log 2>&1; grep -q '5 of 7 lines were reached' log; }

"$sonde" cc --sonde-cc=gcc -g -O0 covered.c -o plain >log 2>&1 && page ./plain && lines "$sonde"
status=$?
grep -q 'without a reader' log && { echo "sonde was built without libdw"; exit 77; }
report $status "in the program"

"$sonde" cc --sonde-cc=gcc -g -gz -O0 covered.c -o packed >log 2>&1 && readelf -S packed | grep -qE '^ .* C ' && page ./packed && lines "$sonde"
report $? "compressed"

if ! command -v objcopy >/dev/null; then
    skip "in a file beside it" "objcopy is not installed"
    skip "in a file that the build id names" "objcopy is not installed"
    echo "1..$n"
    exit
fi
mkdir .debug
cp plain stripped && objcopy --only-keep-debug plain .debug/apart && strip stripped && objcopy --add-gnu-debuglink=.debug/apart stripped &&
    page ./stripped && lines "$sonde"
report $? "in a file beside it"

id=$(readelf -n plain | sed -n 's/.*Build ID: //p')
rest=${id#??}
mkdir -p system/.build-id/"${id%"$rest"}"
mv .debug/apart system/.build-id/"${id%"$rest"}/$rest.debug"
objcopy -R .gnu_debuglink stripped && page ./stripped
# A file system of its own, in which the system has these files.
if [ -d /usr/lib/debug ] && unshare -rm mount --bind system /usr/lib/debug 2>/dev/null; then
    echo 'mount --bind system /usr/lib/debug && exec "$@"' >with_system
    lines unshare -rm sh with_system "$sonde"
    report $? "in a file that the build id names"
else
    skip "in a file that the build id names" "no name space can be made here"
fi
echo "1..$n"
