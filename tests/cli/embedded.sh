#!/bin/sh
# Properties inside a host that dies with them: the input is written before the signal goes where it would have gone.
#
# With sanitizers that do not let code go on, UBSan sees a null pointer or a division before there is a signal: it ends the host
# itself, with status 1, and the host's handlers have nothing to handle. A stack that overflowed is ended by AddressSanitizer
# after its report, with status 1, too. clang links the runtime's _exit, and sonde cannot replace it (docs/isolation.md): there
# _exit is tested in workers only. All other ends are the same.
# Stages: gcc
case ${STAGE:-gcc} in
asan*)
    segv=1 division=1 overflow=1 handled=1
    said_segv='undefined behaviour (null-pointer-use): ' said_division='undefined behaviour (integer-divide-by-zero): '
    by_host() { ! grep -q '^host:' log; }
    ;;
*)
    segv=139 division=136 overflow=139 handled=3
    said_segv=SIGSEGV said_division=SIGFPE
    by_host() { says "host: $1"; }
    ;;
esac
case ${STAGE:-gcc} in asan-clang) replaces_exit=false ;; *) replaces_exit=true ;; esac
host=$BUILD/tests/misbehave/embedded
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; head -c 3000 log | sed 's/^/# /'; fi
}
# says PATTERN...: the log has all of these.
says() { for pattern in "$@"; do grep -qF -- "$pattern" log || return 1; done; }
# dies STATUS PROPERTY [ARGUMENT]: with values, token and seed on standard error.
dies() {
    want=$1
    shift
    (ulimit -c 0; timeout 120 "$host" "$@") >out 2>log </dev/null
    status=$?
    echo "# status $status" >>log
    [ $status = "$want" ] && ! grep -q 'host: status' out && says '      name = "\""' 'Seed 1, case ' \
        && grep -qE '^        n = ([5-9][0-9]{2}|1000)$' log \
        && grep -qE '^      s1:xs\[\{x=5\.0+e-01\} \{x=5\.0+e-01\}\] pair\{name=%22 n=([5-9][0-9]{2}|1000)\} \?$' log
}
dies $segv segv && says "FAIL segv: $said_segv"
report $? "a crash writes its input, and ends the host as it would have without sonde"
token=$(sed -n 's/^      \(s1:.*\)/\1/p' log)
SONDE_REPLAY="$token" "$host" segv >out 2>log
[ $? = $segv ] && says "$token"
report $? "the token leads back to the crash, through the environment"
dies $division division && says "FAIL division: $said_division"
report $? "a division by zero does"
dies 134 abort && says 'FAIL abort: SIGABRT'
report $? "an abort does"
dies $overflow overflow && says 'FAIL overflow: SIGSEGV'
report $? "a stack that overflowed does"
dies 134 hang && says 'did not end within its processor time'
report $? "a hang ends"
dies 134 waits && says 'did not end within its time limit'
report $? "a case that waits for ever ends"
dies 1 exit && says 'ended the process (exit)'
report $? "an exit writes its input, and is no success"
dies 1 quick && says 'ended the process (quick_exit)'
report $? "a quick_exit does"
if $replaces_exit; then
    dies 1 at_once && says 'ended the process (_exit)'
    report $? "an _exit does"
fi
for when in setup teardown; do
    SONDE_TESTS=1 "$host" exit $when >out 2>log
    [ $? = 2 ] && [ ! -s out ] && says 'worker_setup or worker_teardown of exit ended the process (exit); let it return'
    report $? "an exit in worker_$when is no success"
    $replaces_exit || continue
    SONDE_TESTS=1 "$host" at_once $when >out 2>log
    [ $? = 2 ] && [ ! -s out ] && says 'worker_setup or worker_teardown of at_once ended the process (_exit); let it return'
    report $? "an _exit in worker_$when is no success"
done
dies $handled segv handler && by_host segv
report $? "the host's handler of SIGSEGV runs after that, if there is a signal"
dies $handled division handler && by_host fpe
report $? "the host's handler of SIGFPE runs after that, if there is a signal"
dies 3 abort handler && says 'host: abort'
report $? "the host's handler of SIGABRT runs after that"
dies 3 hang handler && says 'host: abort'
report $? "the host's handler of SIGABRT runs after a hang"
dies $segv segv thread && says 'sonde: segv runs without isolation, because this program has 2 threads and a fork would have only one of them; a crash will end the program'
report $? "with a second thread a property runs without isolation, a sentence says so, and the input is written"
for kind in segv division abort overflow hang waits exit quick at_once; do
    SONDE_ISOLATE=worker "$host" "$kind" >out 2>log
    [ $? = 1 ] && grep -q 'host: status 1' out && says "sonde_replay($kind, \"s1:xs[{x=0.5} {x=0.5}] pair{name=%22 n=500} ?\")"
    report $? "in a worker, '$kind' is a failure with its shrunk input, and the host goes on"
done
echo "1..$n"
