#!/bin/sh
# Lines that sonde html calls reached are those of llvm-cov, on cJSON, for the same inputs: by clang and by gcc, within 5 %. Long: it fetches
# the source package of cJSON.
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
[ -n "${SONDE_TEST_LONG:-}" ] || { echo "a library is fetched in check-long only"; exit 77; }
for tool in clang llvm-cov llvm-profdata python3 objdump; do
    command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
BUILD=$BUILD WORK=$PWD "$SRC/examples/real/run" --tests 1 >run.log 2>&1
[ -d released ] || { tail -n 1 run.log; exit 77; }
options="--no-store --fresh --tests 2000 --seed 1 --guide random --filter printed_values_parse_back"
test=$SRC/examples/real/cjson.c
set -e
clang -fprofile-instr-generate -fcoverage-mapping -g -O0 -Ireleased -I"$SRC/include" released/cJSON.c "$test" "$BUILD/libsonde.a" -lm -lpthread -o reference
# shellcheck disable=SC2086
LLVM_PROFILE_FILE=$PWD/one.profraw ./reference $options --isolate=none >reference.log 2>&1
llvm-profdata merge -o all.profdata one.profraw
llvm-cov export -format=lcov ./reference -instr-profile=all.profdata >lcov
set +e
cat >compare.py <<'TEXT'
import json, re, sys
theirs, now = {}, None
for line in open("lcov"):
    if line.startswith("SF:"): now = theirs.setdefault(line.strip().split("/")[-1], {})
    if line.startswith("DA:"): a, b = line[3:].split(",")[:2]; now[int(a)] = int(b) > 0
page = open(sys.argv[1]).read()
source = json.loads(re.search(r'id="sonde-source">(.*?)</script>', page, re.S).group(1))
ours = next(f for f in source["files"] if f["path"].endswith("/cJSON.c"))
both = [(l[0], l[1] > 0) for l in ours["lines"] if l[0] in theirs["cJSON.c"]]
differ = [n for n, reached in both if reached != theirs["cJSON.c"][n]]
print(len(differ), "of", len(both), "lines differ", differ)
sys.exit(len(both) < 500 or len(differ) * 20 > len(both))
TEXT
n=0
for cc in clang gcc; do
    for level in 0 1 2; do
        n=$((n + 1))
        "$BUILD/sonde" cc --sonde-cc=$cc -g -O$level -Ireleased released/cJSON.c "$test" -o covered >log 2>&1 &&
            SONDE_TOOL=$BUILD/sonde ./covered $options --report html:page.html >>log 2>&1 && python3 compare.py page.html >result 2>&1
        if [ $? = 0 ]; then echo "ok $n - $cc -O$level: $(cut -d[ -f1 result)"; else echo "not ok $n - $cc -O$level"; cat log result | head -c 2000 | sed 's/^/# /'; fi
    done
done
echo "1..$n"
