#!/bin/sh
# sonde bisect: the commit that introduced a failure, in a repository where some commits cannot be judged.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | cut -c 1-600 | head -n 40; fi; }
command -v git >/dev/null || { echo "git is not installed"; exit 77; }
export HOME="$PWD" TMPDIR="$PWD/tmp" GIT_CONFIG_NOSYSTEM=1
mkdir tmp
git_() { git -c user.name=T -c user.email=t@localhost -c commit.gpgsign=false "$@"; }
says() { grep -qF -- "$1" log || { echo "missing: $1" >>log; return 1; }; }

# The program is a script that stands for a test: it replays by the number in the file `code`, as a real one would report it.
cat >test.sh <<'TEST'
#!/bin/sh
here=$(dirname "$0")
property=clamps
while [ $# -gt 0 ]; do case $1 in --filter) property=$2 ;; esac; shift; done
. "$here/code"
[ "$(head -n 1 "$here/api" 2>/dev/null)" = "$(head -n 1 "$here/caller" 2>/dev/null)" ] || does=fails
[ "$property" = "$has" ] || { echo "test: --filter: no property matches '$property'" >&2; exit 2; }
case $does in
passes) echo '{"property": "clamps", "verdict": "passed", "warning_text": null, "failures": []}' ;;
fails) echo '{"property": "clamps", "verdict": "falsified", "warning_text": null, "failures": [{"id": "1'$line'", "kind": "check", "message": "x <= top does not hold", "condition": "x <= top"}]}'; exit 1 ;;
more) echo '{"property": "clamps", "verdict": "falsified", "warning_text": null, "failures": [{"id": "11", "kind": "check", "message": "x <= top does not hold", "condition": "x <= top", "values": [{"path": "x", "value": 2}, {"path": "z", "value": 0}], "values_complete": true}]}'; exit 1 ;;
values) echo '{"property": "clamps", "verdict": "falsified", "warning_text": null, "failures": [{"id": "11", "kind": "check", "message": "x <= top does not hold", "condition": "x <= top", "values": [{"path": "x", "value": 2}, {"path": "top", "value": 1}], "values_complete": true}]}'; exit 1 ;;
other) echo '{"property": "clamps", "verdict": "falsified", "warning_text": null, "failures": [{"id": "7", "kind": "check", "message": "y does not hold", "condition": "y"}]}'; exit 1 ;;
discards) echo '{"property": "clamps", "verdict": "gave_up", "warning_text": null, "failures": []}'; exit 77 ;;
drawn) echo '{"property": "clamps", "verdict": "falsified", "warning_text": "z was not in the token; the simplest value was drawn", "failures": [{"id": "11", "kind": "check", "message": "x <= top does not hold", "condition": "x <= top"}]}'; exit 1 ;;
draws) echo '{"property": "clamps", "verdict": "passed", "warning_text": "z was not in the token; the simplest value was drawn", "failures": []}' ;;
esac
TEST
printf '# sonde tape 1\n# property: clamps\n# kind: check\n# message: x <= top does not hold\ns1:x=2 top=1\n' >failure.tape

# repository COMMIT...: each commit is a word; the program does that from then on
repository() {
    chmod -R u+w repo 2>/dev/null; rm -rf repo && mkdir repo && (
        cd repo && git init -q . && cp ../test.sh . && i=0
        for word in "$@"; do
            i=$((i + 1))
            echo "$i" >number-$i
            echo 'cp test.sh test && chmod +x test' >build
            # A broken commit leaves the code as it is, but for one.
            case $word in
            moved) echo "echo $word; false" >build && printf 'has=clamps\ndoes=passes\nline=2\n' >code ;;
            api) echo 1 >api && echo 1 >caller && printf 'has=clamps\ndoes=passes\nline=1\n' >code ;;
            # Its two parts fit together; `caller` is another file before, so that only `api` applies alone.
            both) echo "echo $word; false" >build && echo 2 >api && sed -i '1s/1/2/' caller ;;
            under) echo "echo $word; false" >build && echo x >>caller && printf 'has=clamps\ndoes=fails\nline=1\n' >code ;;
            hidden) echo "echo $word; false" >build && printf 'has=clamps\ndoes=fails\nline=1\n' >code ;;
            broken*) echo "echo $word; false" >build ;;
            unborn) printf 'has=others\ndoes=passes\nline=1\n' >code ;;
            *) printf 'has=clamps\ndoes=%s\nline=1\n' "$word" >code ;;
            esac
            git add . && git_ commit -q -m "commit $i"
            git tag "c$i"
        done
    )
}
state() { (cd repo && git status --porcelain --ignored && git for-each-ref && git worktree list && cat build && git symbolic-ref HEAD; ls .git/worktrees 2>/dev/null); }
# bisect STATUS OPTION...
bisect() {
    wanted=$1
    shift
    before=$(state)
    (cd repo && "$BUILD/sonde" bisect ../failure.tape --build 'sh build' "$@" -- ./test) >log 2>&1
    status=$?
    [ $status = "$wanted" ] && [ "$before" = "$(state)" ] && [ -z "$(ls tmp)" ] || { echo "status $status, not $wanted; left: $(ls tmp)" >>log; return 1; }
}

repository passes passes passes passes passes fails fails fails fails
bisect 0 --good c1 && says 'Introduced by' && says '"commit 6" (T, ' && says 'first in c6' && says 'The commit before it' && says "--replay 's1:x=2 top=1'"
report $? "the first commit that fails, with a paragraph for a bug report"
bisect 0 --good c5 --bad c6 && says '"commit 6" (T'
report $? "two neighbours"
bisect 2 --good c6 && says 'the failure is there at c6, too' && bisect 2 --good c1 --bad c4 && says 'does not come back at c4: the input passes'
report $? "ends that are the wrong way round"
bisect 2 --good nothing && says "there is no commit 'nothing'" && bisect 2 && says 'give a commit at which the property held'
report $? "no such commit, and no commit"

repository passes drawn
bisect 2 --good c1 && says 'cannot judge HEAD: it fails, but the property draws values that the tape lacks' && ! grep -q 'does not come back' log
report $? "a bad end that fails with values that the tape lacks is not said to pass"
repository passes broken
bisect 2 --good c1 && says 'cannot judge HEAD: it does not build' && ! grep -q 'does not come back' log
report $? "... nor one that does not build"

repository passes passes broken passes broken fails broken fails fails
bisect 0 --good c1 && says '"commit 6" (T' && says 'does not build: broken' && says 'change alone'
report $? "commits that do not build are skipped, and the change of each is tried alone"
repository passes broken hidden fails fails
bisect 0 --good c1 && says '"commit 3" (T' && says 'its change alone makes the failure, even without its part in build, which does not apply there'
report $? "a part of a change is enough, if the failure goes away without it"
repository passes moved hidden fails fails
bisect 1 --good c1 && says 'one of these 3 commits' && says '"commit 3"' && ! grep -q 'For a bug report' log
report $? "what cannot be told apart is not named as one"
repository api under both fails fails
bisect 1 --good c1 && says '"commit 3" alone: skipped: part of its change fails, but the failure stays without it' && says 'one of these 3 commits'
report $? "half of a change that fails by itself is not taken for the cause"

repository unborn unborn passes passes other other fails fails
bisect 1 --good c3 && says 'fails in another way there' && says 'one of these 3 commits'
report $? "another failure is not the one that is sought"
bisect 1 --good c1 && says "no property matches 'clamps'" && says 'taken for good without a run'
report $? "a property that does not exist yet is said"
repository passes discards draws discards fails
bisect 1 --good c1 && says 'the input is discarded there' && says 'draws values that the tape lacks'
report $? "a tape that cannot be judged"

repository unborn fails fails
bisect 1 --good c1 && says 'The first commit that is known to fail is' && says '"commit 2", but the one before it, ' && says '"commit 1", could not be judged: ' && ! grep -qE 'passes|Introduced' log
report $? "a good commit that could not be judged is not said to pass"
repository fails fails passes
(cd repo && m=$(git symbolic-ref --short HEAD) && git checkout -q -b side c1 && printf 'has=clamps\ndoes=fails\nline=2\n' >code && git_ commit -qam side && git checkout -q "$m" && git_ merge -q --no-edit -X theirs side)
bisect 1 --good c3 && says '"side", but the one before it, ' && says '"commit 1", fails, too'
report $? "a parent on another branch is judged before it is said to pass"
repository passes passes passes
(cd repo && m=$(git symbolic-ref --short HEAD) && git checkout -q -b side c1 && printf 'has=clamps\ndoes=fails\nline=1\n' >code && git_ commit -qam side && git checkout -q "$m" && git_ merge -q --no-edit -X theirs side)
bisect 0 --good c3 && says '"side" (T' && says '"commit 1": passes'
report $? "... and then the commit is named"

repository passes more more values values
bisect 1 --good c1 && says 'draws values that the tape lacks' && says 'one of these 3 commits' && ! grep -q 'Introduced by [0-9a-f]* ' log
report $? "a generator that draws other values, and fails for them, shows nothing"

# The user's work tree is left as it is.
repository passes passes passes fails fails
(cd repo && echo changed >code && echo new >new && git add new && git_ stash -q && git stash apply -q && mkdir sub && git bisect start -q c5 c1 2>/dev/null; echo x >>code)
bisect 0 --good c1 --bad c5 && says '"commit 4" (T' && (cd repo && [ -f .git/BISECT_START ])
report $? "uncommitted changes, a stash and a bisection of the user's stay"
printf '#!/bin/sh\nexit 1\n' >repo/.git/hooks/post-checkout && chmod +x repo/.git/hooks/post-checkout && (cd repo && git bisect reset -q >/dev/null 2>&1; true)
(cd repo/sub && GIT_DIR=../.git GIT_INDEX_FILE=nothing "$BUILD/sonde" bisect ../../failure.tape --good c1 --bad c5 --build 'sh build' -- ./test) >log 2>&1 && says '"commit 4" (T'
report $? "hooks do not run, from a subdirectory, with git's variables set"

repository passes passes passes fails
(cd repo && exec "$BUILD/sonde" bisect ../failure.tape --good c1 --build 'sleep 60' -- ./test) >log 2>&1 &
pid=$!
for _ in $(seq 100); do grep -q Building log && break; sleep 0.05; done
kill -TERM $pid
wait $pid
[ $? = 143 ] && [ -z "$(ls tmp)" ] && [ "$(git -C repo worktree list | wc -l)" = 1 ]
report $? "a signal ends it, and nothing is left behind"

(cd repo && exec "$BUILD/sonde" bisect ../failure.tape --good c1 --build 'sleep 5' -- ./test) >log 2>&1 &
pid=$!
for _ in $(seq 100); do grep -q Building log && break; sleep 0.05; done
kill -KILL $pid
wait $pid 2>/dev/null
(cd repo && exec "$BUILD/sonde" bisect ../failure.tape --good c1 --build 'sleep 60' -- ./test) >running 2>&1 &
pid=$!
for _ in $(seq 100); do grep -q Building running && break; sleep 0.05; done
left=$(ls tmp | wc -l)
(cd repo && "$BUILD/sonde" bisect ../failure.tape --good c1 --build 'sh build' -- ./test) >log 2>&1 && says '"commit 4" (T' && [ "$left" = 1 ] && [ "$(ls tmp | wc -l)" = 1 ]
result=$?
kill -TERM $pid
wait $pid 2>/dev/null
[ $result = 0 ] && [ -z "$(ls tmp)" ]
report $? "a bisection that was killed is removed by the next one, one that runs is not"

mv repo norepo && mkdir repo
(cd repo && GIT_CEILING_DIRECTORIES="$HOME" "$BUILD/sonde" bisect ../failure.tape --good c1 -- ./test) >log 2>&1
[ $? = 2 ] && says 'no work tree of git' && (cd norepo && "$BUILD/sonde" bisect ../nothing.tape --good c1 -- ./test >>../log 2>&1; [ $? = 2 ]) && says 'cannot read'
report $? "no repository, no tape"

# --with: today's test with old code
rm -rf repo && mv norepo repo
cat >repo/today.sh <<'TODAY'
TODAY
printf 'has=clamps does=passes line=0\n' >passes
(cd repo && git_ checkout -q master 2>/dev/null || git -C repo checkout -q main 2>/dev/null; true)
bisect 2 --good c1 --with nothing && says "there is no 'nothing'" && bisect 0 --good c1 --with test.sh
report $? "--with: files of today, and files that are missing"
