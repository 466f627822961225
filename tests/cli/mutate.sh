#!/bin/sh
# --mutate and --mutant, on code whose mutants were written by hand: one for each fate, each kind of kill and each effect.
# Stages: gcc
# Not sanitized (a sanitizer notices some mutants that survive here)
test=$BUILD/tests/cli/mutated
plain=$BUILD/tests/cli/counting
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-400 | head -n 40; fi; }
run() { "$@" >out 2>err </dev/null; status=$?; }
says() { [ $status = "$1" ] && grep -qF -- "$2" err && [ ! -s out ]; }
# The result without what depends on the machine: paths and times.
result() { sed "s|$BUILD|BUILD|g; /^[0-9.]* m*s, seed/d" out; }

# Everything but the property that fails without a mutant. The mutant that stops itself waits for a limit: 0.3 s are enough.
good="--filter !is_wrong --no-store --wall-timeout 0.3"
run "$test" --mutate $good --verbose
[ $status = 0 ] && [ ! -s err ] &&
    grep -q '^mutated.c: 20 mutants: 11 killed (64 % of those tried), 6 survived, 1 never reached, 1 not tried, 1 not confirmed' out
report $? "every mutant has a fate, and the status is 0 whatever the score"
result >one

grep -q '^killed: 4 by a check, 2 by a crash, 3 by a hang, 1 by an exit, 1 by a limit of memory or file size' out
report $? "kinds of kills are told apart; an endless mutant, a full disk and a signal to the parent are contained"

grep -q '^1 of these only after other inputs in the same process' out
report $? "a mutant that is wrong from its second call on is killed, but not by one input alone"

grep -q '^  mutated.c:50 in mutated_half: #17$' out && grep -q '^  mutated.c:20 in mutated_allows: #4$' out &&
    grep -q '^  mutated.c:39 in mutated_harm: #20: mutated_harm(a) == a does not hold' out
report $? "--verbose lists the mutants that were never reached, not tried, and not confirmed"

grep '^  #' out | sed 's/ mutated.*//; s/ *//' | tr '\n' ' ' >order
grep -q '^#1[89] #1[89] #1[46] #1[46] #15 #2 $' order
report $? "survivors are ranked: another value seen, another path, another value computed"

grep -A4 '#18 ' out >one_survivor
grep -q '#18 mutated.c:60 in mutated_scale: showed another value in [0-9]* of [0-9]* inputs, and no check failed' one_survivor &&
    grep -q '^      - 3 \* a$' one_survivor && grep -q '^      + 3 \* a + 1$' one_survivor &&
    grep -q 'reached in [0-9,]* valid cases; check the result' one_survivor && grep -q -- '--filter counts --mutant 18 --replay' one_survivor
report $? "a survivor comes with its change, its reach, an advice and a command"

grep -q 'on an error path' out && grep -q 'not freed or closed: build with --sanitize' out
report $? "the advice follows from the location"

grep -q '^  tests/cli/mutated.c:19 a >= 0$' out && grep -A20 'never the first to notice' out | grep -q 'mutated.c:28 mutated_count(a) == a'
report $? "checks that were never the first to notice a mutant are listed"

run "$test" --mutate $good --verbose --jobs 3
result >three
[ $status = 0 ] && cmp -s one three
report $? "three jobs have the result of one"

run "$test" --mutate --filter adds --filter is_wrong --no-store
[ $status = 1 ] && grep -q '^refused is_wrong: it fails without a mutant: ' out && grep -q '^adds: was first to kill 2' out &&
    ! grep -q '^is_wrong: ' out
report $? "a property that fails without a mutant is refused by name, and the others are used"

run "$test" --mutate --filter is_wrong --no-store
[ $status = 1 ] && grep -q '^mutated.c: 20 mutants: 0 killed, 0 survived, 0 never reached, 0 not tried, 20 not judged' out
report $? "if no other property is left, nothing is said about the mutants"

run "$test" --mutate --filter adds --filter sums_in_any_order --no-store --matrix
[ $status = 0 ] && grep -q '^adds: killed 2, 1 that no other property killed' out && grep -q '^sums_in_any_order: killed 1, 0 that no' out &&
    grep -q 'mutated.c:11 .*: 2, 1 that nothing else noticed' out
report $? "--matrix counts what only one property or check notices"

run "$test" --mutate --filter does_no_harm --no-store --timeout 60 --memory-limit 60M --wall-timeout 2
grep -q ' 2 by a limit of memory or file size' out
report $? "a mutant that fills the memory is contained"

# ---- One mutant

run "$test" --filter adds --mutant 1 --seed 1
[ $status = 1 ] && grep -q -- "--mutant 1 --replay 's1:" out && [ ! -e .sonde ]
report $? "--mutant searches with the mutant, stores nothing, and is in the command that runs the input again"
run "$test" --filter adds --mutant 1 --replay 's1:a=0 b=1 high=50'
[ $status = 1 ] && grep -q 'got: .* = -1$' out
report $? "--mutant and --replay run one input with the mutant"
run "$test" --filter adds --replay 's1:a=0 b=1 high=50'
[ $status = 0 ]
report $? "the same input passes without it"
run "$test" --filter adds --mutant 1 --as-c --seed 1
grep -q 'sonde_mutants_choose_(1);' out && grep -q 'sonde_replay(' out
report $? "--as-c switches the mutant on"

mkdir bin
printf '#!/bin/sh\nprintf "%%s\\n" "$*"\n' >bin/gdb
chmod +x bin/gdb
PATH=$PWD/bin:$PATH run "$test" --filter adds --mutant 3 --replay 's1:a=0 b=1 high=50' --gdb
[ $status = 0 ] && grep -q -- ' -ex run --args [^ ]*/mutated --filter adds --mutant 3 --replay s1:a=0 b=1 high=50 --gdb' out
report $? "--gdb runs the mutant"

# ---- Time, interrupts, --continue

run "$test" --mutate --filter does_no_harm --store store --wall-timeout 60 --time 3
[ $status = 0 ] && grep -q '^Partial: the time was up before [0-9]* mutants were judged; --continue judges them' out &&
    [ -n "$(find store -name mutation.state)" ]
report $? "when the time is up, the report is partial and says so"
run "$test" --mutate --filter does_no_harm --store store --wall-timeout 0.3 --continue --verbose
result >continued
[ $status = 0 ] && ! grep -q Partial out && [ ! -s err ]
report $? "--continue judges the rest"
run "$test" --mutate --filter does_no_harm --no-store --wall-timeout 0.3 --verbose
result >whole
cmp -s continued whole
report $? "and has the result of a run that was not interrupted"
run env MUTATED_SLOW=1 "$test" --mutate --filter does_no_harm --store store --wall-timeout 0.3 --continue --verbose
result >again
[ $status = 0 ] && cmp -s again whole
report $? "a continued run does not search again"
find store -name mutation.inputs -delete
env MUTATED_SLOW=1 "$test" --mutate --filter does_no_harm --store store --wall-timeout 0.3 --continue >out 2>err </dev/null &
pid=$!
sleep 2
kill -INT $pid
wait $pid
status=$?
[ $status -gt 128 ] && grep -q '^Partial: interrupted' out && [ "$(grep '^killed: ' out)" = "$(grep '^killed: ' whole)" ]
report $? "Ctrl-C in the search of a continued run keeps the verdicts of the earlier one"
run env MUTATED_TEXT=99 "$test" --mutate --filter adds --store store --continue
[ $status = 0 ] && grep -q -- '--continue: .*mutation.state is damaged, or from another build, --seed, --tests, .*properties; all mutants are judged' err
report $? "--continue does not use the state of another build"
run "$test" --mutate --filter adds --no-store --continue
[ $status = 0 ] && grep -q -- '--continue: there is no earlier run to continue; all mutants are judged' err
report $? "nor a state that does not exist"

"$test" --mutate --filter does_no_harm --store interrupted --wall-timeout 60 >out 2>err </dev/null &
pid=$!
for _ in $(seq 300); do
    [ -z "$(cat /proc/$pid/task/$pid/children 2>/dev/null)" ] || break
    sleep 0.1
done
sleep 1
kill -INT $pid
wait $pid
status=$?
[ $status -gt 128 ] && grep -q '^Partial: interrupted before [0-9]* mutants were judged; --continue judges them' out
report $? "Ctrl-C prints what is known, and says that it is partial"

"$test" --mutate --filter does_no_harm --store killed --wall-timeout 60 >out 2>err </dev/null &
pid=$!
for _ in $(seq 300); do
    [ -z "$(find killed -name mutation.state 2>/dev/null)" ] || break
    sleep 0.1
done
kill -KILL $pid
wait $pid 2>/dev/null
find killed -name mutation.state -exec cat {} + >err
grep -q '^mutant' err
report $? "a run that is killed keeps the verdicts so far, also within a batch"

# ---- Messages

run "$plain" --mutate --no-store
says 2 'counting: --mutate: the program has no mutants; build it with sonde cc --mutants'
report $? "a program without mutants says so"
run "$plain" --mutant 3 --no-store
says 2 'counting: --mutant: the program has no mutants'
report $? "with --mutant as well"
run "$test" --mutant 21 --no-store
says 2 'mutated: --mutant: there is no mutant 21; the program has 20, numbered from 1'
report $? "a number out of range"
run "$test" --mutant 0 --no-store
[ $status = 2 ] && grep -q -- '--mutant' err
report $? "numbers begin at 1"
run "$test" --mutate --filter nothing
[ $status = 2 ] && grep -q "no property matches 'nothing'" err
report $? "no property"
for option in --fuzz '--replay s1:a=1' '--mutant 1' --spawn '--isolate none' '--total-time 3' '--share dir:x'; do
    run "$test" --mutate --filter adds $option
    says 2 "mutated: --mutate: it cannot be combined with --$(echo "${option#--}" | cut -d' ' -f1)"
    report $? "--mutate and $option"
done
run "$test" --matrix
says 2 'mutated: --matrix: give --mutate as well'
report $? "--matrix alone"
run "$test" --continue
says 2 'mutated: --continue: give --mutate as well'
report $? "--continue alone"
run "$BUILD/sonde" mutate "$test" --filter adds --no-store
[ $status = 0 ] && grep -q '^adds: was first to kill 2' out
report $? "sonde mutate does the same"
run "$BUILD/sonde" mutate ./missing
says 2 "sonde mutate: cannot run './missing': No such file or directory"
report $? "sonde mutate names a program that is missing"
echo "1..$n"
