#!/bin/sh
# docs/your-build.md to the letter: each of its projects, with an installed sonde, shows its properties where tests are seen.
# Stages: long (9 s; builds of others with an installed sonde, of which install.sh makes the first)
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | sed 's/^/# /'; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
has() { command -v "$1" >/dev/null 2>&1; }

make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$PWD/root" PREFIX=/opt/sonde install >log 2>&1
report $? "make install"
prefix=$PWD/root/opt/sonde
PKG_CONFIG_PATH=$prefix/lib/pkgconfig PATH=$prefix/bin:$PATH
export PKG_CONFIG_PATH PATH

# The page's files, each block that follows a comment with its name.
awk '/^<!-- file: / { name = $3; next } /^```/ { if (open) { close(name); open = 0; name = "" } else if (name) open = 1; next }
     open { system("mkdir -p " substr(name, 1, index(name, "/"))); print >name }' "$SRC/docs/your-build.md"
cat >tests.c <<'C'
#include <sonde.h>
int is_magic(const char *text);
static void holds(sonde *t)
{
    sonde_check(t, sonde_int(t, "x", 0, 1000) >= 0);
}
static void holds_too(sonde *t)
{
    sonde_check(t, sonde_int(t, "x", 0, 1000) <= 1000);
}
static void gives_up(sonde *t)
{
    sonde_assume(t, sonde_int(t, "x", 0, 1000) > 1000);
}
static void has_no_magic(sonde *t)
{
    sonde_check(t, !is_magic(sonde_string(t, "text", 0, 12)));
}
SONDE_MAIN(holds, holds_too, gives_up, has_no_magic)
C
cat >code.c <<'C'
#include <string.h>
int is_magic(const char *text);
int is_magic(const char *text)
{
    return !strcmp(text, "open sesame");
}
C
for folder in cmake meson make auto; do cp tests.c code.c $folder/; done

# ---- CMake
known="-DCMAKE_C_COMPILER=$CC -DCMAKE_C_COMPILER_WORKS=1 -DCMAKE_C_ABI_COMPILED=1 -DCMAKE_SIZEOF_VOID_P=8" # asked once is enough
for generator in Makefiles ${SONDE_TEST_LONG:+Ninja}; do
    [ $generator = Makefiles ] || has ninja || { skip "CMake with $generator" "there is no ninja"; continue; }
    rm -rf out && cmake -S cmake -B out -G "$(echo $generator | sed 's/Makefiles/Unix &/')" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" >log 2>&1 &&
        cmake --build out >>log 2>&1
    report $? "a CMake project configures and builds ($generator)"
    (cd out && SONDE_SEED=1 SONDE_STORE='' ctest >../log 2>&1)
    grep -q 'tests\.holds \.* *Passed' log && grep -q 'tests\.holds_too \.* *Passed' log && grep -q 'tests\.gives_up \.*\*\*\*Skipped' log
    report $? "ctest knows each property, and one that gives up is skipped ($generator)"
    grep -q 'tests\.has_no_magic \.*\*\*\*Failed' log && grep -q '25% tests failed\|75% tests passed' log
    report $? "an instrumented target finds what only comparisons show ($generator)"
done
"$CC" -g -fno-builtin-strcmp -c code.c -o plain.o && nm out/CMakeFiles/code.dir/code.c.o out/libcode.a >log 2>&1
grep -q '__sanitizer_cov\|__start___sancov' log
report $? "the compiler of the project has instrumented it"
sed 's/TIME 5/TIME 5 ARGS --no-such-option LABELS deep PREFIX my:/' cmake/CMakeLists.txt >CMakeLists.new
mv CMakeLists.new cmake/CMakeLists.txt
cmake --build out >log 2>&1 && (cd out && ctest -L deep -R 'my:holds$' >../log 2>&1)
grep -q 'my:holds' log && grep -q 'Failed' log
report $? "arguments, labels and prefix are those that were given"
for wrong in 'sonde_discover_tests(nothing)' 'sonde_discover_tests(tests TIME soon)' 'sonde_discover_tests(tests SOON)' 'sonde_instrument(nothing)' 'sonde_instrument(tests THREADS SANITIZE)'; do
    # shellcheck disable=SC2086  # options are meant to split
    mkdir -p wrong && { grep -v '^sonde_' cmake/CMakeLists.txt; echo "$wrong"; } >wrong/CMakeLists.txt && cp tests.c code.c wrong/
    ! cmake -S wrong -B wrong/out -DCMAKE_PREFIX_PATH="$prefix" $known >log 2>&1 && grep -q 'sonde_[a-z_]*(*[a-z]*)*:' log
    report $? "CMake refuses $wrong with a sentence"
    rm -rf wrong
done

# What sonde_instrument hands to sonde cc.
mkdir -p handed && { grep -v '^sonde_' cmake/CMakeLists.txt; echo 'sonde_instrument(tests THREADS os)'; echo 'sonde_instrument(code THREADS MUTANTS code.c other.c)'; } >handed/CMakeLists.txt
cp tests.c code.c handed/
cmake -S handed -B handed/out -DCMAKE_PREFIX_PATH="$prefix" $known >log 2>&1 && cmake --build handed/out -- VERBOSE=1 -n >log 2>&1
grep -q 'cc --threads=os --sonde-launch' log && grep -q 'cc --threads --mutants=code.c,other.c --sonde-launch' log
report $? "CMake hands THREADS and MUTANTS on"
rm -rf handed

# ---- Meson
if has meson && has ninja; then
    (cd meson && CC=$CC meson setup out) >log 2>&1 && SONDE_SEED=1 SONDE_STORE='' meson test -C meson/out >log 2>&1
    report $? "a Meson project runs its properties"
    grep -q '^ok 1 - holds$' meson/out/meson-logs/testlog.txt && grep -q '^ok 3 - gives_up # SKIP' meson/out/meson-logs/testlog.txt
    report $? "meson test has a subtest for each of them"
    if [ -n "$SONDE_TEST_LONG" ]; then
        (cd meson && SONDE_CC=$CC CC=sonde-cc meson setup seen) >log 2>&1
        ! SONDE_SEED=1 SONDE_STORE='' meson test -C meson/seen >log 2>&1 && grep -q '^not ok 4 - has_no_magic' meson/seen/meson-logs/testlog.txt
        report $? "CC=sonde-cc instruments a Meson build"
    fi
else
    skip "Meson" "there is no meson or no ninja"
fi

# ---- Make
(cd make && make CC="$CC") >log 2>&1
report $? "a Makefile with sonde cc builds"
(cd make && SONDE_SEED=1 SONDE_STORE='' make check) >log 2>&1
[ $? = 2 ] && grep -q 'has_no_magic' log
report $? "its check fails where a property fails"

# ---- Autotools
if has automake && has autoreconf; then
    (cd auto && autoreconf -i && ./configure CC="$CC") >log 2>&1
    report $? "a project with autotools configures"
    (cd auto && SONDE_SEED=1 make check) >log 2>&1
    grep -q '^\(PASS\|SKIP\): properties' log
    report $? "make check runs the properties"
    if [ -n "$SONDE_TEST_LONG" ]; then
        cp tests.c code.c autotap/ && sed 's/^AC_PROG_CC$/&\nAC_PROG_AWK\nAC_REQUIRE_AUX_FILE([tap-driver.sh])/' auto/configure.ac >autotap/configure.ac
        (cd autotap && autoreconf -i && ./configure CC="$CC" && SONDE_SEED=1 SONDE_STORE='' make check) >log 2>&1
        grep -q '^PASS: properties.t 1 - holds$' log && grep -q '^SKIP: properties.t 3 - gives_up' log && grep -q '^PASS: properties.t 2 - holds_too' log
        report $? "make check with TAP has a line for each property"
    fi
else
    skip "autotools" "there is no automake"
fi
echo "1..$n"
