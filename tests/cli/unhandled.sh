#!/bin/sh
# A crash that no handler saw is called what it is: only threads make a stack overflow likely.
# Stages: gcc
# Not sanitized (a sanitizer handles the signals itself)
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 12; }
program=$BUILD/tests/misbehave/unhandled

for name in all_ignored one_default ignored_after_threads; do
    "$program" --filter $name --seed 1 --json --no-store >out 2>err </dev/null
    [ $? = 1 ] && grep -q '"kind": "crash"' out && grep -q 'has changed how signals are handled' out \
        && ! grep -q 'stack' out && grep -q '"token": "s1:x=37 ?"' out
    result=$?
    report $result "$name: a crash, not a stack overflow"
    [ $result = 0 ] || show out err
done
echo "1..$n"
