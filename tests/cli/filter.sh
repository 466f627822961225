#!/bin/sh
# sonde filter: of a folder of tapes a few that differ.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 log | sed 's/^/# /'; fi
}
sonde=$BUILD/sonde
tokens() { cat "$1"/*.tape | grep '^s1:' | sort; }

# Forty tapes that hardly differ and two that do; one of them in another form, one in a folder of its own.
mkdir -p in/deep
i=10
while [ $i -lt 50 ]; do
    echo "s1:xs[{a=$i b=1} {a=$i b=1}]" >in/$i
    i=$((i + 1))
done
"$sonde" convert --to=bytes 's1:tree{leaf=yes}' in/60
echo 's1:name=hello' >in/deep/1
tokens_in() { for f in in/[0-9]* in/deep/*; do "$sonde" convert --to=token "@$f"; done | sort; }
tokens_in >all 2>log

for by in random sequence choices generator; do
    "$sonde" filter --by $by --size 5 in out.$by >log 2>&1 && [ "$(cat log)" = '5 of 42 tapes kept' ] \
        && [ "$(tokens out.$by | sort -u | wc -l)" = 5 ] && [ -z "$(tokens out.$by | comm -23 - all)" ]
    report $? "$by: as many as asked for, each of them one that was there"
    "$sonde" filter --by=$by --size=5 --seed=0 in again.$by >log 2>&1 && diff -r out.$by again.$by >log
    report $? "$by: the same seed selects the same tapes"
done
"$sonde" filter --by random --size 5 --seed 3 in other >log 2>&1 && ! diff -r out.random other >log
report $? "another seed selects other tapes"
# By choices tapes are alike that share answers.
mkdir alike
i=10
while [ $i -lt 50 ]; do
    echo "s1:xs[{a=1 b=1} {a=1 b=1}] n=$i" >alike/$i
    i=$((i + 1))
done
cp in/60 in/deep/1 alike
for by in sequence choices; do
    "$sonde" filter --by $by --size 12 alike differ.$by >log 2>&1 && tokens differ.$by >log && grep -q tree log && grep -q name log
    report $? "$by: those that differ are among the first"
done
"$sonde" filter --by generator in ways >log 2>&1 && tokens ways >log && grep -q tree log && grep -q name log && [ "$(wc -l <log)" -lt 10 ]
report $? "generator: without a size, one tape for each new way"
"$sonde" filter --by random in everything >log 2>&1 && [ "$(cat log)" = '42 of 42 tapes kept' ]
report $? "of fewer tapes than asked for all are kept"

# What cannot be read is told and left where it is.
mkdir bad && cp in/10 bad/1 && echo 'not a tape{' >bad/2 && head -c 20 in/60 >bad/3 && cp -r bad kept
"$sonde" filter --by random bad from-bad >log 2>&1 && grep -q 'bad/2 could not be read and is left out' log && grep -q 'bad/3 could not be read and is left out' log \
    && grep -q '^1 of 1 tapes kept' log && diff -r bad kept >>log
report $? "what cannot be read is told, left out and left alone"
name=$(basename from-bad/*.tape)
mkdir -p taken && echo precious >"taken/$name"
"$sonde" filter --by random bad taken >log 2>&1
[ $? = 2 ] && grep -q "cannot write 'taken/$name'" log && grep -q precious "taken/$name"
report $? "a file that is in the way is not written over"
"$sonde" filter --by random in in >log 2>&1 && tokens_in | sort -u | cmp -s all -
report $? "a folder can be its own output: nothing is lost"

# Misuse.
for words in 'in out' '--by best in out' '--by random in' '--by random --size 0 in out' '--by random --size x in out' \
    '--by random --seed -1 in out' '--by random --sizes 3 in out' '--by random in out more' '--by'; do
    # shellcheck disable=SC2086
    "$sonde" filter $words >log 2>&1
    [ $? = 2 ] && grep -q 'write sonde filter --by random|sequence|choices|generator' log
    report $? "told how to write it: filter $words"
done
"$sonde" filter --by random no-such-folder x >log 2>&1
[ $? = 2 ] && grep -q "cannot read 'no-such-folder'" log && [ ! -e x ]
report $? "a missing folder is told, and nothing is made"
"$sonde" help | grep -q 'filter --by' && "$sonde" man | grep -q 'fBfilter'
report $? "help and manual know it"
echo "1..$n"
