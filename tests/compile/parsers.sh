#!/bin/sh
# Every parser of sonde as a target of libFuzzer, with sanitizers: what others wrote is read without a fault, and read as it would be written.
# PARSERS_SECONDS (45) for each of them.
# Stages: long (eight minutes; the same parsers have properties in tests/props and unit tests)
[ "${STAGE:-gcc}" = gcc ] || { echo "one build is enough"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 30 log | cut -c 1-300 | sed 's/^/# /'; fi; }
echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' >probe.c
clang -fsanitize=fuzzer probe.c -o probe >log 2>&1 || { echo "clang's libFuzzer is not installed"; exit 77; }
here=$PWD
sources=$SRC/tests/compile/parsers

# As the Makefile spells it.
lib=$(realpath -m --relative-base="$SRC" "$here/lib")
# The library once more, with coverage that libFuzzer follows.
make -s -C "$SRC" -j2 BUILD="$lib" CC=clang SANITIZE=address,undefined,fuzzer-no-link "$lib/libsonde.a" "$lib/obj/tools/lex.o" \
    "$lib/obj/tools/places.o" "$lib/obj/tools/words.o" >log 2>&1 &&
    clang -g -O1 -DSONDE_CHECKED -Wall -Wextra -Werror -fsanitize=address,undefined,fuzzer -fno-sanitize-recover=all -I"$SRC/include" -I"$SRC/src" -I"$SRC/tools" \
        "$sources"/*.c lib/obj/tools/lex.o lib/obj/tools/places.o lib/obj/tools/words.o lib/libsonde.a -lm -pthread -o parsers >log 2>&1
report $? "the parsers are built as targets"

# Files to begin with, one for each kind of input; what a parser does not read costs it nothing.
mkdir seeds
printf 's1:tree{value=3 left=yes tree{value=3}} xs[#=1 {x=1} {x=2}] name=a%%20b ?' >seeds/text
"$BUILD/sonde" convert --to=bytes 's1:xs[{x=9} {x=8}] name=a' seeds/codec >log 2>&1
printf '# sonde tape 1\n# property: p\n# kind: check\n# message: a\\x01\n# found: seed 7, test 91\ns1:x=3\n' >seeds/stored
printf '\006\000\000\000Ss1:x=3\033\000\000\000F0123456789abcdef\001check\000m\000p\000f\000s1:x=3\000' >seeds/wire
printf '0123456789abcdef-00000001-fffffffe.tape' >seeds/name
printf '{"worker": "a\\u0041", "seconds": 1.5, "cases": 1e30}' >seeds/report
printf 'tests = 20k # all\n[ci]\ntime = 30\n; end\n' >seeds/profile
printf '# words\nname="a\\x41\\"\\\\"\n"b"\n' >seeds/dictionary
printf '# 12 "file.c" 3\nint f(void) { return x[1] <: 2 :> + 0x1p3 + L"a\\"b" and R"(a)"; }\n' >seeds/tokens
printf 'property 1 2\nmodule 1 ff /a%%20b\n1 2 3 4\ncalled 0\n' >seeds/places
printf 'diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -3 +3,2 @@ f\n-x\n+y\n+z\n\\ No newline\n+++ "b/\\303\\"q"\n@@ -1,2 +1,0 @@\n-a\n-b\n' >seeds/patch

printf 's2:data=00.41x65536.0a0b name=a' >seeds/runs
printf '\002\000\000\000\004\000\000\000\007\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' >seeds/reply
printf 'list = "[" [ item *( "," item ) ] "]" ; a list\r\nitem = 1*3DIGIT / %%x61-7a / %%d13.10 / <prose> / list\r\n' >seeds/abnf
printf "list ::= '[' (item (',' item)*)? ']' /* a list */\nitem ::= [0-9a-z#x41-#x5A]+ | [^x] | list\n" >seeds/ebnf
printf 'sonde mutation 3 000000000000004d\ncheck\t1\tt.c\tok\nmutant\t1 2 0 -1 0 9 0 0 0 0 0 0 0 0 0 0 0 0\t1:0 0:4294967295 \ts1:x=3\tm\n' >seeds/mutants
echo 'int f(int x) { return x + 1; }' >module.c
clang -g -O1 -c module.c -o seeds/module

for parser in text codec stored wire name report profile dictionary tokens places patch reply grammar mutants module; do
    mkdir "$parser"
    PARSER=$parser ./parsers -seed=1 -max_total_time="${PARSERS_SECONDS:-45}" -timeout=100 -rss_limit_mb=2000 -max_len=4096 -print_final_stats=1 \
        -artifact_prefix="$parser/" "$parser" seeds >log 2>&1
    result=$?
    [ "$(sed -n 's/^stat::number_of_executed_units: *//p' log)" -gt 1000 ] || result=1
    report $result "$parser: any bytes are read, or refused"
done
echo "1..$n"
