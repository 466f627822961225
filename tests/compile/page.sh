#!/bin/sh
# What src/report/assets.c holds is what scripts/page makes of the page's sources: whoever changes one runs scripts/page.
# Stages: gcc
cd "$SRC" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
scripts/page --plain >"$work/wanted"
sed -n '/^const unsigned char/,/^};/p' src/report/assets.c | grep '^[0-9]' | tr ',' '\n' | grep . |
    awk '{ printf "\\%03o", $1 }' >"$work/octal"
printf '%b' "$(sed 's/\\/\\0/g' "$work/octal")" >"$work/packed"
if gzip -dc "$work/packed" 2>/dev/null | cmp -s - "$work/wanted"; then echo "ok 1 - the embedded page is that of its sources"
else echo "not ok 1 - the embedded page is that of its sources (run scripts/page)"; fi
if grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|fetch\(|XMLHttpRequest|import\(' src/report/page/page.js
then echo "not ok 2 - the page's script makes no markup of texts, and asks nobody"
else echo "ok 2 - the page's script makes no markup of texts, and asks nobody"; fi
echo 1..2
