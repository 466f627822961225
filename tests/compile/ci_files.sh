#!/bin/sh
# The files to paste for CI services: their commands run as they stand, in a project that has a sonde.conf like that of docs/ci.md.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 20 log | sed 's/^/# /'; fi; }
export CI=true
PATH=$BUILD:$PATH
mkdir -p project/.git project/regressions && cd project || exit 1
cp "$SRC/examples/01_first.c" properties.c
printf 'properties: properties.c\n\tsonde cc -g properties.c -o $@\n' >Makefile
awk '/^<!-- file: conf/ { on = 1; next } /^```/ { if (on == 2) exit; if (on) { on = 2; next } } on == 2' "$SRC/docs/ci.md" >sonde.conf
grep -q '^\[nightly\]' sonde.conf
report $? "docs/ci.md has a sonde.conf"

# What every file runs: packaging/ci/test, on programs one per line. scripts/ci-try runs the whole files, in a Debian root.
sh -c 'make properties' >log 2>&1
report $? "the project builds"
sha=0123456789abcdef0123456789abcdef01234567
on_github() { echo ./properties | GITHUB_ACTIONS=true GITHUB_SHA=$sha GITHUB_STEP_SUMMARY=$PWD/summary SONDE_STORE=.sonde sh "$SRC/packaging/ci/test" >log 2>&1; }
on_github
[ $? = 1 ] && grep -q '^::error file=properties.c,line=44' log && grep -q 'profile ci: seed 19088743, from commit 0123456789ab' log && grep -q insert_keeps_order summary && [ -s sonde-1.sarif ] && [ -d .sonde ]
report $? "on GitHub it fails, annotates, summarises, and leaves the store and SARIF"
on_github
grep -q 'known from an earlier run' log
report $? "with the store kept, the next run knows the failure"
printf './properties --list >/dev/null; true\n\n./properties' | CI_COMMIT_SHA=$sha sh "$SRC/packaging/ci/test" >log 2>&1
[ $? = 1 ] && grep -q 'file="properties.c" line="44"' sonde-2.xml
report $? "elsewhere the report is JUnit with file and line, and the worst status counts"
echo | sh "$SRC/packaging/ci/test" >log 2>&1
[ $? = 2 ] && grep -q 'there is nothing to run' log
report $? "no program is an error"
printf '%s\n' './nothing-here' | sh "$SRC/packaging/ci/test" >log 2>&1
[ $? = 2 ]
report $? "a program that cannot be run is an error"

if python3 -c 'import yaml' 2>/dev/null; then
    python3 -c 'import sys, yaml; [yaml.safe_load(open(f)) for f in sys.argv[1:]]' "$SRC"/packaging/ci/*.yml "$SRC/action.yml" "$SRC"/.github/workflows/*.yml >log 2>&1
    report $? "all files are YAML"
fi
grep -L "packaging/ci/test" "$SRC/action.yml" "$SRC"/packaging/ci/gitlab.yml "$SRC"/packaging/ci/forgejo.yml "$SRC"/packaging/ci/plain.sh >log
[ ! -s log ]
report $? "all files run the programs in the same way"
echo "1..$n"
