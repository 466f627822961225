#!/bin/sh
# Pages in a real browser, Chromium: no message on the console, no request leaves, series are those of the data, the
# baseline is marked, nothing overflows, at two widths, light and dark. Then the live page of --serve: newer numbers, its
# buttons, a choice of property. Long: SONDE_TEST_LONG.
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
[ -n "${SONDE_TEST_LONG:-}" ] || { echo "a browser is started in check-long only"; exit 77; }
command -v node >/dev/null || { echo "node is not installed"; exit 77; }
for name in chromium chromium-headless-shell chromium-browser google-chrome; do command -v $name >/dev/null && found=1; done
[ -n "${found:-}" ] || { echo "Chromium is not installed"; exit 77; }
pages=$BUILD/tests/cli/pages
export SONDE_TOOL=$BUILD/sonde
cat >covered.c <<'TEXT'
#include <sonde.h>
#include <stdlib.h>
static int sign(int x)
{
    if (x < 0)
        return -1;
    if (x > 900 && getenv("FURTHER"))
        return 2;
    return x > 0;
}
static void checked(sonde *t)
{
    int x = sonde_int(t, "x", -1000, 1000);
    sonde_assume(t, x % 2 == 0);
    sonde_check(t, sign(x) < 3);
}
SONDE_MAIN(checked)
TEXT
cat >counter.c <<'TEXT'
#include <pthread.h>
#include <sonde.h>
static int counter;
static void *add(void *unused)
{
    counter++;
    return unused;
}
static void run(sonde *t, void *arg)
{
    pthread_t a, b;
    (void)arg;
    counter = 0;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sonde_check_eq(t, counter, 2);
}
static void no_update_is_lost(sonde *t) { sonde_threads(t, "run", run, NULL); }
SONDE_MAIN(no_update_is_lost)
TEXT
{
    for one in holds is_proved is_falsified gives_up is_flaky crashes covers_too_little; do
        "$pages" --no-store --seed 1 --tests 1000 --filter $one --report html:$one.html
    done
    "$pages" --no-store --seed 1 --tests 2000 --filter holds --jobs 2 --report html:jobs.html
    PAGES_MANY=193 "$pages" --no-store --seed 1 --tests 50 --report html:many.html
    "$BUILD/tests/cli/hostile_reports" --no-store --seed 1 --tests 100 --report html:hostile.html
    "$SONDE_TOOL" cc -g covered.c -o covered && ./covered --no-store --seed 1 --tests 500 --report html:before.html
    FURTHER=1 ./covered --no-store --seed 1 --tests 500 --baseline before.html --report html:baseline.html
    "$SONDE_TOOL" cc --threads -g -O1 counter.c -o counter && ./counter --no-store --seed 1 --report html:threads.html
} >log 2>&1
cat >live.c <<'TEXT'
#include <sonde.h>
#include <unistd.h>
static void quick(sonde *t) { sonde_check(t, sonde_int(t, "x", 0, 1000000) >= 0); }
static void slow(sonde *t)
{
    usleep(5000);
    sonde_check(t, sonde_int(t, "x", 0, 1000000) >= 0);
}
SONDE_MAIN(quick, slow)
TEXT
"$SONDE_TOOL" cc live.c -o live >>log 2>&1
node "$SRC/tests/lib/browser.mjs" *.html
pages_status=$?
"$SONDE_TOOL" serve 2>err </dev/null
if grep -q 'without a server' err; then
    echo "# sonde was built without libmicrohttpd: the live page is left out"
    exit $pages_status
fi
echo "# the live page"
node "$SRC/tests/lib/live.mjs" ./live --no-store --seed 1 --tests 20000 --time 0 --serve && exit $pages_status
