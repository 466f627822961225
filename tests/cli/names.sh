#!/bin/sh
# No name, label, message or path that comes from the program, a file or the command line reaches a terminal as it is.
# Stages: gcc
names=$BUILD/tests/cli/names
tool=$BUILD/sonde
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; cat -v out | sed 's/^/# /' | cut -c 1-300 | head -n 20; fi
}
esc=$(printf '\033]0;owned\007\033[31m')
# plain STATUS COMMAND...: it ends with the status, prints something, and nothing that a terminal acts on.
plain() {
    wanted=$1
    shift
    timeout 60 "$@" >out 2>&1 </dev/null
    status=$?
    [ $status = "$wanted" ] && [ -s out ] && ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" out &&
        ! LC_ALL=C grep -q "$(printf '\302[\200-\237]\|\342\200\256')" out
    result=$?
    [ $result = 0 ] || echo "# status $status, wanted $wanted"
    return $result
}

plain 0 "$names" --list && [ "$(wc -l <out)" = 2 ]
report $? "--list: a line for each property"
plain 2 "$names" --filter "nosuch$esc"
report $? "--filter that matches nothing"
plain 2 "$names" --plot-data x.csv
report $? "--plot-data of several properties"
plain 1 "$names" --no-store --seed 1
report $? "the report"
plain 1 "$names" --no-store --seed 1 --stats --explain
report $? "the report with --stats and --explain"
plain 2 "$names" --no-store --report "nosuch$esc"
report $? "--report of an unknown reporter"
plain 2 "$names" --no-store --report "json:no$esc/such"
report $? "--report into a file that cannot be made"
plain 2 "$names" "--nosuch$esc"
report $? "an unknown option"
plain 2 "$names" --no-store --guide "nosuch$esc"
report $? "an unknown guide"
plain 2 "$names" --no-store --guide-options "nosuch$esc=1"
report $? "an unknown knob"
plain 2 "$names" --no-store --dictionary "no$esc"
report $? "a dictionary that is not there"
printf 'x="a%s\n' "$esc" >"words$esc"
plain 2 "$names" --no-store --dictionary "words$esc"
report $? "a dictionary that cannot be read"
plain 2 "$names" --no-store --replay "@no$esc"
report $? "--replay of a file that is not there"
plain 2 "$names" --no-store --replay "s1:x=$esc"
report $? "--replay of what is not a token"
mkdir "in$esc"
printf '%s' "$esc" >"in$esc/file$esc"
printf '# sonde tape 1\n# property: p%s\ns1:x=1\n' "$esc" >"in$esc/$esc.tape"
plain 0 "$names" --filter 'first*' --no-store --seed 1 --inputs "in$esc"
report $? "--inputs"
plain 2 "$names" --no-store --regressions "in$esc"
report $? "--regressions"
plain 0 "$names" --filter 'first*' --no-store --seed 1 --import "in$esc" --import-as "echo '$esc'; exit 3"
report $? "--import and --import-as"
plain 2 "$names" --filter 'first*' --seed 1 --store "in$esc/file$esc"
report $? "a store that cannot be used"
for command in "show @no$esc" "convert @in$esc/file$esc" "html no$esc" "nosuch$esc"; do
    first=${command%% *} second=${command#* }
    plain 2 "$tool" "$first" "$second"
    report $? "sonde $(echo "$command" | cut -d ' ' -f 1 | tr -cd 'a-z')"
done
plain 2 "$tool" filter --by random --size 5 "in$esc" "no$esc/out$esc"
report $? "sonde filter"
plain 2 "$tool" show "s1:x=1 y$(printf '\033')=2"
report $? "sonde show of a label with an escape"
echo "1..$n"
