#!/bin/sh
# sonde doctor says what is missing and what to type; completion offers what the tables of options and commands have.
# Stages: gcc
# Not sanitized (doctor links the library into a program that is not)
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; head -n 30 log | sed 's/^/# /'; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

# ---- doctor
mkdir temporary
TMPDIR=$PWD/temporary "$BUILD/sonde" doctor >log 2>&1
[ $? = 0 ] && grep -q '^ok  *sonde cc ' log && grep -q '^ok  *\.sonde here' log && ! grep -q '^broken' log
report $? "doctor builds and runs a property here"
[ -z "$(ls temporary)" ] && [ -z "$(ls -A | grep -v -e '^temporary$' -e '^log$')" ]
report $? "and leaves nothing behind"
awk '/^missing/ { wants++ } /to fix: / { has++ } END { exit wants != has }' log
report $? "what is missing has advice"
SONDE_CC=$PWD/no-compiler "$BUILD/sonde" doctor >log 2>&1
[ $? = 1 ] && grep -q '^broken  *sonde cc ' log && grep -q 'no-compiler' log && ! grep -q 'sonde works on this machine' log
report $? "a compiler that cannot be run is status 1, with its complaint"
mkdir bin && ln -s /bin/false bin/clang && ln -s /bin/false bin/apt-get
PATH=$PWD/bin "$BUILD/sonde" doctor >log 2>&1
[ $? = 1 ] && grep -q '^missing  *gdb' log && grep -qE 'to fix: (sudo )?apt-get install gdb$' log
report $? "the advice is a command of the package manager that is there"
rm bin/apt-get
PATH=$PWD/bin "$BUILD/sonde" doctor >log 2>&1
grep -q 'to fix: install the package that Debian calls gdb$' log
report $? "where there is none, the name says what to look for"
"$BUILD/sonde" doctor now >log 2>&1
[ $? = 2 ]
report $? "doctor takes no argument"

# ---- completion: bash completes as if these words had been typed
# offers WORD...: what is offered for the last of them, in the file `log`
offers() {
    PATH=$BUILD:$PATH bash -c '
        eval "$(sonde completion bash)"; sonde_completes ./test
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        case $1 in sonde) _sonde ;; *) _sonde_test ;; esac
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@" >log 2>&1
}
# same TEXT: the offers are these
same() { [ "$(sort log | tr '\n' ' ' | sed 's/ $//')" = "$1" ]; }
if command -v bash >/dev/null 2>&1; then
    offers sonde com && same completion
    report $? "bash: a command"
    offers sonde convert --to = t && same 'tape token'
    report $? "bash: words of a command's option"
    offers sonde completion '' && same 'bash fish zsh'
    report $? "bash: words of a command"
    offers sonde cc --no-c && same --no-cover
    report $? "bash: options of sonde cc"
    offers "$BUILD/examples/01_first" --isolate '' && same 'case none worker'
    report $? "bash: words of an option, from its table"
    offers "$BUILD/examples/01_first" --isolate = w && same worker
    report $? "bash: the same behind ="
    offers "$BUILD/examples/01_first" --filter '' && same insert_keeps_order
    report $? "bash: the properties of the program"
    offers "$BUILD/examples/01_first" --guide z && same 'zest zest-bytes'
    report $? "bash: guides"
    offers "$BUILD/examples/01_first" --
    "$BUILD/examples/01_first" --help | grep -oE '^ *(-[a-z], )?--[a-z-]+' | grep -oE -e "--[a-z-]+" | sort -u >wanted
    sort -u log | cmp -s - wanted
    report $? "bash: every option of --help"
else
    skip "bash" "it is not installed"
fi
for shell in bash zsh fish; do
    "$BUILD/sonde" completion $shell >script.$shell 2>log && [ -s script.$shell ] || { report 1 "completion for $shell"; continue; }
    missing=
    while read -r option; do
        grep -qE -e "(--|-l )${option#--}([^a-z-]|$)" script.$shell || missing="$missing $option"
    done <wanted
    echo "not in it: $missing" >log
    [ -z "$missing" ]
    report $? "$shell: the script has every option"
    if command -v $shell >/dev/null 2>&1; then
        $shell -n script.$shell >log 2>&1
        report $? "$shell reads it"
    else
        skip "$shell reads it" "it is not installed"
    fi
done
if command -v fish >/dev/null 2>&1; then
    HOME=$PWD fish -c 'source script.fish; sonde_completes 01_first; complete -C "01_first --isolate w"; complete -C "sonde com"' >log 2>&1
    grep -q '^worker' log && grep -q '^completion' log
    report $? "fish: words of an option, and a command"
else
    skip "fish completes" "it is not installed"
fi
if command -v zsh >/dev/null 2>&1; then
    zsh -fc 'autoload -U compinit; compinit -D -u; source ./script.zsh; sonde_completes mine; print $_comps[sonde] $_comps[mine]' >log 2>&1
    grep -qx '_sonde _sonde_test' log
    report $? "zsh: a line of .zshrc is enough"
else
    skip "zsh completes" "it is not installed"
fi
"$BUILD/sonde" completion tcsh >log 2>&1
[ $? = 2 ] && grep -q 'bash, zsh or fish' log
report $? "another shell is status 2, with those that there are"
echo "1..$n"
