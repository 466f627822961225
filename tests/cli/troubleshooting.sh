#!/bin/sh
# What pages say about the program: each message of docs/troubleshooting.md is one that the source prints, and each option and public
# function is named on some page.
# Stages: gcc
command -v python3 >/dev/null 2>&1 || { echo "python3 is not installed"; exit 77; }
python3 "$SRC/tests/lib/messages.py" "$SRC" | grep -v '^1\.\.' >out
cat out
n=$(wc -l <out)
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' unnamed; fi; }

cat "$SRC"/README.md "$SRC"/docs/*.md >pages
unnamed() { while read -r name; do grep -qwF -e "$name" pages || echo "$name"; done >unnamed; }
{ "$BUILD/examples/01_first" --help | grep -oE '^ +(-., )?--[a-z-]+'; "$BUILD/sonde" cc --sonde-help | grep -oE '^ +--[a-z-]+'; } | grep -oE -e '--[a-z-]+' | sort -u >options
unnamed <options
[ "$(wc -l <options)" -gt 50 ] && [ ! -s unnamed ]
report $? "each option of test programs and of sonde cc is named in the documentation"
sed -n 's/^SONDE_API .*[ *]\(sonde_[a-z0-9_]*[a-z0-9]\)(.*/\1/p' "$SRC/include/sonde.h" | sort -u >functions
unnamed <functions
[ "$(wc -l <functions)" -gt 60 ] && [ ! -s unnamed ]
report $? "each public function is named in the documentation"
echo "1..$n"
