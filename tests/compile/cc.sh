#!/bin/sh
# sonde cc as the compiler of a build: alone, in steps, for libraries and C++, under CMake and configure, with gcc.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 log | sed 's/^/# /'; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
# falsifies PROGRAM...: it finds its planted bug and says so.
falsifies() { "$@" --seed 1 --no-store >log 2>&1 </dev/null; [ $? = 1 ] && grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log; }
# has WORD FILE: a line with exactly this among its words
has() { tr ' ' '\n' <"$2" | grep -qxF -e "$1"; }
covered() { nm "$1" 2>/dev/null | grep -q "$2"; }

cat >code.h <<'C'
int digits(const char *text);
const char *where(void);
C
cat >code.c <<'C'
#include "code.h"
#include <string.h>
int digits(const char *text)
{
    int n = 0;
    if (strcmp(text, "nine") == 0) return 9;
    for (; *text; text++) n += *text >= '0' && *text < '9';
    return n;
}
const char *where(void)
{
    return __FILE__;
}
C
cat >test.c <<'C'
#include <sonde.h>
#include "code.h"
static void digits_are_counted(sonde *t)
{
    char text[2] = {(char)sonde_int(t, "c", '0', '9'), 0};
    sonde_check(t, digits(text) == 1);
}
SONDE_MAIN(digits_are_counted)
C
printf '#include "code.h"\n#include <stdio.h>\nint main(void)\n{\n    puts(where());\n    return digits("12") != 2;\n}\n' >plain.c

# ---- The command
sonde cc --print -o test test.c code.c >log
has -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp log && has test.c log && grep -q 'libsonde\.a' log
report $? "a step that compiles and links gets instrumentation and the library"
sonde cc --print -c code.c >log && ! grep -q 'libsonde' log && grep -q sanitize-coverage log
report $? "a step that compiles gets no library"
sonde cc --print -o test test.o code.o >log && grep -q 'libsonde\.a' log && ! grep -q sanitize-coverage log
report $? "a step that links gets no instrumentation"
for words in --version -dumpmachine -print-search-dirs -v; do
    sonde cc --print $words >log && [ "$(cat log)" = "clang $words" ]
    report $? "sonde cc $words is passed on as it is"
done
sonde cc --help >log 2>&1 && [ "$(head -n 1 log)" = "$(sonde cc --sonde-help | head -n 1)" ] && grep -q -e '--sonde-help' log && grep -qE '^(OVERVIEW: clang|Usage: .*gcc)' log
report $? "--help prints the options of sonde cc, then the compiler's"
sonde cc --no-cover --print -o test test.c >log && ! grep -q sanitize log
report $? "--no-cover instruments nothing"
sonde cc --no-trace-cmp --print -c test.c >log && ! grep -q 'trace-cmp\|no-builtin' log
report $? "--no-trace-cmp traces no comparisons"
sonde cc --sanitize --print test.o -o test >log && has -fsanitize=address,undefined log \
    && sonde cc --sanitize=thread --print -c test.c >log && has -fsanitize=thread log
report $? "--sanitize goes to compiling and to linking"
SONDE_CC_OPTIONS='--sanitize --no-trace-cmp' sonde cc --print -c test.c >log && has -fsanitize=address,undefined log
report $? "SONDE_CC_OPTIONS holds own options"
sonde cc --print -D'A="b c"' -c test.c >log && grep -qF "'-DA=\"b c\"'" log
report $? "the shown command is quoted for a shell"
SONDE_CC="\"x'; touch PWNED; 'y\"" sonde cc --print -c code.c >log 2>&1
[ ! -e PWNED ]
report $? "SONDE_CC goes through no shell"
if command -v clang >/dev/null; then
    mkdir -p "o'neil" && printf '#!/bin/sh\nexec clang "$@"\n' >"o'neil/mine" && chmod +x "o'neil/mine"
    SONDE_CC="\"$PWD/o'neil/mine\"" sonde cc --print -c code.c >log 2>&1 && grep -q inline-8bit-counters log
    report $? "a wrapper of clang is known as clang wherever it is"
else
    skip "a wrapper of clang is known as clang wherever it is" "no clang"
fi
SONDE_CC=sonde-cc sonde cc -c test.c >log 2>&1
[ $? = 2 ] && grep -q 'would be sonde itself' log
report $? "sonde cc does not call itself"
sonde cc --sonde-cc=nothing-of-that-name -c test.c >log 2>&1
[ $? = 127 ] && grep -q 'nothing-of-that-name' log
report $? "a compiler that is not there is named"

# ---- Building
sonde cc test.c code.c -o one >log 2>&1 && falsifies ./one
report $? "several sources compile and link in one step"
sonde cc -c test.c >log 2>&1 && sonde cc -c code.c >>log 2>&1 && sonde cc test.o code.o -o two >>log 2>&1 && falsifies ./two
report $? "compiled and linked in steps"
covered code.o __sanitizer_cov_trace_const_cmp && covered code.o sancov && covered code.o 'U __sanitizer_cov_pcs_init'
report $? "the object has counters, a table of places, and traced comparisons"
printf '%s\n' '-o' 'three  test.c' '"code.c"' >words.rsp
sonde cc @words.rsp >log 2>&1 && falsifies ./three
report $? "arguments in a response file are understood"
sonde cc -x c - code.c -o four <test.c >log 2>&1 && falsifies ./four
report $? "a source from standard input, its language given by -x"
for mode in --sanitize --sanitize=undefined --no-trace-cmp --no-cover; do
    sonde cc "$mode" -Wall -Werror test.c code.c -o modes >log 2>&1 && falsifies ./modes
    report $? "a program built with $mode runs"
done
printf 'int main(void)\n{\n    return missing;\n}\n' >wrong.c
sonde cc -c wrong.c >log 2>&1
[ $? = 1 ] && grep -q missing log
report $? "the exit status and the messages are the compiler's"

# ---- Nothing but the flags differs
# names FILE: what a depfile names, but for the header that marks objects
names() { tr -s ' \\\n' '\n' <"$1" | grep -v 'sonde/globals.h$'; }
mkdir -p sub/deep && cp code.c code.h sub/deep
for cc in clang gcc; do
    (cd sub && "$cc" -MD -MF plain.d -MT x -c deep/code.c -o x.o && sonde cc --sonde-cc="$cc" -MD -MF ours.d -MT x -c deep/code.c -o x.o \
        && names plain.d >plain.names && names ours.d >ours.names && diff plain.names ours.names && "$cc" -M deep/code.c >plain.d && sonde cc --sonde-cc="$cc" -M deep/code.c >ours.d && diff plain.d ours.d) >log 2>&1
    report $? "depfiles are those of $cc"
    (cd sub && "$cc" -E deep/code.c >plain.i && sonde cc --sonde-cc="$cc" -Werror -E deep/code.c >ours.i && diff plain.i ours.i) >log 2>&1
    report $? "preprocessed text is that of $cc"
done
sonde cc sub/deep/../deep/code.c plain.c -o file >log 2>&1 && [ "$(./file)" = sub/deep/../deep/code.c ]
report $? "__FILE__ is what was written on the command line"
for cc in clang gcc; do
    for mode in -c -S -E -fsyntax-only; do
        sonde cc --sonde-cc=$cc -Wall -Wextra -Werror $mode code.c -o out.x >log 2>&1 || [ $mode = -fsyntax-only ] || break
    done
    report $? "no mode of $cc complains of a flag"
done
sonde cc plain.c code.c -o plain >log 2>&1 && ./plain >>log && ! nm plain | grep -q ' T sonde_' && nm plain | grep -q sanitizer_cov
report $? "a program without properties runs, with nothing of sonde in it"
printf '.globl answer\nanswer:\n ret\n' >answer.s
sonde cc -Werror -c answer.s >log 2>&1 && sonde cc -Werror -r code.o answer.o -o both.o >log 2>&1 && ! nm both.o | grep -q sonde_
report $? "assembler and relocatable links are left alone"
printf 'void _start(void)\n{\n    __asm__ volatile("" ::: "memory");\n    for (;;) {\n    }\n}\n' >bare.c
sonde cc -nostdlib -static bare.c -o bare >log 2>&1
report $? "a program without the C library links"

if [ -n "${SONDE_TEST_LONG:-}" ]; then # 6 s
    sonde cc -c "$BUILD/share/sonde.c" -o sonde.o >log 2>&1 && ! nm sonde.o | grep -q 'sancov\|U __sanitizer_cov'
    report $? "the library as one file is not instrumented"
fi

# ---- Libraries
printf '{ global: digits; where; local: *; };\n' >code.map
sonde cc -shared -fPIC -Wl,-z,defs -Wl,--version-script=code.map code.c -o libcode.so >log 2>&1 && ! nm -D libcode.so | grep -q ' T sonde'
report $? "a shared library with a version script and -z defs links"
sonde cc test.c -L. -lcode -Wl,-rpath,"$PWD" -o with_shared >log 2>&1 && falsifies ./with_shared
report $? "a property against a shared library"
sonde cc --no-cover plain.c -L. -lcode -Wl,-rpath,"$PWD" -o plain_shared >log 2>&1 && ./plain_shared >>log
report $? "an uninstrumented program with an instrumented library runs"
printf '#include <dlfcn.h>\nint main(void)\n{\n    return !dlopen("./libcode.so", RTLD_NOW);\n}\n' >loads.c
sonde cc loads.c -o loads >log 2>&1 && ./loads
report $? "an instrumented library can be loaded at run time"

# ---- C++
printf '#include <sonde.h>\n#include <vector>\nextern "C" {\n#include "code.h"\n}\nstatic void p(sonde *t)\n{\n    std::vector<char> v(1, (char)sonde_int(t, "c", 48, 57));\n    v.push_back(0);\n    sonde_check(t, digits(v.data()) == 1);\n}\nSONDE_MAIN(p)\n' >test.cpp
sonde c++ test.cpp code.o -o cpp >log 2>&1 && falsifies ./cpp && sonde-c++ -c test.cpp -o cpp.o >log 2>&1 && sonde-c++ cpp.o code.o -o cpp >log 2>&1 && falsifies ./cpp
report $? "C++ by sonde c++ and sonde-c++"
sonde cc --print test.cpp code.o -o cpp >/dev/null 2>log && grep -qx 'sonde cc: warning: test.cpp is C++, whose library is missing here; use sonde c++' log \
    && sonde cc --print -c test.cpp >/dev/null 2>log && [ ! -s log ] && sonde c++ --print test.cpp >/dev/null 2>log && [ ! -s log ]
report $? "C++ linked by sonde cc has a warning that names sonde c++"
sonde cc --santize test.c >/dev/null 2>log
[ $? = 2 ] && grep -q '^sonde cc: unknown option --santize; did you mean --sanitize?' log
report $? "a misspelt option is answered with the right one"

# ---- Floats and doubles, which sonde cc traces itself where the compiler is clang
printf '#include "code.h"\nint between(double x, float y)\n{\n    int unused;\n    return x > 1.5 && y < 2.5f;\n}\n__attribute__((no_sanitize("coverage"))) int apart(long n)\n{\n    return n < 1;\n}\n' >real.c
sonde cc -O2 -Wall -MD -c real.c -o real.o >log 2>&1 && covered real.o trace_cmpd && covered real.o trace_cmpf && [ "$(grep -c 'warning: unused' log)" = 1 ] && grep -q 'code.h' real.d && grep -q '^real.o:' real.d
report $? "clang: comparisons of floats and doubles are traced; messages and depfile stay"
sonde cc -Wall -Werror -c real.c -o none.o >log 2>&1
[ $? = 1 ] && [ ! -e none.o ] && [ "$(grep -c 'error: unused' log)" = 1 ] && sonde cc --no-trace-cmp -c real.c -o real.o >log 2>&1 && ! covered real.o trace_cmp
report $? "clang: errors in such a source are reported once, and --no-trace-cmp traces none"
for mode in --sanitize '-O2 -g3' -fPIC -O0; do
    sonde cc $mode -Wall -S real.c -o real.s >log 2>&1 && sonde cc $mode test.c code.c real.c -o reals >log 2>&1 && grep -q trace_cmpd real.s && falsifies ./reals || break
done
report $? "clang: such a source compiles to assembler, and links with others"
cp real.c realpp.cpp && sonde c++ -std=c++17 -c realpp.cpp -o real.o >log 2>&1 && covered real.o trace_cmpd
report $? "clang: the same in C++"

# ---- Without clang
mkdir bin
for tool in gcc g++ cc as ld ld.bfd collect2 nm sh; do
    found=$(command -v $tool) && ln -s "$found" bin/$tool
done
PATH=$BUILD:$PWD/bin sonde cc --print -c code.c >log && has gcc log && has -fsanitize-coverage=trace-pc,trace-cmp log
report $? "gcc is used where there is no clang"
PATH=$BUILD:$PWD/bin sonde cc test.c code.c -o by_gcc >log 2>&1 && falsifies ./by_gcc && PATH=$BUILD:$PWD/bin sonde cc plain.c code.c -o plain_gcc >log 2>&1 && ./plain_gcc >log
report $? "programs built with gcc run"
PATH=$BUILD:$PWD/bin sonde cc --sanitize test.c code.c -o by_gcc >log 2>&1 && falsifies ./by_gcc
report $? "gcc with sanitizers"
PATH=$BUILD:$PWD/bin sonde c++ --print -c test.cpp >log && has g++ log
report $? "g++ is used where there is no clang++"

# ---- Build systems
printf 'CFLAGS = -O1 -Wall -Werror\ntest: test.o libcounts.a\n\t$(CC) -o $@ test.o -L. -lcounts\nlibcounts.a: code.o\n\t$(AR) rcs $@ $^\n' >Makefile
rm -f *.o && make -s CC="sonde cc" test >log 2>&1 && falsifies ./test
report $? "a Makefile with CC=\"sonde cc\""
if command -v cmake >log 2>&1; then
    mkdir cmake && cp test.c plain.c code.c code.h cmake
    cat >cmake/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(consumer C CXX)
include(CheckFunctionExists)
check_function_exists(strcmp HAVE_STRCMP)
check_function_exists(no_such_function HAVE_NO_SUCH)
if(NOT HAVE_STRCMP OR HAVE_NO_SUCH)
    message(FATAL_ERROR "feature tests are wrong")
endif()
add_library(code SHARED code.c)
target_link_options(code PRIVATE -Wl,--no-undefined)
add_executable(plain plain.c)
target_link_libraries(plain code)
add_executable(property test.c)
target_link_libraries(property code)
CMAKE
    cmake -S cmake -B cmake/out -DCMAKE_C_COMPILER=sonde-cc -DCMAKE_CXX_COMPILER=sonde-c++ >log 2>&1 \
        && cmake --build cmake/out >>log 2>&1 && cmake/out/plain >>log && falsifies cmake/out/property
    report $? "a CMake project with sonde-cc"
    [ -z "${SONDE_TEST_LONG:-}" ] || {
        CC="sonde cc" CXX="sonde c++" cmake -S cmake -B cmake/out2 >log 2>&1 && cmake --build cmake/out2 --target property >>log 2>&1 \
            && falsifies cmake/out2/property
        report $? "a CMake project with CC=\"sonde cc\""
    }
else
    skip "a CMake project" "cmake is not installed"
fi

# What configure scripts ask of a compiler: does a program run, which functions and headers are there, does a flag work.
try() { sonde cc -o conftest -g -O2 conftest.c "$@" >>log 2>&1; }
: >log
printf 'int main(void)\n{\n    return 0;\n}\n' >conftest.c
try && ./conftest && [ "$(sonde cc --version | head -n 1)" = "$(clang --version | head -n 1)" ]
report $? "configure: the compiler makes programs that run"
printf 'char strcmp();\nint main(void)\n{\n    return strcmp();\n}\n' >conftest.c
try && printf 'char no_such_();\nint main(void)\n{\n    return no_such_();\n}\n' >conftest.c && ! try
report $? "configure: functions that are there are found, others are not"
printf 'char cos();\nint main(void)\n{\n    return cos();\n}\n' >conftest.c
try -lm
report $? "configure: libraries are found"
printf '#include <no_such.h>\n' >conftest.c
! sonde cc -E conftest.c >>log 2>&1
report $? "configure: a header that is not there is not found"
printf 'int main(void)\n{\n    return 0;\n}\n' >conftest.c
try -Wall && ! try -fno-such-flag
report $? "configure: flags that do not exist are refused"
if [ -z "${SONDE_TEST_LONG:-}" ]; then
    : # two runs of a whole configure script take 6 s, and ask what was asked above
elif command -v autoconf >/dev/null 2>&1; then
    mkdir auto
    cat >auto/configure.ac <<'AC'
AC_INIT([consumer], [1])
AC_PROG_CC
AC_PROG_CC_C_O
AC_CHECK_HEADERS([string.h no_such.h])
AC_CHECK_FUNCS([strcmp memcmp strcasecmp no_such_function])
AC_FUNC_MEMCMP
AC_FUNC_STRTOD
AC_CHECK_SIZEOF([long])
AC_SEARCH_LIBS([cos], [m])
AC_CONFIG_FILES([result])
AC_OUTPUT
AC
    echo '@DEFS@ @LIBOBJS@' >auto/result.in
    (cd auto && autoconf && ./configure CC=clang && mv result plain && ./configure CC="sonde cc" && diff plain result) >log 2>&1
    report $? "configure: a script made by autoconf finds the same"
else
    skip "configure: a script made by autoconf finds the same" "autoconf is not installed"
fi

# ---- Installed
make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$PWD/root" PREFIX=/opt/sonde install >log 2>&1
tool=$PWD/root/opt/sonde/bin/sonde
"$tool" cc --print -o test test.c >log && grep -qF "$PWD/root/opt/sonde/lib/libsonde.a" log && "$tool-cc" test.c code.c -o installed >log 2>&1 && falsifies ./installed
report $? "an installed tool finds what was installed with it"
echo "1..$n"
