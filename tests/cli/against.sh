#!/bin/sh
# --against: another program as the oracle (tests/cli/against.c is another version under each name).
# Stages: gcc
# Not sanitized (it compares how the code under test ends)
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | cut -c 1-600 | head -n 40; fi; }
export SONDE_TIME=0 SONDE_SEED=1 SONDE_TESTS=2000
for version in new same value crash hang sleep dies discards more fails wider computes silent renamed seldom state without; do
    cp "$BUILD/tests/cli/against" $version && echo $version >>$version # another file each, as other builds are
done
# run STATUS PROPERTY OTHER OPTION...: runs `new` against another version
run() {
    wanted=$1 property=$2 other=$3
    shift 3
    ./new --no-store --filter "$property" --against "./$other" "$@" >log 2>&1
    status=$?
    [ $status = "$wanted" ] || { echo "status $status, not $wanted" >>log; return 1; }
}
says() { grep -qF -- "$1" log || { echo "missing: $1" >>log; return 1; }; }

run 0 packs same && says 'Compared with ./same: 2,00' && ! grep -q Warning log
report $? "a program that does the same: no difference"
run 1 packs value && says 'packed: byte 3 got 07, want 05' && says 'n = 4' && says "--against ./value --replay 's1:n=4 byte=0 byte=0 byte=0 byte=7'"
report $? "an observed value differs: named with both sides, and shrunk"
says 'got:  (4 bytes) 00 00 00 07' && says 'want: (4 bytes) 00 00 00 05' && says 'packs packed'
report $? "... with both values, and the line for --accept"
run 1 packs value --replay 'n=4 byte=0 byte=0 byte=0 byte=7' && says 'packed: byte 3 got 07, want 05'
report $? "a replay shows both sides"
run 0 packs same --replay 'n=4 byte=0 byte=0 byte=0 byte=7'
report $? "a replay against a program that does the same"
run 1 packs crash && says 'the case ended differently: got valid, want failed: SIGABRT' && says 'n = 4'
report $? "the other program crashes"
run 1 packs fails && says 'want failed: '
report $? "a check fails in the other program only"
run 1 packs discards && says 'got valid, want discarded: '
report $? "a case is discarded in the other program only"
run 1 packs more && says 'rest: got nothing, want 1'
report $? "a value is observed in the other program only"
run 1 packs hang --timeout 0.05 --no-shrink && says 'want failed: ' && says 'did not end'
report $? "the other program hangs"
run 1 packs sleep --wall-timeout 0.2 --no-shrink && says 'want failed: '
report $? "the other program waits for ever"
run 0 packs wider && ! grep -q Warning log
report $? "another range is no difference while the values are the same"

run 0 fixed same && says 'all 2,0' && says 'compared cases showed the same values'
report $? "a property that shows the same in every case: a warning"
ln -s new self && run 2 packs new && says "'./new' is this program" && run 2 packs self && says 'is this program' && cp new copy && run 0 packs copy && says './copy is this program, byte for byte, so no difference can show'
report $? "the program itself, and a copy of it"

# Draws that differ are not behaviour that differs.
run 77 draws renamed && says 'could not be compared' && says 'the generator has changed; draw 2 is "c" in the new program and "other" in the old'
report $? "most draws differ: the run could not compare, and says so"
run 0 draws seldom && says 'drew other values; the first: draw 2' && ! grep -q 'holds for all' log
report $? "some draws differ: a warning, and no proof"
run 1 draws computes && says 'b: got 51, want 52' && says 'a = 51'
report $? "a value observed before the draws differ is a finding"
run 1 draws computes --replay 'a=60 c=3' && says 'b: got 60, want 61'
report $? "... in a replay as well"
run 0 mute same && says 'no observed value was compared with ./same, only how cases ended'
report $? "without sonde_observe only verdicts are compared, and the report says so"
run 1 mute fails && says 'want failed: a <= '
report $? "... and they are"
./fails --no-store --filter mute --against ./new >log 2>&1
[ $? = 1 ] && says 'The same input with ./new holds'
report $? "a failure says how its input ends in the other program"

# State
run 0 counts same --isolate=worker && says 'Compared with ./same'
report $? "state of earlier cases is the same on both sides"
run 0 counts same --jobs 3 && run 0 packs same --isolate=none && run 0 packs same --isolate=case --tests 20
report $? "three jobs, no isolation, a process for each case"
run 1 counts state && says 'after 5 earlier cases'
report $? "a difference that depends on earlier cases is found with them"

# Accepted differences
printf '# intended\n\npacks packed\nmute (ended)\nother packed\n' >accepted
run 0 packs value --accept accepted && ! says 'no case showed' && run 0 mute fails --accept accepted
report $? "--accept: intended differences are no failures"
run 1 packs more --accept accepted && says 'rest: got nothing' && says "no case showed the accepted difference 'packed'"
report $? "--accept: others are, and what no case shows is listed"
run 2 packs same --accept nothing && says 'cannot read' && run 2 packs same --accept . && printf 'packs\n' >bad && run 2 packs same --accept bad && says 'bad:1:'
report $? "--accept: bad files are errors"

# Programs that cannot be compared with
run 2 alone without && says "has no property 'alone'; its properties are packs, draws"
report $? "a program without the property"
run 2 packs nothing && says 'No such file' && run 2 packs accepted && says 'is not a program' && run 2 packs ../../../../../../bin/true && true
ln -sf /bin/true other && run 2 packs other && says 'does not answer as a test program'
report $? "no program, or none of sonde"
cat >liar <<'LIAR'
#!/bin/sh
echo "not sonde" >&2
head -c 20 /dev/zero >&0
LIAR
chmod +x liar && run 2 packs liar && says 'It printed: not sonde'
report $? "what another program prints is quoted"
run 77 packs dies --tests 300 || run 0 packs dies --tests 300
says 'id not answer'
report $? "servers that die are counted, not compared"
./new --accept accepted >log 2>&1
[ $? = 2 ] && run 2 packs same --spawn && says 'cannot be combined with --spawn' && run 2 packs same --mutate && run 2 packs same --as-c
report $? "options that do not go together"

# The store
./new --store store --filter packs --against ./value >log 2>&1
[ $? = 1 ] && grep -rq '^# shown by: --against ' store
report $? "a difference is stored with what showed it"
./new --store store --filter packs >log 2>&1
[ $? = 0 ] && says 'cannot be judged' && ! grep -q 'no longer fail' log
report $? "a run without --against does not call it fixed"
./new --store store --filter packs --against ./same >log 2>&1
[ $? = 0 ] && ! grep -q 'no longer fail' log
report $? "nor does a run against another program"
./new --store store --filter packs --against ./value --json >log 2>&1
[ $? = 1 ] && says '"kind": "difference"' && says '"observed": "packed"' && says '"known": true' && says '"against": {"program": "./value"'
report $? "it is known the next time; JSON"
leftover=$(pgrep -f "^$(pwd)/(same|value|dies|sleep) |^\\./(same|value|dies|sleep) --isolate" | wc -l)
[ "$leftover" = 0 ]
report $? "no server outlives its run"
