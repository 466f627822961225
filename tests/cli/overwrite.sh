#!/bin/sh
# Code under test that writes over sonde's memory, or tries to: a failure like any other where the damage can be seen and
# repaired, else a sentence with the property, the input stored, and status 99; never an end without a word.
# Stages: gcc
case $STAGE in *asan*) echo "a sanitizer sees these writes first"; exit 77 ;; esac
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 12; }

# run NAME OPTION...: its status in $status, JSON in out.
run() {
    name=$1
    shift
    rm -rf store
    timeout -s KILL 200 "$program" --filter "$name" --seed 1 --json --tests 200 --store store "$@" >out 2>err </dev/null
    status=$?
}

# bad NAME TOKEN KIND TEXT: one failure, minimal, stored.
bad() {
    wanted=$1 token="$2 ?" kind=$3 text=$4
    run "$wanted"
    [ $status = 1 ] && grep -qF "\"token\": \"$token\"" out && grep -qF "\"kind\": \"$kind\"" out && grep -qF -- "$text" out && ! grep -q '"flaky": true' out &&
        find store -name '*.tape' | grep -q .
    result=$?
    report $result "$what: $wanted: $text"
    [ $result = 0 ] || { echo "# status $status"; show out err; }
}

# damaged NAME: the supervisor itself is hit.
damaged() {
    run "$1"
    [ $status = 99 ] && grep -q "^sonde: $1: sonde itself failed (.*--isolate=none --seed 1\$" err
    result=$?
    report $result "$what: $1: a sentence, and status 99"
    [ $result = 0 ] || { echo "# status $status"; show out err; }
}

all() {
    bad overruns_block s1:x=37 crash 'SIGSEGV (invalid memory access) at address 0x'
    # It may have overwritten what the unwinder needs: the innermost function is known all the same.
    grep -q 'at address 0x[0-9a-f]*, in [^"]*overruns_block' out
    report $? "$what: overruns_block: the function is named"
    run underruns_block
    [ $status = 1 ] && grep -q '"token": "s1:x=37 ?"' out
    report $? "$what: underruns_block: a failure"
    bad clears_its_case s1:x=37 crash "the code under test wrote over sonde's memory"
    bad clears_and_crashes s1:x=37 crash "the code under test wrote over sonde's memory"
    bad writes_to_descriptors s1:x=500 check 'x < 500'
    bad truncates_descriptors s1:x=500 check 'x < 500'
    damaged clears_much
    damaged clears_head
    tape=$(find store -name '*.tape')
    [ -n "$tape" ] && grep -q '^s1:x=[0-9]' "$tape" && grep -qF "stored in $tape" err
    report $? "$what: the input is stored, and the sentence says where"
    damaged clears_all
}

# Whatever a few bits hit: the failure is reported, or a sentence says why there is no report.
scribbled() {
    "$program" --filter scribbles --seed "$1" --json --tests 200 --store store >out 2>err </dev/null
    status=$?
    case $status in 1 | 2) grep -q '"verdict"' out ;; 99) grep -q '^sonde: ' err ;; *) false ;; esac
    result=$?
    report $result "$what: scribbles, seed $1: an end with a word, and no pass"
    [ $result = 0 ] || { echo "# status $status"; show out err; }
}

what=$CC
program=$BUILD/tests/misbehave/overwrite
all
for seed in 1 2 3 4 5 6 7 8; do scribbled $seed; done
what="$CC -static"
if $CC -static -g -O1 -I"$SRC/include" "$SRC/tests/misbehave/overwrite.c" "$BUILD/libsonde.a" -lm -lpthread -o static 2>err; then
    program=./static
    all
else
    echo "# nothing can be linked statically here"
fi
what="$CXX"
$CXX -x c++ -fpermissive -w -g -O1 -I"$SRC/include" "$SRC/tests/misbehave/overwrite.c" -x none "$BUILD/libsonde.a" -lm -lpthread -o cpp 2>err
result=$?
report $result "it builds with $CXX"
[ $result = 0 ] || show err
program=./cpp
all

# With a limit on the size of files there is no shared memory, but a run, and a sentence.
sh -c "ulimit -f 1000; exec \"$BUILD/tests/misbehave/kinds\" --filter fail --seed 1 --json --no-store" >out 2>err </dev/null
[ $? = 1 ] && grep -q 'ulimit -f' err && grep -q '"token": "s1:x=37 ?"' out
result=$?
report $result "ulimit -f: without isolation, with a sentence"
[ $result = 0 ] || show out err
echo "1..$n"
