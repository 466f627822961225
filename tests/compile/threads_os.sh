#!/bin/sh
# Threads of the kernel's under control: sonde cc --threads=os, with both compilers. What fibers cannot host, ends of all kinds, and
# that a tape means the same as with fibers.
# Stages: gcc clang
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
sources=$SRC/tests/compile/threads

# build NAME MODE FILE [FLAG]...
build() {
    name=$1 mode=$2 file=$3
    shift 3
    sonde cc "$mode" --sonde-cc="$CC" -Wall -Wextra -Werror -g -O1 "$file" -L. "$@" -o "$name" >log 2>&1
}
$CC -shared -fPIC "$sources/outside.c" -o liboutside.so >log 2>&1 &&
    build os --threads=os "$sources/os.c" -loutside -Wl,-rpath,"$PWD" &&
    build fibers --threads=fibers "$sources/os.c" -loutside -Wl,-rpath,"$PWD" &&
    build os_programs --threads=os "$sources/programs.c" && build fiber_programs --threads "$sources/programs.c"
report $? "programs are made for both kinds of threads"
sonde cc --threads=green "$sources/os.c" -o none >log 2>&1
[ $? = 2 ] && grep -q 'write --threads=fibers (the default) or --threads=os' log
report $? "another kind is refused"

# run PROGRAM STATUS PROPERTY TEXT...: it ends so, and says all of this.
run() {
    program=$1 wanted=$2 property=$3
    shift 3
    "./$program" --seed 1 --no-store --tests 200 --filter "$property" >log 2>&1 </dev/null
    got=$?
    for text; do grep -qF -- "$text" log || got=missing; done
    [ "$got" = "$wanted" ]
    report $? "$program: $property: status $wanted, ${1:-ok}"
}
run os 0 right_published_local 'Threads: of the operating system, one at a time'
run fibers 1 right_published_local
run os 0 right_numbers 'Threads: of the operating system, one at a time'
run fibers 0 right_numbers
run os 1 lost_update_of_a_local 'owned == 3' 'thread 2'
for property in right_library_locals right_jumps right_destructors right_early_exit; do run os 0 $property; done
run os 1 crash_elsewhere 'SIGSEGV' 'in crashes' 'thread 1' 'ends the process'
run os 1 overflow_elsewhere 'the stack overflowed' 'overflow'
run os 1 abort_elsewhere 'SIGABRT' 'in aborts'
run os 1 exit_elsewhere 'ended the process with status 3' 'in exits'
run os 1 claim_elsewhere '1 == 2' 'leaves the case'
for property in crash_elsewhere exit_elsewhere claim_elsewhere; do
    ./os --seed 1 --no-store --isolate none --filter $property >log 2>&1 </dev/null
    [ $? != 0 ] && grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log
    report $? "$property without a process of its own"
done
./os --seed 1 --no-store --tests 200 --filter claim_elsewhere --json >log 2>&1
grep -q '"threads": "os"' log
report $? "JSON says which kind it was"
./fibers --seed 1 --no-store --tests 200 --filter right_jumps --json >log 2>&1
grep -q '"threads": "fibers"' log
report $? "also of fibers"

# Cases that are left in the middle leave no threads and no memory behind: the property aborts if there is more and more of it.
./os --seed 1 --no-store --runs "10000${SONDE_TEST_LONG:+0}" --max-discards 1000000 --filter left_in_the_middle >log 2>&1 </dev/null
grep -q 'GAVE UP.*none of 10*,000 inputs' log
report $? "threads of a case that is left are gone"

if [ -n "$SONDE_TEST_LONG" ]; then
    for property in loop_elsewhere unseen_loop_elsewhere; do
        ./os --seed 1 --no-store --tests 10 --timeout 0.2 --wall-timeout 300 --filter $property >log 2>&1 </dev/null
        [ $? = 1 ] && grep -q 'within its processor time limit of 0.2 s (--timeout), in loops_' log
        report $? "$property: it is ended, and its place is that of the thread that loops"
    done
fi

# The same tape, the same run: cases, shrinking, columns and token are those of fibers.
clean() { sed -e 's/ in [0-9.]* m*s/ in a time/; s/\.\/[a-z]*_programs/program/; /^  Threads: of the operating system/d'; }
same() {
    ./fiber_programs --no-store --tests 200 --seed 2 --filter "$1" 2>&1 </dev/null | clean >wanted
    ./os_programs --no-store --tests 200 --seed 2 --filter "$1" 2>&1 </dev/null | clean >got
    diff wanted got >log
    report $? "$1: the same run as with fibers"
}
more="lost_wake_up use_after_free leaked_thread draw_elsewhere right_in_c11 right_by_futex together_waiting"
for property in lost_update lock_order no_progress data_race fork_inside all_right right_spinning together_racy ${SONDE_TEST_LONG:+$more}; do
    same $property
done
token=$(./fiber_programs --no-store --seed 1 --filter lost_update --json 2>/dev/null | sed -n 's/.*"token": "\([^"]*\)".*/\1/p')
./os_programs --no-store --filter lost_update --replay "$token" >log 2>&1 </dev/null
[ $? = 1 ] && grep -q 'counter == 2' log
report $? "a token of fibers replays"
for how in "--isolate case" "--jobs 2" "--spawn"; do
    # shellcheck disable=SC2086
    ./os_programs --seed 3 --no-store --tests 200 --filter lock_order $how >log 2>&1 </dev/null
    [ $? = 1 ] && grep -q 'deadlock' log
    report $? "a deadlock is found with $how"
done

cxx=$(echo "$CC" | sed 's/gcc/g++/; s/clang/clang++/')
if [ -z "$SONDE_TEST_LONG" ]; then
    : # C++ takes long to compile
elif sonde c++ --threads=os --sonde-cc="$cxx" -Wall -Wextra -Werror -std=c++17 -g -O1 "$sources/cpp.cpp" -o cpp >log 2>&1; then
    run cpp 1 lost_update 'counter == 2'
    run cpp 1 lock_order 'thread 1 waits for a mutex that thread 2 holds'
    run cpp 1 not_joined 'SIGABRT'
    for property in right_locals right_exceptions right_exit right_library; do run cpp 0 $property; done
else
    report 1 "a program in C++ is compiled and linked"
fi
echo "1..$n"
