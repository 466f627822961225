#!/bin/sh
# `make check-long` takes hours: one that was interrupted continues, and only with verdicts of this very commit.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi; }
# ran FILE...: whether these tests ran since the last call, and no others
ran() { [ "$(cat ran 2>/dev/null | sort | tr '\n' ' ')" = "$*${*:+ }" ]; status=$?; rm -f ran; return $status; }
save() { git add -A && git -c user.name=me -c user.email=me@localhost commit -qm "$1"; }

# A repository of a few tests, which run on one build.
export top="$PWD"
unset SONDE_TEST_LONG CHECK_TIMEOUT MAKE
mkdir -p tree/scripts tree/tests/unit tree/tests/hostile tree/src
cd tree || exit 1
git init -q . && cp "$SRC/scripts/check" scripts/
printf '#!/bin/sh\n' | tee scripts/layers >scripts/prose
chmod +x scripts/*
printf 'all tests named format-check:\n\t@true\n' >Makefile
echo build >.gitignore
for name in a b c d; do printf 'echo %s >>$top/ran\nwhile [ -e $top/wait.%s ]; do sleep 0.1; done\necho "ok 1 - passes"\n' $name $name >tests/hostile/$name.sh; done
printf 'echo e >>$top/ran\necho "not ok 1 - fails"\nexit 1\n' >tests/hostile/e.sh
printf 'echo f >>$top/ran\necho "not there"\nexit 77\n' >tests/hostile/f.sh
save first
long() { (cd "$top/tree" && env -u BUILD scripts/check --long "$@") >log 2>&1; }

# begin: a run that can be killed; reached NAME: waits until that test runs; killed: kills the run and its tests
begin() { (cd "$top/tree" && exec env -u BUILD JOBS=1 setsid scripts/check --long) >log 2>&1 & }
reached() {
    tries=0
    until grep -q "$1" ran 2>/dev/null || [ $tries = 300 ]; do sleep 0.1; tries=$((tries + 1)); done
}
killed() { pkill -KILL -s $! && wait $! 2>/dev/null; rm -f wait.*; }

cd "$top" && touch wait.c wait.d
begin
reached c
reached d
killed
ran a b c d
report $? "two tests had passed when the run was interrupted, and two were running"

long
[ $? = 1 ] && grep -q '7 passed, 1 failed$' log && ran c d e f
report $? "the next run runs the rest, and counts all"
grep -q "continues at $(git -C tree rev-parse HEAD): 5 files" log
report $? "it names the commit, and how many have a verdict"

long
[ $? = 1 ] && grep -q '7 passed, 1 failed$' log && ran a b c d e f
report $? "after the last test, all run again"

interrupt() { git -C tree rev-parse HEAD >tree/build/check/commit && rm -f ran; } # as a run that was killed before its summary
interrupt
long
grep -q '7 passed, 1 failed$' log && ran f
report $? "a failed test stays failed, and a skipped one has no verdict"

interrupt
touch tree/new
long
grep -q '7 passed, 1 failed$' log && ran a b c d e f
report $? "nothing is kept if something is not committed"
(cd tree && save second)
interrupt
(cd tree && git -c user.name=me -c user.email=me@localhost commit -q --allow-empty -m third)
long
grep -q '7 passed, 1 failed$' log && ran a b c d e f
report $? "no verdict of another commit counts"

rm -rf tree/build && touch wait.a wait.f
sed -i '1a while [ -e $top/wait.f ]; do sleep 0.1; done' tree/tests/hostile/f.sh
(cd tree && save fourth)
begin
reached f
touch tree/other
rm wait.f
tries=0
until [ ! -e tree/build/check/commit ] || [ $tries = 300 ]; do sleep 0.1; tries=$((tries + 1)); done
killed
rm -f ran tree/other
long
grep -q '7 passed, 1 failed$' log && ran a b c d e f
report $? "nor one of a source that changed while the test ran"

long hostile
grep -q '4 passed, 1 failed$' log && ran a b c d e f
report $? "a stage that is named runs as a whole"
echo "1..$n"
