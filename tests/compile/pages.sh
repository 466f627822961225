#!/bin/sh
# Pages whose code is compiled and whose commands are run as they stand (tests/lib/pages.py says how they are marked).
# Stages: gcc
command -v python3 >/dev/null 2>&1 || { echo "python3 is not installed"; exit 77; }
set --
for page in tutorial how-much debugging store-and-git agents coming-from; do set -- "$@" "$SRC/docs/$page.md"; done
exec python3 "$SRC/tests/lib/pages.py" "$@"
