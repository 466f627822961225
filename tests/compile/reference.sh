#!/bin/sh
# The examples of the reference (docs/reference) compile without a warning, and their properties hold.
# Stages: gcc clang
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi; }
warn="-Wall -Wextra -Werror -g"
for example in "$SRC"/docs/reference/*.c "$SRC"/docs/reference/*.cpp; do
    name=$(basename "$example") preload=
    head=$(sed '/\*\//q' "$example")
    case $name in *.cpp) compiler="$CXX -std=c++14" ;; *) compiler="$CC -std=gnu11" ;; esac
    # shellcheck disable=SC2086
    case $head in
    *"Build with: sonde cc --threads"*) "$BUILD/sonde" cc --threads $warn "$example" -o program >log 2>&1 ;;
    *) $compiler $warn -I"$SRC/include" "$example" "$BUILD/libsonde.a" -lm -lpthread -ldl -o program >log 2>&1 ;;
    esac
    report $? "$name compiles without a warning"
    case $head in *"Link with: sonde-faults sonde-oom"*) preload="$BUILD/libsonde_faults.so $BUILD/libsonde_oom.so" ;; esac
    LD_PRELOAD=$preload ./program --tests 200 --seed 1 >log 2>&1
    report $? "$name holds"
    rm -f program
done
echo "1..$n"
