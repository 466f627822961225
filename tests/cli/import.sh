#!/bin/sh
# --import: files become the inputs by which a property writes them; of what it cannot write, the beginning does. What cannot be used costs a
# sentence, and the search goes on.
# Stages: gcc
program=$BUILD/tests/cli/import
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
# The search itself is one case, of the simplest input: what is seen is the doing of --import.
search() {
    property=$1
    shift
    "$program" --filter "$property" --no-store --seed 1 --guide simplest --runs 1 --max-discards 0 --time 0 --json "$@"
}
count() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" out | head -n 1; }
# whole PROPERTY FILE...: each of them is imported as a whole.
whole() {
    property=$1
    shift
    gives 0 "files imported as a whole: $# of $#" search "$property" --import "$@"
}

# ---- Generators of many kinds

cat >a.json <<'END'
{"name":"alpha","n":12,"list":[1,2,3,[],{}],"nested":{"a":true,"b":[null,false,-5,"x y"],"c":{"d":{"e":[[[1]]]}}},"z":"http://a.b/c-d"}
END
printf '[{"id":1,"tags":["a","b"],"ok":true},{"id":2,"tags":[],"ok":false},{"id":-999999,"tags":["long text: 3/4"],"ok":null}]' >b.json
whole json a.json b.json
report $? "JSON: kinds, strings, lists whose lengths are drawn first"
TEXTS=texts
export TEXTS
rm -f texts
whole json a.json && [ "$(grep -cFx -- "$(cat a.json)" texts)" = 2 ]
report $? "the search runs the input that writes the file: besides the import, once"
gives 0 "" search json --import a.json --inputs-out made
rm -f texts
gives 0 "" search json --inputs made && grep -qFx -- "$(cat a.json)" texts
report $? "--inputs-out writes it, and --inputs reads it again"
unset TEXTS
printf '1+2*3-(4+5)*-6/x%%2+a*(b-(c+d)*(e))-77777' >a.sum
whole arithmetic a.sum
report $? "expressions that go on by chance"
printf '(692 * 511 + 431) * (444 / 476 * (330 + 312))\n' >a.tree
printf '1 - 2 - 3 * (4 - 5) - 6' >b.tree
whole tree a.tree b.tree
report $? "trees whose operators are drawn before their left sides, with brackets where they are needed"
printf '<list><item a="b c" id="<12>">some text, 7!</item><p/><row x=""><cell>a</cell></row></list>' >a.xml
whole xml a.xml
report $? "XML: names that are written twice, characters drawn before any is written"
printf '3,4\n,-17,2.5,"a b"\n"x",,,\n1,2,3,"Z."\n' >a.csv
whole table a.csv
report $? "counts that come first and are written"
printf '6 0 4 5 2 5 9;5;0 0 4;2 1;' >a.counts
whole hidden_counts a.counts
report $? "counts that come first and are not"
printf '[first]\n# a comment: 12\nkey = 100\nother_Key = yes\n!wrong\nx = 1\n' >broken.ini
printf '[first]\n# a comment: 12\nkey = 100\nother_Key = yes\n[empty]\n[last]\nx = 0xff00\ny = some text / here\n' >a.ini
whole settings a.ini
report $? "settings: sections, comments, values of several kinds"
printf '(define (fact n)\n  (if (< n 2)\n    1\n    (* n (fact (- n 1)))))\n' >a.lisp
whole lisp a.lisp
report $? "S-expressions: drawn white space, names by a regular expression"
printf 'int f(int a, int b) {\n    long sum = 0;\n    while ((a < b)) {\n        sum = (sum + g(a, 1));\n        if (ok()) {\n        }\n    }\n    return sum;\n}\n' >a.lang
whole language a.lang
report $? "a small language, indented"

# ---- Of what cannot be written, the beginning

gives 0 "is imported in part: the first 50 of 63 bytes, up to line 5 column 1, where it has \"!wrong" search settings --import broken.ini &&
    [ "$(count tests)" -ge 17 ]
report $? "a file with an error is imported up to there; the rest is drawn"
gives 0 "wrote only" search settings --import broken.ini && grep -q '"\[' err && grep -q 'or its end' err
report $? "what could stand there is said"
gives 0 "'a.xml' is left out: it begins with \"<list><item " search json --import a.xml
report $? "a file of another kind"

# ---- Forms

printf '{ "a" : [ 1 , 2 ],\n  "b" : "c d" }\n' >spaced
gives 0 "as a whole: 0 of 1; in part: 1" search json --import spaced
report $? "bytes are compared as they are"
TEXTS=texts
export TEXTS
rm -f texts
gives 0 "imported as a whole: 1 of 1;" search json --import spaced --import-as spaces && grep -qFx '{"a":[1,2],"b":"c d"}' texts
report $? "--import-as spaces: white space does not count, but what is in a string is kept"
unset TEXTS
gives 0 "imported as a whole: 1 of 1;" search json --import spaced --import-as "tr -d '\n' | sed 's/ *\([][{}:,]\) */\1/g'"
report $? "--import-as COMMAND: what it prints is compared"
gives 0 "'spaced' is left out: 'exit 3' ended with status 3" search json --import spaced --import-as 'exit 3'
report $? "a command that fails costs a sentence"
gives 2 "--import-as: the value is empty" search json --import spaced --import-as ''
report $? "an empty form is an error"

# ---- Files that are none, and folders

: >empty
head -c 2000000 /dev/zero >big
printf '\000\001\377\376' >binary
mkfifo pipe
gives 0 "'empty' is left out: there is nothing in it" search json --import empty big binary pipe a.json && grep -q "'big' is left out: it is larger than 1 MiB" err &&
    grep -q "'binary' is left out: it begins with" err && grep -q "'pipe' is left out: it is not a regular file" err &&
    grep -q "files imported as a whole: 1 of 5" err
report $? "an empty file, a large one, bytes, a pipe: a sentence each, and the others are imported"
gives 2 "--import: 'nowhere' cannot be read: No such file or directory" search json --import a.json nowhere
report $? "a path that does not exist is an error"
mkdir -p folder/below nothing
cp a.json folder/below
cp b.json folder
gives 0 "files imported as a whole: 2 of 2" search json --import folder
report $? "a folder, and those in it"
gives 0 "there is no file in 'nothing'" search json --import nothing
report $? "an empty folder costs a sentence"
gives 0 "--import: silent writes nothing by sonde_put, so files are not imported" search silent --import a.json b.json
report $? "so does a property that writes nothing"
gives 2 "a value is missing; write --import FILE..." search json --import
report $? "--import without a file is an error"

# ---- What the inputs do

printf '{"k":1,"forbidden":true,"z":[]}' >forbidden
gives 1 "forbidden" search json_fails --import forbidden
report $? "a file that fails is a failure, and is shrunk"
printf '6.6.6.' >crash
gives 1 "SIGABRT" search crashes --import crash
report $? "so is one that crashes"
printf '7+' >endless
gives 0 "in part" search endless --import endless --max-choices 2000 && [ "$(sed -n 's/.*runs: \([0-9,]*\).*/\1/p' err | tr -d ,)" -lt 200 ]
report $? "a property that draws without end after a text is not run thousands of times"
printf '12' >two
gives 0 "imported as a whole: 1 of 1;" search two_texts --import two
report $? "the first text is the one that counts"
for how in "--jobs 2" "--isolate case" "--isolate none" "--spawn"; do
    # shellcheck disable=SC2086
    gives 0 "files imported as a whole: 2 of 2" search json --import folder $how
    report $? "$how: the same"
done
search json --import folder 2>err | sed 's/"seconds".*//' >first
cp err first.err
search json --import folder 2>err | sed 's/"seconds".*//' >second
cmp -s first second && cmp -s first.err err
report $? "the same files make the same run"
echo "1..$n"
