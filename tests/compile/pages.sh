#!/bin/sh
# Pages whose code is compiled and whose commands and listings are run as shown (tests/lib/pages.py says how they are marked).
# With UPDATE=1, listings that differ are written into the pages (make docs-listings).
# Stages: gcc
command -v python3 >/dev/null 2>&1 || { echo "python3 is not installed"; exit 77; }
set -- "$SRC/README.md"
for page in tutorial cookbook fault-injection writing-properties formats threads how-much mutants debugging store-and-git agents coming-from output; do set -- "$@" "$SRC/docs/$page.md"; done
exec python3 "$SRC/tests/lib/pages.py" ${UPDATE:+--update} "$@"
