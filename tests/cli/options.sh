#!/bin/sh
# Wrong input on the command line: each a clear sentence on standard error, nothing on standard output, status 2. And
# what the options that only print do.
# Stages: gcc asan
first=$BUILD/examples/01_first
lists=$BUILD/examples/02_lists
declared=$BUILD/tests/cli/declared
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

# wrong TEXT PROGRAM ARGUMENT...: status 2, TEXT on standard error, standard output empty.
wrong() {
    text=$1
    shift
    "$@" >out 2>err </dev/null
    status=$?
    [ $status = 2 ] && grep -qF -- "$text" err && [ ! -s out ]
    result=$?
    report $result "$text"
    [ $result = 0 ] || { echo "# status $status"; sed 's/^/# /' out err; }
}

# says STATUS TEXT PROGRAM ARGUMENT...: that status, TEXT on standard output.
says() {
    wanted=$1
    text=$2
    shift 2
    "$@" >out 2>err </dev/null
    status=$?
    [ $status = "$wanted" ] && grep -qF -- "$text" out
    result=$?
    report $result "$text"
    [ $result = 0 ] || { echo "# status $status"; sed 's/^/# /' out err | head -n 40; }
}

wrong "01_first: unknown option --test; did you mean --tests?" "$first" --test 5
wrong "unknown option --xyzzyplugh; --help lists the options" "$first" --xyzzyplugh
wrong "unknown option -x" "$first" -x
wrong "--tests: 'many' is not a valid number; give a whole number from 0" "$first" --tests many
wrong "--tests: '-5'" "$first" --tests=-5
wrong "--tests: a value is missing; write --tests N" "$first" --tests
wrong "--time: 'soon' is not a time; give seconds" "$first" --time=soon
wrong "--memory: '12Q' is not a size" "$first" --memory=12Q
wrong "--max-choices: '0' is not allowed; give a whole number from 1 to" "$first" --max-choices 0
wrong "--color: 'red' is not one of auto|always|never" "$first" --color=red
wrong "--list: takes no value, but 'all' was given" "$first" --list=all
wrong "unexpected argument 'sorts'; to choose properties write --filter" "$first" sorts
wrong "no guide has a knob 'hott'; --guide-options help lists them" "$first" --guide-options hot=0.1,hott=1
wrong "hot='' is not allowed; give a number from 0 to 1" "$first" --guide-options hot
wrong "--guide-options: back='1' is not allowed; give a number from 0 to 0.99" "$first" --guide cgpt --guide-options back=1
wrong "--guide-options: twin='-1' is not allowed; give a number from 0 to 1000" "$first" --guide-options twin=-1
wrong "filter='best' is not allowed; give one of random, sequence, choices, generator" "$first" --guide-options filter=best
says 1 "guide rl-classic" "$declared" --seed 1 --guide rl-classic --guide-options epsilon=0.1,unique=20,valid=0,invalid=-1,window=4
says 0 "  epsilon=0.25" "$declared" --guide-options help
says 0 "  filter=generator" "$first" --guide-options help
"$first" --guide-options help | sed -n '/^[a-z].*:$/p' | sort | uniq -d >twice
[ "$("$first" --guide-options help | grep -c '^[a-z][a-z, -]*:$')" -ge 5 ] && [ ! -s twice ]
report $? "--guide-options help names the guides of each group of knobs, once"
"$first" --help | sed -n 's/^\([A-Z].*\):$/\1/p' | sort | uniq -d >twice
[ ! -s twice ]
report $? "--help has each heading once"
wrong "there is no guide 'magic'; the guides are auto, random, uniform, enumerate" "$first" --guide magic
wrong ".guide of property 'holds': there is no guide 'magik'; the guides are auto, random," env GUIDE=magik LC_ALL=nowhere "$BUILD/tests/cli/declared"
for seconds in -1 nan; do
    wrong ".seconds of property 'holds' must be a number of seconds; 0 for the default" env SECONDS_GIVEN=$seconds LC_ALL=nowhere "$BUILD/tests/cli/declared"
done
says 0 "ok   holds: 50 valid cases" env GUIDE=random LC_ALL=nowhere "$BUILD/tests/cli/declared" --filter holds -n50 --seed 1
wrong "no property matches 'nothing_like_it'; the properties are" "$lists" --filter nothing_like_it
wrong "  result_is_sorted" "$lists" --filter nothing_like_it
wrong "--replay: an input belongs to one property; choose it with --filter NAME" "$lists" --replay 's1:x=1'
wrong "--dict: cannot read 'no/such/file': No such file or directory" "$first" --dict no/such/file
echo 'word' >bad.dict
wrong "--dict: bad.dict:1: this line lacks a word in double quotes" "$first" --dict bad.dict
wrong "--report: 'xml' is not a kind of report; give terminal, json, tap, junit, github, sarif, html or tyche" "$first" --report xml
wrong "--report: cannot write 'no/such/out.xml': No such file or directory" "$first" --report junit:no/such/out.xml
wrong "two reports cannot share standard output; give one a file" "$first" --json --report tap
wrong "SONDE_TESTS: 'x' is not a valid number" env SONDE_TESTS=x "$first"
wrong "--until-flat: '0' is not allowed; give more than 0 minutes" "$first" --until-flat 0
wrong "SONDE_MEASURE is set, but the program was not started by a sonde command that measures tapes; unset it" env SONDE_MEASURE=1 "$first"
for line in x '1 5' '0 0 0 0' "$(printf '%x' $$) 1 0"; do
    wrong "SONDE_SPAWNED is set, but not by sonde, which uses it to start workers; unset it" env SONDE_SPAWNED="$line" sh -c '"$0"; exit $?' "$first"
done
env SONDE_TEST=3 SONDE_TEST_LONG=1 SONDE_CC=cc "$first" --seed 1 >out 2>err
[ $? = 1 ] && grep -q 'the environment variable SONDE_TEST has no effect; did you mean SONDE_TESTS?' err && [ "$(wc -l <err)" = 1 ]
report $? "a setting that is misspelt in the environment is warned of"
wrong "property 1 of sonde_main lacks a name; set it" env NAME= LC_ALL=nowhere "$BUILD/tests/cli/declared"
wrong "sonde_main was given NULL for 2 properties" env NAME=NULL LC_ALL=nowhere "$BUILD/tests/cli/declared"
wrong "SONDE_QUIET: 'maybe' is not one of" env SONDE_QUIET=maybe "$first"

says 2 "the replay token cannot be read" "$first" --replay 's1:tree{'
says 2 "'no/such/tape' cannot be read: No such file or directory" "$first" --replay @no/such/tape
says 2 "'no/such/tape' cannot be read: No such file or directory" "$first" --replay no/such/tape

says 0 "Usage: 01_first" "$first" --help
says 0 "  target  " "$first" --help
"$first" --help >out && ! grep -q classic out
report $? "--help names no guide that is there to compare with"
says 0 "  zest-bytes  " "$declared" --guide help
says 0 "--max-choices N" "$first" -h
says 0 "sonde 0." "$first" --version
says 0 "equal_keys_keep_their_order" "$lists" --list
"$lists" --list --filter sorted >listed
[ "$(cat listed)" = result_is_sorted ]
report $? "--list prints the properties that --filter chooses"
wrong "no property matches 'nothing_like_it'; the properties are" "$lists" --list --filter nothing_like_it
for tests in 50 0x32 5e1 0.05k 0.00005M; do
    says 0 "ok   result_is_sorted: 50 valid cases" "$lists" --filter result --seed 1 --tests $tests
done
says 0 "ok   result_is_sorted: 50 valid cases" "$lists" --filter result_is_sorted --tests 50 --seed 1
says 0 "ok   result_is_sorted: 50 valid cases" "$lists" --filter '*sorted' -n50 --seed 1
says 0 "ok   result_is_sorted: 60 valid cases" env SONDE_TESTS=60 "$lists" --filter result --seed 1
says 1 "FAIL insert_keeps_order: falsified" "$first" --seed 1
says 1 "FAIL insert_keeps_order: falsified" "$first" --replay 's1:tree{value=0} x=0'
says 0 "ok   insert_keeps_order: holds for this input" "$first" --replay 's1:tree{value=1} x=2'
says 1 "2 properties: 1 holds, 1 falsified." "$lists" --seed 1 --tests 2000
says 1 '{"property": "insert_keeps_order", "verdict": "falsified"' "$first" --json --seed 1
says 1 "not ok 1 - insert_keeps_order" "$first" --report tap --seed 1
says 1 "FAIL insert_keeps_order" "$first" --report junit:out.xml --report json:out.json --seed 1
grep -q '<testcase classname="01_first" name="insert_keeps_order"' out.xml && grep -q '^{"property": "insert' out.json
report $? "reports go to their files"

"$first" --json --report terminal --seed 1 >out 2>err
grep -q '^FAIL' err && [ "$(wc -l <out)" = 1 ]
report $? "text goes to standard error beside another report"

"$first" --seed 1 --color=always >out
grep -q "$(printf '\033')\[" out
report $? "--color=always colours a pipe"
"$first" --seed 1 >out
! grep -q "$(printf '\033')" out
report $? "a pipe has no colours"

"$lists" --filter result --tests 50 --quiet >out 2>err
[ ! -s out ] && [ ! -s err ]
report $? "--quiet says nothing of success"

"$first" --seed 1 --tests 100 --json >/dev/full 2>err
[ $? = 99 ] && grep -q "the report could not be written" err
report $? "a report that cannot be written is an error"

# The printed command leads back to the failure.
command=$("$first" --seed 1 | grep -- '--replay')
sh -c "$command" >out
[ $? = 1 ] && grep -q '^FAIL' out
report $? "the replay command works in a shell"

# --gdb, with a stand-in for gdb that prints what it is asked.
mkdir -p stub && printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >stub/gdb && chmod +x stub/gdb
wrong "--gdb: the input to run is missing; give it with --replay TOKEN" "$first" --gdb
wrong "--explain=lines: it compares inputs of a search; give it without --replay" "$first" --explain=lines --replay 's1:x=0'
PATH=$PWD/stub:$PATH "$first" --gdb --replay 's1:tree{value=0} x=0' >out 2>err
tail -n 7 out | tr '\n' '|' | grep -qF "/01_first|--gdb|--replay|s1:tree{value=0} x=0|--isolate=none|--no-store|"
report $? "--gdb runs the case under gdb, in one process"
PATH=/nowhere "$first" --gdb --replay 's1:x=0' >out 2>err
[ $? = 2 ] && grep -q "cannot start gdb: No such file or directory; install gdb" err
report $? "--gdb says so when there is no gdb"

# The fault of SIGBUS lies at an address that the system chose: without randomisation, always the same. The message of
# AddressSanitizer has no address.
if [ "${STAGE#asan}" = "$STAGE" ] && setarch -R true 2>/dev/null; then
    for _ in 1 2 3; do "$BUILD/tests/misbehave/kinds" --filter bus --replay s1:x=37 --json --no-aslr 2>&1; done |
        grep -o 'at address 0x[0-9a-f]*' | sort -u >out
    [ "$(wc -l <out)" = 1 ]
    report $? "--no-aslr: the same addresses in every run"
fi

sonde=$BUILD/sonde
says 0 "show TOKEN|@FILE" "$sonde" help
says 0 "Usage: sonde show TOKEN|@FILE" "$sonde" help show
says 0 "Usage: sonde min [--trim] IN OUT -- TEST" "$sonde" min --help
wrong "there is no command 'shw'" "$sonde" help shw
wrong "there are too many arguments; write sonde man" "$sonde" man 1
says 0 "sonde 0." "$sonde" version
says 0 ".SH OPTIONS OF A TEST PROGRAM" "$sonde" man
says 0 "xs = [1, 2]" "$sonde" show 's1:xs[{x=1} {x=2}]'
wrong "there is no command 'shw'; did you mean 'show'? (sonde help lists them)" "$sonde" shw
wrong "there is no command 'xyzzy'; sonde help lists them" "$sonde" xyzzy
wrong "unknown option --santize; did you mean --sanitize?" "$sonde" cc --santize=address x.c
wrong "a command is missing" "$sonde"
wrong "this is not a token" "$sonde" show 's1:a}'
wrong "cannot read 'nope': No such file or directory" "$sonde" show @nope
wrong "cannot read 'nope': No such file or directory" "$sonde" show nope
echo 's1:xs[{x=1} {x=2}]' >token
says 0 "xs = [1, 2]" "$sonde" show token
wrong "an argument is missing; write sonde show TOKEN|@FILE" "$sonde" show
: >empty
wrong "sonde show: 'empty' is not a tape that can be read: it is empty" "$sonde" show @empty
wrong "this is not a token: it is empty" "$sonde" show ''
wrong "sonde show: 'bad.dict' is not a tape that can be read: a =, { or [ must follow the label (at character 5)" "$sonde" show @bad.dict
printf '\357\273\277# sonde tape 1\r\ns1:x=1\r\n' >marked
says 0 "x = 1" "$sonde" show @marked
wrong "cannot create 'token': Not a directory" "$sonde" filter --by random . token
echo "1..$n"
