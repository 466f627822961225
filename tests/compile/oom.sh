#!/bin/sh
# Allocations that fail on purpose: linked in or preloaded, with the static and the shared library. In the fixture the
# code under test makes allocations one after the other, with draws, notes and memory of sonde's own between them, and
# checks that exactly the one that was drawn fails.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}

cat >exact.c <<'C'
#define _GNU_SOURCE
#include <sonde.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void show(FILE *out, const void *value)
{
    fprintf(out, "%s", (const char *)value);
}

/* One allocation by each function in turn; NULL when it failed. */
static void *allocate(unsigned i)
{
    void *p = NULL;
    switch (i % 6) {
    case 0: return malloc(10);
    case 1: return calloc(3, 4);
    case 2: return realloc(NULL, 20);
    case 3: return strdup("text");
    case 4: return posix_memalign(&p, 64, 128) == 0 ? p : NULL;
    default: return aligned_alloc(64, 128);
    }
}

static void exactly_the_drawn_one_fails(sonde *t)
{
    uint64_t n = sonde_oom(t, "fails_at", 40);
    char label[32];
    unsigned failed = 0, failed_at = 0;
    for (unsigned i = 1; i <= 30; i++) {
        errno = 0;
        void *volatile p = allocate(i);
        if (!p) failed++, failed_at = i;
        if (!p && i % 6 != 4) sonde_check_eq(t, errno, ENOMEM);
        free(p);
        /* A great deal of sonde's own. */
        snprintf(label, sizeof label, "label %u", i);
        sonde_span(t, label);
        sonde_string(t, "s", 0, 300);
        sonde_alloc(t, 100000);
        sonde_defer(t, free, NULL);
        sonde_note(t, "note %u %100d", i, 7);
        sonde_show(t, show, "shown");
        sonde_label(t, label);
    }
    sonde_note(t, "failed: %u, at %u", failed, failed_at);
    sonde_check_eq(t, failed, n >= 1 && n <= 30);
    sonde_check_eq(t, failed_at, n <= 30 ? n : 0);
    sonde_check(t, failed_at != 5 || getenv("QUIET"));
}

static void cleaning_up_never_fails(sonde *t)
{
    (void)t;
    void *volatile p = malloc(10);
    if (!p) abort();
    free(p);
}

static void disarmed(void *what)
{
    (void)what;
    cleaning_up_never_fails(NULL);
}

static void deferred_functions_have_memory(sonde *t)
{
    sonde_defer(t, disarmed, NULL);
    sonde_oom(t, "fails_at", 3);
}

static void random_numbers_follow_the_seed(sonde *t)
{
    unsigned seed = sonde_seed_rand(t, "seed");
    int got = rand();
    srand(seed);
    sonde_check_eq(t, got, rand());
}

static const sonde_property properties[] = {
    {.name = "exactly", .run = exactly_the_drawn_one_fails, .teardown = cleaning_up_never_fails},
    {.name = "deferred", .run = deferred_functions_have_memory},
    {.name = "seed", .run = random_numbers_follow_the_seed},
};

int main(int argc, char **argv)
{
    return sonde_main(argc, argv, properties, 3);
}
C

make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$PWD/root" PREFIX=/opt/sonde install >log 2>&1
lib=$PWD/root/opt/sonde/lib
PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
export PKG_CONFIG_PATH LD_LIBRARY_PATH
compile() { # compile OUTPUT FLAGS...
    out=$1
    shift
    "$CC" -std=gnu11 -O2 -g -I"$SRC/include" exact.c "$@" -o "$out" >log 2>&1
}

# works NAME COMMAND...: it says the same whether it is shown or not, in a worker or not, and finds the planted n.
works() {
    name=$1
    shift
    QUIET=1 "$@" --no-store --tests 400 --seed 1 >log 2>&1
    report $? "exactly the drawn allocation fails ($name)"
    QUIET=1 "$@" --no-store --tests 400 --seed 1 --isolate none >log 2>&1
    report $? "the same without isolation ($name)"
    "$@" --no-store --replay 'fails_at=5' --filter exactly >log 2>&1
    [ $? = 1 ] && grep -q 'failed_at != 5' log && grep -q 'failed: 1, at 5' log
    report $? "it is replayed by its number, and the same when shown ($name)"
}

# shellcheck disable=SC2046  # flags are meant to split
{
    compile wrapped $(pkg-config --libs sonde sonde-oom) && works "linked, shared library" ./wrapped
    rm -f "$lib"/libsonde.so*
    compile wrapped-static $(pkg-config --libs sonde-oom) && works "linked, static library" ./wrapped-static
    compile plain-static $(pkg-config --static --libs sonde) \
        && works "preloaded, static library" env LD_PRELOAD="$BUILD/libsonde_oom.so" ./plain-static
    compile plain -L"$BUILD" -lsonde && LD_LIBRARY_PATH=$BUILD \
        && works "preloaded, shared library" env LD_PRELOAD="$BUILD/libsonde_oom.so" ./plain
    compile asan -fsanitize=address,undefined $(pkg-config --static --libs sonde-oom) && works "linked, with AddressSanitizer" ./asan
}
[ "$n" = 15 ]
report $? "every way of linking works"

./plain-static --no-store --filter exactly >log 2>&1
[ $? = 2 ] && grep -q 'pkg-config --libs sonde-oom' log && grep -q LD_PRELOAD log
report $? "without them a sentence says what is missing"

"$BUILD/examples/13_out_of_memory" --no-store --seed 1 >log 2>&1
[ $? = 1 ] && grep -qF "s1:fails_at=2 words[{word=}]" log
report $? "the example finds the bug on its failure path, and the smallest number"
echo "1..$n"
