#!/bin/sh
# What a user does after `make install`: the first example through pkg-config, a CMake project, a C++ one.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
# falsifies PROGRAM...: it finds its planted bug and says so.
falsifies() { "$@" >log 2>&1 </dev/null; [ $? = 1 ] && grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log; }
install_to() { make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$1" PREFIX=/opt/sonde install >log 2>&1; }

install_to "$PWD/root"
report $? "make install into a DESTDIR"
prefix=$PWD/root/opt/sonde
missing=
for file in include/sonde.h include/sonde/extend.h include/sonde/derive.h include/sonde/derived.h include/sonde/globals.h include/sonde/mutants.h lib/libsonde.a lib/libsonde.so lib/pkgconfig/sonde.pc \
    lib/cmake/sonde/sonde-config.cmake lib/cmake/sonde/sonde-config-version.cmake; do
    [ -e "$prefix/$file" ] || missing="$missing $file"
done
echo "missing:$missing" >log
[ -z "$missing" ]
report $? "headers, libraries and package files are installed"

grep -rlF "$PWD" "$prefix/lib/pkgconfig" "$prefix/lib/cmake" >log
[ $? = 1 ]
report $? "the package files hold no path of the machine that built them"

# ---- Exported symbols
nm -D --defined-only "$prefix/lib/libsonde.so" | awk '$2 != "A" && $3 !~ /^(sonde_|__sanitizer_(cov|weak_hook)_|__ubsan_on_report|__tsan_on_report|__tsan_on_finalize|_ZN6__tsan10OnFinalizeEb$|__asan_on_error$|_[eE]xit$)/' >log && [ ! -s log ]
report $? "the shared library exports only sonde_ symbols and the callbacks of sanitizers"
nm -g --defined-only "$prefix/lib/libsonde.a" | awk 'NF == 3 && $3 !~ /^(DW\.ref\.|sonde_|__sanitizer_(cov|weak_hook)_|__ubsan_on_report|__tsan_on_report|__tsan_on_finalize|_ZN6__tsan10OnFinalizeEb$|__asan_on_error$|_[eE]xit$)/' >log && [ ! -s log ]
report $? "the static library defines only sonde_ symbols and the callbacks of sanitizers"

# What a library takes of it is scarce where programs load others while they run: 1,664 bytes for all of them with glibc 2.36.
room=$(readelf -lW "$prefix/lib/libsonde.so" | awk '$1 == "TLS" { print $6 }')
echo "$room" >log
[ $((${room:-9999})) -le 512 ]
report $? "the shared library takes at most 512 bytes of each thread's static room, so that it can be loaded late"

sed -n 's/^ \([^@]*\)@Base .*/\1/p' "$SRC/packaging/debian/libsonde0.symbols" >promised
nm -D --defined-only "$prefix/lib/libsonde.so" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort >exported
diff promised exported >log || { echo "a symbol of < is gone: programs that were linked with it break; > is new: make symbols" >>log; false; }
report $? "the shared library exports what packaging/debian/libsonde0.symbols promises"

# ---- pkg-config
cp "$SRC/examples/01_first.c" test.c
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion sonde)" = "$(sed -n 's/^.define *SONDE_VERSION *"\(.*\)".*/\1/p' "$SRC/include/sonde.h")" ]
report $? "sonde.pc has the version of the header"
for cc in gcc clang; do
    # shellcheck disable=SC2046  # the flags are meant to split
    "$cc" test.c $(pkg-config --cflags --libs sonde) -o shared >log 2>&1 && LD_LIBRARY_PATH=$prefix/lib falsifies ./shared
    report $? "the first example finds its bug ($cc, shared)"
done
cp -r root static-root && rm static-root/opt/sonde/lib/libsonde.so*
PKG_CONFIG_PATH=$PWD/static-root/opt/sonde/lib/pkgconfig
# shellcheck disable=SC2046
"$CC" test.c $(pkg-config --static --cflags --libs sonde) -o static >log 2>&1 && falsifies ./static
report $? "the first example finds its bug (static, moved prefix)"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig

# ---- CMake
mkdir cmake && cp test.c cmake/
cat >cmake/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(consumer C)
find_package(sonde 0.2 REQUIRED)
add_executable(with_shared test.c)
target_link_libraries(with_shared sonde::sonde)
add_executable(with_static test.c)
target_link_libraries(with_static sonde::static)
CMAKE
cmake -S cmake -B cmake/out -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" >log 2>&1 && cmake --build cmake/out >>log 2>&1
report $? "find_package(sonde) configures and builds"
falsifies cmake/out/with_shared
report $? "a CMake target that links sonde::sonde runs"
falsifies cmake/out/with_static
report $? "a CMake target that links sonde::static runs"

# ---- C++
header=sonde.h
[ ! -e "$prefix/include/sonde.hpp" ] || header=sonde.hpp
cat >test.cpp <<CPP
#include <$header>

static void small(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000);
    sonde_check(t, x < 500);
}

SONDE_MAIN(small)
CPP
for cxx in g++ clang++; do
    # shellcheck disable=SC2046
    "$cxx" -std=c++11 test.cpp $(pkg-config --cflags --libs sonde) -o cpp >log 2>&1 && LD_LIBRARY_PATH=$prefix/lib falsifies ./cpp
    report $? "a C++11 program finds its bug ($cxx)"
done

# ---- And away
make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$PWD/root" PREFIX=/opt/sonde uninstall >log 2>&1
find root ! -type d >>log
[ -z "$(find root ! -type d)" ]
report $? "make uninstall leaves no file behind"
echo "1..$n"
