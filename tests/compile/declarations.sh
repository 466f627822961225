#!/bin/sh
# Random declarations of all kinds (tests/cli/declarations.c), derived, compiled by gcc and clang as C11 and C++17 without a
# warning, and run with sanitizers: equality and order are what they should be, printing is stable, a replayed value is the
# same one, and everything ends. Sets are compiled all at once, as that costs a tenth; when something fails, one at a time,
# until a smallest set is found. `check --long` takes 1,000 sets and MemorySanitizer.
# Stages: gcc
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive was not built: libclang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 20; }
tool=$(cd "$BUILD" && pwd)/sonde
declarations=$(cd "$BUILD" && pwd)/tests/cli/declarations
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
warn="-Wall -Wextra -Wconversion -Wpedantic -Werror -I$SRC/include"

cat >before.h <<'E'
#include <sonde.h>
#include <sonde/derive.h>
#include <stddef.h>
#ifndef DRAW_SEVEN
#define DRAW_SEVEN
static inline char draw_seven(sonde *t, const char *label) { return sonde_int(t, label, 0, 7) > 3 ? 7 : 0; }
#endif
E
cat >holds.h <<'E'
#include <stdlib.h>
#define HOLDS(s)                                                                                                    \
    static char *text_##s(const s *value)                                                                           \
    {                                                                                                               \
        static char texts[4][65536];                                                                                \
        static unsigned at;                                                                                         \
        char *text = texts[at++ % 4];                                                                               \
        FILE *out = tmpfile();                                                                                      \
        if (!out) abort();                                                                                          \
        print_##s(out, value);                                                                                      \
        rewind(out);                                                                                                \
        text[fread(text, 1, sizeof texts[0] - 1, out)] = 0;                                                         \
        fclose(out);                                                                                                \
        return text;                                                                                                \
    }                                                                                                               \
    SONDE_PROPERTY(s##_holds)                                                                                       \
    {                                                                                                               \
        s *a = draw_##s(t, "a"), *b = draw_##s(t, "b"), *c = draw_##s(t, "c");                                      \
        sonde_check(t, same_##s(a, a) && order_##s(a, a) == 0);                                                     \
        sonde_check(t, order_##s(a, b) == -order_##s(b, a) && same_##s(a, b) == (order_##s(a, b) == 0));            \
        sonde_check(t, order_##s(a, b) > 0 || order_##s(b, c) > 0 || order_##s(a, c) <= 0);                         \
        sonde_check(t, strcmp(text_##s(a), text_##s(a)) == 0);                                                      \
        sonde_check(t, strcmp(text_##s(a), text_##s(b)) != 0 || same_##s(a, b));                                    \
        sonde_check_same(t, s, a, a);                                                                               \
    }                                                                                                               \
    SONDE_PROPERTY(s##_fails) { sonde_check(t, strlen(text_##s(draw_##s(t, "value"))) < 60); }
E

# derive NAME N: NAME.h, which holds the sets s0 .. sN-1, to NAME.c and NAME.cpp.
derive() {
    types=$(i=0; while [ $i -lt "$2" ]; do echo "s$i"; i=$((i + 1)); done)
    # shellcheck disable=SC2086
    "$tool" derive "$1.h" $types -I"$SRC/include" -o "$1.derived.h" && "$tool" derive -x c++ "$1.h" $types -I"$SRC/include" -o "$1.derived.hpp" || return 1
    sed -i "s|#include \"$1.h\"|#include <$1.h>|" "$1.derived.hpp"
    { echo "#include \"$1.derived.h\""; echo '#include "holds.h"'; for s in $types; do echo "HOLDS($s)"; done; echo 'SONDE_MAIN()'; } >"$1.c"
    echo "#include \"$1.derived.hpp\"" >"$1.cpp"
}
# Types are in a header of the system's in C++, which has neither flexible arrays nor structs without a name.
compiles() {
    case $1 in
    *++) "$1" -std=c++17 -fsyntax-only $warn -isystem . "$2.cpp" ;;
    *) "$1" -std=c11 -fsyntax-only $warn -I. "$2.c" ;;
    esac
}
sanitized() { gcc -std=c11 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -w -I"$SRC/include" -I. "$1.c" "$BUILD/libsonde.a" -lm -lpthread -o "$1"; }
runs() { ./"$1" --filter '*_holds' --seed 1 --tests "$2" --time 0 --isolate=none --guide random --no-store >out 2>&1; }

# Of properties that fail for what prints as much: what a case printed, and what its replay prints. Long inputs have no token.
replays() {
    i=0 compared=0
    while [ $i -lt "$2" ] && [ $compared -lt 5 ]; do
        ./"$1" --filter "s${i}_fails" --seed 2 --no-shrink --isolate=none --guide random --no-store >first 2>&1
        token=$(sed -n "s/.*--replay '\(.*\)'$/\1/p" first)
        i=$((i + 1))
        [ -n "$token" ] || continue
        ./"$1" --filter "s$((i - 1))_fails" --replay "$token" --isolate=none --no-store >second 2>&1
        [ -n "$(grep '^ *value = ' first)" ] && [ "$(grep '^ *value = ' first)" = "$(grep '^ *value = ' second)" ] || return 1
        compared=$((compared + 1))
    done
    [ $compared = 5 ]
}

# One set, by all of it: for each_set_holds.
if [ "$1" = --try ]; then
    cd "$2" || exit 1
    derive one 1 >log 2>&1 && for cc in gcc clang g++ clang++; do compiles $cc one >>log 2>&1 || exit 1; done && sanitized one >>log 2>&1 && runs one 100
    exit
fi

sets=25 batch=25
[ -z "$SONDE_TEST_LONG" ] || sets=1000 batch=50
smallest() {
    TRY="sh $0 --try $PWD" "$declarations" --filter each_set_holds --seed "$1" --tests $batch --time 0 --timeout 100 --isolate=none --no-store >out 2>&1
    echo "# a smallest set:"
    show one.h log
}
from=0
while [ $from -lt $sets ]; do
    seed=$((1 + from / batch))
    echo '#include "before.h"' >all.h
    SETS=all.h "$declarations" --filter write_sets --seed $seed --tests $batch --time 0 --isolate=none --guide random --no-store >log 2>&1
    drawn=$(grep -c '^typedef' all.h)
    [ "$drawn" -ge $batch ] && derive all "$drawn" >log 2>&1
    result=$?
    report $result "seed $seed: $drawn sets of declarations are derived"
    [ $result = 0 ] || { show log; smallest $seed; break; }
    for cc in gcc clang g++ clang++; do
        compiles $cc all >log 2>&1
        result=$?
        report $result "seed $seed: $cc compiles them without a warning"
        [ $result = 0 ] || { show log; smallest $seed; break 2; }
    done
    sanitized all >log 2>&1 && runs all 12
    result=$?
    report $result "seed $seed: same, order and print are right; nothing is touched that should not be"
    [ $result = 0 ] || { show log out; smallest $seed; break; }
    replays all "$drawn"
    report $? "seed $seed: a value that is replayed from its token prints as it did"
    if [ -n "$SONDE_TEST_LONG" ]; then
        "$tool" cc --sonde-cc=clang --sanitize=memory --no-cover -w -I. all.c -o all.msan >log 2>&1 && ./all.msan --filter '*_holds' \
            --seed 1 --tests 12 --time 0 --isolate=none --guide random --no-store >out 2>&1
        result=$?
        report $result "seed $seed: nothing is uninitialised"
        [ $result = 0 ] || { show log out; smallest $seed; break; }
    fi
    from=$((from + batch))
done
echo "1..$n"
