#!/bin/sh
# Properties that register themselves, in several files; and which of them --filter chooses.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 40; fi
}
warn="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
cp "$SRC"/tests/compile/registered/* .

for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    for order in "one.c two.c" "two.c one.c"; do
        # shellcheck disable=SC2086
        $cc -std=c11 $warn -I"$SRC/include" $order "$BUILD/libsonde.a" -lm -pthread -o both >log 2>&1 &&
            ./both --list >log 2>&1 && printf 'given\nsums_are_no_smaller\nfew_cases\na_truth\n' | cmp -s - log
        report $? "the order is that of the places, whatever the linker's ($cc, $order)"
    done
done
for cxx in g++ clang++; do
    command -v $cxx >/dev/null || continue
    # shellcheck disable=SC2086
    $cxx -std=c++11 $warn -I"$SRC/include" three.cpp "$BUILD/libsonde.a" -lm -pthread -o three >log 2>&1 && ./three --no-store >log 2>&1
    report $? "in C++ destructors run ($cxx)"
done

# chooses "NAMES" OPTION...: what --list prints.
chooses() {
    wanted=$1
    shift
    ./both --list "$@" >log 2>&1
    [ "$(tr '\n' ' ' <log)" = "$wanted" ]
    report $? "$*"
}
chooses "sums_are_no_smaller few_cases " --filter few --filter sums
chooses "given sums_are_no_smaller a_truth " --filter '!few*'
chooses "given a_truth " --filter '!few*' --filter '!sums'
chooses "sums_are_no_smaller " --filter 's' --filter '!few_cases'
chooses "given " --filter given --filter '!truth'

# refuses "SENTENCE" COMMAND...
refuses() {
    sentence=$1
    shift
    "$@" >log 2>&1
    [ $? = 2 ] && grep -qF -- "$sentence" log
    report $? "$sentence"
}
refuses "--filter: no property matches 'nix'; the properties are" ./both --filter few --filter nix
refuses "--filter: no property matches '!nix'; the properties are" ./both --filter '!nix'
refuses "--filter: the patterns leave out every property" ./both --filter few --filter '!few'
refuses "--filter: the value is empty" ./both --filter '!'

SONDE_FILTER=few ./both --list >log 2>&1
[ "$(cat log)" = few_cases ]
report $? "SONDE_FILTER chooses as well"
SONDE_FILTER=few ./both --list --filter given >log 2>&1
[ "$(cat log)" = given ]
report $? "--filter takes the place of SONDE_FILTER"

./both --no-store --filter few --json >log 2>&1 && grep -q '"valid": 77,' log
report $? "settings beside the name hold"
cat >listed.c <<'C'
#include <sonde.h>
SONDE_PROPERTY(has_a_list, .examples = (const char *const[]){"a=1", "a=27", NULL}) { sonde_check(t, sonde_int(t, "a", 0, 1 << 30) != 27); }
SONDE_MAIN()
C
gcc -O2 -I"$SRC/include" listed.c "$BUILD/libsonde.a" -lm -pthread -o listed >log 2>&1 && ./listed --no-store --seed 1 --tests 10 >log 2>&1
[ $? = 1 ] && grep -q 'a = 27' log
report $? "... also a list that is written there"
echo 'SONDE_EXAMPLE(few_cases, "a=27")' >>one.c
gcc -I"$SRC/include" one.c two.c "$BUILD/libsonde.a" -lm -pthread -o both >log 2>&1 && ! ./both --no-store --filter few >log 2>&1 && grep -q 'a = 27' log
report $? "an example that fails is found"
echo 'SONDE_EXAMPLE(gone, "a=27")' >>one.c
gcc -I"$SRC/include" one.c two.c "$BUILD/libsonde.a" -lm -pthread -o both >log 2>&1
refuses "one.c:17: SONDE_EXAMPLE names gone, but this program has no property of that name" ./both
sed 's/sums_are_no_smaller/a_truth/; /gone/d' one.c >twin.c
gcc -I"$SRC/include" twin.c two.c "$BUILD/libsonde.a" -lm -pthread -o both >log 2>&1
refuses "two properties are called a_truth, one at twin.c:4, one at two.c:9; give one of them another name" ./both
echo '#include <sonde.h>
SONDE_MAIN()' >none.c
gcc -I"$SRC/include" none.c "$BUILD/libsonde.a" -lm -pthread -o none >log 2>&1
refuses "there are no properties; write SONDE_PROPERTY(name) { ... }" ./none
echo "1..$n"
