#!/bin/sh
# Below a directory that the user named, nothing is read or written through a link, and only regular files are opened.
# The named path itself may be a link. A file in /proc or /sys is refused.
# Stages: gcc
inputs=$BUILD/tests/cli/inputs
import=$BUILD/tests/cli/import
rot=$BUILD/tests/cli/rot
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 20; fi
}
count() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" out | head -n 1; }
spell() { timeout 60 "$inputs" --filter spell_more --no-store --seed 1 --guide uniform --runs 10 --json "$@" >out 2>err </dev/null; }

word='s1:letter=5 letter=0 letter=3 letter=1 letter=4 letter=4 letter=2 letter=5 rest=7'
mkdir far
printf '%s\n' "$word" >far/secret.tape

# ---- --inputs

mkdir given
printf '%s\n' "$word" | sed 's/7$/8/' >given/plain.tape
spell --inputs given
[ $? = 0 ] && [ "$(count valid)" = 1 ]
report $? "--inputs: a regular file is run"
ln -s ../far/secret.tape given/link.tape
ln -s ../far given/queue
ln -s /proc/self given/me
ln -s given given/loop
mkfifo given/pipe.tape
mkdir given/deep && ln -s ../../far given/deep/queue
[ "$(id -u)" != 0 ] || mknod given/zero.tape c 1 5 2>/dev/null
spell --inputs given
[ $? = 0 ] && [ "$(count valid)" = 1 ]
report $? "--inputs: no link, pipe or device below the directory is opened"
grep -q "given/link.tape' is left out: it is a symbolic link" err && grep -q "given/queue' is left out: it is a symbolic link" err &&
    grep -q "given/me' is left out: it is a symbolic link" err && grep -q "given/pipe.tape' is left out: it is not a regular file" err
report $? "and each of them is named in a warning"
ln -s far named
ln -s far/secret.tape one.tape
spell --inputs named && [ "$(count valid)" = 1 ] && spell --inputs one.tape && [ "$(count valid)" = 1 ]
report $? "--inputs: the path that was named may be a link"
mkdir -p afl/main/queue
cp far/secret.tape afl/main/queue/id:000000
spell --inputs afl
[ $? = 0 ] && [ "$(count valid)" = 1 ]
report $? "--inputs: the queues of other fuzzers below it are read"
TOKEN=ghp_secret timeout 60 "$inputs" --filter text --no-store --runs 10 --inputs /proc/self --inputs-out made >out 2>err </dev/null
grep -q '/proc' err && ! grep -rq ghp_secret made
report $? "--inputs: /proc is refused even if it was named"
truncate -s 1T given/huge.tape
spell --inputs given
[ $? = 0 ] && grep -q "given/huge.tape' is left out: it is larger than" err
report $? "--inputs: a huge sparse file costs a warning"

# ---- --regressions: what is not run must not pass

mkdir regressions
printf '# sonde tape 1\n# property: counts\ns1:count=27 later=3\n' >far/fails.tape
ln -s ../far/fails.tape regressions/a.tape
timeout 60 "$rot" --no-store --regressions regressions >out 2>err </dev/null
[ $? = 2 ] && cat out err | tr '\n' ' ' | grep -q "a.tape cannot be used: it is a symbolic link"
report $? "--regressions: a link to a tape is an error"
rm regressions/a.tape
ln -s ../far regressions/counts
timeout 60 "$rot" --no-store --regressions regressions >out 2>err </dev/null
[ $? = 2 ] && cat out err | tr '\n' ' ' | grep -q "regressions/counts' cannot be read: it is a symbolic link"
report $? "--regressions: a link to a directory is an error"
rm regressions/counts
cp far/fails.tape regressions/a.tape
ln -s regressions linked
timeout 60 "$rot" --no-store --regressions linked >out 2>err </dev/null
[ $? = 1 ]
report $? "--regressions: the directory itself may be a link"

# ---- The store

find_folder() { find "$1" -type d -name failures; }
"$rot" --filter counts --seed 1 --store kept >out 2>err </dev/null
folder=$(find_folder kept)
rm -r "$folder"
mkdir away
ln -s "$PWD/away" "$folder"
"$rot" --filter counts --seed 1 --store kept >out 2>err </dev/null
[ $? = 1 ] && [ -z "$(ls -A away)" ] && grep -q 'symbolic link' err
report $? "store: no failure is written through a link, and a warning says why"
rm "$folder"
mkdir "$folder"
"$rot" --filter counts --seed 1 --store kept >out 2>err </dev/null
tape=$(find "$folder" -name '*.tape')
cp "$tape" before.tape
mv "$tape" away/target.tape
ln -s "$PWD/away/target.tape" "$tape"
ROT_EDITED=fixed "$rot" --filter counts --seed 1 --tests 20 --store kept >out 2>err </dev/null
cmp -s before.tape away/target.tape && [ -L "$tape" ] && grep -q "is not used: it is a symbolic link" err
report $? "store: a stored failure that is a link is neither read nor moved"
"$rot" --filter counts --seed 1 --store kept >out 2>err </dev/null
cmp -s before.tape away/target.tape && [ "$(find "$folder" -type f -name '*.tape' | wc -l)" = 1 ]
report $? "store: a new finding of that name is kept beside the link"
printf hello >away/.999999-0.tmp
rm -r "$folder"
ln -s "$PWD/away" "$folder"
"$rot" --filter counts --seed 1 --store kept >out 2>err </dev/null
[ -e away/.999999-0.tmp ]
report $? "store: leftovers are not looked for through a link"
mkdir real && ln -s real store
"$rot" --filter counts --seed 1 --store store >out 2>err </dev/null
[ $? = 1 ] && [ "$(find real -name '*.tape' | wc -l)" = 1 ]
report $? "store: the directory itself may be a link"

# ---- --import

printf '{"a":1}' >far/a.json
mkdir files
ln -s ../far/a.json files/a.json
ln -s ../far files/far
mkfifo files/pipe
run_import() { timeout 60 "$import" --filter json --no-store --seed 1 --guide simplest --runs 1 --max-discards 0 --time 0 --json "$@" >out 2>err </dev/null; }
run_import --import files
grep -q "files/a.json' is left out: it is a symbolic link" err && grep -q "files/far' is left out: it is a symbolic link" err &&
    grep -q "files/pipe' is left out: it is not a regular file" err
report $? "--import: links and pipes below the directory are left out"
run_import --import files --import-as 'cat >>seen; cat seen'
[ ! -e seen ]
report $? "--import-as: its command gets none of them"
ln -s far/a.json b.json
run_import --import b.json --import-as 'cat'
cat out err | tr '\n' ' ' | grep -q 'files imported as a whole: 1 of 1'
report $? "--import: a file that was named may be a link"

# ---- Tools

mkdir tapes
echo 's1:x=1' >tapes/good.tape
ln -s ../far/secret.tape tapes/link.tape
ln -s ../far tapes/far
mkfifo tapes/pipe.tape
timeout 60 "$BUILD/sonde" filter --by random --size 5 tapes filtered >out 2>err
[ $? = 0 ] && [ "$(find filtered -type f | wc -l)" = 1 ] && [ "$(grep -c 'is left out' err)" = 3 ]
report $? "sonde filter: links and pipes below a directory are left out"
echo 's1:x=2' >x.tape && ln -s "$PWD/away/victim" "filtered/link" && ln -s filtered folder
timeout 60 "$BUILD/sonde" filter --by random --size 5 folder filtered2 >out 2>err
[ $? = 0 ] && [ "$(find filtered2 -type f | wc -l)" = 1 ]
report $? "sonde filter: the directory itself may be a link"
for file in filtered2/*; do name=${file##*/}; done
mkdir planted && ln -s "$PWD/away/victim" "planted/$name"
timeout 60 "$BUILD/sonde" filter --by random --size 5 tapes planted >out 2>err
[ ! -e away/victim ]
report $? "sonde filter: nothing is written through a link that waits under the name of a tape"

"$rot" --filter counts --seed 1 --no-store --report html:page.html >out 2>err </dev/null
ln -s away/victim page.html.new
chmod 640 page.html
ln -s page.html linked.html
"$BUILD/sonde" html linked.html >out 2>err && [ ! -e away/victim ] && [ -L linked.html ] && [ "$(stat -c %a page.html)" = 640 ]
report $? "sonde html: nothing is written through a link that waits beside the page, which keeps its permissions"
mkfifo pipe.html
timeout 60 "$BUILD/sonde" html pipe.html >out 2>err
[ $? = 2 ] && timeout 60 "$BUILD/sonde" html /proc/self/environ >out 2>err
[ $? = 2 ]
report $? "sonde html: a pipe is not waited for, and /proc is not read"
{
    printf '<html><body>\n<script type="application/json" id="sonde-data">{}</script>\n<script type="text/plain" id="sonde-places">property 0 p\nmodule 1 2 /'
    head -c 3000 /dev/zero | tr '\0' A
    printf '\nmodule 0 1 /x%%a\n</script>\n<script type="application/json" id="sonde-source">null</script>\n</body></html>\n'
} >cut.html
"$BUILD/sonde" html cut.html >out 2>err
[ $? = 0 ]
report $? "sonde html: a name that ends within an escape is read to its end and no further"
echo "1..$n"
