#!/bin/sh
# The suite `zoo`: a dozen subjects are made, compiled and searched; what was recorded is gone on with; what goes wrong is reported in a
# sentence and the rest goes on.
# Stages: long (11 s; a suite of the benches, which no user builds)
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 log | sed 's/^/# /'; fi
}
here=$PWD
shop=$here/zoo
zoo() { (cd "$SRC" && BUILD=$CHECK_BUILD CC=${PROBE_CC:-$CC} "${suite:-$CHECK_BUILD/bench/zoo}" ${suite:+zoo} --folder "$shop" "$@"); }

suite=bench/run # which builds the program; then it is called without
zoo --subjects 1-16 --guide uniform,auto --seeds 1-2 --tests 400 --record "$here/rows" --json >json 2>log
report $? "a dozen subjects are made, compiled and searched"
suite=
[ "$(cut -d, -f2 json | sort -u | wc -l)" -ge 7 ] && [ "$(grep -c . json)" = "$((4 * $(cut -d, -f2 json | sort -u | wc -l)))" ]
report $? "each has a row for each guide and seed"
for field in suite row generation form guide seed build found tests cost cpu_s valid different shape skeleton trace payload first types \
    preconditions style bugs p noise; do
    grep -c "\"$field\":" json | grep -qx "$(grep -c . json)" || echo "$field" >>lacking
done
[ ! -e lacking ]
report $? "rows have all fields"
cmp -s json rows
report $? "what is printed is recorded"

sed 's/"cpu_s":[0-9.]*//' json >once
zoo --subjects 1-16 --guide uniform,auto --seeds 1-2 --tests 400 --record "$here/again" --json 2>log | sed 's/"cpu_s":[0-9.]*//' | cmp -s - once
report $? "the same numbers and seeds give the same rows"

(shop=$here/alone && zoo --subjects "$(cut -d'"' -f8 json | head -n 1)" --guide uniform,auto --seeds 1-2 --tests 400 --record "$here/single" --json) 2>log |
    sed 's/"cpu_s":[0-9.]*//' >single.json
[ "$(grep -c . single.json)" = 4 ] && head -n 4 once | cmp -s - single.json && ! ls "$shop" | grep -E '[.][io]$|^batch' >>log
report $? "a subject that is compiled alone gives the same rows as one of a batch, which leaves nothing behind"

head -n 9 json >part
sed -n 10p json | cut -c1-200 | tr -d '\n' >>part # killed in the middle of a line
cp part resumed
zoo --subjects 1-16 --guide uniform,auto --seeds 1-2 --tests 400 --record "$here/resumed" --continue --json >more 2>log
report $? "--continue goes on behind a line that is not whole"
sed 's/"cpu_s":[0-9.]*//' more | cmp -s - once && [ "$(head -n 9 more)" = "$(head -n 9 json)" ]
report $? "it keeps what there is and makes what is missing"
sed 's/"cpu_s":[0-9.]*//' resumed | grep '}$' | sort >whole
sort once | cmp -s - whole
report $? "the record is then as if nothing had happened, but for the broken line"

zoo --tables "$here/rows" >tables 2>log
report $? "tables are made of a record"
grep -q '^auto  *[0-9.]* %' tables && grep -q '^1/p of 10^2 ' tables && grep -q '^type ' tables && grep -q '^uniform met ' tables &&
    grep -q '^regret of auto: ' tables
report $? "by guide, by decade, by kind, with regret and p"
zoo --compare "$here/rows,$here/again" >tables 2>log && grep -q '^auto .* 1.000 ' tables
report $? "two records of one thing do not differ"

(cd "$SRC" && BUILD=$CHECK_BUILD bench/versus "$here/rows") >tables 2>log && grep -q 'geometric mean of .* 95 % .* could show' tables
report $? "versus compares the rows of guides"
echo '{"verdict": "passed"}' >none
(cd "$SRC" && BUILD=$CHECK_BUILD bench/versus "$here/none") >tables 2>log
[ $? = 2 ] && grep -q 'versus: no row was read' log
report $? "versus refuses a file without rows"
ablate() { (cd "$SRC" && BUILD=$CHECK_BUILD "${suite:-$CHECK_BUILD/bench/ablate}" ${suite:+ablate} --folder "$shop" --subjects 1-16 "$@"); }
suite=bench/run
ablate --only leaf,idle --with bst --with-tests 100 --tests 200 >page 2>log
report $? "the sweep of two knobs runs"
suite=
grep -q '^## cgpt$' page && sed '1,/^## cgpt/d' page | grep -q '^| `leaf` | 4 | 0 | [0-9]* | [0-9.]* | [0-9.]* .. [0-9.]* | [0-9.]* | [0-9.]* | [0-9]* | ' &&
    [ "$(grep -c '^|  |  | ' page)" = 2 ]
report $? "it shows what other values are worth, with intervals"
grep -q '^|  |  | 200 | .* | [0-9]* | same | | |$' page
report $? "a value that changes no search is said to be none that these subjects could judge"
rows=$(wc -l <"$shop/ablate.jsonl")
ablate --only leaf,idle --with bst --with-tests 100 --tests 200 --continue >again 2>log && sed 's/^`bench.*//' page >once &&
    sed 's/^`bench.*//' again | cmp -s - once && [ "$(wc -l <"$shop/ablate.jsonl")" = "$rows" ]
report $? "--continue of a whole sweep searches nothing and prints the same page"
ablate --only leaf --with bst --arm x >log 2>&1
[ $? = 2 ] && grep -q "^ablate: --arm: 'x' should be" log
report $? "a bad budget is refused in a sentence"

# Each part that `auto` is left without makes another search.
factorial() { (cd "$SRC" && BUILD=$CHECK_BUILD python3 bench/factorial.py --folder "$shop" --subjects 1-16 --tests 400 --seeds 1-1 "$@"); }
if command -v python3 >/dev/null; then
    factorial --write "$here/sets" >tables 2>log && python3 - sets >>log 2>&1 <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])][1:]
searches = [tuple(line[3][s] for line in lines) for s in range(32)]
assert len(lines) >= 7 and len(set(searches)) == 28, (len(lines), len(set(searches)))
END
    report $? "every set of parts of auto is another search, seeds without a mutator aside"
fi

kept=$(cut -d'"' -f8 json | head -n 1)
zoo --subject "$kept" >source.c 2>log && $CC -std=gnu11 -Wall -Werror -Wno-unused-function -I"$SRC/include" -c source.c -o source.o 2>>log
report $? "--subject prints a source that compiles without warnings"
zoo --subjects 1-16 --guide uniform --seeds 1-1 --tests 50 --only-kinds tree --record "$here/trees" --json 2>log >trees
zoo --subjects 1-16 --guide uniform --seeds 1-1 --tests 50 --without-kinds tree --record "$here/others" --json 2>log >others
[ -s others ] && ! grep -v '"tree"' trees | grep -q . && ! grep -q '"tree"' others &&
    [ "$(cat trees others | wc -l)" = "$(cut -d, -f2 json | sort -u | wc -l)" ]
report $? "--only-kinds and --without-kinds divide them"

# ---- Claims
claim() { (cd "$SRC" && env "$@" BUILD="$CHECK_BUILD" CC="$CC" "$CHECK_BUILD/bench/zoo" --folder "$here/claims" --claim 1 --make); }
claim ZOO_COMMIT=0123456789abcdef0123456789abcdef01234567 >log 2>&1 && claim ZOO_COMMIT=0123456789abcdef0123456789abcdef01234567 >>log 2>&1 &&
    [ "$(ls claims/*.verdict | wc -l)" = 1 ] && ! ls claims | grep -E '^[0-9]{1,4}[.-]' >>log
report $? "a claim is made on numbers that the commit decides, beyond those for development"
claim ZOO_COMMIT=0123456789abcdef0123456789abcdef01234567 ZOO_CHANGED=yes >log 2>&1
[ $? = 2 ] && grep -q '^zoo: --claim: the sources differ from the commit' log
report $? "not while the sources differ from the commit"
claim -u ZOO_COMMIT >log 2>&1
[ $? = 2 ] && grep -q '^zoo: --claim: there is no commit' log
report $? "nor without one"

# ---- What goes wrong
for numbers in x 0-3 5-2 1-2x 1-999999999; do
    zoo --subjects $numbers --make >log 2>&1
    [ $? = 2 ] && [ "$(grep -c '^zoo: --subjects: ' log)" = 1 ] || echo "$numbers" >>bad
done
[ ! -e bad ]
report $? "bad numbers are refused in a sentence"

cat >compiler <<C
#!/bin/sh
for word; do case \$word in *.c) grep -q 'subject_33(' "\$word" && echo "no" >&2 && exit 1 ;; esac; done
exec $CC "\$@"
C
chmod +x compiler
PROBE_CC=$here/compiler zoo --subjects 33-34 --make --jobs 1 >log 2>&1
[ $? = 1 ] && grep -q '^zoo: subject 33: its probe could not be compiled or run.*33-probe.log$' log && [ -e "$shop/34.verdict" ]
report $? "what does not compile is left out, and the rest goes on"
zoo --subjects 33-33 --make >log 2>&1
report $? "and is tried again"
SONDE_CC=false zoo --subjects 1-6 --make --one-bug >log 2>&1
[ $? = 1 ] && grep -q '^zoo: subject [1-6]: it could not be compiled; see .*-one.log$' log
report $? "a subject that does not compile is reported"
zoo --folder /dev/null/zoo --subjects 1-2 --make >log 2>&1
[ $? = 2 ] && grep -q '^zoo: /dev/null/zoo: Not a directory$' log
report $? "so is a folder that cannot be made"

zoo --subjects 1-4 --guide uniform --seeds 1-1 --tests 50 --record /dev/full >log 2>&1
[ $? = 2 ] && grep -q '^zoo: /dev/full: No space left on device' log
report $? "a full disk ends the run in a sentence"

mkdir disk # of 100 kB: some subjects fit
small_disk='mount -t tmpfs -o size=100k none "$1"'
if unshare -rm sh -c "$small_disk" - "$here/disk" 2>/dev/null; then
    BUILD=$CHECK_BUILD unshare -rm sh -c "$small_disk"' && cd "$2" && "$BUILD/bench/zoo" --folder "$1" --subjects 1-8 --make' - "$here/disk" "$SRC" >log 2>&1
    [ $? = 1 ] && [ "$(grep -c 'No space left on device$' log)" = 1 ] && grep -q '^zoo: subject [0-9]*: it could not be compiled' log &&
        grep -q '^zoo: [1-9][0-9]* of 8 numbers are subjects' log
    report $? "so does a disk that is full of subjects, and those that fit are there"
fi

# Waits until no process has this in its command line; the brackets keep grep from finding itself.
all_gone() {
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        grep -la "$1" /proc/[0-9]*/cmdline >processes 2>/dev/null || return 0
        sleep 0.2
    done
    return 1
}
(cd "$SRC" && BUILD=$CHECK_BUILD CC=$CC exec "$CHECK_BUILD/bench/zoo" --folder "$here/makes" --subjects 1-200 --make) >log 2>&1 &
while ! ls makes/*.so >/dev/null 2>&1 && kill -0 $! 2>/dev/null; do sleep 0.05; done
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
all_gone "$here/make[s]"
report $? "killed while subjects are made, it leaves no process behind"

(cd "$SRC" && BUILD=$CHECK_BUILD exec "$CHECK_BUILD/bench/zoo" --folder "$shop" --subjects 1-16 --guide auto --seeds 1-100 --tests 10000000 --seconds 0 \
    --record "$here/killed") >log 2>&1 &
while [ ! -s killed ] && kill -0 $! 2>/dev/null; do sleep 0.05; done
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
all_gone "$here/kille[d]" && [ -s killed ]
report $? "a run that is killed leaves no process behind"
