#!/bin/sh
# A property that misuses sonde: a sentence that says what to do, and the right status, isolated or not.
# Stages: gcc
misuse=$BUILD/tests/cli/misuse
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

# told STATUS PROPERTY TEXT: in every isolation, on one of the two outputs.
told() {
    for isolation in ${isolations:-worker none case}; do
        "$misuse" --filter "$2" --seed 1 --tests 20 --max-discards 1 --no-store --isolate=$isolation >out 2>&1 </dev/null
        status=$?
        [ $status = "$1" ] && grep -qF -- "$3" out
        result=$?
        report $result "$2, isolate=$isolation: $3"
        [ $result = 0 ] || { echo "# status $status"; sed 's/^/# /' out | head -n 20; }
    done
}

told 2 empty_range 'sonde_int("x"): the range 5..4 is empty; lo must not exceed hi'
told 2 no_label 'sonde_int: the label is NULL; every draw needs a name'
told 2 close_without_open 'sonde_close("tree"): no span is open; call sonde_open first'
# The place, the values and a token that leads there: where the range depends on what was drawn, they are what one needs.
told 2 index_of_nothing 'sonde_int("i"): the range 1..0 is empty; lo must not exceed hi'
told 2 index_of_nothing 'n = 0'
told 2 index_of_nothing "--filter index_of_nothing --replay 's1:n=0 ?'"
told 2 index_of_nothing 'in index_of_nothing.'
line=$(grep -n 'here' "$SRC/tests/cli/misuse.c" | cut -d: -f1)
if command -v addr2line >/dev/null; then
    told 2 index_of_nothing "tests/cli/misuse.c:$line, in index_of_nothing."
    line=$(grep -n 'sonde_int(kept' "$SRC/tests/cli/misuse.c" | cut -d: -f1)
    isolations='worker case'
    told 2 draw_in_another_thread "tests/cli/misuse.c:$line, in draw_later."
    isolations=
fi
for isolation in worker none; do
    "$misuse" --filter index_of_nothing --no-store --isolate=$isolation --replay s1:n=0 >out 2>&1
    [ $? = 2 ] && grep -qF 'the range 1..0 is empty' out && "$misuse" --filter index_of_nothing --no-store --isolate=$isolation --replay s1:n=1 >out 2>&1
    report $? "the token of a misuse leads there, isolate=$isolation"
done
told 2 span_left_open 'sonde_open("tree"): the span was not closed; call sonde_close(t, "tree") on every path that leaves it, or use sonde_span'
told 2 span_left_open_inside 'sonde_open("tree"): the span was not closed'
told 0 spans_open_on_other_ways 'ok '
isolations='worker none' # what is kept of a case does not outlive its process
told 2 draw_after_the_end 'sonde_int("late"): the case has ended; use the sonde * only until the property returns'
isolations=
told 2 draw_in_another_thread 'sonde_int("late"): called from another thread; draw and check in the thread that runs'
told 77 a_billion_elements 'needed more spans than a case may use; draw less, or raise --max-choices'
told 77 a_billion_bytes 'needed more bytes than a case may use; draw less'

# One that misuses sonde does not keep the others from running, and counts in the end.
"$misuse" --seed 1 --tests 20 --max-discards 1 --no-store >out 2>&1
[ $? = 2 ] && grep -q '^ok *hold' out && grep -q '^ERROR empty_range' out && grep -q '^GAVE UP a_billion_bytes' out
report $? "the other properties still run"

"$misuse" --filter no_label --json --no-store >out 2>err
[ $? = 2 ] && grep -q '"verdict": "error"' out && grep -q 'the label is NULL' out && [ ! -s err ]
report $? "--json tells it too"
"$misuse" --filter index_of_nothing --seed 1 --json --no-store >out 2>err
[ $? = 2 ] && grep -q '"kind": "misuse"' out && grep -q '"token": "s1:n=0 ?"' out && grep -q '"values": \[{"path": "n", "value": 0}\]' out
report $? "with values and token"
echo "1..$n"
