#!/bin/sh
# What a program under --threads does not see is in its report: code that was compiled otherwise, plain accesses that race.
# Stages: gcc clang
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
cc="sonde cc --threads --sonde-cc=$CC -Wall -Wextra -Werror -g -O1"

cat >main.c <<'END'
#include <pthread.h>
#include <sonde.h>
void raise_it(int *counter);
static int counter;
static void *raises(void *unused)
{
    raise_it(&counter);
    return unused;
}
static void run(sonde *t, void *unused)
{
    pthread_t a, b;
    counter = 0;
    pthread_create(&a, NULL, raises, unused);
    pthread_create(&b, NULL, raises, unused);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sonde_check_eq(t, counter, 2);
}
static void no_update_is_lost(sonde *t)
{
    sonde_threads(t, "run", run, NULL);
}
SONDE_MAIN(no_update_is_lost)
END
echo 'void raise_it(int *counter); void raise_it(int *counter) { ++*counter; }' >raise.c
echo 'const int only_data = 1;' >data.c
$CC -g -O1 -c raise.c -o plain.o && $CC -c data.c -o data.o && $cc -c raise.c -o seen.o >log 2>&1 || exit 1
mkdir libs && ar rc libs/libplain.a data.o plain.o && ar rc libs/libseen.a seen.o
echo 'plain.o' >response

# says TEXT INPUT...: a program with these inputs says this in its report.
says() {
    text=$1
    shift
    $cc main.c "$@" -o program >log 2>&1 && ./program --seed 1 --no-store --tests 300 >>log 2>&1 </dev/null
    grep -q "Not seen: no thread was interrupted in $text, which was not compiled" log
    report $? "$text is named: $*"
}
says plain.o plain.o
says libplain.a libs/libplain.a
says libplain.a -Llibs -lplain
says libplain.a -L libs -l plain
says plain.o @response
for input in seen.o libs/libseen.a "seen.o data.o"; do
    # shellcheck disable=SC2086
    $cc main.c $input -o program >log 2>&1 && ./program --seed 1 --no-store --tests 300 >>log 2>&1 </dev/null
    [ $? = 1 ] && ! grep -q 'no thread was interrupted' log
    report $? "the lost update is found in $input, and nothing is named"
done
printf '\177ELF\002\001\001' >cut.o
printf '!<arch>\nx/              0           0     0     644     99999999  `\n' >cut.a
sonde cc --threads --sonde-cc="$CC" --print main.c cut.o cut.a >log 2>&1
report $? "objects and archives that are cut off do no harm"

cat >volatile.c <<'END'
#include <pthread.h>
#include <sonde.h>
static volatile int wants[2], turn, counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *petersons(void *other)
{
    int me = !other;
    wants[me] = 1;
    turn = !me;
    while (wants[!me] && turn == !me) continue;
    counter = counter + 1;
    wants[me] = 0;
    return NULL;
}
static void *locks(void *unused)
{
    pthread_mutex_lock(&lock);
    counter = counter + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
static void run(sonde *t, void *(*fn)(void *))
{
    pthread_t a, b;
    counter = wants[0] = wants[1] = turn = 0;
    pthread_create(&a, NULL, fn, NULL);
    pthread_create(&b, NULL, fn, t);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sonde_check_eq(t, (int)counter, 2);
}
static void run_petersons(sonde *t, void *unused) { run(t, petersons); (void)unused; }
static void run_locks(sonde *t, void *unused) { run(t, locks); (void)unused; }
SONDE_PROPERTY(volatile_is_not_atomic) { sonde_threads(t, "run", run_petersons, NULL); }
SONDE_PROPERTY(locked) { sonde_threads(t, "run", run_locks, NULL); }
SONDE_PROPERTY(looks_for_races) { sonde_find_races(t); sonde_threads(t, "run", run_petersons, NULL); }
SONDE_MAIN()
END
$cc volatile.c -o volatile >log 2>&1
./volatile --seed 1 --no-store --tests 300 --filter volatile >>log 2>&1 </dev/null
[ $? = 0 ] && grep -q 'Not seen: plain accesses to the same memory without synchronization (a data race)' log
report $? "a lock made of volatile variables: the race is named"
./volatile --seed 1 --no-store --tests 300 --filter locked >log 2>&1 </dev/null
[ $? = 0 ] && ! grep -q 'data race' log
report $? "accesses under a lock are not named"
./volatile --seed 1 --no-store --tests 300 --filter looks_for_races >log 2>&1 </dev/null
[ $? = 1 ] && grep -q 'data race: thread' log
report $? "sonde_find_races makes it a failure"

# What the linker is told to wrap is what addons/threads/ has.
nm -g "$BUILD/libsonde_threads.a" 2>/dev/null | sed -n 's/.* [TW] __wrap_//p' | sort >defined
sed -n '/\[\] = {/,$p' "$SRC/tools/libc_calls.h" | tr ',{' '\n\n' | sed -n 's/^[^"]*"\([a-z_A-Z0-9]*\)".*/\1/p' | sort >wrapped
diff defined wrapped >log && [ "$(wc -l <defined)" -gt 100 ]
report $? "every function of the C library that is wrapped has its access"
echo "1..$n"
