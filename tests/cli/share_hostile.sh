#!/bin/sh
# --share dir: and sonde share, where others have put links, pipes and hostile names: nothing of the user's is published, nothing
# commands the terminal, and nothing is left out silently.
# Stages: gcc asan
inputs=$BUILD/tests/cli/inputs sonde=$BUILD/sonde
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { cat -v "$@" | sed 's/^/# /' | cut -c 1-600 | head -n 12; }
# Bytes that a terminal obeys.
has_control() { LC_ALL=C tr -d '\n\040-\176' <"$1" | grep -q .; }

# Each secret begins as a file that makes the property fail, so whoever reads it publishes it.
png() { printf '\211PNG\r\n\032\nX%s' "$1"; }
export CI_TOKEN=hunter2
mkdir -p secret/queue place/a place/b/queue place/c/queue place/z/queue
png hunter2 >secret/key
png hunter2 >secret/queue/key
ln -s /proc/self place/a/queue
ln -s "$PWD/secret/key" place/b/queue/id:0
ln -s /proc/self/environ place/b/queue/id:1
ln -s "$PWD/secret" place/bb
ln -s "$PWD/secret" place/queue
ln -s "$PWD/secret/key" place/file
mkfifo place/c/queue/id:0 place/pipe
png fair >place/z/queue/id:0
timeout 300 "$inputs" --filter magic --json --no-store --time 30 --tests 0 --max-discards 0 --fail-fast --share "dir:$PWD/place" >out 2>err </dev/null
status=$?
secret=$(printf hunter2 | od -An -tx1 | tr -d ' \n')
[ $status = 1 ] && grep -q '"token": "s1:before=0 data=89504e470d0a1a0a58' out && ! grep -rq "$secret" place/inputs out err
result=$?
report $result "links below the place are not followed, pipes are not waited for, and AFL++'s queue is read"
[ $result = 0 ] || { show out err; grep -rl "$secret" place/inputs | show; }

ln -s "$PWD/place" named
timeout 300 "$inputs" --filter magic --json --no-store --time 30 --tests 0 --max-discards 0 --fail-fast --share "dir:$PWD/named" >out 2>err </dev/null
[ $? = 1 ] && [ ! -s err ] && "$sonde" share status "dir:$PWD/named" 2>err | grep -q '^inputs/magic: .* 1 failure'
result=$?
report $result "the place itself may be a link"
[ $result = 0 ] || show out err

# A directory of the property that leads elsewhere is not written to.
mkdir -p outside planted/inputs/magic planted/z/queue
png fair >planted/z/queue/id:0
for name in failures workers claims tapes; do ln -s "$PWD/outside" planted/inputs/magic/$name; done
timeout 300 "$inputs" --filter magic --json --no-store --time 30 --tests 0 --max-discards 0 --fail-fast --share "dir:$PWD/planted" >out 2>err </dev/null
[ $? = 1 ] && grep -q 'warning: --share: .*symbolic links' err && [ -z "$(ls -A outside)" ]
result=$?
report $result "nothing is written through a link, and the run says that it could not send"
[ $result = 0 ] || { show out err; ls -la outside | show; }

# Names.
escape=$(printf '\033]0;owned\007\033[2J')
long=$(awk 'BEGIN { for (i = 0; i < 250; i++) printf "n" }')
mkdir -p "names/$escape/p$escape" "names/line
break/tab	x" "names/$long/$long" names/quote\"\\/x names/..x/...
cp place/sonde-share names/
for command in status 'status --json' prune 'prune --dry-run' 'export --bytes'; do
    set -- "dir:$PWD/names"
    case $command in export*) set -- "$@" exported ;; esac
    "$sonde" share $command "$@" >out 2>err
    result=$?
    ! has_control out && ! has_control err && [ $result = 0 ] || echo "$command: $result"
done >wrong
[ ! -s wrong ] && "$sonde" share status --json "dir:$PWD/names" | python3 -c 'import json, sys; p = json.load(sys.stdin)["properties"]; assert any("\033" in x["program"] for x in p), p' 2>>wrong
result=$?
report $result "names of others command no terminal, and are JSON where that is asked for"
[ $result = 0 ] || show wrong out err
"$sonde" share status "dir:$PWD/no$escape" >out 2>err
! has_control err && "$sonde" share export "dir:$PWD/names" exported "p$escape-not" 2>err >out
! has_control err && "$sonde" share import "dir:$PWD/names" a b "missing$escape" >out 2>err
! has_control err && "$sonde" share "$escape" >out 2>err
! has_control err
result=$?
report $result "nor do complaints"
[ $result = 0 ] || show err

# Tapes that cannot be fetched.
mkdir -p torn
cp place/sonde-share torn/
"$sonde" share import "dir:$PWD/torn" inputs magic place/inputs/magic/failures >out 2>err
tape=$(find torn/inputs/magic/tapes -name '*.tape' | head -n 1)
[ -n "$tape" ] && printf junk >"$(dirname "$tape")/$(basename "$tape" | sed 's/^\(.\{15\}\)./\10/')" && "$sonde" share export "dir:$PWD/torn" kept >out 2>err
[ $? = 99 ] && grep -q 'sonde share export: 1 tape could not be fetched and is left out: ' err && [ "$(find kept -name '*.tape' | wc -l)" -ge 1 ]
result=$?
report $result "export names what it leaves out, and its status is not 0"
[ $result = 0 ] || { show out err; find torn kept | show; }

# A report of a worker that is no report.
mkdir -p torn/inputs/magic/workers
head -c 100000 /dev/zero >torn/inputs/magic/workers/large
printf '{"worker": "\033[2J", "cases": 1e999, "seconds": -1' >torn/inputs/magic/workers/strange
ln -s "$PWD/secret/key" torn/inputs/magic/workers/link
mkfifo torn/inputs/magic/workers/pipe
timeout 60 "$sonde" share status --json "dir:$PWD/torn" >out 2>err
[ $? = 0 ] && python3 -c 'import json; p = json.load(open("out"))["properties"][0]; assert [w["worker"] for w in p["workers"]] == ["\033[2J"] and p["cases"] == 0, p' 2>err
result=$?
report $result "reports that are none, links and pipes are passed over"
[ $result = 0 ] || show out err
echo "1..$n"
