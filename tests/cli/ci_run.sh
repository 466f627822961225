#!/bin/sh
# packaging/ci/run: builds a change and its base, and fails only for what is new.
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
command -v git >/dev/null || { echo "git is not installed"; exit 77; }
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
export GIT_CONFIG_GLOBAL=/dev/null
unset CI GITHUB_ACTIONS GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA GITHUB_STEP_SUMMARY
cat >test.c <<'C'
#include <sonde.h>
static int half(int x)
{
    return x / 2;
}
SONDE_PROPERTY(old) { sonde_check(t, sonde_int(t, "x", 0, 1000) < 900); }
SONDE_PROPERTY(halves) { int x = sonde_int(t, "x", 0, 1000); sonde_check(t, half(x) * 2 <= x); }
SONDE_MAIN()
C
printf 'log\nprops\n.sonde\n' >.gitignore
git init -q . && git config user.name x && git config user.email x && git add -A && git commit -qm base
run() { "$SRC/packaging/ci/run" --build "'$BUILD/sonde' cc -O0 test.c -o props" "$@" >log 2>&1 </dev/null; }
sed -i 's|return x / 2|return (x + 0) / 2|' test.c && git commit -qam harmless
run --time 40 props --tests 300
[ $? = 0 ] && grep -q '^KNOWN old: falsified' log && grep -q '^ok   halves: .*valid' log && grep -q '^Changed lines: 1; reached by valid inputs 1$' log
report $? "a change without a fault passes, although the base has a failure"
sed -i 's|return (x + 0) / 2|return (x + 1) / 2|; s|< 900|< 901|' test.c && git commit -qam fault
run --time 40 --base HEAD~1 props --tests 300
[ $? = 1 ] && grep -q '^FAIL halves: falsified' log && grep -q 'New: it does not fail like this' log
report $? "a fault of the change fails"
[ "$(git worktree list | wc -l)" = 1 ] && [ -d .sonde ]
report $? "the work tree of the base is gone, and the store is that of the repository"
git checkout -q HEAD~1
run --base HEAD --time 40 props --tests 300
[ $? = 1 ] && grep -q "the base 'HEAD' is HEAD itself, so there is no change to test" log && grep -q '^FAIL old: falsified' log && ! grep -q 'not searched' log
report $? "a base that is HEAD: the ordinary run, since nothing would be searched"
run --base gone --time 40 props --tests 300
[ $? = 1 ] && grep -q "the base 'gone' is not known here" log && grep -q '^FAIL old: falsified' log
report $? "a base that is not known: the ordinary run"
run --base HEAD~1 --time 40 --build "[ -d .git ] && '$BUILD/sonde' cc -O0 test.c -o props" props --tests 300 --filter halves
[ $? = 0 ] && grep -q 'could not be built, so each failure counts as new' log
report $? "a base that does not build"
start=$(date +%s)
run --time 3 --build "sleep 30" props
[ $? = 1 ] && [ $(($(date +%s) - start)) -lt 12 ] && grep -q 'did not end in time' log
report $? "a build without end is ended"
cat >endless.c <<'C'
#include <signal.h>
#include <unistd.h>
int main(void) { signal(SIGINT, SIG_IGN); for (;;) pause(); }
C
start=$(date +%s)
run --time 5 --build "${CC:-cc} endless.c -o props" props
[ $? = 1 ] && [ $(($(date +%s) - start)) -le 8 ] && grep -q 'the tests did not end within 5 s' log
report $? "a program that does not end is killed in time"
run --bogus props
[ $? = 2 ] && grep -q 'there is no option --bogus' log
report $? "an unknown option"
run --time x props
[ $? = 2 ]
report $? "--time without a number"
echo "1..$n"
