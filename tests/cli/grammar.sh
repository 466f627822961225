#!/bin/sh
# sonde_grammar and sonde grammar: mistakes, samples, C, imports by parsing, shrinking by rule.
# Stages: gcc
program=$BUILD/tests/cli/grammar
sonde=$BUILD/sonde
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 20; fi
}
# gives STATUS STRING COMMAND...: it ends with the status and prints the string (may be empty).
gives() {
    wanted=$1 string=$2
    shift 2
    "$@" >out 2>err </dev/null
    status=$?
    [ $status = "$wanted" ] && { [ -z "$string" ] || cat out err | tr '\n' ' ' | grep -qF -- "$string"; } && return 0
    echo "# status $status, wanted $wanted and '$string'"
    return 1
}
search() {
    property=$1
    shift
    "$program" --filter "$property" --no-store --seed 1 --guide simplest --runs 1 --max-discards 0 --time 0 "$@"
}

# ---- The command

cat >grammar <<'END'
sum    = term *("+" term)
term   = number / "(" sum ")"      ;@ weights 2 1
number = 1*DIGIT
spare  = "x"
END
gives 0 "grammar: ABNF of 4 rules, written in bytes; it starts with sum the shortest string has 1 character; the simplest: 0 not used by sum: spare" \
    "$sonde" grammar check grammar
report $? "check: what a grammar is, and which rules are not used"
gives 0 "" "$sonde" grammar sample -n 50 grammar && [ "$(grep -cxE '[0-9+()]+' out)" = 50 ] && cp out first &&
    "$sonde" grammar sample -n 50 grammar | cmp -s - first && ! "$sonde" grammar sample -n 50 --seed 2 grammar | cmp -s - first
report $? "sample: strings of the grammar, the same for the same seed"
case $STAGE in asan*) flags=-fsanitize=address,undefined ;; *) flags= ;; esac # as the library, which a made program is linked with
# shellcheck disable=SC2086
gives 0 "" "$sonde" grammar to-c grammar && { cat out; echo 'static void draws(sonde *t) { sonde_text s = draw_sum(t, "sum"); sonde_check(t, s.n > 0); }
SONDE_MAIN(draws)'; } >made.c && ${CC:-cc} $flags -Wall -Wextra -Wpedantic -Werror -I"$SRC/include" made.c "$BUILD/libsonde.a" -lm -lpthread -o made 2>err &&
    gives 0 "ok   draws" ./made --no-store --tests 200 --seed 1
report $? "to-c: C that compiles without warnings, and draws"
cat >named <<'END'
s     = word bytes wide none *1s
word  = "word" / %s"draw" "" / %x0.61
bytes = %s"b"
wide  = %x20-7E / %xE9-FFFF
none  = ""
END
draws() {
    { "$sonde" grammar to-c "$1"; echo 'static void draws(sonde *t) { sonde_text s = draw_s(t, "s"); sonde_check(t, s.n > 0); }
SONDE_MAIN(draws)'; } >made.c && $2 $flags -Wall -Wextra -Wpedantic -Werror -I"$SRC/include" made.c "$BUILD/libsonde.a" -lm -lpthread -o made 2>err &&
        gives 0 "ok   draws" ./made --no-store --tests 200 --seed 1
}
echo 's = %s"x" *DIGIT' >few
draws named "${CC:-cc}" && draws few "${CC:-cc}" && { [ -n "$flags" ] || ! command -v clang >/dev/null || { draws named clang && draws few clang; }; }
report $? "to-c: rules of any name, and no warnings, whichever helpers it needs"
printf 'a = "x" a\n' >bad
gives 2 "sonde grammar: bad: line 1, column 1: this rule never ends: a" "$sonde" grammar check bad &&
    gives 2 "never ends" "$sonde" grammar sample bad && gives 2 "never ends" "$sonde" grammar to-c bad &&
    gives 2 "'missing' cannot be read" "$sonde" grammar check missing && gives 2 "cannot be read" "$sonde" grammar check . &&
    gives 2 "there is no rule 'b' to start with" "$sonde" grammar check --start b grammar &&
    gives 2 "unknown option --x" "$sonde" grammar check --x grammar && gives 2 "check, sample or to-c, not 'chek'" "$sonde" grammar chek grammar &&
    gives 2 "give the file" "$sonde" grammar check
report $? "mistakes have a message and status 2"
{ echo 'a = "x"'; awk 'BEGIN { for (i = 0; i < 60000; i++) printf "r%d = \"word%d\" / r%d\n", i, i, (i * 7) % 60000 }'; } >big
gives 0 "ABNF of 60001 rules" "$sonde" grammar check big
report $? "a grammar of more than a megabyte"

# ---- A property

mv grammar good
mv bad grammar
gives 2 'sonde_grammar("text"): grammar: line 1, column 1: this rule never ends: a' "$program" --filter draws --no-store
report $? "a grammar that is not sound is a misuse"
mv good grammar
gives 1 'text = "((0))"' "$program" --filter nests --no-store --seed 1
report $? "a string shrinks to the smallest that fails"

# ---- Import

printf '12+(3+(4))+56' >a.sum
printf '((((7))))\n' >b.sum
rm -f made.txt
WRITTEN=made.txt gives 0 "files imported as a whole: 2 of 2; in part: 0; runs: 4" search draws --import a.sum b.sum &&
    grep -qxF '12+(3+(4))+56' made.txt && grep -qxF '((((7))))' made.txt
report $? "files are parsed, and lead the search; a final line feed does not matter"
printf '12+(3+x)' >c.sum
gives 0 "'c.sum' is imported in part: the grammar has 6 of its 8 bytes; at line 1 column 7 it has \"x)\", and the grammar expects \"(\", DIGIT" \
    search draws --import c.sum
report $? "what does not parse says where, and what was expected"
printf '12+345678+(9)' >d.sum
WRITTEN=made.txt gives 0 "files imported as a whole: 1 of 1" search draws_numbers --import d.sum && grep -qxF '12+345678+(9)' made.txt
report $? "draws of a C function are searched for"
awk 'BEGIN { for (i = 0; i < 9000; i++) printf "("; printf "1"; for (i = 0; i < 9000; i++) printf ")" }' >deep.sum
gives 0 "files imported as a whole: 1 of 1" search draws --import deep.sum
report $? "brackets in brackets, 9,000 deep"
: >empty.sum
gives 0 "is left out: there is nothing in it" search draws --import empty.sum
report $? "an empty file is left out"

echo "1..$n"
