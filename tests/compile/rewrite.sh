#!/bin/sh
# sonde cc makes conditions tell their distance; nothing else may change. Each program in rewrite/ is built with and
# without, by clang and by gcc (by one of them in turn, unless there is time), and both must draw, reject and fail alike.
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
tool=$(cd "$BUILD" && pwd)/sonde
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS

compilers=
for cc in clang gcc; do command -v $cc >/dev/null && compilers="$compilers $cc"; done

normalise() { sed -E 's/(with|plain)\.out/PROGRAM/g; s/in (under )?[0-9.,]+ (ms|s)/in TIME/g; /cases per second/d; /edges of instrumented code/d; s/, with [0-9,]+ traces?//'; }
# How many conditions of a source have a distance: count COMPILER SOURCE
count() {
    case $2 in *.cpp) "$tool" c++ --sonde-cc="$(plus $1)" --print-rewritten $2 ;; *) "$tool" cc --sonde-cc=$1 --print-rewritten $2 ;; esac \
        | grep -oE 'sonde_(assume|check|expect)_(truth|parts)_ *\(\(' | wc -l
}
plus() { if [ "$1" = gcc ]; then echo g++; else echo clang++; fi; }

# All compilers, or with little time the one whose turn it is.
turn=0
in_turn() {
    [ -z "$SONDE_TEST_LONG" ] || { echo "$compilers"; return; }
    # shellcheck disable=SC2086
    set -- $compilers
    [ $((turn % $#)) = 0 ] || shift
    echo "$1"
}

# ---- Programs: name, and how many of their conditions are to be rewritten
cp "$SRC"/tests/compile/rewrite/*.c "$SRC"/tests/compile/rewrite/*.cpp .
programs='logic:9 macros:11 numbers:12 effects:9 arrays:7 wrap:9 ternaries:9 layout:7 floating:10 bits:14 objects:9'
seeds=1
[ -z "$SONDE_TEST_LONG" ] || seeds='1 2'
for program in $programs; do
    name=${program%:*} turn=$((turn + 1))
    source=$name.c mode=cc
    [ -f "$source" ] || { source=$name.cpp; mode=c++; }
    [ $mode = cc ] || [ -n "$SONDE_TEST_LONG" ] || continue # 7 s; compile/cpp.sh has conditions in C++
    for cc in $(in_turn); do
        by=$cc
        [ $mode = cc ] || by=$(plus $cc)
        "$tool" $mode --sonde-cc=$by -w "$source" -o with.out && "$tool" $mode --sonde-cc=$by -w --no-rewrite "$source" -o plain.out
        report $? "$source, $cc: builds"
        if [ $mode = cc ] || [ -n "$SONDE_TEST_LONG" ]; then # all headers of C++ are read once more, for 5 s
            got=$(count $cc "$source")
            [ "$got" = "${program#*:}" ]
            report $? "$source, $cc: ${program#*:} conditions are rewritten, $got were"
        fi
        for guide in uniform random; do
            for seed in $seeds; do
                for build in with plain; do
                    # Without the shrinker, which looks at what was compared: it may come to its end on another way.
                    ./$build.out --seed $seed --guide $guide --tests 500 --no-shrink --no-store --verbose 2>&1 | normalise >$build.txt
                done
                cmp -s with.txt plain.txt || diff with.txt plain.txt | sed 's/^/# /' | head -n 20
            done
        done >difference
        [ ! -s difference ]
        report $? "$source, $cc: behaves the same"
        cat difference
    done
done

# ---- The lemma, over conditions that nobody thought of: a distance is 0 or more exactly where the condition is true. Claims
# are measured for the guide target, and what they answer must be what plain evaluation says.
generate() {
    awk -v seed="$1" '
        function pick(n) { return int(rand() * n) }
        function word(list,    a, n) { n = split(list, a, " "); return a[1 + pick(n)] }
        function leaf() { return word("a b u w d e c h o f l s.b s.s k") }
        function whole() { return word("a b u w c h o s.b s.s k") }
        function constant() { return word("0 1 2 3 -1 -2 7 5u 0x80 3L 1ull") }
        function operand(depth,    k) {
            k = depth ? pick(12) : pick(3)
            if (k == 0) return constant()
            if (k == 3) return "(" operand(depth - 1) " - " operand(depth - 1) ")"
            if (k == 4) return whole() " % " word("2 3 7 10u 100L")
            if (k == 5) return "(" whole() " & " word("1 6 0xf0 0x80000000u 255") ")"
            if (k == 6) return "(" word("char short unsigned long float bool int") ")" whole()
            if (k == 7) return "(" condition(depth - 1) " ? " operand(depth - 1) " : " operand(depth - 1) ")"
            if (k == 8) return "(" condition(depth - 1) ")"
            return leaf()
        }
        function condition(depth,    k) {
            k = depth ? pick(22) : 14
            if (k < 2) return condition(depth - 1) " && " condition(depth - 1)
            if (k < 4) return condition(depth - 1) " || " condition(depth - 1)
            if (k == 4) return "!(" condition(depth - 1) ")"
            if (k == 5) return "(" condition(depth - 1) ")"
            if (k == 6) return "(" condition(depth - 1) " ? (" condition(depth - 1) ") && a : !(" condition(depth - 1) "))"
            if (k == 7) return "!" leaf()
            if (k == 8) return whole() " & " word("1 12 0x100 0x8000000000000000u")
            if (k == 9) return "!(" whole() " % " word("2 3 5u") ")"
            if (k == 10) return word("p q !p p==q p!=q p!=NULL p<q_or_p 0==q")
            if (k == 11) return leaf()
            if (k == 12) return "(" word("bool int") ")(" condition(depth - 1) ")"
            if (k == 13) return "(" whole() " & " word("7 0x18 0xff00") ") " word("== !=") " " word("0 8 3 0x100")
            return operand(2) " " word("< <= > >= == !=") " " operand(2)
        }
        BEGIN {
            srand(seed)
            print "#include <sonde.h>\n#include <stdlib.h>"
            print "#define q_or_p (q ? q + 1 : p)"
            print "static void lemma(sonde *t)\n{"
            print "    int a = sonde_int(t, \"a\", -3, 3), b = sonde_int(t, \"b\", INT_MIN, INT_MAX);"
            print "    unsigned u = (unsigned)sonde_int(t, \"u\", -2, 3);"
            print "    uint64_t w = sonde_u64(t, \"w\", 0, UINT64_MAX);"
            print "    double d = sonde_any_double(t, \"d\"), e = sonde_int(t, \"e\", -3, 3);"
            print "    signed char c = (signed char)sonde_int(t, \"c\", -128, 127);"
            print "    unsigned short h = (unsigned short)sonde_int(t, \"h\", 0, 65535);"
            print "    bool o = sonde_bool(t, \"o\");"
            print "    float f = (float)sonde_int(t, \"f\", -40000000, 40000000);"
            print "    long double l = d;"
            print "    struct { unsigned b : 5; int s : 3; } s = {(unsigned)a & 31, (int)(h & 3)};"
            print "    enum { X, Y = -4, Z } k = (int)h % 7 - 4;"
            print "    int two[2], *p = o ? two : NULL, *q = a & 1 ? two + 1 : NULL;"
            for (i = 0; i < 80; i++) {
                x = condition(3)
                printf "    if (sonde_expect(t, %s) != ((%s) ? true : false)) abort();\n", x, x
            }
            print "    (void)a, (void)b, (void)u, (void)w, (void)d, (void)e, (void)p, (void)q, (void)f, (void)l, (void)k;\n}\nSONDE_MAIN(lemma)"
        }'
}
lemmas=1
[ -z "$SONDE_TEST_LONG" ] || lemmas='1 2 3 4 5 6'
for seed in $lemmas; do
    generate $seed >lemma$seed.c
    for cc in $compilers; do
        "$tool" cc --sonde-cc=$cc -w -fwrapv lemma$seed.c -o lemma.out
        report $? "80 generated conditions, $seed, $cc: build"
        got=$(count $cc lemma$seed.c)
        [ "$got" -ge 50 ]
        report $? "80 generated conditions, $seed, $cc: $got have a distance"
        ./lemma.out --guide target --seed $seed --keep-going --no-shrink --runs 2000 --no-store >log 2>&1
        [ $? = 1 ] && ! grep -qi abort log && grep -q '2,000 failing' log
        report $? "80 generated conditions, $seed, $cc: the lemma holds"
        grep -i abort log | sed 's/^/# /' | head -n 3
    done
done

# ---- Nothing else changes
for cc in $compilers; do
    for words in '-c -o with.o' '-c' '-MF with.d -MT x -c -o with.o' '-MMD -MP -c -o with.o'; do
        rm -f *.d *.o
        "$tool" cc --sonde-cc=$cc -w -g -MD $words logic.c && cat *.d >with.t && ls >with.ls && rm -f *.d *.o
        "$tool" cc --sonde-cc=$cc -w -g --no-rewrite -MD $words logic.c && cat *.d >plain.t && ls >plain.ls
        cmp -s with.t plain.t && [ "$(grep -v '\.[lt]s*$' with.ls)" = "$(grep -v '\.[lt]s*$' plain.ls)" ]
        report $? "$cc: depfiles and objects are the same with $words"
    done
    printf '#include <sonde.h>\nstatic void p(sonde *t) { sonde_assume(t, 1 < undefined); }\nSONDE_MAIN(p)\n' >wrong.c
    "$tool" cc --sonde-cc=$cc -c wrong.c 2>message
    [ $? = 1 ] && grep -q "wrong.c:2:.*undefined" message && ! grep -q '/proc\|truth' message
    report $? "$cc: errors are of the source as written"
    # Every third condition is a cast of an address, which tokens alone cannot tell from a mask: it does not compile.
    awk 'BEGIN {
        print "#include <sonde.h>\ntypedef long word;\nstatic void p(sonde *t)\n{\n    int a = sonde_int(t, \"a\", 0, 9);"
        for (i = 1; i <= 60; i++)
            printf "    sonde_%s(t, %s);\n", i % 2 ? "assume" : "check", i % 3 ? "a < " 9 + i : "((word) & a) != " i
        print "}\nSONDE_MAIN(p)"
    }' >casts.c
    printf '#!/bin/sh\ncase " $* " in *" -fsyntax-only "*) echo >>runs ;; esac\nexec %s "$@"\n' $cc >counted-$cc
    chmod +x counted-$cc
    odd=-fdiagnostics-format=json
    [ $cc = gcc ] || odd=-fdiagnostics-format=msvc
    for flag in -Wall -Wfatal-errors -fdiagnostics-color=always $odd; do
        : >runs
        "$tool" cc --sonde-cc=./counted-$cc --print-rewritten $flag casts.c >casts.txt
        got=$(grep -oE 'sonde_(assume|check)_truth_ *\(\(' casts.txt | wc -l) runs=$(wc -l <runs)
        [ "$got" = 40 ] && ! grep -q sonde-condition casts.txt
        report $? "$cc $flag: 20 conditions of 60 do not compile, $got are rewritten"
        # The result with warnings and without, the source as written, then the check that names all 20 and the last one.
        [ "$runs" = 5 ]
        report $? "$cc $flag: they are found in 5 checks, in fact $runs"
    done
    # In C++, a class may overload the operator: conditions on objects stay as written, all of one class.
    awk 'BEGIN {
        print "#include <sonde.h>\nstruct object { explicit operator bool() const { return true; } };\nstatic void p(sonde *t)\n{"
        print "    object o;\n    int a = sonde_int(t, \"a\", 0, 9);"
        for (i = 1; i <= 60; i++) printf "    sonde_assume(t, %sa < %d);\n", i % 3 ? "" : "o && ", 9 + i
        print "}\nSONDE_MAIN(p)"
    }' >objected.cpp
    printf '#!/bin/sh\ncase " $* " in *" -fsyntax-only "*) echo >>runs ;; esac\nexec %s "$@"\n' "$(plus $cc)" >"counted-$(plus $cc)"
    chmod +x "counted-$(plus $cc)"
    : >runs
    got=$(count "$cc" objected.cpp)
    "$tool" c++ --sonde-cc="./counted-$(plus $cc)" --print-rewritten objected.cpp >/dev/null
    runs=$(wc -l <runs)
    [ "$got" = 40 ] && [ "$runs" = 5 ]
    report $? "$cc: 20 conditions of 60 are on objects, $got are rewritten, after 5 checks, in fact $runs"
    printf '#include <sonde.h>\nstatic void p(sonde *t)\n{\n    int unused;\n    sonde_assume(t, sonde_int(t, "a", 0, 9) < 5);\n}\nSONDE_MAIN(p)\n' >warned.c
    "$tool" cc --sonde-cc=$cc -Wall -c warned.c 2>message
    [ $? = 0 ] && [ "$(grep -c 'warned.c:4:.*unused' message)" = 1 ] && ! grep -q '/proc\|truth' message
    report $? "$cc: warnings are of the source as written, once"
    "$tool" cc --sonde-cc=$cc -Wall -Werror -c warned.c 2>message
    [ $? = 1 ] && grep -q "warned.c:4:.*unused" message
    report $? "$cc: warnings may be errors"
    "$tool" cc --sonde-cc=$cc -Wall -Wextra -Wpedantic -Wshadow -Werror -std=c11 -O2 -c bits.c 2>message
    report $? "$cc: what has no warnings gets none"
    sed 's/^/# /' message | head -n 5
    printf '#include <sonde.h>\nstatic void p(sonde *t)\n{\n    int a = sonde_int(t, "a", 0, 9);\n    sonde_assume(t, a < 5\n        && a != 2);\n    sonde_fail(t, "%%d %%s", __LINE__, __FILE__);\n}\nSONDE_MAIN(p)\n' >lines.c
    "$tool" cc --sonde-cc=$cc -g lines.c -o lines.out && ./lines.out --seed 1 --no-store >log 2>&1
    grep -q '7 lines.c' log && grep -q 'lines.c:7' log
    report $? "$cc: lines and files are those of the source"
    grep -q sonde_discard_ lines.c || "$tool" cc --sonde-cc=$cc --print-rewritten lines.c | grep -q 'sonde_assume_parts_(.*, sonde_p[0-9]*_, 2\b'
    report $? "$cc: the new text can be seen, with the two parts of the conjunction"
done
echo "1..$n"
