#!/bin/sh
# Signals. One that the code under test sends to itself, its group or its parent is a failure of the case, with its name; what
# it does with signals of its own accord is its affair.
signals=$BUILD/tests/misbehave/signals
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 12; }

# sends NAME TEXT OPTION...: fails for x = 37, with TEXT for a message.
sends() {
    name=$1 text=$2
    shift 2
    "$signals" --filter "$name" --json --seed 1 --tests 200 --no-store "$@" >out 2>err </dev/null
    status=$?
    [ $status = 1 ] && grep -qF '"verdict": "falsified"' out && grep -qF '"kind": "crash"' out && grep -qF -- "\"message\": \"$text" out &&
        grep -qF '"token": "s1:x=37"' out
    result=$?
    report $result "$name $*: $text"
    [ $result = 0 ] || { echo "# status $status"; show out err; }
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
sends breaks_pipe 'SIGPIPE (Broken pipe), in breaks_pipe'
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
sends parent_term "SIGTERM (Terminated)$to_parent" --jobs 2
sends group_int 'SIGINT (Interrupt), in send_group, called from group_int' --isolate case
passes handles
passes ends_child
passes ends_child '--isolate case'

# What was ignored when the program was started is no excuse.
(trap '' INT HUP; "$signals" --filter raises_int --seed 1 --tests 200 --no-store >out 2>err </dev/null)
[ $? = 1 ] && grep -qF 'SIGINT (Interrupt), in send_itself' out
report $? "a signal that the shell has ignored is a failure all the same"
echo "1..$n"
