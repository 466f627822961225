#!/bin/sh
# The check of the include layers: our tree passes it, and it catches what it is there for.
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

# caught TEXT RULE: a tree with the planted line must be refused with file, line and rule.
plant() { mkdir -p "tree/src/$(dirname "$1")" tree/include/sonde; printf '%s\n' "$2" >"tree/src/$1"; }
caught() {
    if "$SRC/scripts/layers" tree >out 2>&1; then status=1; else grep -qF "$1" out; status=$?; fi
    [ $status = 0 ] || sed 's/^/# /' out
    report $status "$2"
    rm -rf tree/src
}

"$SRC/scripts/layers" "$SRC"
report $? "our own includes keep to the layers"

mkdir -p tree/include/sonde
touch tree/include/sonde.h tree/include/sonde/extend.h
plant base/mem.h '#include <sonde/extend.h>'
plant guide/rl.c '#include "base/mem.h"'
"$SRC/scripts/layers" tree
report $? "a tree that keeps to them passes"

plant guide/rl.h ''
plant shrink/pass.c '#include "guide/rl.h"'
caught "src/shrink/pass.c:1: shrink must not include guide" "a folder that includes one beside it is caught"

plant tape/tape.h ''
plant base/rng.c '#include "../tape/tape.h"'
caught "src/base/rng.c:1: base must not include tape" "an include upwards by a relative path is caught"

plant exec/runner.h ''
plant engine/workers/single.c '#include "exec/runner.h"'
caught "src/engine/workers/single.c:1: exec/runner.h is private to exec" "a private header of another directory is caught"
plant exec/runner.h ''
mkdir -p tree/tools && echo '#include "exec/runner.h"' >tree/tools/html.c
caught "tools/html.c:1: exec/runner.h is private to its directory" "so it is in a tool"
rm -r tree/tools
plant exec/exec.h ''
caught "no other directory includes src/exec/exec.h" "a header that is shown in vain is caught"

plant gen/list.c '#include <sonde/extend.h>'
caught "gen sees sonde.h only" "gen may not see extend.h"

plant tape/a.h '#include "b.h"'
plant tape/b.h '#include "tape/a.h"'
caught "include cycle" "two headers that include each other are caught"
plant tape/tape.c "$(seq -f '/* %.0f */' 501)"
caught "src/tape/tape.c: 501 lines; divide it" "a long file without a reason is caught"
plant tape/trie.c ''
caught "src/tape/trie.c: 1 lines; take it from the table" "so is a reason without a long file"

# The bounds of scripts/measure, each with one more than it allows.
for i in $(seq 46); do plant "case/h$i.h" ''; done
plant observe/many.c "$(seq -f '#include "case/h%.0f.h"' 46)"
caught "headers shown, outside base and tape: 46, at most 45" "too many headers that directories show are caught"
plant tape/a.h ''
plant tape/a.c '#include "tape/b.h"'
plant tape/b.h ''
plant tape/b.c '#include "tape/a.h"'
caught "modules in mutual dependence: 2, at most 0 (scripts/measure --bounds): tape/a tape/b" "two modules that include each other are caught"
for i in $(seq 15); do plant "engine/phases/m$i.c" ''; done
caught "modules of src/engine/phases: 15, at most 14" "a directory of the engine with too many modules is caught"
for i in a b c d; do plant "engine/$i/m.c" ''; done
caught "directories in src/engine: 4, at most 3" "so is one directory too many"
for i in a b; do plant "engine/search/$i.h" "$(printf 'struct %s {\n    void (*f)(void);\n    void (*g)(void);\n};' $i)"; done
caught "callback tables of engine and workers: 2, at most 1" "two callback tables are caught"
plant exec/a.c 'void a(void) { sonde_heap_use(0); }'
plant exec/b.c 'void b(void) { sonde_heap_use(0); }'
caught "files that switch heaps: 2, at most 1 (scripts/measure --bounds): src/exec/a.c src/exec/b.c" "a second file that switches heaps is caught"
plant exec/a.c "$(seq -f 'void f%.0f(void) { sonde_heap_use(0); }' 9)"
caught "heap switches: 9, at most 8" "so are too many switches in one file"
plant tape/tape.c "$(printf 'int x = %0111d;' 1; echo; echo 'int f(void)'; echo '{'; seq -f '    g(%.0f);' 57; echo '}')"
"$SRC/scripts/layers" tree
report $? "a line of 120 columns and a function of 60 lines pass"
plant tape/tape.c "$(printf 'int x = %0112d;' 1)"
caught "lines of code above 120 columns: 1, at most 0 (scripts/measure --bounds): src/tape/tape.c:1" "a longer one is caught"
plant tape/tape.c "$(echo 'int f(void)'; echo '{'; seq -f '    g(%.0f);' 58; echo '}')"
caught "functions above 60 lines: 1, at most 0 (scripts/measure --bounds): src/tape/tape.c:2" "a function of 61 lines is caught"
echo "1..$n"
