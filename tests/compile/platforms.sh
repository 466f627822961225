#!/bin/sh
# scripts/platforms: other machines, C libraries and compilers, as far as they are installed (check-long).
# Stages: gcc
if [ -z "${SONDE_TEST_LONG:-}" ]; then
    echo "other platforms are tried by make check-long"
    exit 77
fi
n=0
WORK=$PWD "$SRC/scripts/platforms" >log 2>err
sed 's/^/# /' log err
grep '^| [a-z]' log | grep -v '^| platform' >rows
while IFS='|' read -r _ name compiler builds report values known _; do
    n=$((n + 1))
    case $compiler,$builds$report$values$known in
    *not\ installed*) echo "ok $n -$name# SKIP$compiler" ;;
    *',' | *', yes  yes  yes  yes ') echo "ok $n -$name: builds, reports, draws and reads as here" ;;
    *) echo "not ok $n -$name: builds$builds, same report$report, same values$values, reads the store$known" ;;
    esac
done <rows
echo "1..$(wc -l <rows)"
