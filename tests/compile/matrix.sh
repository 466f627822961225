#!/bin/sh
# Every tool, every way to run a property, every fault: found or not, as the table in docs/isolation.md says. Found means that the
# input is there and the status is not 0. By default 40 of the 648 cells; with SONDE_TEST_LONG all of them, and then the table
# is the one that they make. MATRIX_UPDATE=1 runs all of them and writes the table into the page; MATRIX_ROWS, the names of some
# tools, leaves the others out.
# Stages: long (17 s for 40 cells of a table; each tool and each kind of fault has a script here that is about it)
case $STAGE in gcc) ;; *) echo "the same in every stage; runs in stage gcc"; exit 77 ;; esac
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 14; }
export XDG_CACHE_HOME="$PWD/cache" CMOCKA_MESSAGE_OUTPUT=STDOUT
export SONDE_TIME=300 SONDE_TESTS=60 SONDE_NO_STORE=1 SONDE_FAIL_FAST=1 SONDE_SHRINK_CALLS=2 # it is about what is found, not how small
faults='overrun use_after_free race uninitialised leak division aborts hang exits'
tools='ASan UBSan LSan TSan MSan valgrind none --guard'
modes='worker case spawn none sonde_run cmocka Check GoogleTest libFuzzer'
page=$SRC/docs/isolation.md
hosts=$SRC/tests/misbehave/hosts

# The 40: each fault and each mode, and each tool but MemorySanitizer, for which the library would have to be compiled.
some_cells() {
    cat <<'END'
ASan worker overrun use_after_free leak
ASan case use_after_free
ASan none leak exits
ASan sonde_run overrun hang
ASan libFuzzer overrun leak
UBSan worker division
UBSan none aborts
LSan case leak
LSan sonde_run leak
TSan worker race
TSan none race hang
TSan sonde_run race
valgrind worker overrun
valgrind none leak
valgrind sonde_run uninitialised
none worker race hang
none case division exits
none spawn aborts exits
none none hang
none sonde_run aborts exits
none cmocka division exits
none Check aborts exits
none GoogleTest aborts exits
--guard worker overrun
--guard spawn overrun
--guard sonde_run overrun
--guard Check overrun
END
}

all_cells() {
    for tool in $tools; do
        for mode in $modes; do echo "$tool $mode $faults"; done
    done
}

# must_find TOOL FAULT: in every mode. What else is found, or not, is only as documented.
must_find() {
    case $2 in
    overrun) case $1 in ASan | valgrind | --guard) return 0 ;; esac ;;
    use_after_free) case $1 in ASan | valgrind) return 0 ;; esac ;;
    race) [ "$1" = TSan ] && return 0 ;;
    uninitialised) case $1 in MSan | valgrind) return 0 ;; esac ;;
    leak) case $1 in ASan | LSan | valgrind) return 0 ;; esac ;;
    division | aborts | hang | exits) return 0 ;;
    esac
    return 1
}

committed() { sed -n '/^<!-- matrix -->/,/^<!-- end of matrix -->/p' "$page" | grep '^|'; }

# What the table says of a cell; nothing if it is not there. A cell is -, all, or the modes in which it is found.
documented() {
    committed | awk -F' *[|] *' -v tool="$1" -v mode="$2" -v fault="$3" '
        $2 == "tool" { for (i = 3; i < NF; i++) { name = $i; gsub(/ /, "_", name); at[name] = i } }
        $2 == tool || $2 == "`" tool "`" {
            cell = $(at[fault]); gsub(/,/, "", cell); split(cell, words, " ")
            answer = cell == "all" ? "found" : "-"
            for (i in words) if (words[i] == mode) answer = "found"
            print answer
        }'
}

# The table of the cells that were run, and of the tools that are here.
table() {
    awk -v tools="$tools" -v modes="$modes" -v faults="$faults" '
        { ran[$1]++ }
        $4 == "found" { found[$1, $3] = found[$1, $3] (found[$1, $3] ? ", " : "") $2; n[$1, $3]++ }
        END {
            n_tools = split(tools, tool, " "); n_faults = split(faults, fault, " "); n_modes = split(modes, mode, " ")
            printf "| tool |"; for (j = 1; j <= n_faults; j++) { f = fault[j]; gsub(/_/, " ", f); printf " %s |", f }
            printf "\n|---|"; for (j = 1; j <= n_faults; j++) printf "---|"
            print ""
            for (i = 1; i <= n_tools; i++) {
                if (!ran[tool[i]]) continue
                printf(tool[i] ~ /^-/ ? "| `%s` |" : "| %s |", tool[i])
                for (j = 1; j <= n_faults; j++) {
                    at = tool[i] SUBSEP fault[j]
                    printf " %s |", !n[at] ? "-" : n[at] == n_modes ? "all" : found[at]
                }
                print ""
            }
        }' cells
}

# ---- Building

flags_of() {
    case $1 in
    ASan) echo -fsanitize=address ;;
    UBSan) echo -fsanitize=undefined ;;
    LSan) echo -fsanitize=leak ;;
    TSan) echo -fsanitize=thread ;;
    MSan) echo --sanitize=memory ;;
    esac
}

# compile TOOL COMPILER ARGUMENT... Not all versions of valgrind can read what clang writes by -g.
compile() {
    flags=$(flags_of "$1") compiler=$2
    [ "$1" != MSan ] || compiler="$BUILD/sonde cc --sonde-cc=$compiler"
    shift 2
    # shellcheck disable=SC2086
    $compiler $flags -gdwarf-4 -O1 -I"$SRC/include" -I"$SRC/adapters" "$@" >>compile.log 2>&1
}

# missing SET MODE: the reason why there can be no such program; false if there is none. $cc and $cxx are the compilers.
missing() {
    for compiler in $cc $cxx; do
        command -v "$compiler" >/dev/null 2>&1 || { echo "$compiler is not installed"; return 0; }
    done
    echo 'int main(void) { return 0; }' >probe.c
    # shellcheck disable=SC2046
    if [ "$1" != MSan ] && ! { $cc $(flags_of "$1") probe.c -o probe && ./probe; } >>compile.log 2>&1; then
        echo "$cc has no $1 here, or it does not run"
        return 0
    fi
    echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' >probe.c
    if [ "$2" = libFuzzer ] && ! clang -fsanitize=fuzzer probe.c -o probe >>compile.log 2>&1; then
        echo "clang's libFuzzer is not installed"
        return 0
    fi
    return 1
}

# link SET HOST: makes $program of the host and of the faults. A host of which a part cannot have the tool has none of it itself.
link() {
    faults_o=$PWD/$1.$cc.o library=$BUILD/libsonde.a
    [ "$1" != MSan ] || library= # sonde cc has one of its own
    [ -e "$faults_o" ] || compile "$1" "$cc" -DFAULTS_OF_A_HOST -c "$SRC/tests/misbehave/faults.c" -o "$faults_o" || return 1
    # shellcheck disable=SC2046,SC2086
    case $1,$2 in
    MSan,Check) compile none "$cc" -c "$hosts/check.c" -o host.o && compile MSan "$cc" host.o "$faults_o" $(pkg-config --libs check) -o "$program" ;;
    MSan,GoogleTest) compile none "$cxx" -c "$hosts/gtest.cpp" -o host.o && compile MSan "$cxx" host.o "$faults_o" -lgtest -lgtest_main -o "$program" ;;
    *) link_plainly "$1" "$2" ;;
    esac
}

link_plainly() {
    # shellcheck disable=SC2046,SC2086
    case $2 in
    main) compile "$1" "$cc" "$SRC/tests/misbehave/faults.c" $library -lm -pthread -o "$program" ;;
    sonde_run) compile "$1" "$cc" "$hosts/run.c" "$faults_o" $library -lm -pthread -o "$program" ;;
    cmocka) compile "$1" "$cc" "$hosts/cmocka.c" "$faults_o" $library -lcmocka -lm -pthread -o "$program" ;;
    Check) compile "$1" "$cc" "$hosts/check.c" "$faults_o" $library $(pkg-config --libs check) -lm -pthread -o "$program" ;;
    GoogleTest) compile "$1" "$cxx" "$hosts/gtest.cpp" "$faults_o" $library -lgtest -lgtest_main -lm -pthread -o "$program" ;;
    libFuzzer) compile "$1" "$cc" -fsanitize=fuzzer "$hosts/fuzz.c" "$faults_o" $library -lm -pthread -o "$program" ;;
    esac
}

# program TOOL MODE: builds what the cell runs, once, and sets $program; where that cannot be, $program.no has the reason.
program() {
    set_name=$1 cc=$CC cxx=$CXX
    case $1 in valgrind | --guard) set_name=none ;; esac
    case $1,$2 in MSan,* | *,libFuzzer) cc=clang cxx=clang++ ;; esac
    case $2 in worker | case | spawn | none) host=main ;; *) host=$2 ;; esac
    program=$PWD/$set_name.$host
    [ ! -e "$program.no" ] || return 1
    [ ! -x "$program" ] || return 0
    : >compile.log
    if missing $set_name $host >why; then
        echo "# without $set_name, $host: $(cat why)"
        mv why "$program.no"
        return 1
    fi
    link $set_name $host && return 0
    touch "$program.no"
    report 1 "$set_name, $host: it builds"
    show compile.log
    return 1
}

# ---- Running

# run_cell TOOL MODE FAULT: output in out, status in $status.
run_cell() {
    before='' guard=''
    FAULT=$3
    [ "$1" != valgrind ] || before='valgrind -q'
    [ "$1" != --guard ] || guard=1
    case $2 in
    worker | case | none) set -- "--isolate=$2" --filter "$3" --seed 1 --timeout 0.3 ;;
    spawn) set -- --spawn --filter "$3" --seed 1 --timeout 0.3 ;;
    GoogleTest) set -- "--gtest_filter=*.$3" ;;
    libFuzzer) set -- -seed=1 -runs=100 -artifact_prefix=found- -timeout=$([ "$3" = hang ] && echo 1 || echo 300) ;;
    *) set -- "$3" ;;
    esac
    rm -f found-*
    FAULT=$FAULT SONDE_GUARD=$guard timeout -k 10 300 $before "$program" "$@" >out 2>&1 </dev/null
    status=$?
    for file in found-*; do # libFuzzer's own form of the input
        [ ! -e "$file" ] || FAULT=$FAULT "$BUILD/sonde" convert "--with=$program" "@$file" >>out 2>&1
    done
}

# judge MODE: what the run showed. The token of an x of 37 and more must be there; a program that goes on after the fault has status 1.
judge() {
    case $1,$status in
    *,0) echo - ;;
    *,12[4-7] | *,137) echo "status $status" ;; # it had to be ended, or was not run
    none,* | sonde_run,* | libFuzzer,* | *,1)
        if grep -qE '(^|[^_[:alnum:]])s1:([^ ]* ; s1:)*x=(3[7-9]|[4-9][0-9]|[1-9][0-9][0-9]+)([^0-9]|$)' out; then echo found; else echo "no input, status $status"; fi ;;
    *) echo "status $status" ;;
    esac
}

# check_cell TOOL MODE FAULT
check_cell() {
    run_cell "$1" "$2" "$3"
    outcome=$(judge "$2") wanted=$(documented "$1" "$2" "$3")
    echo "$1 $2 $3 $outcome" >>cells
    [ "$outcome" = found ] || { [ "$outcome" = - ] && ! must_find "$1" "$3"; }
    result=$?
    [ -n "${MATRIX_UPDATE:-}" ] || [ "$outcome" = "$wanted" ] || result=1
    report $result "$1, $2, $3: $outcome"
    [ $result = 0 ] || { echo "# status $status; documented: $wanted"; show out; }
}

run_all() {
    while read -r tool mode names; do
        if [ "$tool" = valgrind ] && ! command -v valgrind >/dev/null 2>&1; then
            echo "# without valgrind: it is not installed"
            continue
        fi
        program "$tool" "$mode" || continue
        for fault in $names; do check_cell "$tool" "$mode" "$fault"; done
    done
}

: >cells
if [ -z "${SONDE_TEST_LONG:-}${MATRIX_UPDATE:-}" ]; then
    some_cells >list
    [ "$(awk '{ n += NF - 2 } END { print n }' list)" = 40 ]
    report $? "40 cells"
    run_all <list
else
    tools=${MATRIX_ROWS:-$tools}
    all_cells >list
    run_all <list
    table >made
    if [ -n "${MATRIX_UPDATE:-}" ]; then
        awk -v made="$PWD/made" '/^<!-- matrix -->/ { print; while ((getline line < made) > 0) print line; skips = 1 }
            /^<!-- end of matrix -->/ { skips = 0 } !skips' "$page" >new && cp new "$page"
    fi
    # Of tools that are not here the page keeps its rows.
    committed >rows
    grep -vxFf rows made >differs
    [ ! -s differs ] && [ "$(wc -l <made)" -gt 2 ]
    result=$?
    report $result "the table is as documented"
    [ $result = 0 ] || show differs
fi
echo "1..$n"
