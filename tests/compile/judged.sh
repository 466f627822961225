#!/bin/sh
# Stored failures replayed by other builds and limits: which fail, which are kept, which are called fixed. Each of thirteen findings is
# found by one build; then every row of the table in docs/isolation.md replays its tape, with the bug there and with the bug mended. By default the row
# `plain`; with SONDE_TEST_LONG all rows, and then the table is the one that they make. JUDGED_UPDATE=1 runs all and writes the table into the page.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 14; }
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$PWD/cache}" SONDE_TIME=0
unset ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS MSAN_OPTIONS TSAN_OPTIONS SONDE_STORE SONDE_NO_STORE
findings='check exits crash overrun overflow leak uninitialised race valgrind hang memory stack schedule'
rows='plain ASan UBSan MSan TSan valgrind --threads clang longer'
page=$SRC/docs/isolation.md
findings=${JUDGED_FINDINGS:-$findings} rows=${JUDGED_ROWS:-$rows} # some of them, to try something
is_long=${SONDE_TEST_LONG:-}${JUDGED_UPDATE:-}

# The build that finds it. What valgrind finds is an overrun.
finder() {
    case $1 in
    overrun | leak) echo ASan ;;
    overflow) echo UBSan ;;
    uninitialised) echo MSan ;;
    race) echo TSan ;;
    valgrind) echo valgrind ;;
    schedule) echo --threads ;;
    *) echo plain ;;
    esac
}
property() { if [ "$1" = valgrind ]; then echo overrun; else echo "$1"; fi; }

# ---- Building

# build ROW bug|mended: sets $program; false if there can be none, which it says once. All are called `findings`, so that they share a store.
build() {
    compiler=$CC row=$1 flags=
    case $1 in
    ASan) flags=-fsanitize=address ;;
    UBSan) flags=-fsanitize=undefined ;;
    TSan) flags=-fsanitize=thread ;;
    MSan) flags=--sanitize=memory compiler="$BUILD/sonde cc --sonde-cc=clang" ;;
    --threads) flags=--threads compiler="$BUILD/sonde cc --sonde-cc=$CC" ;;
    clang) compiler=clang ;;
    valgrind | longer) row=plain ;;
    esac
    [ "$2" = bug ] || flags="$flags -DMENDED"
    program=$PWD/of.$row.$2/findings
    [ ! -e "of.$row.$2/no" ] || return 1
    [ ! -x "$program" ] || return 0
    mkdir -p "of.$row.$2"
    library="$BUILD/libsonde.a -lm -pthread"
    case $1 in MSan | --threads) library=-pthread ;; esac
    # shellcheck disable=SC2086
    $compiler $flags -gdwarf-4 -O1 -I"$SRC/include" "$SRC/tests/misbehave/findings.c" $library -o "$program" >compile.log 2>&1 &&
        "$program" --list >>compile.log 2>&1 && return 0
    rm -f "$program"
    echo "# without $row: $(tail -n 1 compile.log)"
    touch "of.$row.$2/no"
    return 1
}

is_here() { [ "$1" != valgrind ] || command -v valgrind >/dev/null 2>&1; }

# run ROW FINDING ARGUMENT...: $program on the store; the limits are those of the row.
run() {
    row=$1 name=$2 before='' timeout=0.1 memory=150M stack=2048
    shift 2
    [ "$row" != valgrind ] || before='valgrind -q'
    [ "$row" != longer ] || { timeout=20 memory=4G stack=65536; }
    [ "$name" = hang ] || timeout=60
    [ "$name" = memory ] || memory=4G
    [ "$name" = stack ] || stack=8192
    (
        ulimit -s $stack
        # shellcheck disable=SC2086
        exec timeout -k 10 300 $before "$program" --filter "$(property "$name")" --store store --seed 1 --timeout $timeout --wall-timeout 120 \
            --memory-limit $memory --no-shrink --no-progress "$@"
    ) >out 2>&1 </dev/null
}

# ---- Finding and replaying


# find_it FINDING: leaves the store in found.FINDING; false if it cannot be found here.
find_it() {
    [ ! -d "found.$1" ] || return 0
    rm -rf store
    if [ "$1" = uninitialised ] && [ -z "$is_long" ]; then
        # As MemorySanitizer leaves it: to compile the library for that takes longer than all the rest.
        "$PWD/of.plain.bug/findings" --filter check --inputs input --tests 1 --store store >/dev/null 2>&1
        folder=$(find store -type d -name findings | head -n 1)
        mkdir -p "$folder/uninitialised/failures"
        printf '%s\n' '# sonde tape 1' '# property: uninitialised' '# kind: sanitizer' '# shown by: MemorySanitizer' \
            '# build: clang 14, optimised, MemorySanitizer' 's1:x=777777 ?' >"$folder/uninitialised/failures/0123456789abcdef.tape"
    else
        by=$(finder "$1")
        is_here "$by" && build "$by" bug || return 1
        tests=1
        [ "$1" != schedule ] || tests=300
        run "$by" "$1" --inputs input --tests $tests --keep-going
    fi
    [ "$(find store -path "*/$(property "$1")/failures/*.tape" | wc -l)" = 1 ]
    result=$?
    report $result "$1: found, and stored once"
    [ $result = 0 ] || { show out; find store -name '*.tape' -exec head -n 12 {} + | show; return 1; }
    cp -r store "found.$1"
}

# outcome ROW FINDING: of the store after a run.
outcome() {
    if find store -path "*/$(property "$2")/fixed/*.tape" | grep -q .; then echo fixed
    elif grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK|FLAKY) ' out; then echo fails
    elif find store -path "*/$(property "$2")/failures/*.tape" | grep -q .; then echo kept
    else echo lost; fi
}

# cell ROW FINDING: with the bug and mended, as "fails, fixed".
cell() {
    both=
    for variant in bug mended; do
        build "$1" $variant || return 1
        rm -rf store
        cp -r "found.$2" store
        run "$1" "$2" --tests 1
        both="$both${both:+, }$(outcome "$1" "$2")"
    done
}

committed() { sed -n '/^<!-- judged -->/,/^<!-- end of judged -->/p' "$page" | grep '^|'; }

documented() {
    committed | awk -F' *[|] *' -v row="$1" -v name="$2" '
        $2 == "replayed by" { for (i = 3; i < NF; i++) at[$i] = i }
        $2 == row || $2 == "`" row "`" { print $(at[name]) }'
}

# ---- All of it

echo 's1:x=777777 ?' >input
build plain bug || { show compile.log; report 1 "it builds"; }
if [ -z "$is_long" ]; then rows=plain; fi
: >cells
for finding in $findings; do
    find_it "$finding" || { echo "# $finding cannot be found here"; continue; }
    for row in $rows; do
        is_here "$row" && cell "$row" "$finding" || { echo "$row|$finding|" >>cells; continue; }
        echo "$row|$finding|$both" >>cells
        wanted=$(documented "$row" "$finding")
        # Whatever the page says: a bug that is there is not fixed, and no tape is lost.
        case $both in fixed* | *lost*) false ;; *) [ -n "${JUDGED_UPDATE:-}" ] || [ "$both" = "$wanted" ] ;; esac
        result=$?
        report $result "$finding, replayed by $row: $both"
        [ $result = 0 ] || { echo "# documented: $wanted"; show out; }
    done
done

if [ -n "${JUDGED_UPDATE:-}" ]; then
    awk -F'|' -v rows="$rows" -v findings="$findings" '
        { cells[$1, $2] = $3 }
        END {
            n = split(rows, row, " "); m = split(findings, finding, " ")
            printf "| replayed by |"; for (j = 1; j <= m; j++) printf " %s |", finding[j]
            printf "\n|---|"; for (j = 1; j <= m; j++) printf "---|"
            print ""
            for (i = 1; i <= n; i++) {
                printf(row[i] ~ /^-/ ? "| `%s` |" : "| %s |", row[i])
                for (j = 1; j <= m; j++) printf " %s |", cells[row[i], finding[j]]
                print ""
            }
        }' cells >made
    awk -v made="$PWD/made" '/^<!-- judged -->/ { print; while ((getline line < made) > 0) print line; skips = 1 }
        /^<!-- end of judged -->/ { skips = 0 } !skips' "$page" >new && cp new "$page"
fi
echo "1..$n"
