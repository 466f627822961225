#!/bin/sh
# Reports of a program that says everything a format might choke on, judged against the formats' grammars.
# Stages: gcc
program=$BUILD/tests/cli/hostile_reports
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; head -c 3000 log | sed 's/^/# /'; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

GITHUB_STEP_SUMMARY=$PWD/summary "$program" --no-store --seed 1 --tests 300 --report tap:tap --report junit:junit.xml --report json:json \
    --report sarif:sarif --report github:github >out 2>log </dev/null
status=$?
echo "status $status" >>log
[ $status = 1 ] || [ $status = 2 ]
report $? "all reports are written at once"

# Version, plan, then per test a line with the next number and a YAML block of one "name": value per line.
awk '
function bad(why) { printf "line %d: %s: %.200s\n", NR, why, $0; failed = 1; exit 1 }
NR == 1 { if ($0 != "TAP version 13") bad("no version"); next }
NR == 2 { if ($0 !~ /^1\.\.[0-9]+$/) bad("no plan"); plan = substr($0, 4) + 0; next }
in_yaml && $0 == "  ..." { in_yaml = 0; done = 1; next }
in_yaml { if ($0 !~ /^  "[a-z_]+": ?[^ ]/) bad("not a line of YAML"); next }
$0 == "  ---" && begun && !done { in_yaml = 1; next }
/^(not )?ok / {
    if (begun && !done) bad("no diagnostics before this")
    begun = 1; done = 0; tests++
    text = $0; sub(/^not /, "", text); sub(/^ok /, "", text)
    if (text !~ "^" tests " - .") bad("wrong number, or no description")
    if (sub(/ # SKIP .*/, "", text)) skipped++
    gsub(/\\\\/, "", text); gsub(/\\#/, "", text)                # what is escaped
    if (text ~ /\\/) bad("a backslash that escapes nothing")
    if (text ~ /#/) bad("a # that is no directive")
    next
}
/^#/ { if (!done) bad("a comment within a test"); next }
{ bad("neither test nor diagnostics") }
END {
    if (failed) exit 1
    if (in_yaml || !done) bad("ends within a test")
    if (tests != plan) { print tests " tests, but the plan says " plan; exit 1 }
    if (tests != 7 || skipped != 1) { print tests " tests, " skipped " skipped"; exit 1 }
}' tap >log 2>&1
report $? "TAP keeps to its grammar"
grep -q '^# FAIL ' tap && grep -q "^#       .*--replay 's1:" tap
report $? "TAP has the report of a failure for people, as comments"
iconv -f UTF-8 -t UTF-8 tap >/dev/null 2>log
report $? "TAP is UTF-8"
LC_ALL=C tr -d '\n\040-\377' <tap | od -c >log
[ "$(LC_ALL=C tr -d '\n\040-\377' <tap | wc -c)" = 0 ]
report $? "TAP holds no control bytes"

if command -v xmllint >/dev/null 2>&1; then
    xmllint --huge --noout junit.xml >log 2>&1
    report $? "JUnit XML is well-formed"
    xmllint --huge --noout --relaxng "$SRC/tests/cli/junit.rng" junit.xml >log 2>&1
    report $? "JUnit XML keeps to its grammar"
    xmllint --huge --xpath 'concat(count(//testcase), " ", count(//testcase[failure]), " ", count(//testcase[error]), " ", count(//testcase[skipped]), " ", //testsuite/@tests, " ", //testsuite/@failures, " ", //testsuite/@errors, " ", //testsuite/@skipped)' junit.xml >log 2>&1
    [ "$(cat log)" = "7 4 1 1 7 4 1 1" ]
    report $? "JUnit XML counts what is inside"
    [ "$(xmllint --huge --xpath 'string-length(//testcase[2]/failure) > 1000000' junit.xml 2>log)" = true ]
    report $? "JUnit XML holds a megabyte of notes"
else
    for what in "is well-formed" "keeps to its grammar" "counts what is inside" "holds a megabyte of notes"; do
        skip "JUnit XML $what" "xmllint (libxml2-utils) is not installed"
    done
fi

if command -v python3 >/dev/null 2>&1; then
    python3 -c '
import json, sys
for line in open(sys.argv[1], encoding="utf-8"): json.loads(line)
for line in open(sys.argv[2], encoding="utf-8"):
    if line.startswith("  \""): json.loads("{" + line + "}")' json tap >log 2>&1
    report $? "every line of JSON, and of the diagnostics in TAP, is JSON"
else
    skip "every line of JSON, and of the diagnostics in TAP, is JSON" "python3 is not installed"
fi
# GitHub: each line is a command of the runner, whatever the texts hold; the summary is HTML that Markdown leaves alone.
! grep -vE '^::(error|warning) (file=[^,:]+(,line=[0-9]+)?,)?title=[^,:]*::' github >log && [ "$(wc -l <github)" -ge 6 ]
report $? "each annotation is one line with its place and title"
grep -q '^::error file=[^/,][^,]*hostile_reports.c,line=' github
report $? "annotations name files by their path in the repository"
[ "$(LC_ALL=C tr -d '\n\t\040-\176\200-\377' <summary | wc -c)" = 0 ] && ! sed '1d;$d' summary | grep -n '^$' >log
report $? "the summary has no control bytes, and no empty line ends its table"
if command -v xmllint >/dev/null 2>&1; then
    xmllint --huge --noout summary >log 2>&1
    report $? "the summary is well-formed"
fi
"$BUILD/examples/01_first" --no-store --seed 1 --report github >log 2>&1
grep -q '^::error file=[^/,][^,]*01_first.c,line=44,title=insert_keeps_order::ordered(root, -1, 11) does not hold%0Areplay: ' log && grep -q '^FAIL' log
report $? "annotations go along with the report for people"
GITHUB_STEP_SUMMARY=/nowhere/at/all "$BUILD/examples/01_first" --no-store --seed 1 --report github >log 2>&1
[ $? = 1 ] && grep -q "GITHUB_STEP_SUMMARY: cannot write '/nowhere/at/all'" log
report $? "a summary that cannot be written costs a warning"

# SARIF: valid by its schema, and the findings are those of JSON.
if python3 -c 'import jsonschema' 2>/dev/null; then
    python3 -c '
import json, jsonschema, sys
sarif = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft7Validator(json.load(open(sys.argv[2]))).validate(sarif)
run = sarif["runs"][0]
ids = [r["partialFingerprints"]["sondeFailure/v1"] for r in run["results"] if "partialFingerprints" in r]
reports = [json.loads(line) for line in open(sys.argv[3], encoding="utf-8")]
assert sorted(ids) == sorted(f["id"] for p in reports for f in p.get("failures", [])), ids
assert {r["ruleId"] for r in run["results"]} == {r["id"] for r in run["tool"]["driver"]["rules"]}
assert all("physicalLocation" in r["locations"][0] for r in run["results"] if r["ruleId"] in ("check", "gave_up"))
' sarif "$SRC/third_party/sarif/sarif-2.1.0.json" json >log 2>&1
    report $? "SARIF is valid by its schema and has the failures that JSON has"
else
    skip "SARIF is valid by its schema" "python3-jsonschema is not installed"
fi

# Programs that read TAP: they look at its lines and at the exit status beside it.
holds="$BUILD/examples/06_assume_and_classify"
gives_up="$holds --filter filtered --guide uniform --max-discards 1 --tests 50"
falsified="$BUILD/examples/01_first"
# proves STATUS RESULT PROGRAM OPTION...: prove ends like this.
proves() {
    want=$1 result=$2 tested=$3
    shift 3
    prove -v -e '' "$tested" :: --no-store --seed 1 --report tap "$@" >log 2>&1 </dev/null
    [ $? = "$want" ] && grep -q "^Result: $result" log && ! grep -q 'Parse errors' log
}
if command -v prove >/dev/null 2>&1; then
    proves 0 PASS "$holds"
    report $? "prove takes properties that hold for a pass"
    proves 1 FAIL "$falsified" && grep -q 'Failed 1/1 subtests' log
    report $? "prove takes a falsified property for a failure"
    # shellcheck disable=SC2086
    proves 0 PASS $gives_up && grep -q '^ok 1 .* # SKIP gave up' log
    report $? "prove takes a property that gave up for a skip"
    proves 1 FAIL "$program" --tests 300
    report $? "prove reads whatever a name or a value holds"
else
    skip "prove reads the reports" "perl is not installed"
fi
# meson_test NAME PROGRAM OPTION...: a line of meson.build.
meson_test() {
    printf "test('%s', find_program('%s'), args: ['--no-store', '--seed', '1', '--report', 'tap'" "$1" "$2"
    shift 2
    [ $# = 0 ] || printf ", '%s'" "$@"
    echo "], protocol: 'tap')"
}
if command -v meson >/dev/null 2>&1 && command -v ninja >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    { echo "project('reports', 'c')"; meson_test holds "$holds"; meson_test falsified "$falsified"; meson_test unknown $gives_up; } >meson.build
    meson setup meson >log 2>&1
    meson test -C meson >log 2>&1
    grep -qE 'holds +OK' log && grep -qE 'falsified +(ERROR|FAIL)' log && grep -qE 'unknown +SKIP' log
    report $? "Meson takes them for a pass, a failure and a skip"
else
    skip "Meson takes them for a pass, a failure and a skip" "meson is not installed"
fi
LC_ALL=C tr -d '\n\t\040-\377' <out | od -c >log
[ "$(LC_ALL=C tr -d '\n\t\040-\377' <out | wc -c)" = 0 ]
report $? "the report for people holds no control bytes"
echo "1..$n"
