#!/bin/sh
# sonde_run and sonde_replay without a name report the property by the name of its function, in C and C++.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 20; fi; }

"$BUILD/tests/cli/unnamed" >out 2>log
[ $? = 0 ] && [ "$(grep -c '^FAIL never_seven: falsified' log)" = 2 ] && grep -q 'sonde_replay(never_seven, "s1:x=7 ?")' log
report $? "a static function in C"
case $STAGE in *asan* | *hostile*) sanitize=-fsanitize=address,undefined ;; *) sanitize= ;; esac
printf '#include <sonde.hpp>\nstatic void odd(sonde *t) { sonde_check(t, sonde_int(t, "x", 0, 9) != 7); }\nint main()\n{\n    sonde_config c = sonde_config();\n    c.seed = 1;\n    return sonde_run(odd, &c) + sonde_run(sondecpp::property<odd>, &c) == 2 ? 0 : 1;\n}\n' >odd.cpp
# shellcheck disable=SC2086
${CXX:-c++} -std=c++11 $sanitize -I"$SRC/include" odd.cpp "$BUILD/libsonde.a" -lm -pthread -o odd >log 2>&1 && ./odd >out 2>log
[ $? = 0 ] && [ "$(grep -c '^FAIL odd: falsified' log)" = 2 ]
report $? "a function in C++, also as sondecpp::property"
echo "1..$n"
