#!/bin/sh
# What sonde gives ends exactly where it ends: one byte beyond is a failure with --guard in any build, and one that
# AddressSanitizer and valgrind see. Minimal, and the printed command shows it again.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 12; }

# beyond TEXT COMMAND...: every property of exact.c but `within` fails, minimal, and with TEXT among the words for it.
beyond() {
    text=$1
    shift
    for name in bytes string string_of utf8 regex alloc array buffer; do
        "$@" --filter $name --json --report terminal --seed 1 --tests 300 --no-store >out 2>err </dev/null
        status=$?
        case $name in
        bytes) token='s1:x=00000000' ;;
        utf8) token='s1:x=.*' ;; # one character of four bytes
        string*) token='s1:x=aaaa' ;;
        regex) token='s1:x{repeat\[{char=0} {char=0} {char=0} {char=0}\]}' ;;
        *) token='s1:x=4' ;;
        esac
        [ $status = 1 ] && grep -q "$text" out && grep -q "in look_at" out && grep -q "\"token\": \"$token ?\"" out &&
            ! grep -q '"flaky": true' out
        result=$?
        report $result "$name: one byte beyond is $text"
        [ $result = 0 ] || { echo "# status $status"; show out err; }
    done
    "$@" --filter within --seed 1 --tests 300 --no-store >out 2>err </dev/null
    result=$?
    report $result "within: the last byte is there"
    [ $result = 0 ] || show out err
}

case $STAGE in
*asan*) echo "builds its own sanitized program, in the plain stages"; exit 77 ;;
esac
beyond "SIGSEGV" "$BUILD/tests/misbehave/exact" --guard
"$BUILD/tests/misbehave/exact" --guard --filter alloc --seed 1 --no-store >out 2>&1
command=$(grep -- '--replay' out)
sh -c "$command --no-store" >out 2>&1
[ $? = 1 ] && grep -q 'SIGSEGV' out
report $? "the printed command has --guard in it"

"$CC" -g -O1 -fsanitize=address,undefined -I"$SRC/include" "$SRC/tests/misbehave/exact.c" "$BUILD/libsonde.a" -lm -pthread \
    -o exact >log 2>&1
report $? "the sanitized program"
beyond "heap-buffer-overflow" ./exact
echo "1..$n"
