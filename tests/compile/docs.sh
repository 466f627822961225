#!/bin/sh
# What the documentation names is there: files, options, modules.
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
# Each line of the file is something amiss.
none() {
    sed 's/^/# /' "$1"
    [ ! -s "$1" ]
    report $? "$2"
}

cd "$SRC" || exit 2
pages="README.md CONTRIBUTING.md CHANGELOG.md bench/README.md examples/README.md examples/real/README.md $(echo docs/*.md)"
here=$OLDPWD

for page in $pages; do
    grep -o '](\([^)#]*\)' "$page" | sed 's/^](//' | while read -r link; do
        case $link in '' | http*) continue ;; esac
        [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
    done
done >"$here/links"
none "$here/links" "links lead to files"

# Of test programs and of the sonde command. Others that the pages name are told here.
{
    "$BUILD/examples/01_first" --help
    "$BUILD/sonde" help
    "$BUILD/sonde" cc --sonde-help
    "$BUILD/sonde-share" --help
    echo "--no-run --success --start --stop --held --twice --narrow (sonde new, which may not be built)"
    echo "--cflags --libs --static (pkg-config) --wrap (ld) --coverage (gcc)"
    echo "--build (cmake) --porcelain (git) --depth --unwind (CBMC, KLEE) --shm-size (docker) --array --bytes --signal (of job queues) --headers-dir (abidiff) --detach-sign --armor (gpg) --full --seconds --seeds --continue --html --workers --finders --simulate --steady --flood --delay --programs (bench/run) --base (packaging/ci/run)"
} | grep -oE -e '--[a-z][a-z-]*' | sort -u >"$here/options"
for page in README.md CHANGELOG.md docs/*.md; do
    grep -oE -e '(^|[ `(=])--[a-z][a-z-]*' "$page" | grep -oE -e '--[a-z][a-z-]*' | sort -u |
        grep -v -e '-$' | grep -vxF -f "$here/options" | sed "s|^|$page: |"
done >"$here/unknown"
none "$here/unknown" "options in the pages are options of the programs"

for page in docs/*.md; do
    [ "$page" = docs/README.md ] || grep -q "(${page#docs/})" docs/README.md || echo "$page"
done >"$here/pages"
none "$here/pages" "docs/README.md lists every page"

for example in examples/*.c examples/*.cpp; do
    grep -q "(${example#examples/})" examples/README.md || echo "$example"
done >"$here/examples"
none "$here/examples" "examples/README.md lists every example"

# A module is named as `x`, or as one of `x_*`.
for file in src/*/*.[ch] src/*/*/*.[ch] addons/cov/*.c tools/*.c tools/derive/*.[ch]; do
    folder=$(dirname "$file") module=$(basename "$file" | sed 's/\.[ch]$//')
    row=$(grep "^| \`$folder\` |" docs/architecture.md)
    case $row in
    *"\`$module\`"* | *"\`${module%%_*}_*\`"*) ;;
    *) echo "$file" ;;
    esac
done >"$here/modules"
none "$here/modules" "the map in docs/architecture.md has every module"

# `file.c: function`, where a guide does what a paper describes.
grep -ohE '`[a-z_]+\.c: [a-z_]+`' docs/guides.md | tr -d '`' | sort -u | while IFS=': ' read -r file name; do
    find src addons -name "$file" -exec grep -lE "^[a-z].*[ *]$name\(" {} + | grep -q . || echo "$file: $name"
done >"$here/functions"
none "$here/functions" "the functions that docs/guides.md names for papers exist"
# docs/papers.md: | id | claim | where | state | test | remark |. Files and tests exist, functions are in their files.
grep -E '^\| [RZTKC][0-9]+ \|' docs/papers.md >"$here/rows"
[ "$(cut -d ' ' -f 2 "$here/rows" | sort -u | wc -l)" = 226 ] && [ "$(wc -l <"$here/rows")" = 226 ]
report $? "docs/papers.md has its 226 rows, each once"
awk -F ' [|] ' '{ sub(/^[|] /, ""); sub(/ [|]$/, "", $NF)
    if ($4 !~ /^(shown|there|partly|not there|-)$/) print $1 ": the state is " $4
    if ($4 != "shown" && $4 != "there" && $6 ~ /^ *[|]?$/) print $1 ": no reason"
    n = split($3 ", " $5, parts, ", ")
    for (i = 1; i <= n; i++) print "@" $1 "@" parts[i] }' "$here/rows" >"$here/named"
{
    grep -v '^@' "$here/named"
    grep '^@' "$here/named" | tr -d '`' | while IFS=@ read -r _ id what; do
        # shellcheck disable=SC2086
        set -- $what
        if [ "$1" = bench/run ]; then
            [ "$2" = papers ] || [ -e "bench/$(echo "$2" | tr - _).c" ] || echo "$id: there is no suite $2"
        elif [ ! -e "$1" ]; then
            echo "$id: there is no $1"
        elif [ -n "$2" ]; then
            grep -qE "(^|[^a-zA-Z0-9_])$2([^a-zA-Z0-9_]|$)" "$1" || echo "$id: $2 is not in $1"
        fi
    done
} >"$here/papers"
none "$here/papers" "what docs/papers.md names is there, and what is not complete has a reason"

# docs/commands.md: a section for each command, all options, all variables.
{
    "$BUILD/sonde" help | sed -n 's/^  \([a-z+]*\) .*/\1/p' | sort -u | while read -r command; do
        grep -qE "^## sonde .*\b$(echo "$command" | sed 's/+/[+]/g')( |,|\$)" docs/commands.md || [ "$command" = c++ ] || echo "no section for sonde $command"
    done
    "$BUILD/sonde" man | grep -oE 'Environment: .fBSONDE_[A-Z_]+' | grep -oE 'SONDE_[A-Z_]+' | sort -u | while read -r name; do
        grep -q "\`$name\`" docs/commands.md || echo "$name is missing"
    done
    # What sonde sets for its own processes, and for tests, is not for users.
    grep -rhoE 'getenv\("SONDE_[A-Z_]+"' src tools addons adapters | grep -oE 'SONDE_[A-Z_]+' | grep -v HOSTILE | sort -u | while read -r name; do
        grep -q "\`$name\`" docs/commands.md || echo "$name is missing"
    done
} >"$here/commands"
none "$here/commands" "docs/commands.md has every command and every environment variable"

# The reference is made from the headers; a manual page for each name that a user may call.
if command -v python3 >/dev/null 2>&1; then
    scripts/reference check >"$here/lacking" 2>&1
    none "$here/lacking" "each function has a page that says what it does, what it returns and when it fails"
    { scripts/reference page "$here/reference.md" && scripts/reference man "$here/man3"; } >"$here/made" 2>&1
    for name in $(sed -n -s '/---- Implementation of the macros/,$d; s/^SONDE_API [^(]*[ *]\(sonde_[a-z0-9_]*[a-z0-9]\)(.*/\1/p; s/^#define \(sonde_[a-z_]*[a-z]\)(.*/\1/p; s/^static inline.*[ *]\(sonde_[a-z_]*[a-z]\)(.*/\1/p' \
        include/sonde.h include/sonde/extend.h); do
        [ -s "$here/man3/$name.3" ] || echo "$name: no manual page"
        grep -qE "#$name }|id=\"$name\"" "$here/reference.md" || echo "$name: has no anchor in the reference"
    done >>"$here/made"
    none "$here/made" "each function has a manual page, and an anchor in the reference"
    for page in "$here"/man3/*.3; do
        if grep -q '^\.so' "$page"; then continue; fi
        for part in NAME SYNOPSIS DESCRIPTION 'RETURN VALUE' ERRORS EXAMPLES 'SEE ALSO'; do
            awk -v part="$part" '/^\.SH /{ in_part = substr($0, 5) == part; next } in_part && !/^\./ && NF { n++ } END { exit !(n > 0 || part == "SEE ALSO") }' "$page" || echo "${page##*/}: $part is empty"
        done
    done >"$here/parts"
    none "$here/parts" "each manual page has its seven parts"
fi
for page in docs/*.md; do
    name=$(basename "$page")
    [ "$name" = README.md ] || grep -q ": $name\$" docs/mkdocs.yml || echo "$name"
done >"$here/nav"
none "$here/nav" "the site's menu has every page"

words=$(grep -c '^| \*' docs/glossary.md) && twice=$(grep -o '^| \*[a-z ]*\*' docs/glossary.md | sort | uniq -d)
[ "$words" -ge 25 ] && [ -z "$twice" ]
report $? "docs/glossary.md has each word once"
echo "1..$n"
