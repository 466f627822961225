#!/bin/sh
# A property that misuses sonde: a sentence that says what to do, and the right status, isolated or not.
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
echo "1..$n"
