#!/bin/sh
# Same seed, same answers: across two runs, compilers and optimisation levels. Runs once, from the gcc stage.
[ "${STAGE:-gcc}" = gcc ] || { echo "compares all builds at once, in the gcc stage"; exit 77; }
top=${CHECK_BUILD:-$BUILD}
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

# answers BUILD EXAMPLE FILE: its --json without the times.
answers() {
    "$1/examples/$2" --json --seed 1 --tests 1000 --keep-going 2>/dev/null </dev/null |
        sed -E 's/"(seconds|cpu_s)": *[^,}]*//g' >"$3"
}

make -s -C "$SRC" BUILD="$top/O0" CC=gcc CFLAGS=-O0 examples >log 2>&1 &&
    make -s -C "$SRC" BUILD="$top/clang" CC=clang examples >>log 2>&1
status=$?
report $status "the builds to compare"
[ $status = 0 ] || { sed 's/^/# /' log; exit 1; }

for example in "$SRC"/examples/*.c; do
    name=$(basename "$example" .c)
    answers "$BUILD" "$name" first
    [ -s first ]
    report $? "$name: --json answers"
    for other in "$BUILD again" "$top/O0 gcc-O0" "$top/clang clang-O2"; do
        answers "${other% *}" "$name" second
        diff first second >log
        status=$?
        report $status "$name: the same answers ${other##* }"
        [ $status = 0 ] || sed 's/^/# /' log | cut -c 1-600 | head -n 20
    done
done
echo "1..$n"
