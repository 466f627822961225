#!/bin/sh
# The tour of src: it answers each question of where/questions.txt, what it names is there, and it shows what scripts/layers shows.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' wrong; fi; }
none() { [ ! -s wrong ]; report $? "$1"; }
tour=$SRC/src/README.md
here=$PWD

# defines FILE FUNCTION: in the first column, with its head on this line
defines() { grep -qE "^[A-Za-z].*[ *]$2\(" "$SRC/$1"; }

while read -r question; do
    row=$(grep -F "| $question |" "$tour") || { echo "no answer: $question"; continue; }
    file=$(echo "$row" | sed 's/.*| `\([^`]*\)` | `[^`]*` |$/\1/') function=$(echo "$row" | sed 's/.*| `\([^`]*\)` |$/\1/')
    defines "$file" "$function" || echo "$file does not define $function"
done <"$SRC/tests/compile/where/questions.txt" >wrong
none "each question has its answer in the tour, and the function is there"
[ "$(wc -l <"$SRC/tests/compile/where/questions.txt")" -ge 20 ]
report $? "there are twenty of them"

# `function` (`dir/file.c`), or several functions of one file
grep -E '^[0-9]+\. ' "$tour" | grep -oE '`[a-z_]+` \(`[a-z_/]+\.[ch]`' | tr -d '`(' | while read -r function file; do
    defines "src/$file" "$function" || defines "$file" "$function" || [ "$file" = include/sonde/extend.h ] || echo "src/$file does not define $function"
done >wrong 2>&1
none "the walks name functions that are there"
grep -oE '`[a-z_]+/[a-z_/]+\.[ch]`' "$tour" | tr -d '`' | sort -u | while read -r file; do
    [ -e "$SRC/$file" ] || [ -e "$SRC/src/$file" ] || [ -e "$SRC/src/case/$file" ] || echo "$file"
done >wrong
none "the files that it names are there"

# A paragraph per directory, which names the headers that the directory shows.
sed -n '/^shown() {/,/^TABLE/p' "$SRC/scripts/layers" | grep -E '^[a-z/]+ +[a-z_]+[./]' | grep -v '^tools' | while read -r directory headers; do
    paragraph=$(grep -F "**$directory** " "$tour") || { echo "no paragraph about $directory"; continue; }
    for header in $headers; do
        echo "$paragraph" | grep -qF "\`$header\`" || echo "$directory shows $header, and the tour does not say so"
    done
    echo "$paragraph" | sed 's/.*It shows //; s/\. .*//' | grep -oE '`[a-z_/]+\.h`' | tr -d '`' | while read -r named; do
        case " $headers " in *" $named "*) ;; *) echo "the tour says that $directory shows $named" ;; esac
    done
done >wrong
none "each directory has a paragraph with the headers that it shows, and no others"
(cd "$SRC" && for directory in src/*/ src/engine/*/; do name=${directory#src/}; grep -qF "**${name%/}** " src/README.md || echo "$directory"; done) >"$here/wrong"
none "no directory is missing"
echo "1..$n"
