#!/bin/sh
# What the examples print, word for word but for times and paths. `make golden` writes the expected outputs anew; read
# the difference before you commit it.
# Stages: gcc clang
export SONDE_TIME=0 # a slow machine is no reason
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
top=$(cd "$BUILD" && pwd)

# Times become TIME, the build folder vanishes, and so does what depends on the tools of a build.
normalise() {
    sed -E -e "s|$top/||g; s|$SRC/||g" \
        -e 's/in (under )?[0-9.,]+ (ms|s|min)( [0-9]+ s)?/in TIME/g; s/"(seconds|cpu_s)": *[^,}]*/"\1": TIME/g' \
        -e 's/[0-9,]+ cases per second; .* of processor time/N cases per second/' \
        -e '/^ *leaks were not looked for/d' -e '/^Not looked for in this build/d' \
        -e 's/ file="[^"]*examples\// file="examples\//' \
        -e 's/(time|timestamp)="[^"]*"/\1="TIME"/g; s/duration_ms: *[0-9.]+/duration_ms: TIME/'
}

# Which calls leave a frame behind, and so a place to name, depends on how a build is optimised: the sanitizer's differs.
case $STAGE in
*asan*) comparable() { sed '/^ *Called /d' "$1" | cat -s; } ;;
*) comparable() { cat "$1"; } ;;
esac

# golden NAME PROGRAM ARGUMENT...: output and status are those of golden/NAME.
golden() {
    name=$1
    shift
    { "$@" 2>&1 </dev/null; echo "status $?"; } | normalise >actual
    if [ "${GOLDEN:-}" = update ]; then cp actual "$SRC/tests/cli/golden/$name"; fi
    comparable "$SRC/tests/cli/golden/$name" >wanted
    comparable actual >got
    diff -u wanted got >difference
    result=$?
    report $result "$name: as expected"
    [ $result = 0 ] || sed 's/^/# /' difference | head -n 60
}

for source in "$SRC"/examples/*.c "$SRC"/examples/*.cpp; do
    example=$(basename "$source" | sed 's/\.[a-z]*$//')
    [ -x "$BUILD/examples/$example" ] || continue
    [ "$example" != 20_threads ] || continue # pairs of places differ from compiler to compiler: below, by a guide without them
    golden "$example" "$BUILD/examples/$example" --seed 1 --no-store
done
if [ -x "$BUILD/examples/20_threads" ]; then
    golden 20_threads "$BUILD/examples/20_threads" --seed 1 --no-store --guide uniform
fi
golden 01_first.replay "$BUILD/examples/01_first" --no-store --replay 's1:tree{value=3 left=yes tree{value=1}} x=3'
golden 01_first.verbose "$BUILD/examples/01_first" --seed 1 --no-store --verbose
golden 02_lists.json "$BUILD/examples/02_lists" --seed 1 --no-store --json
golden 02_lists.tap "$BUILD/examples/02_lists" --seed 1 --no-store --report tap
golden 02_lists.junit "$BUILD/examples/02_lists" --seed 1 --no-store --report junit
golden 05_model.noshrink "$BUILD/examples/05_model" --seed 3 --no-store --no-shrink --fail-fast
golden 05_model.cut_short "$BUILD/examples/05_model" --seed 3 --no-store --shrink-calls 20 --fail-fast
golden 05_model.cut_short.json "$BUILD/examples/05_model" --seed 3 --no-store --shrink-calls 20 --fail-fast --json
golden 06_assume.gave_up "$BUILD/examples/06_assume_and_classify" --filter filtered --seed 1 --no-store --guide uniform --max-discards 1 --tests 50
golden 09_configured.quiet "$BUILD/examples/09_configured" --seed 1 --no-store --quiet
golden misuse "$BUILD/tests/cli/misuse" --seed 1 --no-store --tests 20 --max-discards 1
echo "1..$n"
