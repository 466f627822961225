#!/bin/sh
# sonde.conf: which of its lines count, and what is said of those that are wrong. What CI services set makes profile ci.
# Stages: gcc asan
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi; }
unset CI GITHUB_ACTIONS GITHUB_SHA CI_COMMIT_SHA CIRCLE_SHA1 BUILDKITE_COMMIT BUILD_SOURCEVERSION GIT_COMMIT SONDE_PROFILE

# A repository of our own, which has the program's source, so that no repository around it counts.
mkdir -p r/.git r/build r/examples && cp "$BUILD/examples/06_assume_and_classify" r/build/test
cp "$SRC/examples/06_assume_and_classify.c" r/examples
# tests N: the run wanted N valid cases
tests() { grep -q "\"tests_wanted\": $1\b\|\"valid\": $1\b" out; }
r/build/test --list >out && name=$(head -n 1 out)
run() { r/build/test --no-store --filter "$name" --json --seed 1 "$@" >out 2>log; }
cat >r/sonde.conf <<'CONF'
# for all
tests = 70     ; not many

[ci]
tests = 80
[nightly]
  tests=90
no-progress = yes
CONF
run && tests 70
report $? "what stands before the first section counts"
CI=true run && tests 80
report $? "CI=true chooses [ci]"
CI=false run && tests 70
report $? "CI=false does not"
run --profile nightly && tests 90
report $? "--profile chooses a section"
SONDE_PROFILE=nightly run && tests 90
report $? "and so does SONDE_PROFILE"
CI=true SONDE_PROFILE=ci run --profile=nightly && tests 90
report $? "the option counts more than the environment, and both more than CI"
SONDE_TESTS=75 run --profile nightly && tests 75
report $? "a setting of the environment counts more than one of the file"
SONDE_TESTS=75 run --profile nightly --tests 60 && tests 60
report $? "an option counts most"
run --profile dev && tests 70
report $? "dev is there without a section"

# wrong TEXT LINE...: the file with these lines is refused with TEXT.
wrong() {
    text=$1
    shift
    printf '%s\n' "$@" >r/sonde.conf
    run
    [ $? = 2 ] && grep -qF "$text" log
    report $? "refused: $text"
}
wrong 'sonde.conf:2: test: there is no such option; did you mean tests?' 'tests = 5' 'test = 10'
wrong 'sonde.conf:2: colour: there is no such option' '[nightly]' 'colour = red'
wrong 'sonde.conf:1: tests: '"'many' is not" 'tests = many'
wrong "sonde.conf:1: no = in 'tests 5'; write [profile] or option = value" 'tests 5'
wrong 'sonde.conf:1: list: this option is allowed only on the command line' 'list = yes'
wrong 'sonde.conf:1: replay: this option is allowed only on the command line' 'replay = s1:x=1'
wrong "sonde.conf:1: no profile name in '[ci'" '[ci'
wrong "sonde.conf:1: no profile name in '[]'" '[]'
wrong 'sonde.conf:1: time: the value is missing' 'time ='
wrong 'sonde.conf:1: guide: ' 'guide = nobody'
printf 'tests = 5\0' >r/sonde.conf
run
[ $? = 2 ] && grep -q 'sonde.conf cannot be read' log
report $? "refused: a file that is no text"
printf '[ci]\ntests = 5\n' >r/sonde.conf
run --profile weekly
[ $? = 2 ] && grep -q "has no profile 'weekly'; write a section \[weekly\] there" log
report $? "refused: a profile that is not there"
rm r/sonde.conf && mkdir r/sonde.conf
run
[ $? = 2 ] && grep -q 'sonde.conf cannot be read' log
report $? "refused: a folder"
rmdir r/sonde.conf
run --profile weekly
[ $? = 2 ] && grep -q "there is no profile 'weekly': the repository of the test's source has no sonde.conf" log
report $? "refused: a profile without a file"

# ---- What ci means without a line
seeded() { r/build/test --no-store --filter "$name" --json --tests 50 "$@" >out 2>log; }
CI=true GITHUB_SHA=00000abcdef0123456789abcdef0123456789abc seeded && grep -q '"seed": 2748\b' out && grep -q 'profile ci: seed 2748, from commit 00000abcdef0' log
report $? "the seed is that of the commit, and is printed"
CI=true CI_COMMIT_SHA=ffffffffffffffff seeded --seed 5 && grep -q '"seed": 5\b' out && ! grep -q 'profile ci' log
report $? "a seed that is given counts more"
CI=true GITHUB_SHA='main; rm' seeded && ! grep -q 'profile ci' log
report $? "what is no commit gives no seed"
GITHUB_SHA=00000abcdef0123456789abcdef0123456789abc seeded && ! grep -q '"seed": 2748\b' out
report $? "outside of CI each run searches differently"
CI=true GITHUB_ACTIONS=true "$BUILD/examples/01_first" --no-store --seed 1 >log 2>&1
grep -q '^::error file=' log && grep -q '^FAIL' log
report $? "in GitHub Actions failures are annotated"
CI=true GITHUB_ACTIONS=true "$BUILD/examples/01_first" --no-store --seed 1 --json >out 2>log
! grep -v '^{' out && grep -q '^::error file=' log
report $? "beside JSON on standard output, on standard error"

# ---- --strict
"$BUILD/examples/01_first" --store kept --seed 1 >/dev/null 2>&1
tape=$(find kept -path '*failures*' -name '*.tape' | head -n 1)
cp "$tape" "$(dirname "$tape")/0123456789abcdef.tape" && echo nonsense >"$(dirname "$tape")/0123456789abcdef.tape"
"$BUILD/examples/01_first" --store kept --tests 1 >log 2>&1
before=$?
"$BUILD/examples/01_first" --store kept --strict --tests 1 >log 2>&1
strict=$?
[ $strict = 2 ] && [ $before = 1 ] && grep -q -- '--strict: 1 stored failure could not be judged' log
report $? "--strict refuses a stored failure that cannot be judged"
CI=true "$BUILD/examples/01_first" --store kept --tests 1 >log 2>&1
[ $? = 2 ]
report $? "which ci does by itself"
SONDE_STRICT=no CI=true "$BUILD/examples/01_first" --store kept --tests 1 >log 2>&1
[ $? = 1 ]
report $? "unless it is switched off"
printf 'stats = yes\n' >r/sonde.conf
r/build/test --no-store --filter "$name" --tests 20 >log 2>&1 && cp log with
SONDE_STATS=off r/build/test --no-store --filter "$name" --tests 20 >log 2>&1 && [ "$(wc -l <log)" -lt "$(wc -l <with)" ]
report $? "what the file has switched on the environment can switch off"
echo "1..$n"
