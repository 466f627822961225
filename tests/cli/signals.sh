#!/bin/sh
# Signals. One that the code under test sends to itself, its group or its parent is a failure of the case, with its name; what
# it does with signals of its own accord is its affair.
# Stages: gcc
signals=$BUILD/tests/misbehave/signals
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }

# sends NAME TEXT OPTION...: fails for x = 37, with TEXT for a message. The token of a case that was ended by the
# signal has a ?; one that sent it to its parent comes to its end.
sends() {
    name=$1 text=$2 token='s1:x=37 ?'
    case $name in parent_*) token=s1:x=37 ;; esac
    shift 2
    "$signals" --filter "$name" --json --seed 1 --tests 200 --no-store "$@" >out 2>err </dev/null
    status=$?
    [ $status = 1 ] && grep -qF '"verdict": "falsified"' out && grep -qF '"kind": "crash"' out && grep -qF -- "\"message\": \"$text" out &&
        grep -qF "\"token\": \"$token\"" out
    result=$?
    report $result "$name $*: $text"
    [ $result = 0 ] || { echo "# status $status"; grep -o '"token": "[^"]*"' out | sed 's/^/# /'; show out err; }
}

passes() {
    "$signals" --filter "$1" --seed 1 --tests 200 --no-store $2 >out 2>err </dev/null
    result=$?
    report $result "$1 $2: passes"
    [ $result = 0 ] || { echo "# status $result"; show out err; }
}

sends raises_int 'SIGINT (Interrupt), in send_itself, called from raises_int'
sends raises_term 'SIGTERM (Terminated), in send_itself, called from raises_term'
sends raises_hup 'SIGHUP (Hangup), in send_itself, called from raises_hup'
sends raises_quit 'SIGQUIT (Quit), in send_itself, called from raises_quit'
sends raises_usr1 'SIGUSR1 (User defined signal 1), in send_itself, called from raises_usr1'
sends raises_rt "signal $(($(kill -l RTMIN 2>/dev/null || echo 34) + 1)) (Real-time signal 1), in send_itself"
# clang links AddressSanitizer's own write into the program.
case $STAGE in asan-clang) in_write='write, called from ' ;; *) in_write= ;; esac
sends breaks_pipe "SIGPIPE (Broken pipe), in ${in_write}breaks_pipe"
sends rings_alarm 'SIGALRM (Alarm clock)'
sends group_int 'SIGINT (Interrupt), in send_group, called from group_int'
sends group_term 'SIGTERM (Terminated), in send_group, called from group_term'
sends child_group 'SIGTERM (Terminated)'
to_parent=', which it sent to its parent process"'
sends parent_term "SIGTERM (Terminated)$to_parent"
sends parent_int "SIGINT (Interrupt)$to_parent"
sends parent_quit "SIGQUIT (Quit)$to_parent"
sends parent_usr1 "SIGUSR1 (User defined signal 1)$to_parent"
sends parent_term "SIGTERM (Terminated)$to_parent" --isolate case
# With two jobs the case that sent it may be long past when the supervisor hears it: a failure, perhaps without its input.
"$signals" --filter parent_term --seed 1 --tests 200 --no-store --json --jobs 2 >out 2>err </dev/null
[ $? = 1 ] && grep -qF 'which it sent to its parent process' out
report $? "parent_term --jobs 2: a failure"
sends group_int 'SIGINT (Interrupt), in send_group, called from group_int' --isolate case
passes handles
passes ends_child
passes ends_child '--isolate case'

# What was ignored when the program was started is no excuse.
(trap '' INT HUP; "$signals" --filter raises_int --seed 1 --tests 200 --no-store >out 2>err </dev/null)
[ $? = 1 ] && grep -qF 'SIGINT (Interrupt), in send_itself' out
report $? "a signal that the shell has ignored is a failure all the same"

# ---- A signal from outside ends the run, and nothing that was cut short is called ok.

interrupted=$BUILD/tests/misbehave/interrupted

# run_and SIGNAL OPTION...: starts it, sends the signal when the second property has begun; status and out are left.
run_and() {
    to_send=$1
    shift
    rm -f mark
    MARK=mark "$interrupted" --seed 1 --tests 1000000000 --time 0 --no-store "$@" >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 600); do
        [ ! -e mark ] && kill -0 $pid 2>/dev/null || break
        sleep 0.1
    done
    for one in $to_send; do kill -"$one" $pid; done
    wait $pid
    status=$?
}
expect() {
    result=$?
    report $result "$1"
    [ $result = 0 ] || { echo "# status $status"; show out err; }
}

for signal in INT:130 TERM:143 HUP:129; do
    run_and ${signal%:*} --report junit:junit,tap:tap,json:json,terminal
    [ $status = ${signal#*:} ]
    expect "SIG${signal%:*}: status ${signal#*:}"
    grep -q '^ok   ends: ' out && grep -q '^INTERRUPTED runs_on: no failure in ' out && grep -q '^NOT RUN not_come_to: ' out &&
        grep -q '^3 properties: 1 holds, 1 interrupted, 1 not run\.$' out
    expect "SIG${signal%:*}: for people"
done
[ "$(grep -o '"verdict": "[a-z_]*"' json | tail -n 2 | tr '\n' ' ')" = '"verdict": "interrupted" "verdict": "not_run" ' ]
expect "in JSON"
[ "$(grep -c '^not ok\|^ok' tap)" = 3 ] && grep -qx 'not ok 2 - runs_on # interrupted' tap && grep -qx 'not ok 3 - not_come_to # not run' tap
expect "in TAP"
grep -q '<testsuite name="interrupted" tests="3" failures="0" errors="2" skipped="0"' junit && grep -q 'type="not_run"' junit
expect "in JUnit"

run_and INT --fuzz --filter runs_on
[ $status = 130 ] && grep -q '^INTERRUPTED runs_on: no failure in ' out
expect "--fuzz is ended by Ctrl-C, which is no pass"
FAILS=1 run_and INT
[ $status = 1 ] && grep -q '1 falsified, 1 interrupted, 1 not run' out
expect "a failure wins over the signal"
RUNS_ON_FAILS=1 run_and TERM --keep-going --filter runs_on
[ $status = 1 ] && grep -q '^FAIL runs_on' out
expect "in the property that was interrupted, too"
MISUSES=1 run_and INT
[ $status = 2 ]
expect "and so does misuse"
HANGS=1 run_and 'INT TERM' --wall-timeout 0
[ $status = 130 ] || [ $status = 143 ]
expect "a second signal ends it at once, with the status of a signal"
FAILS=1 HANGS=1 run_and 'INT TERM' --wall-timeout 0
[ $status = 1 ]
expect "or of the failure that it has shown"
(trap '' HUP; run_and HUP --runs 2000; [ $status = 0 ])
expect "SIGHUP stays ignored under nohup"

# A shell ends its loop only for a program that died of the signal.
"$BUILD/tests/cli/pty" 80 24 'runs_on: ' sh -c "for i in 1 2 3; do '$interrupted' --tests 1000000000 --time 120 --no-store; echo went on; done" >out
! grep -q 'went on' out
expect "Ctrl-C in a loop of the shell ends the loop"
echo "1..$n"
