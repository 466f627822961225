#!/bin/sh
# Where the store stands, whose findings are whose, and what a file in it can do.
# Stages: gcc
rot=$BUILD/tests/cli/rot
kept=$BUILD/tests/cli/kept
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 20; fi
}
work=$(mktemp -d) # in no repository
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
HOME=$PWD/home
export HOME
unset XDG_STATE_HOME

# ---- Two programs of one name, in one repository; the store is found from anywhere

mkdir -p repository/.git repository/a repository/b elsewhere
cp "$rot" repository/a/test
cp "$rot" repository/b/test
(cd elsewhere && ../repository/a/test --filter counts --seed 1) >out 2>err </dev/null
[ $? = 1 ] && [ "$(find repository/.sonde -path '*/failures/*.tape' | wc -l)" = 1 ] && [ ! -e elsewhere/.sonde ]
report $? "the store stands in the repository of the program, not where it was started"
[ "$(cat repository/.sonde/.gitignore)" = '*' ]
report $? "and git does not see it"
ROT_EDITED=fixed repository/b/test --filter counts --seed 1 --tests 20 >out 2>err </dev/null
[ $? = 0 ] && ! grep -q 'no longer fails' out && [ "$(find repository/.sonde -path '*/failures/*.tape' | wc -l)" = 1 ]
report $? "another program of that name does not call its failures fixed"

rm -rf old
mkdir -p old/test/counts
mv "$(find repository/.sonde -type d -name failures)" old/test/counts/failures
ROT_EDITED=fixed repository/b/test --filter counts --seed 1 --tests 20 --store old >out 2>err </dev/null
[ $? = 0 ] && [ "$(find old/test -path '*/failures/*.tape' | wc -l)" = 1 ]
report $? "nor those that an earlier version kept for either"
repository/a/test --filter counts --seed 2 --tests 1 --guide uniform --store old >out 2>err </dev/null
[ $? = 1 ] && [ "$(find old/test -path '*/failures/*.tape' | wc -l)" = 0 ] && [ "$(find old -path '*/failures/*.tape' | wc -l)" = 1 ]
report $? "which become the program's own where they still fail"

repository/a/test --filter counts --seed 1 --stats >out 2>err </dev/null
grep -q "Store: .*/repository/.sonde\$" out
report $? "--stats says where it is"

mkdir -p plain
cp "$rot" plain/test
plain/test --filter counts --seed 1 >out 2>err </dev/null
[ "$(find home/.local/state/sonde -name '*.tape' | wc -l)" = 1 ] && [ ! -e plain/.sonde ]
report $? "outside of repositories it is in the user's folder for state"

# ---- Many failures: --time and signals are obeyed

own=many/tests/cli/kept/climbs
mkdir -p $own/failures
i=0
while [ $i -lt 3000 ]; do echo "s1:step=$((i % 17))" >$own/failures/$i.tape; i=$((i + 1)); done
"$kept" --filter climbs --tests 0 --time 0.02 --store many >out 2>err </dev/null
[ $? != 1 ] && grep -q 'stored failures were not replayed: there was no time left' out && [ ! -s err ]
report $? "stored failures that there is no time for are left"
"$kept" --filter climbs --tests 100 --store many >out 2>err </dev/null
grep -q 'stored failures no longer fail and were moved to the directory fixed' out && [ "$(find $own/fixed -name '*.tape' | wc -l)" = 3000 ]
report $? "and replayed when there is"

mkdir -p $own/failures
i=0
while [ $i -lt 3000 ]; do echo "s1:step=$((i % 17))" >$own/failures/$i.tape; i=$((i + 1)); done
rm -rf $own/fixed
"$kept" --filter climbs --tests 1000000000 --store many --json >out 2>err </dev/null &
run=$!
while kill -0 $run 2>/dev/null && [ ! -d $own/fixed ]; do sleep 0.01; done # it has begun
kill -TERM $run
wait $run
[ $? = 143 ] && grep -q '"verdict": "interrupted"' out
report $? "a signal ends the replay of stored failures as it ends a search"
left=$(($(find $own/failures -name '*.tape' | wc -l) + $(find $own/fixed -name '*.tape' | wc -l)))
[ "$left" = 3000 ]
report $? "and none of them is lost ($left)"

# ---- No file stops testing

mkdir -p labels/kept/climbs/corpus labels/kept/climbs/failures
awk 'BEGIN { printf "s1:"; for (i = 0; i < 66000; i++) printf "l%d=1 ", i; print "" }' >labels/kept/climbs/corpus/many.tape
cp labels/kept/climbs/corpus/many.tape labels/kept/climbs/failures/many.tape
"$kept" --filter climbs --tests 100 --store labels >out 2>err </dev/null
[ $? = 0 ] && [ "$(grep -c 'too many different labels' err)" = 2 ]
report $? "a tape with 66,000 labels costs a warning"

# ---- Tools

printf 's1:x=701 ; s1:x=501\n' >two.tape
"$BUILD/sonde" show @two.tape >out 2>err
[ $? = 0 ] && grep -q 'case 1 of 2' out && grep -q 'x = 701' out && grep -q 'x = 501' out
report $? "sonde show prints all tapes of a file"
[ "$("$BUILD/sonde" convert --to=token @two.tape)" = 's1:x=501' ]
report $? "sonde convert takes the last, which is the one that fails"
mkdir -p odd
mkfifo odd/pipe.tape
ln -s . odd/loop
ln -s nowhere odd/dangling.tape
echo 's1:x=1' >odd/good.tape
timeout 60 "$BUILD/sonde" filter --by random --size 5 odd filtered >out 2>err
[ $? = 0 ] && [ "$(find filtered -name '*.tape' | wc -l)" = 1 ] && [ "$(grep -c 'is left out' err)" = 3 ]
report $? "a pipe, a loop of links and a link to nothing are left out, with a sentence"
echo "1..$n"
