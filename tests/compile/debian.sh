#!/bin/sh
# The Debian packages: what they say agrees with the sources; built (check-long), they are clean by lintian and pass their own test.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 30 log | sed 's/^/# /'; fi; }
debian=$SRC/packaging/debian
version=$(sed -n 's/^.define *SONDE_VERSION *"\(.*\)".*/\1/p' "$SRC/include/sonde.h")

head -n 1 "$debian/changelog" >log
grep -q "^sonde ($version-[0-9]*) " log
report $? "Debian's changelog has the version of the header"
grep -q "^## \[$version\]" "$SRC/CHANGELOG.md"
report $? "so has CHANGELOG.md"
grep -q "sonde-$version\.tar\.gz" "$SRC/docs/installing.md" && grep -q "^Version $version" "$SRC/README.md"
report $? "so have README.md and docs/installing.md"
sed -n 's/^Package: //p' "$debian/control" | sort | tr '\n' ' ' >log
[ "$(cat log)" = 'libsonde-dev libsonde0 sonde sonde-doc ' ]
report $? "there are four packages"

# What make install writes is in a package, and what packages ask for is written.
make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$PWD/root" PREFIX=/usr LIBDIR=/usr/lib/x install >log 2>&1
report $? "make install as Debian calls it"
cat "$debian"/*.install | while read -r pattern; do
    # shellcheck disable=SC2086
    ls -d root/$pattern >/dev/null 2>&1 || echo "$pattern: nothing is installed by that name"
done >log
[ ! -s log ]
report $? "every pattern of the packages finds something"
(cd root && find usr ! -type d) | while read -r file; do
    found=
    for pattern in $(cat "$debian"/*.install); do
        case $file in $pattern | $pattern/*) found=1 ;; esac
    done
    [ -n "$found" ] || echo "$file: in no package"
done >log
[ ! -s log ]
report $? "every installed file is in a package"

if [ -z "${SONDE_TEST_LONG:-}" ]; then
    echo "# the packages themselves are built by make check-long"
    echo "1..$n"
    exit
fi
for tool in dpkg-buildpackage dh lintian; do
    command -v $tool >/dev/null 2>&1 && continue
    n=$((n + 1))
    echo "ok $n - the packages are built # SKIP there is no $tool (scripts/setup deb)"
    echo "1..$n"
    exit
done
"$SRC/scripts/deb" "$PWD/out" "$version" >log 2>&1
report $? "dpkg-buildpackage works on the release's tarball, and lintian has nothing to say"
for package in out/deb/*.deb; do dpkg -x "$package" empty; done
triplet=$(basename "$(dirname "$(ls empty/usr/lib/*/libsonde.a)")")
(
    PATH=$PWD/empty/usr/bin:$PATH PKG_CONFIG_PATH=$PWD/empty/usr/lib/$triplet/pkgconfig LD_LIBRARY_PATH=$PWD/empty/usr/lib/$triplet
    CMAKE_PREFIX_PATH=$PWD/empty/usr AUTOPKGTEST_TMP=$PWD/tested
    export PATH PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH AUTOPKGTEST_TMP
    mkdir tested && cd "$SRC" && sh packaging/debian/tests/first
) >log 2>&1
report $? "the packages' own test passes with what they hold"
echo "1..$n"
