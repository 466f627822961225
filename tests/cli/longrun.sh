#!/bin/sh
# Long runs: each goes on where the last one ended, whatever happens to it or to the store; --fuzz and --until-flat end as
# they should; the live screen of --ui.
# Stages: gcc
stairs=$BUILD/tests/cli/stairs
kinds=$BUILD/tests/misbehave/kinds
pty=$BUILD/tests/cli/pty
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 20; fi
}
climb() { "$stairs" --filter stairs --guide cgpt --json "$@" >out 2>err </dev/null; }
tapes() { find store -path '*/corpus/*.tape' 2>/dev/null | wc -l; }
tests_of() { grep -o '"tests": [0-9]*' out | head -n 1 | tr -dc 0-9; }

# ---- Going on

found=0
for seed in 1 2 3 4 5 6; do climb --fuzz --runs 600 --seed $seed --no-store || found=$((found + 1)); done
[ $found = 0 ]
report $? "600 cases do not reach the top"

rm -rf store
runs=0 status=0
while [ $status = 0 ] && [ $runs -lt 60 ]; do
    runs=$((runs + 1))
    climb --fuzz --runs 600 --seed $runs --store store
    status=$?
done
[ $status = 1 ] && [ $runs -gt 1 ] && [ ! -s err ]
report $? "but $runs times 600 do, each going on where the last ended"
kept=$(tapes)
[ "$kept" -gt 5 ] && [ "$kept" -lt 100 ] && [ -f store/tests/cli/stairs/stairs/learned/cgpt ]
report $? "$kept inputs are kept, and what the guide learned"
climb --fuzz --runs 1 --seed 1 --store store
[ "$(tests_of)" = $((kept + 1)) ]
report $? "the next run begins with all of them"

rm -rf auto
"$stairs" --filter stairs --fuzz --runs 600 --seed 1 --store auto >out 2>err </dev/null
[ "$(find auto -name '*.tape' | wc -l)" -gt 2 ] && [ -f auto/tests/cli/stairs/stairs/learned/auto ]
report $? "the default guide leaves as much"

same() { sed -E 's/"(seconds|cpu_s|store)": *[^,}]*//g' out; }
climb --runs 500 --seed 3 --no-store
same >expected
rm -rf store/tests/cli/stairs/stairs/failures
climb --runs 500 --seed 3 --store store
same | cmp -s - expected
report $? "a run with a given seed is the same whatever was left"
climb --fuzz --runs 500 --seed 3 --no-store
same >expected
cp -r store copy
climb --fuzz --fresh --runs 500 --seed 3 --store copy
same | cmp -s - expected
report $? "--fresh begins as if nothing had been left"
for file in store/tests/cli/stairs/stairs/corpus/*; do [ -f "copy${file#store}" ] || echo "$file"; done >out
[ ! -s out ]
report $? "and deletes nothing"
rm -rf copy

STAIRS_EDITED=1 climb --fuzz --runs 600 --seed 1 --store store
status=$?
[ $status -le 1 ] && [ ! -s err ] && [ "$(tests_of)" -gt 605 ]
report $? "inputs are of use to an edited generator, or at least do no harm"

kept=$(tapes)
set -- store/tests/cli/stairs/stairs/corpus/*.tape
head -c 30 "$1" >cut && cp cut "$1"
echo rubbish >"$2"
climb --fuzz --runs 10 --seed 1 --store store
[ $? -le 1 ] && [ "$(wc -l <err)" = 2 ] && [ "$(tests_of)" = $((kept - 2 + 10)) ]
report $? "two damaged inputs are two warnings"
rm -f "$1" "$2"
printf 'sonde learned 1\nrubbish....' >store/tests/cli/stairs/stairs/learned/cgpt
climb --fuzz --runs 10 --seed 1 --store store
[ $? -le 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'learned/cgpt is not used' err
report $? "damaged knowledge is one warning"
climb --fuzz --runs 10 --seed 1 --store store
[ $? -le 1 ] && [ ! -s err ]
report $? "and is replaced"

rm -rf store
climb --tests 200 --store store
"$stairs" --filter flat --fuzz --guide uniform --runs 2000 --store store >out 2>err </dev/null
[ ! -e store ]
report $? "a short run leaves nothing, and neither does a guide that could not use it"

# Killed without warning: at most a few seconds are lost.
"$stairs" --filter stairs --guide zest --fuzz --jobs 2 --store store >out 2>err </dev/null &
pid=$!
for _ in $(seq 200); do
    [ "$(tapes)" -lt 5 ] || break
    sleep 0.5
done
sleep 0.2
kill -9 $pid
wait $pid 2>/dev/null
kept=$(tapes)
climb --fuzz --runs 1 --seed 1 --store store
[ $? -le 1 ] && [ "$kept" -gt 3 ] && [ "$(tests_of)" -gt 4 ] && [ ! -s err ]
report $? "after kill -9 the next run goes on from $kept inputs"

# ---- Ends

"$kinds" --filter several --fuzz --guide uniform --no-store >out 2>err </dev/null &
pid=$!
for _ in $(seq 400); do
    [ "$(grep -c 'Run it again' out)" -lt 3 ] || break
    sleep 0.2
done
[ "$(grep -c 'Run it again' out)" = 3 ] && kill -0 $pid
report $? "--fuzz shows each failure, shrunk, and goes on"
kill -INT $pid
wait $pid
[ $? = 1 ] && grep -q 'in 3 different ways' out && [ "$(grep -c 'shown above' out)" = 3 ] && grep -q 'x = 500$' out && [ ! -s err ]
report $? "until it is interrupted, and then sums up"

"$kinds" --fuzz --no-store >out 2>err </dev/null
[ $? = 2 ] && grep -q -- '--filter NAME' err
report $? "--fuzz wants one property"

STAIRS_REST=1 climb --until-flat 4s --no-store --jobs 2
[ $? = 1 ] && grep -q '"stopped": "flat"' out
report $? "--until-flat ends when nothing new comes"
"$stairs" --filter flat --guide uniform --until-flat 300ms --json --no-store >out 2>err </dev/null
[ $? = 0 ] && grep -q '"stopped": "flat"' out && ! grep -q '"discarded": 0,' out
report $? "and discards do not end it earlier"
"$stairs" --filter flat --guide uniform --until-flat 10 --time 0.3 --json --no-store >out 2>err </dev/null
[ $? = 0 ] && grep -q '"stopped": "time"' out
report $? "unless --time does"
"$stairs" --until-flat soon >out 2>err </dev/null
[ $? = 2 ] && grep -q 'give minutes' err
report $? "it is given in minutes"

# ---- The screen

escape=$(printf '\033')
# The screen may show the failure before its report is there, while it is shrunk.
TERM=xterm LC_ALL=C "$pty" 80 30 'Run it again&failures  1; the last' "$stairs" --filter stairs --guide cgpt --fuzz --ui --color never --no-store >out 2>err
[ $? = 1 ] && grep -q '^.*sonde  stairs  guide cgpt  0:0' out && grep -q 'coverage  39 locations' out && grep -q 'failures  1; the last' out
report $? "--ui shows a screen"
# What is left when all is erased: play the bytes on a screen of our own.
cat >play.awk <<'END'
BEGIN { RS = "\n"; row = 0 }
{
    line = $0
    while (match(line, /\033\[[0-9]*[A-Z]/)) {
        put(substr(line, 1, RSTART - 1))
        what = substr(line, RSTART + RLENGTH - 1, 1); number = substr(line, RSTART + 2, RLENGTH - 3) + 0
        if (what == "A") row -= number
        if (what == "K") screen[row] = substr(screen[row], 1, column)
        if (what == "J") { screen[row] = substr(screen[row], 1, column); for (i in screen) if (i + 0 > row) delete screen[i] }
        line = substr(line, RSTART + RLENGTH)
    }
    put(line)
    row++; column = 0
}
function put(text,    parts, n, i) {
    n = split(text, parts, "\r")
    for (i = 1; i <= n; i++) {
        if (i > 1) column = 0
        screen[row] = substr(screen[row], 1, column) parts[i] substr(screen[row], column + length(parts[i]) + 1)
        column += length(parts[i])
    }
}
END { for (i = 0; i <= row; i++) print screen[i] }
END
awk -f play.awk out >shown
grep -q 'shown above' shown && ! grep -q 'cases     ' shown && [ "$(grep -c 'Run it again' shown)" = 1 ]
report $? "in its end it is gone, and the reports stay"
! grep -q "$escape\\[?25l" out
report $? "the cursor is never hidden"
TERM=xterm "$pty" 80 10 'valid cases (' "$stairs" --filter stairs --guide cgpt --fuzz --ui --no-store >out 2>err
grep -q 'valid cases (' out && ! grep -q 'sonde  stairs' out
report $? "a small window has the progress line"
TERM=dumb "$pty" 80 30 'valid cases (' "$stairs" --filter stairs --guide cgpt --fuzz --ui --no-store >out 2>err
grep -q 'valid cases (' out && ! grep -q 'sonde  stairs' out
report $? "and so has a dumb terminal"
"$stairs" --filter stairs --guide cgpt --runs 600 --seed 1 --ui --no-store >out 2>err </dev/null
[ "$(grep -c '^ok' out)" = 1 ] && ! grep -q "$escape" out
report $? "a pipe has none"
echo "1..$n"
