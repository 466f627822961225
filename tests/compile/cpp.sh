#!/bin/sh
# C++: exceptions leave a case and destructors run, with every compiler and standard; what is unsafe does not compile.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 40; fi
}
warn="-Wall -Wextra -Wpedantic -Wshadow -Werror"

for cxx in g++ clang++; do
    for std in c++11 ${SONDE_TEST_LONG:+c++20}; do
        # shellcheck disable=SC2086
        "$cxx" -std=$std -O1 $warn -I"$SRC/include" "$SRC/tests/compile/cpp.cpp" "$BUILD/libsonde.a" -lm -pthread -o cpp >log 2>&1 &&
            ./cpp >log 2>&1
        report $? "ways out, comparisons and draws ($cxx, $std)"
    done
done
g++ -std=c++17 -fsanitize=address,undefined -g -I"$SRC/include" "$SRC/tests/compile/cpp.cpp" "$BUILD/libsonde.a" -lm -pthread \
    -o cpp >log 2>&1 && ./cpp >log 2>&1
report $? "nothing leaks"

# refuses TEXT CODE: it must not compile.
refuses() {
    printf '#include <sonde.hpp>\nstatic void f(sonde *t) { %s }\nSONDECPP_MAIN(f)\n' "$2" >bad.cpp
    g++ -std=c++11 -I"$SRC/include" -fsyntax-only bad.cpp >log 2>&1
    [ $? != 0 ]
    report $? "$1"
}
refuses "functions are not compared as bool" "sonde_check_eq(t, f, f);"
refuses "an enum class is not compared by accident" "enum class e { a }; sonde_check_eq(t, e::a, e::a);"
refuses "sonde_observe takes no std::string" "std::string s; sonde_observe(t, \"s\", s);"
refuses "sondecpp::integer draws no double" "sondecpp::integer<double>(t, \"x\");"
echo "1..$n"
