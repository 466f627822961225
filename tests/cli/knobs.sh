#!/bin/sh
# Stages: gcc
# What guides declare of their knobs is what programs list, what the documentation says, and what can be looked up.
program=$BUILD/tests/cli/counting
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

"$program" --guide-options list >list
status=$?
[ $status = 0 ] && [ "$(wc -l <list)" -gt 50 ] &&
    ! grep -Ev '^\{"guides": "[a-z, -]+", "name": "[a-z_]+", "preset": ("[a-z]+"|[-+.e0-9]+), "min": [-+.e0-9]+, "max": [-+.e0-9]+, ("words": \[.*\], )?"meaning": "[^"]+", "evidence": "[^"]+"\}$' list
report $? "--guide-options list has one object per knob, with its range, a sentence and its evidence"

[ "$("$BUILD/examples/01_first" --guide-options list | sed 's/.*"name": "\([^"]*\)".*/\1/' | sort -u | wc -l)" -le 40 ]
report $? "there are at most 40 knobs without the classic library"

"$SRC/scripts/knobs" "$program" >table 2>err
sed -n '/<!-- knobs -->/,/<!-- end of knobs -->/p' "$SRC/docs/guides.md" | grep -v '^<!--' | diff - table >diff
report $? "docs/guides.md has the same table (else: scripts/knobs PROGRAM docs/guides.md)"

missing=
sed -n 's/.*"evidence": "\(bench[^,]*\), \([^"]*\)".*/\1 \2/p' list | sort -u >places
while read -r file section; do
    grep -q "^##* $section\$" "$SRC/$file" || missing="$missing $file:$section"
done <places
[ -s places ] && [ -z "$missing" ]
report $? "the tables named as evidence exist:${missing:- all}"

lacking=
sed -n 's/.*"name": "\([^"]*\)".*"evidence": "bench\/KNOBS.md, \([^"]*\)".*/\1 \2/p' list >swept
while read -r knob section; do
    sed -n "/^## $section\$/,/^## /p" "$SRC/bench/KNOBS.md" | grep -q "^| \`$knob\` | " || lacking="$lacking $section:$knob"
done <swept
[ -s swept ] && [ -z "$lacking" ]
report $? "bench/KNOBS.md has a row for each knob that names it as evidence:${lacking:- all}"

twice=$(sed 's/.*"guides": "\([^"]*\)", "name": "\([^"]*\)".*/\1 \2/' list | sort | uniq -d)
[ -z "$twice" ]
report $? "no guide declares a knob twice: ${twice:-none does}"
