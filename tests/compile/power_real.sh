#!/bin/sh
# Real databases under power cuts, unmodified: SQLite as a shared library, followed by the preloaded calls, and LMDB as an archive, followed by those that are
# linked in. They hold; without their syncs they do not, and the counterexample names the sync that is missing. (check-long: 20,000 cases each.)
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 40; fi
}
tests=${SONDE_TEST_LONG:+20000}
tests=${tests:-300}
wraps=$(grep '^[a-z_]' "$SRC/addons/faults/names" | sed 's/^/-Wl,--wrap=/' | tr '\n' ' ')
flags="-std=gnu11 -O1 -g -I$SRC/include"
power=$SRC/tests/compile/power

# shellcheck disable=SC2086  # flags are meant to split
"$CC" $flags "$power/sqlite.c" "$BUILD/libsonde.a" -lsqlite3 -lm -lpthread -ldl -rdynamic -o sqlite >log 2>&1 && has_sqlite=1
# shellcheck disable=SC2086
"$CC" $flags "$power/lmdb.c" -Wl,-Bstatic -llmdb -Wl,-Bdynamic "$BUILD/libsonde.a" "$BUILD/libsonde_faults.a" -Wl,-u,sonde_fault_hook_ $wraps \
    -lm -lpthread -o lmdb >log 2>&1 && has_lmdb=1
if [ -z "${has_sqlite:-}${has_lmdb:-}" ]; then
    echo "neither libsqlite3-dev nor liblmdb-dev is installed"
    exit 77
fi

if [ -n "${has_sqlite:-}" ]; then
    for sync in EXTRA FULL; do
        SYNC=$sync LD_PRELOAD=$BUILD/libsonde_faults.so ./sqlite --no-store --seed 1 --tests "$tests" >log 2>&1 &&
            grep -q '%  the power failed' log && ! grep -q 'Not seen' log
        report $? "SQLite with synchronous=$sync holds, and all of it is followed ($tests cases)"
    done
    SYNC=OFF LD_PRELOAD=$BUILD/libsonde_faults.so ./sqlite --no-store --seed 1 >log 2>&1
    [ $? = 1 ] && grep -q 'power cut: db .*: no fsync since it was written' log
    report $? "with synchronous=OFF it does not, and the missing sync is named"
fi
if [ -n "${has_lmdb:-}" ]; then
    # A process each: what the dead ones had allocated, half a megabyte, is never freed.
    ./lmdb --no-store --seed 1 --tests "$tests" --isolate case >log 2>&1 && grep -q '%  the power failed' log && grep -q 'Not seen: not followed: lock.mdb' log
    report $? "LMDB holds; its locks are mapped for writing, which is told ($tests cases)"
    NOSYNC=1 ./lmdb --no-store --seed 1 >log 2>&1
    [ $? = 1 ] && grep -q 'power cut: data.mdb .*: no fsync since it was written' log
    report $? "with MDB_NOSYNC it does not, and the missing sync is named"
fi
echo "1..$n"
