#!/bin/sh
# What sanitizers see is a failure like any other: kind, function, minimal input, stored, replayed. Built as a user
# would: the program with AddressSanitizer and a UBSan that only prints, the library without.
# Stages: gcc
case $STAGE in *asan*) echo "builds its own sanitized program, in the plain stages"; exit 77 ;; esac
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }

"$CC" -g -O1 -fsanitize=address,undefined -I"$SRC/include" "$SRC/tests/misbehave/faults.c" "$BUILD/libsonde.a" \
    -lm -pthread -o sanitizers >log 2>&1
status=$?
report $status "the sanitized program"
[ $status = 0 ] || { show log; exit 1; }

# bad NAME KIND TEXT TOKEN OPTION...: as in misbehave.sh.
bad() {
    name=$1 kind=$2 text=$3 token=$4
    shift 4
    rm -rf store
    ./sanitizers --filter "$name" --json --report terminal --seed 1 --tests 200 --store store "$@" >out 2>err </dev/null
    status=$?
    tape=$(find store -name '*.tape')
    [ $status = 1 ] && grep -qF "\"kind\": \"$kind\"" out && grep -qF -- "$text" out && grep -qF "\"token\": \"$token\"" out &&
        [ "$(grep -o '"token"' out | wc -l)" = 1 ] && grep -q "^# kind: $kind\$" "$tape"
    result=$?
    report $result "$name $*: $kind, $text"
    [ $result = 0 ] || { echo "# status $status, stored: $tape"; show out err; return; }
    command=$(grep -- '--replay' err)
    sh -c "$command $* --json --no-store" >out 2>err </dev/null
    [ $? = 1 ] && grep -qF "\"kind\": \"$kind\"" out
    result=$?
    report $result "$name $*: the printed command fails again"
    [ $result = 0 ] || { echo "# $command"; show out err; }
    # The store is the same for all that end the process.
    case $name in use_after_free | segv | stack_overflow) [ -n "${SONDE_TEST_LONG:-}" ] || return ;; esac
    ./sanitizers --filter "$name" --json --seed 1 --tests 1 --store store "$@" >out 2>err </dev/null
    [ $? = 1 ] && grep -qF "\"kind\": \"$kind\"" out && [ -e "$tape" ]
    result=$?
    report $result "$name $*: the next run knows it"
    [ $result = 0 ] || show out err
}

bad heap_overflow sanitizer 'heap-buffer-overflow, in overflow_heap, called from heap_overflow' 's1:x=37 ?'
./sanitizers --filter heap_overflow --replay s1:x=37 --json >out
grep -q 'AddressSanitizer: heap-buffer-overflow.*overflow_heap' out
report $? "the report of AddressSanitizer is shown for the minimal case"
bad use_after_free sanitizer 'heap-use-after-free, in use_freed, called from use_after_free' 's1:x=37 ?'
bad undefined undefined 'undefined behaviour (signed-integer-overflow): ' s1:x=37
bad segv undefined 'undefined behaviour (null-pointer-use): ' 's1:x=37 ?'
bad stack_overflow stack_overflow 'in descend"' 's1:x=37 ?'
# What LeakSanitizer finds has no function in its text. To name the others, gcc's takes the debug information of libc apart: 0.4 s for each report.
with_names=${ASAN_OPTIONS-}
without_names() { export ASAN_OPTIONS="${with_names:+$with_names:}symbolize=0${1:+:$1}"; }
./sanitizers --filter leak --replay s1:x=37 --no-store >out 2>err
[ $? = 1 ] && grep -q 'leak of 37 byte.*lose\|in lose ' out
result=$?
report $result "the report of LeakSanitizer names the function that allocated"
[ $result = 0 ] || show out err
without_names
bad leak leak 'memory was allocated and not freed (LeakSanitizer)' s1:x=37
[ -z "${SONDE_TEST_LONG:-}" ] || bad leak leak 'memory was allocated and not freed (LeakSanitizer)' s1:x=37 --isolate case
export ASAN_OPTIONS="$with_names"
bad heap_overflow sanitizer 'heap-buffer-overflow, in overflow_heap, called from heap_overflow' 's1:x=37 ?' --isolate case
bad undefined undefined 'undefined behaviour (signed-integer-overflow): ' s1:x=37 --isolate case

./sanitizers --filter undefined_twice --json --no-store --seed 1 --keep-going >out 2>err
grep -qF '"token": "s1:x=37"' out && grep -qF '"token": "s1:x=500"' out && [ "$(grep -o '"token"' out | wc -l)" = 2 ]
result=$?
report $result "two places of undefined behaviour are two failures"
[ $result = 0 ] || show out err

# A UBSan that ends the process.
"$CC" -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -I"$SRC/include" "$SRC/tests/misbehave/faults.c" \
    "$BUILD/libsonde.a" -lm -pthread -o strict >log 2>&1
./strict --filter undefined --json --no-store --seed 1 >out 2>err
grep -q '"kind": "undefined"' out && grep -q 'signed-integer-overflow' out && grep -qF '"token": "s1:x=37 ?"' out
result=$?
report $result "undefined behaviour that ends the process is told in the same words"
[ $result = 0 ] || show log out err

without_names
# A leak that needs an earlier case is shrunk in both; after the last case another one is run to make sure of the leak.
mkdir regressions
printf 's1:x=150 ; s1:x=600\n' >regressions/sequence.tape
./sanitizers --filter leak_after --json --seed 1 --tests 1 --no-store --regressions regressions >out 2>err </dev/null
[ $? = 1 ] && grep -q '"kind": "leak"' out && grep -qF '"token": "s1:x=100 ; s1:x=500"' out
result=$?
report $result "a leak after an earlier case: both are minimal"
[ $result = 0 ] || show out err

for name in leak_by_assume fine; do
    ./sanitizers --filter $name --json --no-store --seed 1 --tests 300 >out 2>err
    status=$?
    report $status "$name: nobody is blamed"
    [ $status = 0 ] || show out err
done

# A leak in one case of a thousand is found and named; one that none of the cases shows again is flaky, not ok; what the program
# lost before the first case, or a case that an assume ended, is nobody's fault.
without_names exitcode=0 # for what main has lost
"$CC" -g -O1 -fsanitize=address -I"$SRC/include" "$SRC/tests/misbehave/leaks.c" "$BUILD/libsonde.a" -lm -pthread \
    -o leaks >log 2>&1 || show log
for seed in 1 ${SONDE_TEST_LONG:+2}; do
    for property in rarely rarely_among_discards; do
        for isolation in worker none; do
            case $property$isolation in rarelynone | *discardsworker) ;; *) [ -n "${SONDE_TEST_LONG:-}" ] || continue ;; esac
            ./leaks --filter $property --json --no-store --guide uniform --seed $seed --tests 10000 --isolate $isolation \
                >out 2>err </dev/null
            [ $? = 1 ] && grep -q '"kind": "leak"' out && grep -qF '"token": "s1:x=777"' out
            result=$?
            report $result "a leak of one case in a thousand, $property, --isolate $isolation, seed $seed"
            [ $result = 0 ] || show out err
        done
    done
done
for isolation in worker none; do
    ./leaks --filter once --json --no-store --seed 1 --tests 2000 --isolate $isolation >out 2>err </dev/null
    status=$?
    # In a worker the cases before it can be run again, in another process.
    case $isolation in
    worker) grep -q '"flaky": false' out && grep -q '"earlier_cases": 49[0-9]' out ;;
    none) grep -q '"flaky": true' out && grep -q 'none of them leaked' out ;;
    esac
    found=$?
    [ $status = 1 ] && [ $found = 0 ] && grep -q '"kind": "leak"' out
    result=$?
    report $result "a leak of the 500th case needs the others, or is flaky, --isolate $isolation"
    [ $result = 0 ] || show out err
    for property in never by_assume; do
        case $property$isolation in neverworker | by_assumenone) ;; *) [ -n "${SONDE_TEST_LONG:-}" ] || continue ;; esac
        ./leaks --filter $property --json --no-store --seed 1 --tests 5000 --isolate $isolation >out 2>err </dev/null
        result=$?
        report $result "$property: nobody is blamed for what was lost before, --isolate $isolation"
        [ $result = 0 ] || show out err
    done
done
echo "1..$n"
