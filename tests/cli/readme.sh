#!/bin/sh
# The README is short, shows code and pictures that exist, and the demo explains its own run. Its commands and listings: compile/pages.sh.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi; }

awk '/^```c$/ { on = 1; next } /^```/ && on { exit } on' "$SRC/README.md" >shown
# The block is the end of the file, from the property on.
tail -n "$(grep -c '' shown)" "$SRC/examples/03_strings.c" | diff shown - >log && [ -s shown ]
report $? "its property is that of examples/03_strings.c"

grep -oE '\]\((examples|docs|include|bench)[^)#]*\)' "$SRC/README.md" | tr -d '])(' | while read -r file; do
    [ -e "$SRC/$file" ] || echo "$file"
done >log
[ ! -s log ]
report $? "what it links to is there"

grep -c '' "$SRC/README.md" >log
[ "$(cat log)" -le 170 ]
report $? "it has at most 170 lines"

# The words of the demo are about the keys that its run ends with.
(cd "$SRC" && "$BUILD/examples/18_machine" --seed 1 --no-store) >log 2>&1
key=$(sed -n 's/.*\[1\] = put(key = \([0-9]*\), .*/\1/p' log)
[ -n "$key" ] && grep -q "Keys 0 and $key share a bucket" "$SRC/scripts/demo" && grep -q "put of $key" "$SRC/scripts/demo"
report $? "the demo explains the run that it shows"
echo "1..$n"
