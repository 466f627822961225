#!/bin/sh
# What a test that `sonde new` tries cannot do to the user: change files elsewhere in any way, send signals, stay.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | cut -c 1-300 | tail -n 15; fi; }
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive is not built"; exit 77; }
cat >probe.c <<'TEXT'
#include <unistd.h>
int main(void) { int v = syscall(444, (void *)0, 0, 1); return v < 0 ? 0 : v; } /* the version of Landlock */
TEXT
$CC -w probe.c -o probe || exit 1
./probe
landlock=$?
[ $landlock -ge 1 ] || { echo "no Landlock"; exit 77; }

echo 'int parse_harm(const char *text);' >harm.h
cat >harm.c <<'TEXT'
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static const char *in(const char *name)
{
    static char path[4096];
    return strcat(strcat(strcpy(path, getenv("VICTIMS")), "/"), name);
}
int parse_harm(const char *text)
{
    static int n;
    if (n++) return text[0];
    if (truncate(in("truncated"), 0) != 0) n++;
    open(in("opened"), O_RDONLY | O_TRUNC);
    open(in("written"), O_WRONLY | O_TRUNC);
    chmod(in("mode"), 0);
    fchmod(open(in("mode"), O_RDONLY), 0);
    syscall(SYS_fchmodat, AT_FDCWD, in("mode"), 0);
    unlink(in("unlinked"));
    system("rm -f \"$VICTIMS/removed\"");
    if (getenv("SHARED")) unlink(getenv("SHARED"));
    if (kill(-1, 0) == 0) n = -1000; /* it may send signals to all: the file tells of it */
    kill(atoi(getenv("VICTIM")), SIGTERM);
    if (n < 0) abort();
    if (fork() == 0) { /* leaves its parents and the terminal */
        if (fork() == 0) {
            setsid();
            for (int i = 0; i < 32; i++) close(i);
            execlp(getenv("STAYS"), "stays", (char *)0);
        }
        _exit(0);
    }
    usleep(100000);
    return 0;
}
TEXT
echo 'unsigned alarm(unsigned); int pause(void); int main(void) { alarm(60); for (;;) pause(); }' >stays.c
$CC stays.c -o stays
mkdir victims temporary
for name in truncated opened written mode unlinked removed; do echo precious >victims/$name; done
./stays &
victim=$!
shared=$(mktemp /dev/shm/sonde-new-test.XXXXXX 2>/dev/null)
VICTIMS=$PWD/victims VICTIM=$victim STAYS=$PWD/stays SHARED=$shared TMPDIR=$PWD/temporary "$BUILD/sonde" new --all harm.h harm.c >log 2>&1
report $? "the test is tried"
grep -q '^sonde new crash parse_harm' log && ! grep -q 'fails at once' log
report $? "the test passes; it may not send signals to all processes"
for name in written unlinked removed mode truncated opened; do
    what=$name
    if [ $name = opened ] && [ $landlock -lt 3 ]; then echo "ok $((n += 1)) - $what # SKIP this needs Linux 6.2"; continue; fi
    [ "$(cat victims/$name 2>&1)" = precious ] && [ "$(stat -c %a victims/$name)" != 0 ]
    report $? "a file stays as it is: $what"
done
[ -z "$shared" ] || [ -e "$shared" ]
report $? "a file in shared memory stays"
rm -f "$shared"
if [ $landlock -lt 6 ]; then echo "ok $((n += 1)) - a process is not ended # SKIP this needs Linux 6.12"; else
    kill -0 $victim
    report $? "a process is not ended"
fi
kill $victim
left=
for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe" 2>/dev/null)" = "$PWD/stays" ] && [ "${process#/proc/}" != $victim ] && left="$left ${process#/proc/}"
done
[ -z "$left" ]
report $? "no process is left"
# shellcheck disable=SC2086
[ -z "$left" ] || kill $left
[ -z "$(ls -A temporary)" ]
report $? "no file is left"
echo "1..$n"
