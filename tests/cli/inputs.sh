#!/bin/sh
# Inputs that lead: --inputs, examples and regressions are run observed, and guides learn from them; --inputs-out writes what was
# made. What cannot be used costs a sentence, and the search goes on.
# Stages: gcc
program=$BUILD/tests/cli/inputs
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 20; fi
}
# gives STATUS TEXT COMMAND...: it ends with the status and prints the text (may be empty).
gives() {
    wanted=$1 text=$2
    shift 2
    "$@" >out 2>err </dev/null
    status=$?
    [ $status = "$wanted" ] && { [ -z "$text" ] || cat out err | tr '\n' ' ' | grep -qF -- "$text"; } && return 0
    echo "# status $status, wanted $wanted and '$text'"
    return 1
}
search() {
    property=$1
    shift
    "$program" --filter "$property" --no-store --seed 1 --max-discards 0 --time 0 --json "$@"
}
count() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" out | head -n 1; }
# leads LEAST PROPERTY ARGUMENTS: at least so many of the inputs are valid.
leads() {
    least=$1
    shift
    search "$@" >out 2>err </dev/null
    valid=$(count valid)
    [ "${valid:-0}" -ge "$least" ] && return 0
    echo "# ${valid:-0} valid, wanted $least"
    return 1
}
word='s1:letter=5 letter=0 letter=3 letter=1 letter=4 letter=4 letter=2 letter=5'
tests=3000
[ -n "$SONDE_TEST_LONG" ] && tests=20000

# ---- Guides learn from what they are given: one word of 1.7 million, and a number behind it

for seed in 1 2 3; do
    leads 18000 shown_more --guide rl --runs 20000 --seed $seed
    report $? "seed $seed: rl learns from one example: nine of ten inputs of 20,000 are valid"
    leads 18000 shown_more --guide auto --runs 20000 --seed $seed
    report $? "so does auto, whose rl wakes later"
done
mkdir given
printf '%s rest=0\n' "$word" >given/word.tape
leads $((tests * 9 / 10)) spell_more --guide rl --runs $tests --inputs given
report $? "rl learns from a tape of --inputs"
leads $((tests * 9 / 10)) spell_more --guide rl --runs $tests --regressions given
report $? "and from a regression"
for guide in cgpt zest; do
    leads $((tests / 30)) spell_more --guide $guide --runs $tests --inputs given
    report $? "$guide mutates it, without coverage"
    COUNTERS=1 leads $((tests / 30)) spell_more --guide $guide --runs $tests --inputs given
    report $? "$guide mutates it, with coverage"
done
export COUNTERS=1
printf '%s\n' "$word" >word
search read_word --guide zest --runs 300 --inputs word >out 2>err </dev/null
with=$(count edges)
search read_word --guide zest --runs 300 >out 2>err </dev/null
[ "${with:-0}" = 8 ] && [ "$(count edges)" -lt 8 ]
report $? "what is given is observed: its coverage is seen"
unset COUNTERS
leads 1 spell --guide uniform --runs 10 --inputs word && [ "$(count tests)" = 11 ]
report $? "a guide that learns nothing runs it, too, and it comes on top of the limit"
leads 1 shown --guide uniform --runs 10 && [ "$(count tests)" = 10 ]
report $? "an example is counted once, as a part of the limit"
search spell_more --runs 500 --inputs given >out 2>err </dev/null
sed 's/"seconds".*//' out >first
search spell_more --runs 500 --inputs given 2>err </dev/null | sed 's/"seconds".*//' >second
cmp -s first second
report $? "a seed makes the same run with the same inputs"

# ---- Every form of an input

printf 's1:%s rest=1\n\ns1:%s rest=2\r\ns1:nonsense(\n' "${word#s1:}" "${word#s1:}" >tokens
gives 0 "'tokens' is left out: line 4:" search spell_more --guide uniform --runs 5 --inputs tokens && [ "$(count valid)" = 2 ]
report $? "a file of tokens, one in a line; one that cannot be read costs a sentence"
printf '\211PNG\r\n\032\n' >image
leads 1 magic --guide uniform --runs 10 --inputs image
report $? "a plain file is the bytes that a property draws"
printf '\211PNG\r\n\032\nX' >image
gives 1 "check" search magic --guide uniform --runs 10 --inputs image
report $? "one that fails is a failure"
printf 'open sesame\n' >spell
leads 1 text --guide uniform --runs 10 --inputs spell
report $? "a plain file is the string that a property draws, without the line feed that editors add"
printf 'caf\351\n' >odd
gives 77 "'odd' is left out: it has a character that the property's string cannot have" search text --runs 10 --inputs odd
report $? "a file with characters that the string cannot have is left out"
printf '%060d' 0 >long
gives 77 "'long' is left out: it is longer than what the property draws" search magic --runs 10 --inputs long
report $? "so is one that is too long"
: >empty
gives 77 "'empty' is left out: it is shorter than what the property draws" search text --runs 10 --inputs empty
report $? "and one that is too short"
gives 0 "'image' is left out: it is not a tape, and with the simplest input the property draws neither bytes nor a string" \
    search crash --runs 10 --inputs image
report $? "a plain file for a property of numbers is left out"

# ---- What else may lie in a folder

mkdir -p junk/deep/deeper
cp given/word.tape junk/deep/deeper/z.tape
printf '# sonde tape 1\n# property: text\ns1:s=abc\n' >junk/other.tape
printf '# sonde tape 1\n# checksum: 0123456789abcdef\ns1:x=3\n' >junk/damaged.tape
printf 's1:x=3 y=4\n' >junk/stranger.tape
printf 'hello' >junk/readme
printf hidden >junk/.hidden
ln -s nowhere junk/dangling
ln -s .. junk/deep/loop
mkfifo junk/pipe
gives 0 "damaged.tape' is left out" search spell_more --guide uniform --runs 50 --inputs junk
report $? "a folder of junk does not end the run"
grep -q "dangling' is left out: it is a symbolic link" err && grep -q "pipe' is left out: it is not a regular file" err &&
    grep -q "readme' is left out: it is not a tape" err && ! grep -q 'other.tape\|hidden' err && [ "$(count tests)" = 52 ]
report $? "each file that cannot be used has a sentence; what is below is run"
grep -q "stranger.tape does not produce the values it names: the property draws none of its values" err
report $? "a tape of another generator is named"
printf 's1:x=5 y=6\n' >grown.tape
gives 0 "grown.tape does not produce the values it names: y=6 was not drawn" search crash --runs 10 --inputs grown.tape
report $? "so is one that names more than is drawn"
printf 's1:x=1777778\n' >folded.tape
gives 1 "folded.tape does not produce the values it names: x=1777778 does not fit 0..1000000 (777777 was drawn)" \
    search crash --runs 10 --keep-going --inputs folded.tape && [ "$(count tests)" = 11 ]
report $? "so is one whose value does not fit, and which crashes all the same; it comes on top of the limit, too"
mkdir many
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "junk $i" >many/$i; done
gives 0 "4 more in 'many' are left out" search crash --runs 10 --inputs many
report $? "many of them are counted"
mkdir nothing
gives 0 "there is no file in 'nothing'" search crash --runs 10 --inputs nothing
report $? "an empty folder costs a sentence"
gives 0 "belongs to the property crash" search crash --runs 10 --inputs junk/other.tape
report $? "so does one whose tapes are for other properties"
gives 2 "--inputs: 'nowhere' cannot be read: No such file or directory" search crash --runs 10 --inputs nowhere
report $? "a path that does not exist is an error"
gives 77 "of 1 inputs, none was valid" search spell --guide uniform --runs 10 --inputs junk/stranger.tape
report $? "that no input was valid costs a sentence"
head -c 70000000 /dev/zero >huge
gives 77 "'huge' is left out: it is larger than 64 MiB" search magic --runs 10 --inputs huge
report $? "so does a file that is too large"
rm -f huge
for i in 1 2 3 4 5 6; do printf '\211PNG\r\n\032\n%028d' "$i" >many/$i; done
for how in "--jobs 2" "--isolate case" "--isolate none" "--spawn"; do
    # shellcheck disable=SC2086
    gives 0 "" search magic --guide uniform --runs 9 --inputs many $how && [ "$(count valid)" -ge 6 ]
    report $? "$how: all of them are run"
done
printf 's1:x=777777\n' >crash.tape
printf 's1:x=5\ns1:x=777777\ns1:x=6\n' >crash.tokens
gives 1 "777777" search crash --guide uniform --runs 5 --inputs crash.tokens && [ "$(count valid)" -ge 6 ]
report $? "an input that crashes is a failure, and the others are run"

# ---- What was made

gives 0 "inputs are in 'made/here'" search spell_more --guide rl --runs 400 --inputs given --inputs-out made/here && ls made/here/*.tape >/dev/null 2>&1 && [ "$(cat made/here/*.tape | grep -v '^#' | sort | uniq -d | wc -l)" = 0 ] &&
    [ "$(ls made/here | wc -l)" -ge 250 ] && grep -q '^# property: spell_more' "$(ls -d made/here/*.tape | head -n 1)"
report $? "--inputs-out: valid inputs, no two the same, with the property's name"
leads 250 spell_more --guide uniform --runs 5 --inputs made/here
report $? "--inputs reads them again, and all are valid"
ls made/here | head -n 1 >name
echo foreign >"made/here/$(cat name)"
ls made/here | tail -n 1 >last
cp "made/here/$(cat last)" before
gives 0 "inputs are in 'made/here'" search spell_more --guide rl --runs 400 --inputs given --inputs-out made/here
status=$?
[ $status = 0 ] && [ "$(cat "made/here/$(cat name)")" = foreign ] && cmp -s before "made/here/$(cat last)" &&
    grep -q "cannot write 'made/here/$(cat name)': File exists" err && [ -z "$(find made -name '.*')" ]
report $? "a file that is another's is never written over"
"$BUILD/sonde" filter --by random --size 5 made/here selected >out 2>err && leads 5 spell_more --guide uniform --runs 5 --inputs selected
report $? "what sonde filter selects is taken"
gives 2 "--inputs-out: cannot write to 'word': Not a directory" search crash --runs 10 --inputs-out word
report $? "--inputs-out: a file in its place is an error before anything is run"
gives 0 "inputs are in 'two'" search crash --guide uniform --runs 200 --jobs 2 --inputs-out two && [ "$(ls two | wc -l)" -ge 150 ]
report $? "--inputs-out with two jobs"
mkdir -p disk
if unshare -rm sh -c 'mount -t tmpfs -o size=16k none disk' 2>/dev/null; then
    printf 'mount -t tmpfs -o size=16k none disk\nmkdir disk/out\nhead -c 16384 /dev/zero >disk/ballast 2>/dev/null\nexec "$@"\n' >inside
    unshare -rm sh inside "$program" --filter spell_more --guide rl --seed 1 --runs 400 --max-discards 0 --no-store --inputs given --inputs-out disk/out >out 2>err
    [ $? = 99 ] && grep -q "inputs are in 'disk/out'; the others could not be written" err && [ "$(grep -c 'No space left on device' err)" = 1 ]
    report $? "--inputs-out on a full disk: one warning, and status 99"
fi
echo "1..$n"
