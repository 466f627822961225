#!/bin/sh
# SONDE_DERIVE in a test file: sonde cc derives, with gcc and clang, in C and C++; messages and depfiles name the source.
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive was not built: libclang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 20; }
tool=$(cd "$BUILD" && pwd)/sonde
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS

mkdir -p sub
cat >sub/point.h <<'E'
#include <sonde/derive.h>
struct point { int x, y; struct point *next SONDE_NULLABLE; };
E
cat >sub/one.c <<'E'
#include <sonde.h>
#include "point.h"
SONDE_DERIVE(struct point, point);
SONDE_PROPERTY(one) { struct point *p = draw_point(t, "p"); sonde_check(t, p->x < 1000 || !p->next); }
E
sed 's/(one)/(two)/' sub/one.c >sub/two.c
echo 'SONDE_MAIN()' >>sub/two.c
# SONDE_DERIVE in words only, and a file without it.
printf '#include <sonde.h>\n/* SONDE_DERIVE(struct point, point) */\nSONDE_PROPERTY(three) { sonde_check(t, sonde_int(t, "x", 0, 9) < 10); }\n' >three.c
for by in clang gcc; do
    "$tool" cc --sonde-cc=$by -Wall -Wextra -Werror -O1 -g sub/one.c sub/two.c three.c -o program >log 2>&1 &&
        ./program --seed 1 --no-store >out 2>&1
    [ $? = 1 ] && grep -qF 'Does not hold, at sub/one.c:4' out && grep -qF 'Does not hold, at sub/two.c:4' out &&
        grep -qF 'p = {.x = 1000, .y = 0, .next = {.x = 0, .y = 0, .next = NULL}}' out
    result=$?
    report $result "$by: two files derive the same type; failures name the source"
    [ $result = 0 ] || show log out
done
for option in --no-rewrite --no-cover; do
    "$tool" cc $option -w -c sub/one.c -o one.o >log 2>&1
    report $? "with $option, too"
done

"$tool" cc -MMD -c sub/one.c -o one.o && grep -q '^one.o: sub/one.c ' one.d && grep -q ' sub/point.h' one.d
report $? "the depfile names the source and what it includes"
sed 's/p->x < 1000/p->z < 1000/' sub/one.c >sub/wrong.c
"$tool" cc -c sub/wrong.c -o wrong.o >log 2>&1
[ $? = 1 ] && grep -q "sub/wrong.c:4:.* 'z'" log && [ ! -e wrong.o ]
report $? "a mistake in the source is shown where it is"
printf '#include <sonde.h>\n#include <sonde/derive.h>\nstruct a { void *p; };\nSONDE_DERIVE(struct a, a);\n' >refused.c
"$tool" cc -c refused.c -o refused.o >log 2>&1
[ $? = 2 ] && grep -qF "sonde derive: refused.c:3: struct a: field 'p' is a void *" log && [ "$(wc -l <log)" = 1 ] && [ ! -e refused.o ]
result=$?
report $result "what cannot be derived is one sentence, and nothing is compiled"
[ $result = 0 ] || show log
"$CC" -I"$SRC/include" -c sub/one.c -o one.o >log 2>&1
[ $? != 0 ] && grep -q 'compile this file with sonde cc, or include what sonde derive writes' log
report $? "another compiler says what to do"

cat >four.cpp <<'E'
#include <sonde.hpp>
#include "sub/point.h"
SONDE_DERIVE(point, point);
static void four(sonde *t) { point *p = draw_point(t, "p"); sonde_check_same(t, point, p, p); sonde_check(t, p->y != 77); }
SONDE_MAIN(four)
E
"$tool" c++ -Wall -Wextra -Werror -std=c++17 -g four.cpp -o four >log 2>&1 && ./four --seed 1 --no-store >out 2>&1
[ $? = 1 ] && grep -qF '.y = 77' out
result=$?
report $result "C++"
[ $result = 0 ] || show log out
# The same by hand.
"$tool" cc -Wall -Wextra -Werror -g "$SRC/tests/compile/derived/by_hand.c" -o by_hand >log 2>&1 && ./by_hand --seed 1 --tests 1000 --time 0 --no-store >out 2>&1
result=$?
by_hand=$(sed -n '/^\/\* ---- By hand/,/^\/\* ---- Derived/p' "$SRC/tests/compile/derived/by_hand.c" | sed '1d;$d' | grep -c '[^ ]')
[ $result = 0 ] && [ "$by_hand" -ge 60 ]
result=$?
report $result "what is derived agrees with $by_hand lines written by hand"
[ $result = 0 ] || show log out
echo "1..$n"
