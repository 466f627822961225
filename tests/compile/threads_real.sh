#!/bin/sh
# Real code under control: a stack each of Concurrency Kit and of Userspace RCU, and the same with a bug planted in a copy of the header.
# Stages: gcc clang
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | sed 's/^/# /'; fi
}
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS
PATH=$BUILD:$PATH
export PATH
find_header() { echo "#include <$1>" | $CC -E -x c - 2>/dev/null | sed -n "s|^# 1 \"\\(.*/$1\\)\".*|\\1|p" | head -1; }
ck=$(find_header ck_stack.h)
urcu=$(find_header urcu/static/wfstack.h)
[ -n "$ck" ] && [ -n "$urcu" ] || { echo "libck-dev and liburcu-dev are not installed"; exit 77; }

mkdir -p plain/urcu planted/urcu/static
echo '#include <urcu/uatomic/gcc.h>' >plain/urcu/uatomic.h # the compiler's operations, not assembly
cp plain/urcu/uatomic.h planted/urcu/
sed 's/while (ck_pr_cas_ptr_value(&target->head, stack, entry, &stack) == false) {/ck_pr_store_ptr(\&target->head, entry); while (0) {/' "$ck" >planted/ck_stack.h
sed 's/old_head = uatomic_xchg(&s->head, new_head);/old_head = CMM_LOAD_SHARED(s->head); CMM_STORE_SHARED(s->head, new_head);/' "$urcu" >planted/urcu/static/wfstack.h
! cmp -s "$ck" planted/ck_stack.h && ! cmp -s "$urcu" planted/urcu/static/wfstack.h
report $? "a bug is planted in each"

for how in plain planted; do
    sonde cc --threads --sonde-cc="$CC" -DCK_USE_CC_BUILTINS=1 -I"$how" -g -O1 "$SRC/tests/compile/threads/real.c" -o "real_$how" >log 2>&1
    report $? "$how: it compiles"
    [ $how = plain ] && wanted=0 || wanted=1
    for property in ck_stack_loses_nothing urcu_stack_loses_nothing; do
        "./real_$how" --seed 1 --no-store --tests 5000 --filter $property >log 2>&1 </dev/null
        [ $? = $wanted ]
        report $? "$how: $property, status $wanted"
    done
done
echo "1..$n"
