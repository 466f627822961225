#!/bin/sh
# sonde_find_races: programs with and without a data race, and in the long tier what ThreadSanitizer says of the same programs.
# Stages: gcc clang
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; head -n 25 wrong | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
source=$SRC/tests/compile/threads/races.c

# judge OUTPUT EXCEPTION...: names that begin with racy_ failed, all others did not, but for the exceptions, which are the other way round.
judge() {
    output=$1
    shift
    awk -v except=" $* " '
        $1 == "ok" || $1 == "FAIL" || $1 == "RACE" || $1 == "DEADLOCK" || $1 == "ERROR" || $1 == "FLAKY" {
            sub(/:$/, "", $2)
            racy = $2 ~ /^racy_/
            if (index(except, " " $2 " ")) racy = !racy
            if (racy ? $1 != "RACE" && $1 != "FAIL" : $1 != "ok") print
            n++
        }
        END { if (n != 68) print n " programs of 68" }' "$output" >wrong
    [ ! -s wrong ]
}

# The compiler of gcc does not instrument bit-fields.
case $CC in *clang*) blind= ;; *) blind=racy_bit_fields ;; esac
# Threads of the kernel's take ten times as long; threads_os.sh runs them in `make check`.
for threads in fibers ${SONDE_TEST_LONG:+os}; do
    sonde cc --threads=$threads --sonde-cc="$CC" -Wall -Wextra -Werror -g -O1 "$source" -o races-$threads >wrong 2>&1
    report $? "$threads: the programs are compiled"
    ./races-$threads --seed 1 --no-store --tests 200 --no-shrink >log 2>&1 </dev/null
    # shellcheck disable=SC2086
    judge log $blind
    report $? "$threads: 35 programs have a race, 33 have none"
done
[ "${SONDE_TEST_LONG:-}" ] || { echo "1..$n"; exit 0; }

# ThreadSanitizer differs where it does not know fences, the threads of C11, the environment, or a copy that a compiler expands.
fences="right_acquire_fence right_release_fence right_two_fences right_full_fences right_fence_and_update right_count"
differs="$fences right_once_of_c11 right_lock_of_c11 racy_environment racy_strdup"
case $CC in
*clang*) ;;
*) differs="$differs racy_bit_fields racy_memcpy racy_end_of_copy racy_memset racy_strcpy_strlen racy_printed_string" ;;
esac
$CC -DNATIVE -fsanitize=thread -w -g -O1 "$source" -o native -pthread >wrong 2>&1
report $? "the programs are compiled for ThreadSanitizer"
for program in $(./native); do
    verdict=ok
    TSAN_OPTIONS="halt_on_error=1 exitcode=66" ./native "$program" >/dev/null 2>&1 || verdict=FAIL
    echo "$verdict $program:"
done >log
# shellcheck disable=SC2086
judge log $differs
report $? "ThreadSanitizer differs where it is known to"
echo "1..$n"
