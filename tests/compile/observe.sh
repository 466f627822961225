#!/bin/sh
# sonde_observe: every kind of value without a warning, shown by a replay; what two runs cannot share does not compile.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 40; fi
}
warn="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I$SRC/include"

cat >observe.c <<'EOF'
#include <sonde.h>
enum color { RED, GREEN };
struct flags { unsigned low : 3; };
static void print_point(FILE *out, const void *value)
{
    const int *point = value;
    fprintf(out, "(%d, %d)", point[0], point[1]);
}
static void observes(sonde *t)
{
    const int point[2] = {sonde_int(t, "x", 0, 9), 4};
    const char *const words = "a\tb";
    char array[] = "text";
    struct flags f = {5};
    volatile short small = -3;
    enum color color = GREEN;
    sonde_observe(t, "literal", "word");
    sonde_observe(t, "array", array);
    sonde_observe(t, "words", words);
    sonde_observe(t, "small", small);
    sonde_observe(t, "bits", (int)f.low);
    sonde_observe(t, "color", color);
    sonde_observe(t, "size", sizeof point);
    sonde_observe(t, "half", 0.5L);
    sonde_observe(t, "sum", point[0] + point[1]);
    sonde_observe(t, "holds", point[0] < 9);
    sonde_observe(t, "memory", array, 3);
    sonde_observe(t, "point", print_point, point);
    sonde_check_lt(t, point[0], 8);
}
SONDE_MAIN(observes)
EOF
cat >want <<'EOF'
literal = "word"
array = "text"
words = "a\tb"
small = -3
bits = 5
color = 1
size = 8
half = 0.5
sum = 12
holds = 1
memory = (3 bytes) 74 65 78
point = (8, 4)
EOF
for cc in gcc clang; do
    # shellcheck disable=SC2086
    $cc -std=c11 $warn observe.c "$BUILD/libsonde.a" -lm -pthread -o observe >log 2>&1
    report $? "every kind compiles without a warning ($cc)"
    ./observe --seed 1 --no-store >log 2>&1
    sed -n '/Notes:/,/^$/p' log | sed '1d;/^$/d;s/^ *//' >got
    diff want got >>log
    report $? "a failing case shows them as notes ($cc)"
done
cp observe.c observe.cpp
# shellcheck disable=SC2086
g++ -std=c++11 $warn -Wno-deprecated-declarations -x c++ observe.cpp -x none "$BUILD/libsonde.a" -lm -pthread -o observe >log 2>&1
./observe --replay x=8 --no-store >log 2>&1
sed -n '/Notes:/,/^$/p' log | sed '1d;/^$/d;s/^ *//' >got
diff want got >>log
report $? "C++ shows the same"
./observe --replay x=3 --no-store >log 2>&1
grep -q 'sum = 7' log
report $? "a replay that passes shows them, too"

# refuses TEXT CODE: it must not compile, in C and in C++.
refuses() {
    printf '#include <sonde.h>\nvoid f(sonde *t); void f(sonde *t) { int x[2] = {1, 2}; struct s { int a; } s = {x[0]}; (void)s; %s }\n' "$2" >bad.c
    for cc in gcc clang; do
        ! $cc -std=c11 -I"$SRC/include" -fsyntax-only bad.c >log 2>&1
        report $? "$1 ($cc)"
    done
    ! g++ -std=c++11 -I"$SRC/include" -fsyntax-only -x c++ bad.c >log 2>&1
    report $? "$1 (g++)"
}
refuses "an address is not observed" 'sonde_observe(t, "x", x);'
refuses "a struct is not observed without a printer" 'sonde_observe(t, "s", s);'
echo "1..$n"
