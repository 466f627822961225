#!/bin/sh
# docs/installing.md to the letter: each way from the release's tarball to the first counterexample, in an empty folder, with at most four commands. And
# the recipes for package managers: filled in by make dist, and parsed by what is here.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | sed 's/^/# /'; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
has() { command -v "$1" >/dev/null 2>&1; }
page=$SRC/docs/installing.md
version=$(sed -n 's/^.define *SONDE_VERSION *"\(.*\)".*/\1/p' "$SRC/include/sonde.h")

SONDE_URL=https://example.org/sonde make -s -C "$SRC" BUILD="$PWD" dist >log 2>&1
report $? "make dist"
grep -rl '@[A-Z0-9]*@' release >log
[ $? = 1 ] && [ -s release/sonde.wrap ] && grep -rq "$(cut -d ' ' -f 1 "sonde-$version.tar.gz.sha256")" release
report $? "the recipes have address, version and checksum"
python3 -c 'import ast, json, sys; [ast.parse(open(f).read()) for f in ("release/conan/conanfile.py", "release/conan/test_package/conanfile.py")]; json.load(open("release/vcpkg/vcpkg.json"))' >log 2>&1
report $? "Conan's recipe is Python, vcpkg's manifest JSON"
if has ruby; then ruby -c release/homebrew/sonde.rb >log 2>&1; report $? "Homebrew's formula is Ruby"; else skip "Homebrew's formula is Ruby" "there is no ruby"; fi
if has nix-instantiate; then nix-instantiate --parse release/nix/default.nix >log 2>&1; report $? "the expression of Nix is one"; else skip "the expression of Nix is one" "there is no nix"; fi

# way NAME: its commands
way() { awk -v name="$1" '$0 == "<!-- way: " name " -->" { on = 1; next } /^```/ { if (on == 2) exit; if (on) { on = 2; next } } on == 2' "$page"; }
# A command may go on over several lines, in a here-document.
count() { awk '/<<.END.$/ { n++; inside = 1; next } inside { if ($0 == "END") inside = 0; next } NF { n++ } END { print n }'; }
for name in make pkgconfig deb cmake meson amalgamation; do
    way $name >$name.sh && [ "$(count <$name.sh)" -le 4 ] && [ "$(count <$name.sh)" -ge 3 ]
    report $? "$name: $(count <$name.sh) commands"
done
if [ -z "${SONDE_TEST_LONG:-}" ]; then
    echo "# they are run by make check-long"
    echo "1..$n"
    exit
fi
for name in make pkgconfig amalgamation cmake meson; do
    case $name in cmake | meson) has $name || { skip "$name" "there is no $name"; continue; } ;; esac
    mkdir -p $name/home && cp "sonde-$version.tar.gz" release/sonde.wrap "$SRC/examples/01_first.c" $name/ && mv $name/01_first.c $name/first.c
    (
        cd $name && mkdir .git && env -u BUILD -u CC -u CXX HOME="$PWD/home" SONDE_SEED=1 sh -e ../$name.sh >../log 2>&1
        status=$?
        times >../times
        exit $status
    )
    [ $? = 1 ] && grep -q '^FAIL insert_keeps_order: falsified' log
    report $? "$name: from the tarball to the first counterexample"
    awk -F '[ms ]+' -v name=$name 'END { printf "# %s: %.0f s of CPU\n", name, 60 * ($1 + $3) + $2 + $4 }' times
    rm -rf $name
done
echo "1..$n"
