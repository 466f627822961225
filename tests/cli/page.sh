#!/bin/sh
# --report html: pages of every verdict draw themselves (in node, where it is installed), are small, compare with a baseline, and
# sonde html adds the lines of instrumented code, by clang and by gcc.
# Stages: gcc
pages=$BUILD/tests/cli/pages
sonde=$BUILD/sonde
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; head -c 3000 log | sed 's/^/# /'; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
wrong() { # wrong SENTENCE COMMAND...: status 2, and the sentence
    sentence=$1
    shift
    "$@" >log 2>&1 </dev/null
    [ $? = 2 ] && grep -qF -e "$sentence" log
    report $? "$sentence"
}
block() { sed -n "s|^<script type=\"[^\"]*\" id=\"$2\">||p" "$1" | sed 's|</script>$||'; }
export SONDE_TOOL=/nonexistent

"$pages" --no-store --seed 1 --tests 300 --report html:all.html >log 2>&1
[ $? = 1 ] && [ -s all.html ]
report $? "a page of every verdict is written"
"$pages" --no-store --seed 1 --tests 300 --filter holds --jobs 2 --report html:jobs.html >log 2>&1 &&
    "$pages" --no-store --seed 1 --tests 300 --filter holds --isolate=none --report html:alone.html >>log 2>&1 &&
    "$pages" --no-store --seed 1 --time 0.000001 --filter holds_nothing,is_proved --report html:none.html >>log 2>&1
[ -s jobs.html ] && [ -s alone.html ]
report $? "with several jobs, and without a worker"
PAGES_MANY=193 "$pages" --no-store --seed 1 --tests 20 --report html:many.html >log 2>&1
[ "$(wc -c <many.html)" -lt 1500000 ]
report $? "with 200 properties it is still small: $(wc -c <many.html) bytes"
"$BUILD/tests/cli/hostile_reports" --no-store --seed 1 --tests 100 --report html:hostile.html >log 2>&1
[ -s hostile.html ]
report $? "of a program that says everything"
"$pages" --no-store --seed 1 --tests 10000 --filter holds --report html:small.html >log 2>&1
[ "$(wc -c <small.html)" -le 300000 ]
report $? "a small property takes no more than 300 kB: $(wc -c <small.html) bytes"
# Markup is what html.c writes and nothing else; no control byte but line ends and tabs.
[ "$(grep -c '<script' hostile.html)" = 7 ] && [ "$(LC_ALL=C tr -d '\011\012\040-\377' <hostile.html | wc -c)" = 0 ] &&
    ! block hostile.html sonde-data | grep -q '[<>&]'
report $? "what a program says is never markup"

cat >covered.c <<'TEXT'
#include <sonde.h>

static int sign(int x)
{
    if (x < 0)
        return -1;
    if (x > 2000)
        return 2;
    return x > 0;
}

static void checked(sonde *t)
{
    int x = sonde_int(t, "x", -1000, 1000), s = sign(x);
    if (x % 2)
        s *= 2;
    sonde_assume(t, x % 2 == 0);
    sonde_check(t, s > -3 && s < 2);
}

SONDE_MAIN(checked)
TEXT
# by LINE FILE: 1 reached by valid inputs, 2 only by invalid ones, 3 by both, 0 never; nothing without code
by() { block "$2" sonde-source | grep -o "\[$1,[0-7]," | cut -d, -f2; }
for cc in gcc clang; do
    what="lines in three colours, by $cc"
    command -v $cc >/dev/null || { skip "$what" "$cc is not installed"; continue; }
    case $STAGE in asan*) [ $cc = "${CC%% *}" ] || { skip "$what" "the library is of another compiler's sanitizer"; continue; } ;; esac
    flags=
    case $STAGE in asan*) flags=--sanitize ;; esac
    "$sonde" cc $flags --sonde-cc=$cc -g -O0 covered.c -o covered_$cc >log 2>&1 &&
        ./covered_$cc --no-store --seed 1 --tests 500 --report html:$cc.html >>log 2>&1
    block $cc.html sonde-source >>log
    [ "$(block $cc.html sonde-source)" = null ] && "$sonde" html $cc.html >>log 2>&1
    echo "$(by 6 $cc.html) $(by 8 $cc.html) $(by 9 $cc.html) $(by 16 $cc.html)" >>log
    [ $(($(by 6 $cc.html) & 1)) = 1 ] && [ "$(by 8 $cc.html)" = 0 ] && [ $(($(by 9 $cc.html) & 1)) = 1 ] && [ "$(by 16 $cc.html)" = 2 ]
    report $? "$what"
    SONDE_TOOL=$sonde ./covered_$cc --no-store --seed 1 --tests 500 --baseline $cc.html --report html:$cc-2.html >log 2>&1
    [ "$(block $cc-2.html sonde-source | cut -c1-20)" = '{"format": 1, "files' ] && [ "$(block $cc-2.html sonde-baseline | cut -c1-9)" = '{"sonde":' ] &&
        [ "$(block $cc-2.html sonde-baseline-source)" = "$(block $cc.html sonde-source)" ]
    report $? "the tool is called where it is found, and a baseline is kept, by $cc"
done
if [ -f gcc.html ]; then
    strip covered_gcc
    "$sonde" html gcc.html >log 2>&1 && grep -q 'line tables' log && block gcc.html sonde-source | grep -q 'is not known which lines'
    report $? "without symbols the page says so"
fi

wrong "give --report html:FILE as well" "$pages" --no-store --baseline all.html
wrong "cannot read 'missing.html'" "$pages" --no-store --baseline missing.html --report html:x.html
wrong "'log' is not a page" "$pages" --no-store --baseline log --report html:x.html
wrong "'covered.c' is not a page" "$sonde" html covered.c
wrong "cannot read 'missing.html'" "$sonde" html missing.html
wrong "write sonde html" "$sonde" html --wrong all.html
# Whatever a page or a program's file holds, the tool says something and ends.
for cc in gcc clang; do [ ! -f covered_$cc ] || break; done
for i in 1 2 3 4 5 6 7 8 9; do
    head -c $((i * 7000)) covered_$cc >covered_part 2>/dev/null || break
    sed "s|covered_$cc|covered_part|" $cc-2.html >part.html
    "$sonde" html part.html >>log 2>&1 || { echo "status $?" >>log; false; } || break
done
[ $i = 9 ]
report $? "a program that was cut off does no harm"

# Failures that shrinking did not finish, for each reason. These fields are the report's; a page only has to say them.
for field in shrink_unsteady shrink_stopped shrink_gave_up; do
    sed "s/\"shrink_complete\": true/\"shrink_complete\": false, \"$field\": true/g" all.html >$field.html
    grep -q "\"$field\": true" $field.html
    report $? "a page with $field"
done
what="pages draw themselves"
if command -v node >/dev/null; then
    node "$SRC/tests/lib/page.mjs" *.html >log 2>&1
    report $? "$what"
else
    skip "$what" "node is not installed"
fi
echo "1..$n"
