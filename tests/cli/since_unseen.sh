#!/bin/sh
# --since: changes that no line of the program's own sources shows must not end in "no code has changed".
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
command -v git >/dev/null || { echo "git is not installed"; exit 77; }
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' ../log; fi
}
export GIT_CONFIG_GLOBAL="$PWD/gitconfig"
printf '[user]\nname = x\nemail = x\n[protocol "file"]\nallow = always\n[commit]\ngpgsign = false\n' >gitconfig
five='int lib(int x) { return x > 5 ? 5 : x; }'
fifteen='int lib(int x) { return x > 5 ? 15 : x; }'
# start NAME: an empty repository with the properties
start() {
    cd "$root" && mkdir "$1" && cd "$1" && git init -q . || exit 1
    cat >test.c <<'C'
#include <sonde.h>
int lib(int);
int own(int x) { return x; }
SONDE_PROPERTY(libs) { sonde_check(t, lib(sonde_int(t, "x", 0, 1000)) <= 10); }
SONDE_PROPERTY(owns) { sonde_check(t, own(sonde_int(t, "x", 0, 1000)) <= 1000); }
SONDE_MAIN()
C
    printf 'test\n.sonde\n' >.gitignore
}
commit() { git add -A && git commit -qm "$1"; }
build() { "$BUILD/sonde" cc --sonde-cc="${CC:-gcc}" -g test.c "$@" -o test >../log 2>&1; }
# finds MESSAGE: the run since the commit before finds the fault, and says why it searched
finds() {
    ./test --since "${ref:-HEAD~1}" --no-store --seed 1 --tests 300 >../log 2>&1 </dev/null
    [ $? = 1 ] && grep -q '^FAIL libs' ../log && grep -qF -- "$1" ../log
}
root=$PWD

start library && echo "$five" >lib.c && printf '*.so\n' >>.gitignore && commit base && echo "$fifteen" >lib.c && commit change
"${CC:-gcc}" -shared -fPIC lib.c -o liblib.so && build -L. -llib -Wl,-rpath,"$PWD" && finds 'lib.c:1 is in a library that is not instrumented, so every property is searched'
report $? "a shared library that is not instrumented"

start source && echo "$five" >lib.c && commit base && cd .. && start module && git submodule add -q ../source source 2>../log && commit base &&
    (cd source && echo "$fifteen" >lib.c && commit change) && commit bump && build source/lib.c && finds 'Changed lines: 1;' && ! grep -q 'every property' ../log
report $? "a submodule at another commit: its lines count"
git update-index --cacheinfo 160000,1111111111111111111111111111111111111111,source && git commit -qm gone && git add source && git commit -qm again &&
    finds 'the changes of the submodule source are not known, so every property is searched'
report $? "a submodule whose old commit is gone"

start link && mkdir a b && echo "$five" >a/lib.c && echo "$fifteen" >b/lib.c && ln -s a src && commit base && ln -sfn b src && commit change
build src/lib.c && finds 'the symbolic link src has changed, so every property is searched'
report $? "a symbolic link to another directory"

start binary && echo "$five" >lib.c && echo '*.c binary' >.gitattributes && commit base && echo "$fifteen" >lib.c && commit change
build lib.c && finds 'Changed lines: 1;'
report $? "a source that git takes for binary"

start deleted && echo "__attribute__((weak)) $fifteen" >weak.c && echo "$five" >lib.c && commit base && git rm -q lib.c && commit change
build weak.c && finds 'lib.c was deleted, so every property is searched'
report $? "a source that was deleted"

start moved && echo "__attribute__((weak)) $fifteen" >weak.c && echo "$five" >lib.c && commit base && git mv lib.c lib.c.old && commit change
build weak.c && finds 'lib.c was moved, so every property is searched'
report $? "a source that was moved out of the program"
start renamed && echo "$five" >lib.c && commit base && git mv lib.c new.c && commit change && build new.c
./test --since HEAD~1 --no-store >../log 2>&1 && grep -q 'no code of this program has changed' ../log
report $? "a source that was only moved is no change"

start generated && echo "echo '$five' >lib.c" >gen.sh && echo lib.c >>.gitignore && commit base && echo "echo '$fifteen' >lib.c" >gen.sh && commit change
sh gen.sh && build lib.c && finds 'lib.c, which git ignores, may be generated from gen.sh, so every property is searched'
report $? "a generated source"
sed -i 's/15/5/' gen.sh && commit back && sh gen.sh && build lib.c && echo words >README && commit words && ./test --since HEAD~1 --no-store >../log 2>&1 &&
    grep -q 'no code of this program has changed' ../log
report $? "... that a README cannot have changed"

start stale && echo "$five" >lib.c && commit base && echo "$fifteen" >lib.c && build lib.c && touch -d '1 minute ago' test && touch -d '2 minutes ago' test.c && git checkout -q lib.c && touch lib.c
ref=HEAD finds 'lib.c is newer than this program: build it again; every property is searched as usual'
report $? "a program that was built from other sources than those of today"

start flags && echo 'int lib(int x) { return x > 5 ? TOP : x; }' >lib.c && printf 'test:\n\tcc -DTOP=5\n' >Makefile && commit base && sed -i 's/=5/=15/' Makefile && commit change
build -DTOP=15 lib.c && finds 'Makefile may change how the program is built, so every property is searched'
report $? "a build file"

start included && echo 'static const int top[] = {
#include "tables/vals.txt"
};
int lib(int x) { return x > 5 ? top[0] : x; }' >lib.c && mkdir tables && echo 5, >tables/vals.txt && commit base && echo 15, >tables/vals.txt && commit change
build lib.c && finds 'lib.c names tables/vals.txt, which has changed, so every property is searched'
report $? "a table that a source includes"
echo words >other.txt && echo 'vals.txt in a comment: "other.txt"' >notes.txt && commit words && ./test --since HEAD~1 --no-store >../log 2>&1 &&
    grep -qF '(other files changed: notes.txt, other.txt)' ../log
report $? "... and files that none includes"
start assembled && printf '__asm__(".globl top\\n.data\\ntop: .incbin \\"vals.dat\\"\\n.byte 0\\n.text");\nextern char top[];\nint lib(int x) { return x > 5 ? top[0] : x; }\n' >lib.c &&
    printf '\005' >vals.dat && commit base && printf '\017' >vals.dat && commit change
build lib.c && finds 'lib.c names vals.dat, which has changed, so every property is searched'
report $? "a file that the assembler includes"

start unlined && printf 'static const int top[] = {\n#include "vals.dat"\n};\nint lib(int x) { return x > 5 ? top[0] : x; }\n' >lib.c && echo 5, >vals.dat && commit base && echo 15, >vals.dat && commit change
build -g0 lib.c && finds 'vals.dat may be part of code that was compiled without -g, so every property is searched'
report $? "a table, and code without lines"
build -Wl,--strip-debug lib.c && finds 'compile it with -g; every property is searched as usual'
report $? "a table, and a program without line tables"
echo words >README && commit words && ./test --since HEAD~1 --no-store >../log 2>&1
[ $? = 0 ] && grep -qF '(other files changed: README)' ../log
report $? "... where documentation alone needs no search"

start outside && mkdir ../out && echo "echo '$five' >../out/lib.c" >gen.sh && commit base && echo "echo '$fifteen' >../out/lib.c" >gen.sh && commit change
sh gen.sh && build "$root/out/lib.c" && finds "$root/out/lib.c, outside of the repository, may be generated from gen.sh, so every property is searched"
report $? "a source that is generated into another directory"
start unrelated && echo "$five" >lib.c && commit base && echo words >gen.sh && commit change && build lib.c && ./test --since HEAD~1 --no-store >../log 2>&1 &&
    grep -qF '(other files changed: gen.sh)' ../log
report $? "... which a header of sonde is not"

start nothing && echo "$five" >lib.c && commit base && echo words >README && echo 'int other;' >other.c && commit words && build lib.c && ./test --since HEAD~1 --no-store >../log 2>&1
[ $? = 0 ] && grep -qF '(other files changed: README, other.c)' ../log && grep -q '^2 properties: 0 hold, 2 not searched\.' ../log
report $? "files that are not in the program are named, and properties that were not searched do not hold"
echo "1..$n"
