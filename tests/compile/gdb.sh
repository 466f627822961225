#!/bin/sh
# --gdb stops for every kind of failure, with and without a sanitizer; where nothing can stop, the program says so.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | cut -c 1-300 | tail -n 15; fi; }
command -v gdb >/dev/null || { echo "gdb is not installed"; exit 77; }
cat >kinds.c <<'TEXT'
#include <limits.h>
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sink;
static char *volatile p;
SONDE_PROPERTY(check_eq) { sonde_check_eq(t, sonde_int(t, "i", 0, 9), 1); }
SONDE_PROPERTY(fail) { if (sonde_int(t, "i", 0, 9)) sonde_fail(t, "no"); }
SONDE_PROPERTY(exits) { if (sonde_int(t, "i", 0, 9)) exit(0); }
SONDE_PROPERTY(_exits) { if (sonde_int(t, "i", 0, 9)) _exit(0); }
SONDE_PROPERTY(hangs) { if (sonde_int(t, "i", 0, 9)) for (;;) sink = 1; }
SONDE_PROPERTY(waits) { if (sonde_int(t, "i", 0, 9)) pause(); }
SONDE_PROPERTY(grows) { if (sonde_int(t, "i", 0, 9)) for (;;) memset(p = malloc(1 << 22), 1, 1 << 22); }
SONDE_PROPERTY(forks)
{
    if (!sonde_int(t, "i", 0, 9)) return;
    if (fork() == 0) sonde_check(t, sink == 1);
    wait(NULL);
}
SONDE_PROPERTY(traps) { if (sonde_int(t, "i", 0, 9)) __builtin_trap(); }
SONDE_PROPERTY(overruns) { p = malloc(8); p[sonde_int(t, "i", 0, 9)] = 1; free(p); }
SONDE_PROPERTY(overflows) { sink = INT_MAX; sink = sink + sonde_int(t, "i", 0, 9); }
SONDE_PROPERTY(leaks) { if (sonde_int(t, "i", 0, 9)) p = malloc(100), p = NULL; }
SONDE_MAIN()
TEXT
# stops PROGRAM PROPERTY PATTERN [OPTION...]
stops() {
    program=$1 property=$2 pattern=$3
    shift 3
    timeout -k 2 60 "./$program" --gdb --filter "$property" --replay 's1:i=9 ?' "$@" >log 2>&1 </dev/null
    grep -qE "$pattern" log
    report $? "$program: $property"
}
breakpoint='Breakpoint 1, .*sonde_failing_|Breakpoint 2[.0-9]*, .*_exit'
"$BUILD/sonde" cc -g -w --sonde-cc=gcc kinds.c -o plain >log 2>&1 || report 1 "the program compiles"
for property in fail _exits; do stops plain $property "$breakpoint"; done
stops plain forks "$breakpoint"
if [ -z "${SONDE_TEST_LONG:-}" ]; then # each start of gdb takes half a second
    echo "1..$n"
    exit
fi
for property in check_eq exits; do stops plain $property "$breakpoint"; done
stops plain hangs "$breakpoint" --timeout 0.2
stops plain waits "$breakpoint" --wall-timeout 0.3
stops plain grows "$breakpoint" --memory-limit 100M
stops plain traps '^Program received signal SIGILL'

echo 'int main(void) { return 0; }' >probe.c
if ! gcc -fsanitize=address,undefined probe.c -o probe >/dev/null 2>&1; then
    echo "ok $((n += 1)) - with sanitizers # SKIP gcc has none here"
else
    "$BUILD/sonde" cc -g -w --sonde-cc=gcc --sanitize kinds.c -o sanitized >log 2>&1 || report 1 "the program compiles"
    stops sanitized fail "$breakpoint"
    stops sanitized overruns "$breakpoint"
    stops sanitized overflows "$breakpoint"
    stops sanitized _exits "$breakpoint"
    stops sanitized leaks 'did not fail in the debugger; leaks'
fi
echo "1..$n"
