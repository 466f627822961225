#!/bin/sh
# Kept inputs do not rot in silence: a token or tape that does not produce the values it names says so, and what stands in a
# source file or among regressions is then an error.
# Stages: gcc asan
rot=$BUILD/tests/cli/rot
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
edited() { how=$1; shift; ROT_EDITED=$how "$@"; }
replays() { "$rot" --filter counts --no-store --replay "$@"; }

# ---- sonde_replay

gives 1 "" "$rot" 'count=27'
report $? "sonde_replay: a token that names what is drawn up to a failure is its failure"
gives 0 "" "$rot" 'count=26 later=0'
report $? "sonde_replay: a whole token passes"
gives 2 "n=27 was not drawn; count was not in the token" "$rot" 'n=27 later=0'
report $? "sonde_replay: an unknown label is an error"
gives 2 "count=2x7 is not a number" "$rot" 'count=2x7 later=0'
report $? "sonde_replay: so is a value that is none"
gives 2 "count=5000 does not fit 0..100" "$rot" 'count=5000 later=0'
report $? "sonde_replay: so is a value out of range"
gives 2 "later was not in the token" "$rot" 'count=26'
report $? "sonde_replay: so is a draw that is left open"
gives 0 "" "$rot" 'count=26 ?'
report $? "sonde_replay: unless the token says so"
gives 77 "" edited excluded "$rot" 'count=27 later=0'
report $? "sonde_replay: an input that is discarded has not passed"

# ---- What a report prints

"$rot" --filter counts --seed 1 --json --no-store >out 2>err </dev/null
token=$(grep -o '"token": "[^"]*"' out | sed 's/"token": "//; s/"$//')
[ "$token" = 's1:count=27 ?' ]
report $? "a report's token says that the failing case was left early"
gives 1 "" "$rot" "$token"
report $? "it replays the failure"
gives 0 "" edited fixed "$rot" "$token"
report $? "and passes when that is fixed, though more is drawn then"
gives 2 "count=27 was not drawn" edited renamed "$rot" "$token"
report $? "but not when a label was renamed"
gives 2 "count=27 does not fit 30..100" edited narrowed "$rot" "$token"
report $? "nor when the range has changed"
gives 2 "mode was not in the token" edited grown "$rot" "$token"
report $? "nor when a draw came in before its last one"

# ---- --replay

gives 2 "count=60 was not drawn" edited renamed replays 'count=60 later=1'
report $? "--replay: another input than the one asked for is never ok"
grep -q 'n = 0' out
report $? "--replay: but the run is shown"
gives 0 "later was not in the token" replays 'count=26'
report $? "--replay: what the token leaves open is named"
gives 1 "FAIL counts: falsified" replays 'count=27 later=0 ; count=1 later=1'
report $? "--replay: of several tapes none may fail, also not one that is not the last"
gives 1 "" "$rot" 'count=27 later=0 ; count=1 later=1'
report $? "sonde_replay: likewise"
gives 0 "" replays 'count=26 later=0 ; count=1 later=1'
report $? "--replay: several tapes that hold"
for token in 'count=27 ;' '; count=1 later=1' 'count=1 later=1;;count=1 later=1' ';'; do
    gives 2 "a tape is missing before or after a ; (at character" replays "$token"
    report $? "--replay: '$token' lacks a tape"
done
gives 2 "the tape file '' cannot be read: No such file or directory. Give a token like 's1:x=3'" replays @
report $? "--replay: a file needs a name"

# ---- Tape files

rm -rf store
"$rot" --filter counts --seed 1 --store store >out 2>err </dev/null
tape=$(find store -name '*.tape')
gives 1 "" "$rot" --filter counts --no-store --replay "$tape"
report $? "--replay FILE replays a stored failure"
gives 2 "belongs to the property counts, not to other" "$rot" --filter other --no-store --replay "$tape"
report $? "--replay FILE: a tape of another property is refused"
grep -v '^# checksum' "$tape" | sed 's/ ?$//' >old.tape
gives 0 "" edited fixed "$rot" --filter counts --no-store --replay old.tape
report $? "a tape of a failure need not say that the rest is free"
gives 2 "cannot be read" "$rot" --filter counts --no-store --replay no/such.tape
report $? "a file that is not there is an error"

# ---- Examples

for example in 'count=26' 'n=3 later=1' 'count=101 later=1' 'count=3 later=1 x{y=1}'; do
    gives 2 "the example \"$example\" does not produce the values it names" env ROT_EXAMPLE="$example" "$rot" --filter with_examples --no-store
    report $? "the example $example is refused"
done
gives 2 "tests nothing: it was discarded: the precondition" env ROT_EXAMPLE='count=27 ?' ROT_EDITED=excluded "$rot" --filter with_examples --no-store
report $? "an example that is discarded is refused"
gives 1 "" env ROT_EXAMPLE='count=27 ?' "$rot" --filter with_examples --no-store
report $? "an example that fits is run"

# ---- Regressions

rm -rf kept
mkdir -p kept
printf '# sonde tape 1\n# property: counts\n# why: keep this line\ns1:count=26 later=3\n' >kept/a.tape
regressions() { "$rot" --filter counts --no-store --seed 1 --guide uniform --tests 1 --regressions kept "$@"; }
gives 0 "" edited fixed regressions
report $? "--regressions: a tape that fits is run"
gives 2 "kept/a.tape does not produce the values it names: count=26 was not drawn" edited renamed regressions
report $? "--regressions: a renamed label is an error"
gives 2 "mode was not in the tape. Run with --refresh" edited grown regressions
report $? "--regressions: so is a draw that came later, and the error names what to do"
gives 0 "+ s1:mode=0 count=26 later=3" edited grown regressions --refresh
report $? "--refresh rewrites it, and shows the difference"
gives 0 "" edited grown regressions && grep -q '^# why: keep this line' kept/a.tape
report $? "which then fits, and keeps its head"
cp kept/a.tape before
gives 2 "mode=0, count=26 were not drawn" edited renamed regressions --refresh && cmp -s before kept/a.tape
report $? "--refresh never rewrites one whose named values changed"
printf '# sonde tape 1\n# property: counted\ns1:count=26 later=3\n' >kept/b.tape
gives 2 "kept/b.tape belongs to the property counted, which this program does not have" edited grown regressions
report $? "--regressions: a tape of a property that is gone is an error"
printf '# sonde tape 1\n# property: counts\n# checksum: 0123456789abcdef\ns1:count=26 later=3\n' >kept/b.tape
gives 2 "kept/b.tape cannot be used: its checksum does not match" edited grown regressions
report $? "--regressions: so is one that was damaged or edited"
gives 2 "give --regressions DIR as well" "$rot" --refresh
report $? "--refresh alone is an error"
rm kept/*
gives 0 "'kept' has no file whose name ends in .tape" edited grown regressions
report $? "--regressions: a folder without tapes costs a warning"
gives 2 "the directory 'nowhere' cannot be read: No such file or directory" "$rot" --no-store --regressions nowhere
report $? "--regressions: a folder that is not there is an error"
printf '# sonde tape 1\n\n# property: counts\ns1:count=26 later=3 ; s1:mode=2 count=1 later=3\n' >kept/a.tape
gives 0 "+ s1:mode=0 count=26 later=3 ; s1:mode=2 count=1 later=3" edited grown regressions --refresh
report $? "--refresh rewrites a file of several tapes"
gives 0 "" edited grown regressions && grep -q '^# property: counts' kept/a.tape
report $? "which then fits, and keeps its head"
printf 's1:mode=0 count=26 later=3 ; s1:count=101 mode=2 later=3\n' >kept/a.tape
cp kept/a.tape before
gives 2 "count=101 does not fit 0..100" edited grown regressions --refresh && cmp -s before kept/a.tape
report $? "--refresh leaves a file alone if one of its tapes has changed"
printf 's1:count=27 later=3 ; s1:count=1 later=3\n' >kept/a.tape
gives 1 "" regressions
report $? "--regressions: of several tapes none may fail"
rm kept/*
printf '\357\273\277# sonde tape 1\r\n# property: counts\r\ns1:count=27 later=3\r\n' >kept/a.tape
gives 1 "" regressions
report $? "--regressions: a tape as other systems write it, with a mark of its byte order and CR LF"
rm kept/*
mkfifo kept/a.tape
gives 2 "kept/a.tape cannot be used: it is not a regular file" regressions
report $? "--regressions: a pipe is an error"
rm kept/*
mkdir -p kept/1/2/3/4/5/6/7/8/9
printf '# sonde tape 1\n# property: counts\ns1:count=27 later=3\n' >kept/1/2/3/4/5/6/7/8/9/a.tape
gives 1 "" regressions
report $? "--regressions: a tape is found however deep it lies"
mv kept/1/2/3/4/5/6/7/8/9/a.tape kept/a.tape
ln -s ../../.. kept/1/2/3/back
gives 2 "kept/1/2/3/back' cannot be read: it is a symbolic link" regressions
report $? "--regressions: a link to a directory is an error"
rm kept/1/2/3/back
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    open=$(mktemp -d)
    cp "$rot" "$open/rot"
    cp -r kept "$open"
    chmod 755 "$open"
    chmod 700 "$open/kept/1/2"
    gives 2 "kept/1/2' cannot be read: Permission denied" setpriv --reuid 65534 --regid 65534 --clear-groups "$open/rot" --no-store --regressions "$open/kept"
    report $? "--regressions: a folder in it that cannot be read is an error"
    rm -rf "$open"
fi

# ---- The store: lenient, and says so

rm -rf store
"$rot" --filter counts --seed 1 --store store >out 2>err </dev/null
search() { "$rot" --filter counts --seed 2 --tests 20 --guide uniform --store store "$@"; }
for how in renamed narrowed grown excluded misused; do
    gives 0 "1 stored failure no longer gives the values it names and is kept" edited $how search --guide simplest
    report $? "the store: $how, a failure is not called fixed"
    [ "$(find store -path '*/failures/*.tape' | wc -l)" = 1 ] && [ -z "$(find store -path '*/fixed/*')" ]
    report $? "and stays"
done
gives 0 '"stored": {"fixed": 0, "stale": 1, "unreplayed": 0, "unreadable": 0, "stale_text": "store/' edited renamed search --json
report $? "--json counts it, and names its file"
gives 0 '"store": "store", ' edited renamed search --json
report $? "--json says where the store is"
gives 0 "no longer gives the values it names" edited renamed search --quiet
report $? "--quiet does not hide it"
stored=$(find store -name '*.tape')
cp "$stored" whole
grep -v '^# checksum' whole | sed 's/^# property: counts/# property: other/' >"$stored"
gives 0 "it belongs to another property" edited fixed search
report $? "the store: a tape of another property is not called fixed"
printf '\001\002' >"$stored"
gives 0 '"unreadable": 1, ' edited fixed search --json
report $? "the store: one that cannot be read is counted"
cp whole "$stored"
gives 0 "1 stored failure no longer fails and was moved to the directory fixed" edited fixed search
report $? "the store: one that is fixed is set aside"
[ "$(find store -path '*/fixed/*.tape' | wc -l)" = 1 ]
report $? "in fixed/"
echo "1..$n"
