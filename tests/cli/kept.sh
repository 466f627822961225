#!/bin/sh
# What earlier versions left stays readable and means the same: tokens, tape files, a store. tests/data/kept was made by
# version 0.1.0 of sonde with the program kept.c; `expected` holds the values that each of them led to then.
# Stages: gcc asan
kept=$BUILD/tests/cli/kept
data=$SRC/tests/data/kept
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 20; fi
}
KEPT_LOG=$PWD/log
export KEPT_LOG

distinct() { awk '!seen[$0]++' log; } # a case may be run again: because it failed, or to see whether it is deterministic

# replay PROPERTY TOKEN: what its cases drew.
replay() {
    rm -f log
    "$kept" --filter "$1" --no-store --replay "$2" >out 2>err </dev/null
    echo "$?: $2" >>statuses
    distinct
}

rm -f now statuses
while read -r property token; do replay "$property" "$token" >>now; done <"$data/tokens"
for tape in draws remembers; do replay $tape "$data/tapes/$tape.tape" >>now; done
replay crashes "$data/tapes/bare-crashes.tape" >>now
[ -z "$KEPT_UPDATE" ] || cp now "$data/expected"
cmp "$data/expected" now >err
report $? "tokens and tape files lead to the same values"
[ "$(grep -c '^1: ' statuses)" = 7 ]
report $? "and those that failed do so still"

"$BUILD/sonde" convert --to=token "@$data/tapes/draws.bytes" >out 2>err && tail -n 1 "$data/tapes/draws.tape" | cmp -s - out
report $? "bytes are the same tape as text"

rm -rf store
cp -r "$data/store" store
for property in draws remembers crashes; do
    "$kept" --filter $property --tests 1 --seed 1 --guide uniform --json --store store >out 2>err </dev/null
    [ $? = 1 ] && grep -q '"verdict": "falsified"' out && [ ! -s err ]
    report $? "a stored failure of $property is found again"
done
# Under UBSan the crash is another failure, which is stored besides; the one that was kept is neither fixed nor rewritten.
case $STAGE in
asan*)
    n_stored=4
    cmp store/kept/crashes/failures/*.tape "$data"/store/kept/crashes/failures/*.tape >err && grep -rq '^# kind: undefined$' store
    ;;
*) n_stored=3 && ! grep -rq '^# kind: undefined$' store ;;
esac
[ $? = 0 ] && [ "$(find store -name '*.tape' -path '*/failures/*' | wc -l)" = $n_stored ] && [ -z "$(find store -name fixed)" ]
report $? "and stays where it is"

rm -f log
"$kept" --filter climbs --fuzz --runs 1 --seed 1 --guide cgpt --json --store store >out 2>err </dev/null
[ $? = 0 ] && [ ! -s err ] && distinct | head -n 6 >out
report $? "a stored corpus and what a guide learned are read without a warning"
cat >expected <<END
climbs 17 23
climbs 17 18 9
climbs 17 18 19 9
climbs 17 18 19 20 27
climbs 17 18 19 20 21 17
climbs 17 18 19 20 21 22
END
cmp expected out >err
report $? "and its inputs come first, in the order in which they were found"
echo "1..$n"
