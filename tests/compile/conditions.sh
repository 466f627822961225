#!/bin/sh
# What compilers say about conditions: nothing of good ones, and that an assignment or a text is none; in C and C++.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 40; fi
}

cat >good.c <<'EOF'
#include <sonde.h>
#include <string.h>
#ifdef __cplusplus
#include <algorithm>
#include <vector>
#endif
struct bits {
    unsigned flag : 1;
};
static const char *const word = "x";
static void all(sonde *t, int a, struct bits s, const char *p, char *q)
{
    const char *text = "abc";
    char buffer[10] = "";
    WHAT(t, a < 5);
    WHAT(t, s.flag);
    WHAT(t, p);
    WHAT(t, q);
    WHAT(t, word);
    WHAT(t, text);
    WHAT(t, strstr(p, "x"));
    WHAT(t, strchr(q, 'x'));
    WHAT(t, true);
    WHAT(t, 1);
    WHAT(t, (a = 5));
    WHAT(t, a && s.flag);
    WHAT(t, a & 4);
    WHAT(t, *q);
    WHAT(t, "abc"[a & 1] == 'b');
    WHAT(t, !strcmp("a", p));
    WHAT(t, p || q);
    WHAT(t, a == 5 ? q : p);
    WHAT(t, buffer[0] == 0);
    if (a) WHAT(t, a > 3);
    else WHAT(t, a < 2);
    for (int i = 0; i < a; i++) WHAT(t, i < 5);
    int y = (WHAT(t, a), 5);
    WHAT(t, y == 5);
#ifdef __cplusplus
    std::vector<int> v;
    WHAT(t, std::all_of(v.begin(), v.end(), [](int x) { return x > 0; }));
    WHAT(t, std::is_same<int, int>::value);
#else
    WHAT(t, (struct { int a, b; }){1, 2}.a == 1);
#endif
}
static void property(sonde *t)
{
    struct bits s = {1};
    char text[] = "x";
    all(t, sonde_int(t, "a", 0, 9), s, "x", text);
    bool held = sonde_expect(t, 1 < 2) && sonde_expect(t, sonde_expect(t, 2 < 3));
    (void)held;
}
int main(int argc, char **argv)
{
    sonde_property properties[1] = {};
    properties[0].name = "property";
    properties[0].run = property;
    return sonde_main(argc, argv, properties, 1);
}
EOF
sed -i 's/properties\[1\] = {}/properties[1]; memset(properties, 0, sizeof properties)/' good.c
cp good.c good.cpp

# bad NAME CODE
bad() { printf '#include <sonde.h>\nvoid f(sonde *t, int a);\nvoid f(sonde *t, int a)\n{\n    %s\n    (void)a;\n}\n' "$2" | tee "$1.c" >"$1.cpp"; }
for cc in gcc clang g++ clang++; do
    command -v $cc >/dev/null || continue
    case $cc in *++) end=cpp std=c++11 ;; *) end=c std=c11 ;; esac
    for what in sonde_check sonde_assume sonde_expect; do
        for level in -O0 -O2; do
            $cc -std=$std $level -DWHAT=$what -Wall -Wextra -Wpedantic -Werror -I"$SRC/include" -c good.$end -o /dev/null >log 2>&1
            report $? "$what: no warning of good conditions ($cc $level)"
        done
        bad assigns "$what(t, a = 5);"
        bad quotes "$what(t, \"a < 5\");"
        $cc -std=$std -Wall -Werror -I"$SRC/include" -c assigns.$end -o /dev/null >log 2>&1
        [ $? != 0 ] && grep -q 'parentheses\]' log
        report $? "$what(t, a = 5) is warned of ($cc)"
        $cc -std=$std -I"$SRC/include" -c quotes.$end -o /dev/null >log 2>&1
        [ $? != 0 ] && grep -q 'a string literal is not a condition' log
        report $? "$what(t, \"a < 5\") does not compile ($cc)"
        mkdir -p installed && cp -r "$SRC/include/." installed
        $cc -std=$std -Wall -Werror -isystem installed -c assigns.$end -o /dev/null >log 2>&1
        [ $? != 0 ]
        report $? "$what(t, a = 5) is warned of where sonde.h is the system's, too ($cc)"
    done
done
# compared NAME CODE
compared() { printf '#include <sonde.h>\nstruct point { int x, y; };\nvoid f(sonde *t, int *p, struct point a, void *v);\nvoid f(sonde *t, int *p, struct point a, void *v)\n{\n    int list[3] = {1, 2, 3};\n    char text[4] = "abc";\n    %s\n    (void)p, (void)a, (void)v, (void)list, (void)text;\n}\n' "$2" >"$1.c"; }
compared fine 'sonde_check_eq(t, a.x, list[0]); sonde_check_eq(t, text, "abc"); sonde_check_ne(t, p, NULL); sonde_check_ne(t, p, 0);
    sonde_check_ne(t, 0, v); sonde_check_eq(t, p, list); sonde_check_eq(t, v, p); sonde_check_lt(t, -1.5, 1e300); sonde_check_eq(t, true, 1);'
compared structs 'struct point b = a; sonde_check_eq(t, a, b);'
compared one_struct 'sonde_check_lt(t, 3, a);'
compared array 'sonde_check_eq(t, list, 3);'
compared pointer 'sonde_check_ge(t, 3, v);'
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    $cc -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$SRC/include" -c fine.c -o /dev/null >log 2>&1
    report $? "sonde_check_eq: numbers, strings, pointers and null ($cc)"
    while read -r name words; do
        $cc -std=c11 -I"$SRC/include" -c "$name.c" -o /dev/null >log 2>&1
        [ $? != 0 ] && [ "$(grep -c 'error: ' log)" = 1 ] && grep 'error: ' log | grep -q "related macros do not compare $words"
        report $? "sonde_check_eq of $name: one error, in words ($cc)"
    done <<'LIST'
structs structs; compare their fields
one_struct structs; compare their fields
array a pointer or an array with a number; compare its elements
pointer a pointer or an array with a number; compare its elements
LIST
done
for cc in g++ clang++; do
    command -v $cc >/dev/null || continue
    printf '#include <sonde.h>\n#include <string>\nvoid f(sonde *t);\nvoid f(sonde *t)\n{\n    std::string s;\n    sonde_check_eq(t, s, s);\n}\n' >string.cpp
    $cc -std=c++11 -I"$SRC/include" -c string.cpp -o /dev/null >log 2>&1
    [ $? != 0 ] && grep -q 'use sondecpp_check_eq' log
    report $? "sonde_check_eq of a std::string names sondecpp_check_eq ($cc)"
    printf '#include <sonde.h>\nstatic void f(sonde *t) { sonde_int(t, "x", 0, 9); }\nSONDE_MAIN(f)\n' >main.cpp
    $cc -std=c++11 -Wall -I"$SRC/include" -c main.cpp -o /dev/null >log 2>&1 && grep -q 'skips destructors' log
    report $? "SONDE_MAIN is warned of in C++ ($cc)"
    sed 's/sonde\.h>/sonde.hpp>/' main.cpp >main2.cpp
    $cc -std=c++11 -Wall -Wextra -Werror -I"$SRC/include" -c main2.cpp -o main.o >log 2>&1 && nm -C main.o 2>/dev/null | grep -q 'sondecpp::main_of'
    report $? "with sonde.hpp it leaves cases by an exception ($cc)"
done
echo "1..$n"
