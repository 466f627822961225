#!/bin/sh
# The grammars of examples/grammars against real parsers: every string is accepted, or refused for a reason that no grammar can have.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 15 out | sed 's/^/# /' | cut -c 1-300; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # skip: $2"; }
strings=${SONDE_GRAMMAR_STRINGS:-1000}
[ -z "${SONDE_TEST_LONG:-}" ] || strings=100000
# compile NAME FLAG PACKAGE: a program for the library, if it is there.
compile() {
    # shellcheck disable=SC2046 # several flags
    ${CC:-cc} -O1 "-D$2" -I"$SRC/include" $([ -z "$3" ] || pkg-config --cflags "$3") "$SRC/tests/compile/grammars/parsed.c" "$BUILD/libsonde.a" \
        $([ -z "$3" ] || pkg-config --libs "$3") -lm -lpthread -o "$1" >out 2>&1
}
# by_library GRAMMAR FLAG PACKAGE
by_library() {
    if ! pkg-config --exists "$3"; then skip "$1 by $3" "$3 is not installed"; return; fi
    compile "$1" "$2" "$3" && GRAMMAR=$SRC/examples/grammars/$1.abnf "./$1" --no-store --guide random --tests "$strings" --time 0 --seed 1 >out 2>&1
    report $? "$1: $strings strings by $3"
    sed -n 's/.*refused.*/# &/p' out | head -n 2
}
by_library json WITH_JANSSON jansson
by_library uri WITH_URIPARSER liburiparser
by_library sql WITH_SQLITE sqlite3
if python3 -c 'import tomllib' 2>/dev/null; then
    compile written WITH_FILE ""
    for grammar in toml address http; do
        unset BLANKS
        [ $grammar != address ] || export BLANKS=1
        GRAMMAR=$SRC/examples/grammars/$grammar.abnf WRITTEN=$grammar.txt ./written --no-store --guide random --tests "$strings" --time 0 --seed 1 \
            --isolate none >out 2>&1 && python3 "$SRC/tests/compile/grammars/parsed.py" $grammar $grammar.txt >out 2>&1
        report $? "$grammar: $strings strings by Python's parser"
        sed 's/^/# /' out | head -n 1
    done
else
    skip "toml, address and http" "Python has no tomllib"
fi
echo "1..$n"
