#!/bin/sh
# --since: which properties a change concerns, and which changed lines were reached, with gcc and clang.
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
command -v git >/dev/null || { echo "git is not installed"; exit 77; }
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
export GIT_CONFIG_GLOBAL=/dev/null
cat >code.c <<'C'
#include "code.h"
static int clamp(int x)
{
    if (x > 200)
        return 200;
    return x;
}
int level(int x)
{
    return clamp(x) / 10;
}
int twice(int x)
{
    if (x == 7)
        x = 8;
    return 2 * x;
}
int dies(int x)
{
    if (x > 500)
        return *(volatile int *)0;
    return x;
}
int by_pointer(int x)
{
    return x + 1;
}
C
cat >code.h <<'C'
#define MOST 20
int level(int x), twice(int x), dies(int x), by_pointer(int x);
C
cat >test.c <<'C'
#include <sonde.h>
#include "code.h"
static int (*volatile function)(int) = by_pointer;
SONDE_PROPERTY(levels) { sonde_check(t, level(sonde_int(t, "x", 0, 1000)) <= MOST); }
SONDE_PROPERTY(twices)
{
    int x = sonde_int(t, "x", 0, 1000);
    int y = twice(x);
    sonde_assume(t, x != 7);
    sonde_check(t, y % 2 == 0);
}
SONDE_PROPERTY(deaths) { sonde_check(t, dies(sonde_int(t, "x", 0, 100)) < 1000); }
SONDE_PROPERTY(pointers) { sonde_check(t, function(sonde_int(t, "x", 0, 100)) > 0); }
SONDE_MAIN()
C
printf 'test\n.sonde\nlog\n' >.gitignore
git init -q . && git config user.name x && git config user.email x && git add -A && git commit -qm base
build() { "$BUILD/sonde" cc --sonde-cc=$cc -O0 test.c code.c "$@" -o test >log 2>&1; }
# The properties that were searched, and the line about changed lines.
run() { ./test --seed 5 --no-store --tests 300 --max-discards 0 "$@" >log 2>&1 </dev/null; }
searched() { [ "$(sed -n 's/^[A-Za-z]* *\([a-z]*\): .*/\1 &/p' log | grep -v 'not searched' | grep -E '^(levels|twices|deaths|pointers) ' | cut -d' ' -f1 | tr '\n' ' ')" = "$1" ]; }
lines() { grep -qxF "Changed lines: $1" log; }
change() { git checkout -q . && sed -i "$@" && build; }
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    git checkout -q .
    change 's/return 200;/return 100 + 100;/' code.c && run --since HEAD && searched "levels " && lines "1; reached by valid inputs 1"
    report $? "$cc: only the property that calls the changed function is searched"
    change 's/^\(        \)x = 8;/\1x = 9;/' code.c && run --since HEAD --filter twices --tests 20000 && lines "1; reached by valid inputs 0, only by invalid ones 1"
    report $? "$cc: a line that only discarded inputs reach"
    change 's/x > 200/x > 5000/' code.c && run --since HEAD
    [ $? = 1 ] && searched "levels "
    report $? "$cc: a fault in the change is found"
    change 's/x > 500/x > 50/; s/return \*(/return 1 + *(/' code.c && run --since HEAD --filter deaths
    searched "deaths " && ! grep -q 'never' log && { [ $cc = clang ] || lines "2; reached by valid inputs 1, only by invalid ones 1"; }
    report $? "$cc: lines that a crashing case reached are not called unreached"
    change 's/return \*(/return 1 + *(/' code.c && run --since HEAD && [ "$(sed -n 's/^[a-z]* *\([a-z]*\): .*/\1/p' log | grep -E '^(levels|twices|deaths|pointers)$' | tr '\n' ' ')" = "deaths levels twices pointers " ]
    report $? "$cc: the properties that a change concerns come first"
    change 's/return x + 1/return x + 2/' code.c && run --since HEAD && searched "levels twices deaths pointers "
    report $? "$cc: a function that only a pointer leads to: every property is searched"
    change 's/MOST 20/MOST 21/' code.h && run --since HEAD && searched "levels twices deaths pointers " && grep -q 'the change at code.h:1 is not in a function, so every property is searched' log
    report $? "$cc: a macro concerns every property"
    change '/if (x > 200)/,+1d' code.c && run --since HEAD
    [ $? = 1 ] && searched "levels "
    report $? "$cc: lines that were only deleted concern their function"
done
change 's|^int level|/* a comment */\n&|' code.c && run --since HEAD && searched "" && grep -q 'no code of this program has changed since HEAD' log
report $? "a comment concerns none"
git checkout -q . && echo text >README && build && run --since HEAD --json && [ "$(grep -c '"stopped": "not_concerned"' log)" = 4 ] &&
    grep -qx '{"changed": {"since": "HEAD", "lines": 0, "valid": 0, "invalid_only": 0, "unknown": 0, "never": \[\]}}' log
report $? "nor does a text file; JSON ends with the changed lines of all properties"
run --since HEAD --report html:page.html && { ! command -v node >/dev/null || node "$SRC/tests/lib/page.mjs" page.html >log 2>&1; }
report $? "the page does not call them passed"
rm README page.html
for ref in gone --json -x; do
    run --since=$ref && searched "levels twices deaths pointers " && grep -q -- "--since:.*$ref.*every property is searched as usual" log
    report $? "--since=$ref: a message, and the ordinary run"
done
touch -d '1 hour' code.c && echo >>code.c && touch -d '1 hour' code.c && run --since HEAD && searched "levels twices deaths pointers " && grep -q 'code.c is newer than this program' log
report $? "a program that is older than its source: the ordinary run"
git checkout -q . && build -g0 && sed -i 's/x + 1/x + 2/' code.c && build -g0 && run --since HEAD && searched "levels twices deaths pointers " && grep -q 'code.c:[0-9]* was compiled without -g, so every property is searched' log
report $? "no debug information: the ordinary run"
(PATH=$PWD/empty run --since HEAD) && grep -q 'git is not installed' log && searched "levels twices deaths pointers "
report $? "no git: the ordinary run"
echo "1..$n"
