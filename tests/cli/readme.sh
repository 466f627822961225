#!/bin/sh
# The README does not lie: its first program is the first example, and the runs it shows look so, but for times.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi; }
timeless() { sed -E 's/in (under )?[0-9.,]+ (ms|s)/in TIME/g'; }

awk '/^```c$/ { on = 1; next } /^```/ && on { exit } on' "$SRC/README.md" | diff - "$SRC/examples/01_first.c" >log
report $? "its first program is examples/01_first.c"

grep -oE '\]\((examples|docs|include)[^)#]*\)' "$SRC/README.md" | tr -d '])(' | while read -r file; do
    [ -e "$SRC/$file" ] || echo "$file"
done >log
[ ! -s log ]
report $? "what it links to is there"

# Each block that starts with a command of ours: the command, and what it printed. The last one of the file has an end.
awk -v out=block '/^```$/ { if (on) { close(name); on = 0 } else { start = 1 } next }
    start && /^\$ build\/examples\// { on = 1; name = out (++k) }
    { start = 0 } on { print > name }' "$SRC/README.md"
for block in block*; do
    command=$(sed -n '1s/^\$ //p' "$block")
    # shellcheck disable=SC2086  # the command line is meant to split
    (cd "$SRC" && exec $(echo "$command" | sed "s|^build|$BUILD|") --no-store) 2>&1 </dev/null |
        sed "s|$BUILD/|build/|g" | timeless >actual
    sed 1d "$block" | timeless >shown
    diff -B shown actual >log
    report $? "$command prints what it shows"
done

# The words of the demo are about the keys that its run ends with; block1 is that run.
key=$(sed -n 's/.*\[1\] = put(key = \([0-9]*\), .*/\1/p' block1)
[ -n "$key" ] && grep -q "key $key comes into the same bucket as key 0" "$SRC/scripts/demo" && grep -q "put of $key" "$SRC/scripts/demo"
report $? "the demo explains the run that it shows"
grep -q "key $key shares a" "$SRC/README.md"
report $? "so does the README"
echo "1..$n"
