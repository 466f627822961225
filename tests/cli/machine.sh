#!/bin/sh
# Machines as whole programs: --as-c gives a program that compiles alone and fails; misuse has its sentence and its place.
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 40; fi; }
export SONDE_TIME=0
compile() { $CC -g -I"$SRC/include" -I"$SRC" "$1" "$BUILD/libsonde.a" -lm -pthread -ldl -o "$2" >log 2>&1; }

"$BUILD/examples/18_machine" --seed 1 --no-store --as-c >as.c 2>log
[ $? = 1 ] && compile as.c as && { ./as >log 2>&1; [ $? = 1 ]; } && grep -q 'erase(key = 4)' as.c
report $? "--as-c: a program that compiles alone and fails"

"$BUILD/examples/01_first" --seed 1 --no-store --as-c >as.c 2>log
[ $? = 1 ] && compile as.c as && { ./as >log 2>&1; [ $? = 1 ]; }
report $? "--as-c: of any property"

cat >text.c <<'C'
#include <sonde.h>
static void text(sonde *t)
{
    const char *s = sonde_utf8(t, "s", 5, 5);
    sonde_check(t, s[0] != '*' || s[1] != '/' || s[2] != '"' || s[3] != '\\' || s[4] != '?');
}
SONDE_MAIN(text)
C
compile text.c text && ./text --no-store --replay 's=%2a%2f%22%5c%3f' --as-c >as.c 2>log
compile as.c as && { ./as >log 2>&1; [ $? = 1 ]; }
report $? "--as-c: values that would end a comment or a string"

cat >named.c <<'C'
#include <sonde.h>
static void sums(sonde *t) { sonde_check(t, sonde_int(t, "a", 0, 9) + sonde_int(t, "b", 0, 9) < 18); }
int main(int argc, char **argv)
{
    sonde_property all = {.name = "a + b < 18", .run = sums};
    return sonde_main(argc, argv, &all, 1);
}
C
compile named.c named && ./named --no-store --seed 1 --as-c >as.c 2>log
compile as.c as && { ./as >log 2>&1; [ $? = 1 ]; }
report $? "--as-c: of a property whose name is no identifier"

sed 's/if (slot->state == TAKEN && slot->key != key) continue;/if (find(map, key) \&\& slot != find(map, key)) continue; if (!find(map, key) \&\& slot->state == TAKEN) continue;/' \
    "$SRC/examples/18_machine.c" >right.c
compile right.c right && ./right --no-store --seed 1 --tests 2000 --as-c >as.c 2>log
[ $? = 0 ] && grep -q '^/\* map_acts_like_an_array: .*2,000.* \*/$' as.c && ! grep -q main as.c
report $? "--as-c: a comment where the property holds"

sed 's/return ((const struct world \*)world)->n < FULL;.*/return !world;/' "$SRC/examples/18_machine.c" >never.c
compile never.c never && ./never --no-store --seed 1 >log 2>&1
[ $? = 2 ] && grep -q 'the rule "put" never applies: its .when was false before each of' log && grep -q 'never.c:1' log
report $? "a rule that never applies: a sentence and the place"

sed "s/SONDE_RULES(rules)/.rules = rules/" "$SRC/examples/18_machine.c" >none.c
compile none.c none && ./none --no-store --seed 1 >log 2>&1
[ $? = 2 ] && grep -q 'sonde_drive("calls"): the machine has no rules' log && grep -q 'none.c:1' log
report $? "a machine without rules: a sentence and the place"

# A machine that calls nothing must not hold.
cat >idle.c <<'C'
#include <sonde.h>
static bool never(const void *world) { return !world; }
static void idles(sonde *t, void *world) { (void)t, (void)world; }
static void refuses(sonde *t, void *world) { sonde_assume(t, sonde_int(t, "x", 0, 9) > 10), (void)world; }
static const sonde_rule rules[] = {SONDE_RULE(idles, .when = never), SONDE_RULE(refuses), SONDE_RULE(idles, .name = "works")};
static const sonde_machine none = {.rules = rules, .n_rules = 1, .size = 1}, back = {.rules = rules + 1, .n_rules = 2},
                           one = {.rules = rules, .n_rules = 1, .size = 1, .steps = {1, 4}}, long_ = {.rules = rules + 2, .n_rules = 1, .steps = {200, 0}};
SONDE_PROPERTY(nothing_applies) { sonde_drive(t, "calls", &none); }
SONDE_PROPERTY(nothing_applies_in_few) { sonde_drive(t, "calls", &one); }
SONDE_PROPERTY(taken_back) { sonde_drive(t, "calls", &back); }
SONDE_PROPERTY(too_long) { sonde_drive(t, "calls", &long_); }
SONDE_MAIN()
C
compile idle.c idle && ./idle --no-store --seed 1 --filter nothing_applies >log 2>&1
[ $? = 2 ] && grep -q 'sonde_drive("calls"): no rule ever applies: every .when was false when 20 cases began' log && grep -q 'idle.c:8' log
report $? "a machine none of whose rules applies: a sentence and the place, not a proof"
./idle --no-store --seed 1 --filter nothing_applies_in_few >log 2>&1
[ $? = 2 ] && grep -q 'sonde_drive("calls"): no rule ever applies: every .when was false when 4 cases began' log
report $? "... of which there are only four inputs"
./idle --no-store --seed 1 --filter taken_back --tests 5000 >log 2>&1
[ $? = 2 ] && grep -q 'the rule "refuses" never does anything: an assume took back each of its [0-9,]* calls in 1,000 cases' log
report $? "a rule whose every call is taken back: a sentence"
./idle --no-store --seed 1 --filter taken_back --tests 200 >log 2>&1
[ $? = 0 ] && grep -q 'Warning: .*the rule "refuses" never does anything' log && ./idle --no-store --seed 1 --filter taken_back --tests 200 --jobs 2 --json 2>&1 | grep -q '"warning": "never_called"'
report $? "... and a warning in a run that is too short to judge"
./idle --no-store --seed 1 --filter too_long >log 2>&1
[ $? = 2 ] && grep -q 'steps.min is 200, above the default maximum of 100; set .steps.max' log
report $? "steps from above the default on: a sentence"

cat >assume.c <<'C'
#include <sonde.h>
static void put(sonde *t, void *world)
{
    sonde_span(t, "argument");
    int key = sonde_int(t, "key", 0, 9);
    sonde_assume(t, key != 3);
    *(int *)world += key;
}
static void get(sonde *t, void *world) { sonde_check(t, *(int *)world >= 0); }
static const sonde_rule rules[] = {SONDE_RULE(put), SONDE_RULE(get)};
static const sonde_machine machine = {.rules = rules, .n_rules = 2, .size = sizeof(int)};
static void sums(sonde *t) { sonde_drive(t, "calls", &machine); }
SONDE_MAIN(sums)
C
compile assume.c assume && ./assume --no-store --seed 1 --tests 2000 >log 2>&1
[ $? = 0 ] && ! grep -q 'Warning' log
report $? "an assume in a rule, within a span: neither misuse nor a warning"

# The first failure that is met has, nearly always, calls that were taken back.
sed 's/key != 3/key < 5/; s/>= 0/< 20/' assume.c >fails.c
compile fails.c fails
good=0
for seed in 1 2 3 4 5 6; do
    ./fails --no-store --no-shrink --seed $seed >log 2>&1
    token=$(sed -n "s/.*--replay '\(.*\)'$/\1/p" log)
    ./fails --no-store --replay "$token" >log 2>&1
    [ $? = 1 ] && grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log && ! grep -q 'not in the token' log || break
    good=$((good + 1))
done
[ "$good" = 6 ]
report $? "the token of a failure that was not shrunk replays"

for guide in random enumerate rl cgpt zest; do
    ./right --no-store --seed 1 --tests 300 --guide $guide >log 2>&1 || break
done
report $? "every guide drives a machine"
echo "1..$n"
