#!/bin/sh
# make, CMake, Meson and the amalgamation build one library: the same symbols, the same size, the same installed files.
# It compiles the library three times more, so it runs with SONDE_TEST_LONG only.
# Stages: long
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 40; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
symbols() { nm -g --defined-only "$1" 2>/dev/null | awk 'NF == 3 && $3 !~ /^DW/ { print $3 }' | LC_ALL=C sort -u; }
text_of() { size -t "$1" | awk 'END { print $1 }'; }
tree() { (cd "$1" && find . | LC_ALL=C sort); }
# within PER_CENT A B
within() { echo "$2 and $3 bytes of text" >log; awk -v p="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(a > 0 && b > 0 && a <= b * (1 + p / 100) && b <= a * (1 + p / 100)) }'; }

# compare NAME LIBRARY ROOT: with what make built
compare() {
    symbols "$2" >symbols.new && diff symbols.make symbols.new >log
    report $? "$1: the library defines the same symbols"
    within 3 "$(text_of "$2")" "$text"
    report $? "$1: its text is within 3 % of that of make"
    tree "$3" >tree.new && diff tree.make tree.new >log
    report $? "$1: the same files are installed"
    printf '#include <sonde.h>\nstatic void p(sonde *t) { sonde_check(t, sonde_int(t, "x", 0, 1000) < 900); }\nSONDE_MAIN(p)\n' >p.c
    "$3/opt/sonde/bin/sonde" cc p.c -o p >log 2>&1 && ./p --seed 1 >log 2>&1 </dev/null
    [ $? = 1 ] && grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log
    report $? "$1: what it installed compiles a property that finds its bug"
}

make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$PWD/root.make" PREFIX=/opt/sonde install >log 2>&1
report $? "make installs"
symbols "$BUILD/libsonde.a" >symbols.make
text=$(text_of "$BUILD/libsonde.a")
tree root.make >tree.make

if command -v cmake >/dev/null; then
    cmake -S "$SRC" -B cmake -DCMAKE_C_COMPILER="$CC" >log 2>&1 && cmake --build cmake -j 2 >log 2>&1 && DESTDIR=$PWD/root.cmake cmake --install cmake --prefix /opt/sonde >log 2>&1
    report $? "CMake builds and installs"
    compare CMake cmake/out/libsonde.a root.cmake
else
    skip "CMake" "there is no cmake"
fi
if command -v meson >/dev/null && command -v ninja >/dev/null; then
    CC=$CC meson setup meson "$SRC" --prefix /opt/sonde --libdir lib >log 2>&1 && ninja -C meson >log 2>&1 && DESTDIR=$PWD/root.meson meson install -C meson >log 2>&1
    report $? "Meson builds and installs"
    compare Meson meson/libsonde.a root.meson
else
    skip "Meson" "there is no meson or no ninja"
fi
# One unit lets the compiler inline from file to file, so that its text is larger; it is not within 3 %.
mkdir one && cp "$BUILD"/share/sonde.[ch] one && # shellcheck disable=SC2046  # the flags are meant to split
    "$CC" $(cat "$SRC/src/flags") -fPIC -fvisibility=hidden -w -Ione -I"$SRC/include" -c one/sonde.c -o one.o >log 2>&1
report $? "the amalgamation compiles by the same flags"
nm -D --defined-only "$BUILD/libsonde.so" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort -u >exported
symbols one.o >symbols.one
comm -23 exported symbols.one >log && [ ! -s log ]
report $? "the amalgamation defines what the shared library exports"
within 10 "$(text_of one.o)" "$text"
report $? "its text is within 10 % of that of make"
echo "1..$n"
