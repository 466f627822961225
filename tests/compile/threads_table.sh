#!/bin/sh
# The table of threads/README.md: each function that is replaced has a row, each test that it names is there, and a row without one says that it is not modelled.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
table=$SRC/addons/threads/README.md
nm -g --defined-only "$BUILD/libsonde_threads.a" 2>/dev/null | awk '$2 ~ /[TW]/ { print $3 }' | grep -v '^sonde_\|^__tsan' | sed 's/^__wrap_//' | sort -u >functions
[ "$(wc -l <functions)" -gt 200 ]
report $? "the functions of the library are known"
while read -r name; do
    grep -q "^| .*\`$name\`" "$table" || echo "$name has no row in threads/README.md"
done <functions >log
[ ! -s log ]
report $? "each function that is replaced has a row"
# Rows of the first table: | functions | real | model | tests | report |
sed -n '/^| function | real/,/^$/p' "$table" | tail -n +3 | grep '^|' >rows
awk -F' *[|] *' '$5 == "" && $0 !~ /\*not modelled\*/ { print "no test: " $2 }' rows >log
[ -s rows ] && [ ! -s log ]
report $? "a row without a test says that it is not modelled"
{ awk -F' *[|] *' '{ print $5 }' rows; sed -n '/^| state | with fibers/,/^$/p' "$table" | awk -F' *[|] *' 'NR > 2 { print $4 }'; } | tr ';' '\n' >references
while IFS=: read -r script names; do
    script=$(echo "$script" | tr -d ' ')
    [ -n "$script" ] || continue
    [ -e "$SRC/tests/compile/$script.sh" ] || echo "no script $script"
    for name in $(echo "$names" | tr ',' ' '); do
        cat "$SRC/tests/compile/$script.sh" "$SRC"/tests/compile/threads/* | grep -qw "$name" || echo "$script has no $name"
    done
done <references >log
[ "$(wc -l <references)" -gt 60 ] && [ ! -s log ]
report $? "each test of the table is there"
# Sentences of the last column are those of the code.
sed -n 's/.*"\([a-z][^"]*[a-z]\).*/\1/p' "$SRC/src/case/unseen.c" >sentences
awk -F' *[|] *' '{ print $6 }' rows | grep -o '`[^`]*`' | tr -d '`' | sed 's/ X$//; s/: [a-z_]*()$//; s/ in X.*//' | sort -u | while read -r text; do
    grep -qF "$(echo "$text" | cut -c 1-40)" "$SRC/src/case/unseen.c" || echo "no such sentence: $text"
done >log
[ ! -s log ]
report $? "the sentences of the table are those of reports"
echo "1..$n"
