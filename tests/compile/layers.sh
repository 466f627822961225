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
echo "1..$n"
