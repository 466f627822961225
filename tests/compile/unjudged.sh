#!/bin/sh
# Programs that try to make a run call a failure fixed that is there, or lose its tape. Every path ends with the tape in failures/, and in what the
# report says of it.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out | cut -c 1-300 | head -n 12; tapes | sed 's/^/# /'; fi; }
export SONDE_TIME=0
unset ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS SONDE_STORE SONDE_NO_STORE
has_clang=$(command -v clang || true)

# build DIRECTORY COMPILER FLAG...: of test.c. All programs have one name, and so one store.
build() {
    mkdir -p "$1"
    directory=$1
    shift
    "$@" -w -gdwarf-4 -I"$SRC/include" test.c "$BUILD/libsonde.a" -lm -pthread -o "$directory/test" >out 2>&1
}
tapes() { find store -path "*/${1:-failures}/*.tape" 2>/dev/null; }
count() { tapes "$1" | wc -l; }
run() {
    program=$1
    shift
    "$program/test" --store store --seed 1 --tests 300 --no-progress "$@" >out 2>&1 </dev/null
}
# found DIRECTORY ARGUMENT...: a failure is found, and stored.
found() {
    rm -rf store
    run "$@"
    [ $? = 1 ] && [ "$(count)" -ge 1 ]
}
# kept WHAT REASON: by the run that was made last.
kept() {
    [ "$(count fixed)" = 0 ] && [ "$(count)" -ge 1 ] && grep -q "cannot be judged in this build: .*$2" out
    report $? "$1"
}
is_fixed() {
    [ "$(count)" = 0 ] && [ "$(count fixed)" = 1 ]
    report $? "$1"
}

# ---- The build decides

cat >test.c <<'END'
#include <sonde.h>
#include <stdlib.h>
static int *volatile kept;
SONDE_PROPERTY(p) { int x = sonde_int(t, "x", 0, 1000); kept = malloc(3000); int last = FIX ? 0 : kept[400]; free(kept); sonde_check(t, x < 500 || last == 0); }
SONDE_MAIN()
END
build a "$CC" -DFIX=0 -fsanitize=address && build b "$CC" -DFIX=0 && build c "$CC" -DFIX=1 -fsanitize=address
found a; run b; kept "a check that depends on what AddressSanitizer fills memory with" "found in another build"
found a; run c; is_fixed "a check that depends on memory, mended and compiled as before"

cat >test.c <<'END'
#include <sonde.h>
static int n;
static int a(void) { return n = 2 * n + 1; }
static int b(void) { return n = 3 * n; }
static int minus(int x, int y) { return x - y; }
SONDE_PROPERTY(p) { int x = n = sonde_int(t, "x", 0, 1000); int got = minus(a(), b()); sonde_check(t, x < 500 || got < 0); }
SONDE_MAIN()
END
if [ "$has_clang" ]; then
    build a gcc && build b clang
    found a; run b; kept "a check that depends on the order of arguments" "found in another build"
fi

cat >test.c <<'END'
#include <assert.h>
#include <sonde.h>
SONDE_PROPERTY(p, .crash_only = true) { int x = sonde_int(t, "x", 0, 1000); (void)x; assert(x < 500 + FIX); }
SONDE_MAIN()
END
build a "$CC" -DFIX=0 && build b "$CC" -DFIX=0 -DNDEBUG && build c "$CC" -DFIX=1000 && build d "$CC" -O2 -DFIX=1000
found a; run b; kept "a failed assert, replayed with NDEBUG" "found in another build"
found a; run d; kept "a failed assert, replayed by an optimised build" "found in another build"
found a; run c; is_fixed "a failed assert, mended and compiled as before"

cat >test.c <<'END'
#include <sonde.h>
#include <string.h>
SONDE_PROPERTY(p, .crash_only = true) { char *b = sonde_alloc(t, 10); b[sonde_int(t, "x", 0, 1000) < 500 ? 9 : 10] = 1; }
SONDE_MAIN()
END
build a "$CC"; found a --guard; run a; kept "found with --guard, replayed without" "found with --guard"

cat >test.c <<'END'
#include <sonde.h>
SONDE_PROPERTY(p, .crash_only = true) { volatile int x = sonde_int(t, "x", 0, 2147483647); volatile int y = x FIX 5; (void)y; }
SONDE_MAIN()
END
if build a "$CC" -DFIX=+ -fsanitize=undefined -fsanitize-undefined-trap-on-error && build b "$CC" -DFIX=+ ; then
    found a; run b; kept "a trap of UBSan, replayed without UBSan" "a build with checks that trap"
fi
if [ -n "$has_clang" ] && build a clang -DFIX=+ -fsanitize=undefined -fsanitize-trap=undefined && build b clang -DFIX=+ ; then
    found a; run b; kept "the same by clang" "found in a"
fi
if [ -n "$has_clang" ] && build a clang -DFIX=+ -fsanitize=undefined && build b clang -DFIX=+ -fsanitize=address && build c clang -DFIX='%' -fsanitize=undefined ; then
    found a; run b; kept "found by UBSan, replayed by clang's AddressSanitizer, whose runtime has the functions of UBSan" "UndefinedBehaviorSanitizer"
    run c; is_fixed "found by UBSan, mended"
fi

cat >test.c <<'END'
#include <sonde.h>
static int *volatile kept;
static __attribute__((noinline)) void leave(int *volatile *where) { int local = 3; *where = &local; }
SONDE_PROPERTY(p, .crash_only = true) { int own = 0; leave(&kept); if (sonde_int(t, "x", 0, 1000) < 500) kept = &own; volatile int y = *kept; (void)y; }
SONDE_MAIN()
END
if build a "$CC" -fsanitize=address; then
    ASAN_OPTIONS=detect_stack_use_after_return=1 found a
    [ "$(count)" = 0 ] || { ASAN_OPTIONS=detect_stack_use_after_return=0 run a; kept "found by an option of AddressSanitizer, replayed without it" "found in another build"; }
fi

cat >test.c <<'END'
#include <sonde.h>
#include <stdlib.h>
SONDE_PROPERTY(p, .crash_only = true) { char *volatile q = malloc(10); q[0] = 1; if (sonde_int(t, "x", 0, 1000) < 500) free(q); }
SONDE_MAIN()
END
if build a "$CC" -fsanitize=address; then
    found a --no-shrink; ASAN_OPTIONS=detect_leaks=0 run a; kept "a leak, replayed with detect_leaks=0" "LeakSanitizer"
fi

# ---- The limits decide

cat >test.c <<'END'
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
SONDE_PROPERTY(computes, .crash_only = true) { if (sonde_int(t, "x", 0, 100) == 77) while (access("endless", F_OK) == 0) continue; }
SONDE_PROPERTY(sleeps, .crash_only = true) { if (sonde_int(t, "x", 0, 100) == 77) while (access("endless", F_OK) == 0) usleep(100000); }
SONDE_MAIN()
END
# A case is endless under the short limit and ends at once under the long one, so that no load of the machine can change which of them it passes.
echo 's1:x=77 ?' >input
build a "$CC"
touch endless
found a --filter computes --inputs input --tests 1 --timeout 0.03 --no-shrink
rm endless
run a --filter computes --tests 1 --timeout 30
kept "a hang, replayed with a longer --timeout" "under --timeout 0.03, and this run has 30 s"
touch endless
run a --filter computes --tests 1 --timeout 0.05
[ $? = 1 ] && [ "$(count)" = 2 ]
report $? "it hangs under another limit as well: two tapes, each with its limit"
rm endless
run a --filter computes --tests 1 --timeout 30 --isolate=none
kept "a hang, replayed without isolation" "under --timeout"
touch endless
found a --filter sleeps --inputs input --tests 1 --wall-timeout 0.5 --no-shrink
rm endless
run a --filter sleeps --tests 1 --wall-timeout 60 --timeout 0.1
kept "a wait, replayed with a longer --wall-timeout and a shorter --timeout" "under --wall-timeout 0.5"

# ---- The file decides

cat >test.c <<'END'
#include <sonde.h>
#include <stdlib.h>
#include <unistd.h>
SONDE_PROPERTY(flaky) { int x = sonde_int(t, "x", 0, 1000); int bad = x >= 500 && access("once", F_OK) == 0 && unlink("once") == 0; sonde_check(t, !bad); }
SONDE_PROPERTY(holds) { int x = sonde_int(t, "x", 0, 1000); sonde_check(t, x >= 0); }
SONDE_MAIN()
END
build a "$CC"
touch once
found a --filter flaky
run a --filter flaky
kept "a flaky failure that passes now" "as a flaky failure"

# head KIND LINE...: a stored failure of `holds` with such a head.
head_of() {
    rm -rf store
    run a --filter holds --tests 1
    mkdir -p store
    touch once && run a --filter flaky # so that there is a store
    folder=$(dirname "$(dirname "$(find store -type d -name failures | head -n 1)")")
    rm -rf "$folder/flaky"
    mkdir -p "$folder/holds/failures"
    { echo '# sonde tape 1'; echo '# property: holds'; printf '# %s\n' "$@"; echo 's1:x=3 ?'; } >"$folder/holds/failures/0123456789abcdef.tape"
    run a --filter holds --tests 1
}
head_of 'kind: sanitizer' 'shown by: TypeSanitizer 3'; kept "a tool of a later version" "TypeSanitizer 3, which this version of sonde does not know"
head_of 'kind: hang' 'shown by: --timeout forever'; kept "a limit that is not a number" "a --timeout that its file does not name"
head_of 'kind: sanitizer'; kept "of an earlier version: a sanitizer" "AddressSanitizer"
head_of 'kind: sanitizer' 'message: reported by a sanitizer: use-of-uninitialized-value, in f'; kept "of an earlier version: MemorySanitizer" "MemorySanitizer"
head_of 'kind: leak'; kept "of an earlier version: a leak" "LeakSanitizer"
head_of 'kind: valgrind'; kept "of an earlier version: valgrind" "valgrind"
head_of 'kind: crash'; kept "of an earlier version: a crash of an unknown build" "a build, or under a limit, that its file does not name"
head_of 'kind: hang'; kept "of an earlier version: a hang under an unknown limit" "that its file does not name"
head_of 'kind: race'; kept "of an earlier version: a race" "ThreadSanitizer"
head_of 'kind: check'; is_fixed "of an earlier version: a failed check is fixed by every build"
head_of 'kind: check' 'shown by: check' 'build: clang 99, UndefinedBehaviorSanitizer'; kept "a failed check found by another build" "found in another build"

# ---- Reports

head_of 'kind: leak'
run a --filter holds --tests 1 --strict
report $? "--strict does not fail for a failure that needs another build"
run a --filter holds --tests 1 --json && grep -q '"fixed": 0, .*"not_judged": 1, "not_judged_text": "found by LeakSanitizer"' out
report $? "JSON counts it apart"
for kind in tap junit sarif github; do
    run a --filter holds --tests 1 --report $kind
    grep -q '1 stored failure cannot be judged in this build: found by LeakSanitizer' out
    report $? "so does --report $kind"
done

mkdir -p r
printf '%s\n' '# sonde tape 1' '# property: holds' '# kind: leak' 's1:x=3' >r/leak.tape
run a --filter holds --tests 1 --regressions r
[ $? = 2 ] && grep -q '1 regression not judged: needs LeakSanitizer' out && grep -q 'none of the 1 tape could be judged' out
report $? "a run whose only regression cannot be judged has status 2"
printf '%s\n' '# sonde tape 1' '# property: holds' '# kind: check' 's1:x=4' >r/check.tape
run a --filter holds --tests 1 --regressions r
[ $? = 0 ] && grep -q '1 regression not judged: needs LeakSanitizer' out
report $? "with another that can be judged it is counted apart"
run a --filter holds --tests 1 --regressions r --json && grep -q '"regressions": {"run": 2, "not_judged": 1, "not_judged_text": "needs LeakSanitizer"}' out
report $? "in JSON, too"

# ---- Two builds with one identity

cat >test.c <<'END'
#include <sonde.h>
#include <stdlib.h>
SONDE_PROPERTY(p, .crash_only = true) { if (sonde_int(t, "x", 0, 1000) >= 500 + FIX) abort(); }
SONDE_MAIN()
END
build a "$CC" -DFIX=0 && build b "$CC" -O2 -DFIX=0 && build c "$CC" -DFIX=1000 && build d "$CC" -O2 -DFIX=1000
found a
run b
[ $? = 1 ] && [ "$(count)" = 2 ] && run a
[ $? = 1 ] && [ "$(count)" = 2 ]
report $? "one failure of two builds has two tapes, however often they run"
run c && [ "$(count)" = 1 ] && [ "$(count fixed)" = 1 ] && grep -q 'cannot be judged in this build: found in another build' out
report $? "one build mended: its tape is set aside, the other's is kept"
run d && [ "$(count)" = 0 ]
report $? "the other build mended: its tape is set aside, too"

# ---- Schedules

cat >test.c <<'END'
#include <pthread.h>
#include <sonde.h>
#include <stdlib.h>
static int n, own[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *u)
{
    for (int i = 0; i < 4; i++) own[i]++;
    if (FIX || getenv("FIXED")) pthread_mutex_lock(&lock);
    int was = n;
    n = was + 1;
    if (FIX || getenv("FIXED")) pthread_mutex_unlock(&lock);
    return u;
}
static int other(int x) { return MORE(x) * 3; }
static void both(sonde *t, void *u)
{
    pthread_t a, b;
    n = 0;
    pthread_create(&a, NULL, add, u), pthread_create(&b, NULL, add, u);
    pthread_join(a, NULL), pthread_join(b, NULL);
    sonde_check(t, n == 2);
}
SONDE_PROPERTY(p) { volatile int x = other(sonde_int(t, "x", 0, 9)); (void)x; sonde_threads(t, "s", both, NULL); }
SONDE_MAIN()
END
threads() { # DIRECTORY FLAG...
    mkdir -p "$1"
    directory=$1
    shift
    "$BUILD/sonde" cc --threads "$@" -w -gdwarf-4 test.c -o "$directory/test" >out 2>&1
}
threads a --sonde-cc="$CC" -O1 -DFIX=0 '-DMORE(x)=x' && threads b --sonde-cc="$CC" -O0 -DFIX=0 '-DMORE(x)=x' &&
    threads c --sonde-cc="$CC" -O1 -DFIX=0 '-DMORE(x)=(x*7+1)' && threads d --sonde-cc="$CC" -O1 -DFIX=1 '-DMORE(x)=x'
report $? "four builds with threads under control"
found a && grep -q '^# steps: fibers ' "$(tapes)"
report $? "a schedule is stored with its steps"
cp "$(tapes)" schedule.tape
run b --tests 1
[ $? = 1 ] && [ "$(count)" = 2 ] && [ "$(count fixed)" = 0 ]
report $? "another build: the failure is found near its schedule, and both tapes are kept"
found a && run c --tests 1
[ $? = 1 ] && [ "$(count)" = 1 ] && ! cmp -s "$(tapes)" schedule.tape
report $? "the same kind of build of a changed program: it is found again, and its tape is refreshed"
found a
run d
kept "mended: no run can know, and the tape is kept" "found by a build with different steps of threads"
found a
FIXED=1 run a
[ "$(count)" = 1 ] && [ "$(count fixed)" = 0 ] && grep -q 'although the steps of threads are the same as when it failed' out
report $? "the very program that showed it no longer does: the tape is kept as stale"
sed -i '/^# steps:/d; /^# shown by:/d; /^# build:/d; /^# checksum:/d' "$(tapes)"
run d
kept "of an earlier version: its steps are not known" "found by a build with different steps of threads"
rm -rf r store
mkdir r && cp schedule.tape r/
run b --tests 1 --no-store --regressions r
[ $? = 1 ] && grep -q 'From the regression r/schedule.tape' out
report $? "a regression of another build fails by a schedule near it"
FIXED=1 run a --tests 1 --no-store --regressions r
[ $? = 2 ] && grep -q 'no longer fails' out
report $? "a regression that this very program no longer shows has status 2"
run d --tests 1 --no-store --regressions r
[ $? = 2 ] && grep -q '1 regression not judged: needs a build with different steps of threads' out
report $? "the only regression, mended: not judged, status 2"

# ---- Inside of another program

cat >test.c <<'END'
#include <sonde.h>
#include <stdlib.h>
static void p(sonde *t) { char *q = calloc(10, 1); volatile int at = sonde_int(t, "x", 0, 1000) >= 500 ? 10 : 0; volatile char c = q[at]; (void)c; free(q); sonde_check(t, true); }
int main(void) { return sonde_run(p, &(sonde_config){.name = "p", .seed = 1, .store = "store", .isolate = SONDE_ISOLATE_WORKER}); }
END
# Such a program is known by its path alone.
rm -rf store
build a "$CC" -fsanitize=address
a/test >out 2>&1
[ $? = 1 ] && [ "$(count)" = 1 ]
report $? "sonde_run: found by AddressSanitizer"
build a "$CC"
a/test >out 2>&1
kept "sonde_run: found by AddressSanitizer, replayed without" "AddressSanitizer"

# ---- AddressSanitizer reports the fault in a guard page, in code that is not compiled with it.
cat >last.c <<'END'
int after(const unsigned char *bytes, int n) { return bytes[n]; }
END
"$CC" -O1 -c last.c -o last.o
cat >test.c <<'END'
#include <sonde.h>
int after(const unsigned char *bytes, int n);
static void p(sonde *t)
{
    size_t n;
    const unsigned char *bytes = sonde_bytes(t, "bytes", 1, 30, &n);
    sonde_check(t, after(bytes, (int)n) >= 0);
}
SONDE_MAIN(p)
END
for compiler in "$CC" ${has_clang:+clang}; do
    mkdir -p guarded
    "$compiler" -w -g -fsanitize=address -I"$SRC/include" test.c last.o "$BUILD/libsonde.a" -lm -pthread -o guarded/test >out 2>&1 && found guarded --guard
    report $? "an overrun in a library is found by AddressSanitizer with --guard ($compiler)"
    run guarded
    kept "... and not called fixed by a run without --guard ($compiler)" "AddressSanitizer with --guard"
    run guarded --guard
    [ $? = 1 ] && [ "$(count)" = 1 ]
    report $? "... with it, it still fails ($compiler)"
done
echo "1..$n"
