#!/bin/sh
# Coverage of what a user compiles by hand: by clang and gcc, in the program, in a shared library, in one that is loaded and
# unloaded by each case, with the static and the shared libsonde, and under ASan.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
finds() { "$@" --guide cgpt --seed 1 --runs 300000 --tests 0 --max-discards 0 --no-store >log 2>&1 </dev/null; [ $? = 1 ] && grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log; }

# The code under test is a lock with six digits: by chance one in a million, led by coverage a few hundred cases.
cat >lock.c <<'END'
int turn(const int *digits);
int turn(const int *digits)
{
    static const int key[6] = {3, 1, 4, 1, 5, 9};
    int i = 0;
    while (i < 6 && digits[i] == key[i]) i++;
    return i == 6;
}
END
cat >test.c <<'END'
#include <sonde.h>
int turn(const int *digits);
static void stays_locked(sonde *t)
{
    int digits[6];
    for (int i = 0; i < 6; i++) digits[i] = sonde_int(t, "digit", 0, 9);
    sonde_check(t, !turn(digits));
}
SONDE_MAIN(stays_locked)
END
cat >loads.c <<'END'
#include <dlfcn.h>
#include <sonde.h>
static void stays_locked(sonde *t)
{
    int digits[6];
    for (int i = 0; i < 6; i++) digits[i] = sonde_int(t, "digit", 0, 9);
    void *lib = dlopen("./liblock.so", RTLD_NOW);
    if (!lib) sonde_fail(t, "%s", dlerror());
    int (*turn)(const int *) = (int (*)(const int *))dlsym(lib, "turn");
    bool opened = turn(digits);
    if (sonde_context(t)) dlclose(lib);
    sonde_check(t, !opened);
}
static void also_when_unloaded(sonde *t)
{
    stays_locked(t);
}
int main(int argc, char **argv)
{
    static int yes;
    const sonde_property properties[] = {
        {.name = "kept", .run = stays_locked}, {.name = "unloaded", .run = also_when_unloaded, .context = &yes}};
    return sonde_main(argc, argv, properties, 2);
}
END

for cc in clang gcc; do
    command -v $cc >/dev/null || continue
    case $cc in
    clang) cover=-fsanitize-coverage=inline-8bit-counters,pc-table ;;
    *) cover=-fsanitize-coverage=trace-pc ;;
    esac
    flags="-O1 -g -I$SRC/include"
    # shellcheck disable=SC2086  # the flags are meant to split
    $cc $flags $cover -c lock.c -o lock.o >log 2>&1 && $cc $flags test.c lock.o "$BUILD/libsonde.a" -lm -pthread -o static >>log 2>&1 &&
        finds ./static
    report $? "$cc: the program's coverage leads to the bug (static)"
    ./static --isolate=case --fail-fast --guide cgpt --seed 1 --runs 10000 --tests 0 --max-discards 0 --no-store >log 2>&1 </dev/null
    [ $? = 1 ] && grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log
    report $? "$cc: and with each case in a process of its own"
    # shellcheck disable=SC2086
    $cc $flags test.c lock.o -L"$BUILD" -lsonde -Wl,-rpath,"$BUILD" -o shared >log 2>&1 && finds ./shared
    report $? "$cc: and with the shared library"
    # shellcheck disable=SC2086
    $cc $flags $cover -fPIC -shared lock.c -o liblock.so >log 2>&1 &&
        $cc $flags test.c ./liblock.so -L"$BUILD" -lsonde -Wl,-rpath,"$BUILD" -o library >>log 2>&1 && finds ./library
    report $? "$cc: a shared library's coverage counts"
    # shellcheck disable=SC2086
    $cc $flags loads.c -L"$BUILD" -lsonde -Wl,-rpath,"$BUILD" -ldl -o loads >log 2>&1 && finds ./loads --filter kept
    report $? "$cc: and that of one that is loaded later"
    ./loads --guide cgpt --seed 1 --runs 2000 --tests 0 --max-discards 0 --no-store --filter unloaded >log 2>&1
    [ $? -le 1 ]
    report $? "$cc: unloading an instrumented library is survived"
    # shellcheck disable=SC2086
    $cc $flags $cover -fsanitize=address test.c lock.c "$BUILD/libsonde.a" -lm -pthread -o asan >log 2>&1 && finds ./asan
    report $? "$cc: coverage works under AddressSanitizer"
done
echo "1..$n"
