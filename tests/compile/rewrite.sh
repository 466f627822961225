#!/bin/sh
# sonde cc makes preconditions tell their distance; nothing else may change. Each program in rewrite/ is built with and
# without, and both must draw, reject and fail alike.
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
tool=$(cd "$BUILD" && pwd)/sonde

command -v clang >/dev/null || { echo "1..0 # SKIP there is no clang"; exit 0; }

normalise() { sed -E 's/(with|plain)\.out/PROGRAM/g; s/in (under )?[0-9.,]+ (ms|s)/in TIME/g; /tests per second/d'; }

# The lemma, over conditions that nobody thought of: 60 of them, of all relations, types and connectives.
generate() {
    awk -v seed="$1" '
        function pick(n) { return int(rand() * n) }
        function leaf() { return substr("abuwde", 1 + pick(6), 1) }
        function operand() {
            if (pick(4) == 0) return pick(7) - 3
            if (pick(4) == 0) return "(" leaf() " - " leaf() ")"
            return leaf()
        }
        function condition(depth,    k) {
            k = depth ? pick(9) : 8
            if (k < 2) return condition(depth - 1) " && " condition(depth - 1)
            if (k < 4) return condition(depth - 1) " || " condition(depth - 1)
            if (k == 4) return "!(" condition(depth - 1) ")"
            if (k == 5) return "(" condition(depth - 1) ")"
            if (k == 6) return "(" condition(depth - 1) " ? " condition(depth - 1) " : " condition(depth - 1) ")"
            if (k == 7) return "!" leaf()
            return operand() " " substr("< <=> >===!=", 1 + 2 * pick(6), 2) " " operand()
        }
        BEGIN {
            srand(seed)
            print "#include <sonde.h>\nstatic void generated(sonde *t)\n{"
            print "    int a = sonde_int(t, \"a\", -3, 3), b = sonde_int(t, \"b\", INT_MIN, INT_MAX);"
            print "    unsigned u = (unsigned)sonde_int(t, \"u\", -2, 3);"
            print "    uint64_t w = sonde_u64(t, \"w\", 0, UINT64_MAX);"
            print "    double d = sonde_any_double(t, \"d\"), e = sonde_int(t, \"e\", -3, 3);"
            print "    switch (sonde_pick(t, \"i\", 60)) {"
            for (i = 0; i < 60; i++) printf "    case %d: sonde_assume(t, %s); break;\n", i, condition(3)
            print "    }\n    (void)a, (void)b, (void)u, (void)w, (void)d, (void)e;\n}\nSONDE_MAIN(generated)"
        }'
}
mkdir sources
cp "$SRC"/tests/compile/rewrite/*.c "$SRC"/tests/compile/rewrite/*.cpp sources
for seed in 1 2 3 4; do generate $seed >sources/generated$seed.c; done

for source in sources/*; do
    name=$(basename "$source")
    cp "$source" .
    mode=cc
    case $name in *.cpp) mode=c++ ;; esac
    "$tool" $mode -w "$name" -o with.out && "$tool" $mode -w --no-rewrite "$name" -o plain.out
    report $? "$name: builds"
    "$tool" $mode -w --print "$name" | grep -q remap-file
    report $? "$name: is rewritten"
    for guide in uniform random; do
        for seed in 1 2 3; do
            for build in with plain; do
                ./$build.out --seed $seed --guide $guide --tests 2000 --no-store --verbose 2>&1 | normalise >$build.txt
            done
            cmp -s with.txt plain.txt || diff with.txt plain.txt | sed 's/^/# /' | head -n 20
        done
    done >difference
    [ ! -s difference ]
    report $? "$name: behaves the same"
    cat difference
done

cp "$SRC/tests/compile/rewrite/logic.c" .
"$tool" cc -w -g -MD -MF with.d -c logic.c -o with.o && "$tool" cc -w -g --no-rewrite -MD -MF plain.d -c logic.c -o plain.o
sed 's/^[a-z]*\.o//' with.d >with.t && sed 's/^[a-z]*\.o//' plain.d >plain.t && cmp -s with.t plain.t
report $? "depfiles are the same"
printf '#include <sonde.h>\nstatic void p(sonde *t) { sonde_assume(t, 1 < undefined); }\nSONDE_MAIN(p)\n' >wrong.c
"$tool" cc -c wrong.c 2>message
grep -q "wrong.c:2:.*undefined" message
report $? "messages are of the source as written"
echo "1..$n"
