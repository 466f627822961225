#!/bin/sh
# A corpus of programs with threads: every broken one is falsified, with the words behind its name; no right one is.
# Stages: gcc clang
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; grep -v '"passed"' log | tail -n 12 | cut -c 1-300 | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
corpus=$SRC/tests/compile/threads
sed -n 's|^BROKEN(\([a-z0-9_]*\)) /\* \(.*\) \*/|\1 \2|p' "$corpus/broken.c" >wanted
report $([ "$(grep -c '^BROKEN(' "$corpus/broken.c")" = "$(wc -l <wanted)" ]; echo $?) "each broken program says what its report has"
# Threads of the kernel's show the same for 20 s more; threads_os.sh has what is theirs.
for kind in fibers ${SONDE_TEST_LONG:+os}; do
    sonde cc --threads=$kind --sonde-cc="$CC" -Wall -Wextra -Werror -g -O1 "$corpus/broken.c" -o broken >log 2>&1 &&
        sonde cc --threads=$kind --sonde-cc="$CC" -Wall -Wextra -Werror -g -O1 "$corpus/right.c" -lm -o right >log 2>&1
    report $? "$kind: the programs are compiled and linked"
    tests=${SONDE_TEST_LONG:+1000} # of right programs
    tests=${tests:-300}
    [ $kind = fibers ] || tests=$((tests / 4))
    while read -r name text; do
        ./broken --seed 1 --no-store --tests 8000 --filter "$name" >log 2>&1 </dev/null
        [ $? = 1 ] && grep -qF -- "$text" log && ! grep -q FLAKY log
        report $? "$kind: $name is falsified: $text"
    done <wanted
    ./right --seed 1 --no-store --tests $tests --keep-going --json >log 2>&1 </dev/null
    report $? "$kind: no right program is falsified"
    [ "$(grep -c '"verdict": "passed"' log)" = "$(grep -c '^RIGHT(' "$corpus/right.c")" ]
    report $? "$kind: all of them ran"
    grep -q '"lock_of_a_file".*"not_seen": \["calls that the model of threads does not cover: flock() ' log
    report $? "$kind: a call that is not modelled is named"
done
echo "1..$n"
