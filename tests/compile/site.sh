#!/bin/sh
# make site: strict, no link leads nowhere, and pages are shown well in Chromium (check-long).
# Stages: gcc
[ -n "${SONDE_TEST_LONG:-}" ] || { echo "the site is built by make check-long"; exit 77; }
mkdocs build --help 2>/dev/null | grep -q material || { echo "mkdocs or its theme material is not installed (scripts/setup site)"; exit 77; }
if "$SRC/scripts/site" "$PWD" >log 2>&1 && [ -s site/reference.html ] && [ -s site/tutorial.html ] && [ -s site/source/include/sonde.h.html ]; then
    echo "ok 1 - the site builds, and its links lead somewhere"
else
    echo "not ok 1 - the site builds, and its links lead somewhere"
    sed 's/^/# /' log
fi
echo "1..1"
if command -v node >/dev/null 2>&1; then node "$SRC/tests/lib/site.mjs" site; fi
