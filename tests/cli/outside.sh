#!/bin/sh
# A library that is only linked: the run says that the search does not see it, and what a sanitizer misses in it.
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | cut -c 1-600 | head -n 40; fi; }
export SONDE_TIME=0 SONDE_SEED=1

# stubs that begin with another instruction
case $(uname -m) in x86_64) protected=-fcf-protection ;; *) protected=-mbranch-protection=standard ;; esac

cat >under.c <<'C'
int under_test(const int *x);
int under_test(const int *x) { return *x > 5 ? *x * 2 : *x; }
C
cat >test.c <<'C'
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
int under_test(const int *x);
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
SONDE_PROPERTY(calls) { int x = sonde_int(t, "x", 0, 1000000); sonde_check(t, under_test(&x) >= 0); }
SONDE_PROPERTY(calls_and_sorts)
{
    int x[2] = {sonde_int(t, "x", 0, 1000000), sonde_int(t, "y", 0, 1000000)};
    qsort(x, 2, sizeof *x, compare);
    sonde_check(t, under_test(x) >= 0);
}
SONDE_PROPERTY(libc)
{
    const char *s = sonde_string(t, "s", 0, 9);
    char *copy = strdup(s);
    sonde_check(t, strlen(s) <= 9 && !strcmp(s, copy) && atoi(s) < 2000000000);
    free(copy);
}
SONDE_MAIN()
C
cc() { SONDE_CC=$compiler "$BUILD/sonde" cc -g -O1 -I"$SRC/include" "$@" >log 2>&1; }
plain() { $compiler -g -O1 -fPIC "$@" >log 2>&1; }
run() { ./test --no-store --filter "$@" >log 2>&1; }

# blind WORDS: the warning names the function and its library, in one line, and --strict makes it an error
blind() {
    run calls --strict
    [ $? = 2 ] && [ "$(grep -c 'Warning: the search does not see the code under test: ' log)" = 1 ] &&
        grep -q -- '--strict: calls: blind: ' log && grep -q "that are not instrumented: $1\\. " log
}
silent() { ! grep -q 'Warning\|Not seen' log && grep -q '^ok ' log; }

for compiler in $CC clang; do
    command -v "$compiler" >/dev/null || continue
    plain -shared under.c -o libunder.so || { report 1 "$compiler: a library"; continue; }
    # How calls leave the program is decided by the same linker.
    ways='-fplt|-fno-plt'
    [ "$compiler" != "$CC" ] && [ -z "${SONDE_TEST_LONG:-}" ] || ways="$ways|-fno-plt -O2|$protected|-Wl,-z,now"
    IFS='|'
    set -f
    # shellcheck disable=SC2086  # ways are separated by bars
    set -- $ways
    unset IFS
    set +f
    for flags in "$@"; do
        # shellcheck disable=SC2086  # flags are words
        cc $flags test.c -L. -lunder -Wl,-rpath,"$PWD" -o test && blind 'under_test (libunder.so)'
        report $? "$compiler $flags: a shared library is not seen"
    done
    run calls_and_sorts --strict && grep -q '^Not seen by the search: under_test (libunder.so) (compile with sonde cc)' log
    report $? "$compiler: other code is seen, so it is a line at the end"
    run libc --strict && silent
    report $? "$compiler: nothing is said of the C library"

    plain -c under.c -o under.o && rm -f libstatic.a && ar rc libstatic.a under.o && cc test.c libstatic.a -o test && blind under_test
    report $? "$compiler: a static library is not seen"

    cc -fPIC -shared under.c -o libunder.so && cc test.c -L. -lunder -Wl,-rpath,"$PWD" -o test && run calls --strict && silent
    report $? "$compiler: an instrumented shared library is seen"

    # The same with AddressSanitizer.
    missed='^Not looked for in under_test (libunder.so): accesses out of bounds, use after free '
    cc --sanitize -fPIC -shared under.c -o libunder.so && cc --sanitize test.c -L. -lunder -Wl,-rpath,"$PWD" -o test && run calls --strict &&
        silent && ! grep -q 'Not looked for' log
    report $? "$compiler: a sanitized shared library is watched"
    plain -shared under.c -o libunder.so && run calls && grep -q "$missed" log && [ "$(grep -c 'Not looked for' log)" = 1 ]
    report $? "$compiler: a shared library without a sanitizer is not"
    run libc --strict && silent && ! grep -q 'Not looked for' log
    report $? "$compiler: sanitized, nothing is said of the C library"
    plain -fsanitize=address -I"$SRC/include" test.c "$BUILD/libsonde.a" -lm -ldl -pthread -L. -lunder -Wl,-rpath,"$PWD" -o test && run calls &&
        grep -q "$missed" log && ! grep -q 'not instrumented' log
    report $? "$compiler: the same without sonde cc"
    cc --sanitize test.c libstatic.a -o test && run calls && grep -q '^Not looked for in under_test: accesses out of bounds' log
    report $? "$compiler: a static library without a sanitizer is not watched"
    cc --sanitize -c under.c -o under.o && cc --sanitize test.c under.o -o test && run calls --strict && silent && ! grep -q 'Not looked for' log
    report $? "$compiler: a sanitized object is watched"
done
echo "1..$n"
