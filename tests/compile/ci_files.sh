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

# commands FILE: what its steps run
commands() { sed -n -e 's/^ *run: //p' -e '/^  script:/,/^  [a-z]/s/^    - //p' "$1"; }
commands "$SRC/packaging/ci/github.yml" >github.sh && [ "$(wc -l <github.sh)" = 2 ] && cp github.sh log
report $? "github.yml has its commands"
GITHUB_ACTIONS=true GITHUB_SHA=0123456789abcdef0123456789abcdef01234567 GITHUB_STEP_SUMMARY=$PWD/summary SONDE_PROFILE=ci sh -e github.sh >log 2>&1
status=$?
[ $status = 1 ] && grep -q '^::error file=properties.c,line=44' log && grep -q 'profile ci: seed 19088743, from commit 0123456789ab' log && grep -q insert_keeps_order summary && [ -s sonde.sarif ] && [ -d .sonde ]
report $? "its job fails, annotates, summarises, and leaves the store and SARIF"
GITHUB_ACTIONS=true GITHUB_SHA=0123456789abcdef0123456789abcdef01234567 sh -e github.sh >log 2>&1
grep -q 'known from an earlier run' log
report $? "with the store kept, the next run knows the failure"

commands "$SRC/packaging/ci/gitlab.yml" >gitlab.sh && [ "$(wc -l <gitlab.sh)" = 2 ]
report $? "gitlab.yml has its commands"
CI_PROJECT_DIR=$PWD SONDE_STORE=$PWD/.sonde CI_COMMIT_SHA=0123456789abcdef0123456789abcdef01234567 sh -e gitlab.sh >log 2>&1
[ $? = 1 ] && grep -q 'file="properties.c" line="44"' sonde.xml
report $? "its job fails, and its report names file and line"
if python3 -c 'import yaml' 2>/dev/null; then
    python3 -c 'import sys, yaml; [yaml.safe_load(open(f)) for f in sys.argv[1:]]' "$SRC"/packaging/ci/*.yml >log 2>&1
    report $? "both are YAML"
fi
echo "1..$n"
