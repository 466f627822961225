#!/bin/sh
# docs/trophies.md: each bug is there, within the number of cases that the page has, where Debian's package is installed.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | sed 's/^/# /'; fi; }
for file in "$SRC"/examples/trophies/*.c; do
    name=$(basename "$file" .c)
    grep -q "^$name " "$SRC/examples/trophies/run" && grep -q "trophies/$name.c)" "$SRC/docs/trophies.md"
    report $? "$name is in the script and on the page"
done
# One of them in every run; all of them in a long one.
for name in $(if [ -n "${SONDE_TEST_LONG:-}" ]; then sed -n '/^json_c /,/^TABLE/s/ .*//p' "$SRC/examples/trophies/run"; else echo libxml2; fi); do
    WORK=$PWD "$SRC/examples/trophies/run" "$name" --seed 1 --no-color >log 2>&1
    status=$?
    if [ $status = 77 ]; then
        n=$((n + 1))
        echo "ok $n - $name # SKIP $(tail -n 1 log)"
        continue
    fi
    # The page speaks of these versions; another may have been mended.
    version=$(sed -n '1s/.* \([0-9][0-9.]*\).*/\1/p' log | sed 's/\.$//')
    if ! grep -i "trophies/$name.c)" "$SRC/docs/trophies.md" | grep -qF " $version |"; then
        n=$((n + 1))
        echo "ok $n - $name # SKIP it is version $version here, of which the page does not speak"
        continue
    fi
    [ $status = 1 ] && [ "$(grep -cE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log)" = "$(grep -c "trophies/$name.c)" "$SRC/docs/trophies.md")" ]
    report $? "$name $version: each property of the page is falsified, and no other"
    # Found by case 1,234, ...: at most the number that is last in the property's row, here the greatest of the rows.
    most=$(grep "trophies/$name.c)" "$SRC/docs/trophies.md" | sed 's/.*| \([0-9,]*\) |$/\1/' | tr -d , | sort -n | tail -n 1)
    sed -n 's/.*Found by case \([0-9,]*[0-9]\),.*/\1/p' log | tr -d , | while read -r at; do
        [ "$at" -le "$most" ] || echo "found at case $at, and the page says within $most"
    done >amiss
    cat amiss >>log
    [ ! -s amiss ]
    report $? "$name: within the number of cases that the page has"
done
echo "1..$n"
