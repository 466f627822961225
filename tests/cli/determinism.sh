#!/bin/sh
# Same seed, same answers: across two runs and compilers; in check-long also without optimisation.
# Stages: clang
[ "${STAGE:-clang}" = clang ] || { echo "compares all builds at once, in the clang stage"; exit 77; }
top=${CHECK_BUILD:-$BUILD}
export SONDE_TIME=0 # a slow machine is no reason
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

# answers BUILD PROGRAM FILE [OPTION...]: its --json without the times.
answers() {
    command=$1/$2 file=$3
    shift 3
    "$command" --json --no-store --seed 1 --tests 1000 --keep-going "$@" 2>/dev/null </dev/null |
        sed -E 's/"(seconds|cpu_s)": *[^,}]*//g' >"$file"
}

# compare PROGRAM NAME [OPTION...]: the same answers from every build; of threads under control from the same one: their steps are the
# accesses to memory that a compiler has left.
compare() {
    program=$1 name=$2 same_only=
    case $name in *_threads) same_only=yes ;; esac
    shift 2
    answers "$top" "$program" first "$@"
    [ -s first ]
    report $? "$name: --json answers"
    for other in "$top again" "$top/clang clang-O2" ${SONDE_TEST_LONG:+"$top/O0 gcc-O0"}; do
        [ -z "$same_only" ] || [ "${other##* }" = again ] || continue
        answers "${other% *}" "$program" second "$@"
        diff first second >log
        status=$?
        report $status "$name: the same answers ${other##* }"
        [ $status = 0 ] || sed 's/^/# /' log | cut -c 1-600 | head -n 20
    done
}

named=${top#"$SRC"/} # as make calls its targets
cold=-O0             # as scripts/check builds by clang
[ -z "${SONDE_TEST_LONG:-}" ] || cold=
# build FOLDER COMPILER FLAGS COLD
build() { make -s -C "$SRC" BUILD="$top$1" CC="$2" CFLAGS="$3" COLD="$4" ${cold:+SOURCE=} examples "$named$1/tests/cli/kinds" "$named$1/tests/misbehave/rare" >>log 2>&1; }
build '' gcc '' '' && build /clang clang '' "$cold" && { [ -z "${SONDE_TEST_LONG:-}" ] || build /O0 gcc -O0 ''; }
status=$?
report $status "the builds to compare"
[ $status = 0 ] || { sed 's/^/# /' log; exit 1; }

for example in "$SRC"/examples/*.c; do
    name=$(basename "$example" .c)
    [ ! -x "$top/examples/$name" ] || compare "examples/$name" "$name" # one of them needs libclang
done
for guide in uniform random auto cgpt zest rl target enumerate; do
    compare tests/cli/kinds "draws of every kind, guide $guide" --guide "$guide" --no-shrink
done

# A slow machine: the search ends after the same test, whichever time that takes.
rare=$top/tests/misbehave/rare
search() { "$rare" --filter rare --json --seed "$1" --guide uniform --time 0 --no-store | sed -E 's/"(seconds|cpu_s)": *[^,}]*//g'; }
for seed in 5; do
    search $seed >first
    SLOW=8000 search $seed >second
    [ "$(sed -n 's/.*"tests": \([0-9]*\).*/\1/p' first)" -gt 270 ] && cmp first second
    result=$?
    report $result "seed $seed is the same search on a slow machine"
    [ $result = 0 ] || cut -c 1-400 first second | sed 's/^/# /'
done
echo "1..$n"
