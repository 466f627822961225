#!/bin/sh
# docs/adopting.md to the letter: its patches apply to the sources of Debian, have at most fifteen lines, and the project's own command
# shows the property. The sources come from the archive, so this runs with SONDE_TEST_LONG only, and where they are to be had.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 25 log | sed 's/^/# /'; fi; }
awk '/^<!-- patch: / { name = $3; next } /^```/ { if (open) { close(name ".patch"); open = 0; name = "" } else if (name) open = 1; next }
     open { print >(name ".patch") }' "$SRC/docs/adopting.md"
for name in cjson pkgconf jansson; do
    [ "$(grep -c '^+\($\|[^+]\)' $name.patch)" -le 15 ] && [ "$(grep -c '^-[^-]' $name.patch)" -le 2 ] || break
done 2>log
report $? "each patch has at most fifteen lines"
if [ -z "$SONDE_TEST_LONG" ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "1..$n"
    exit 0
fi

# Lists of our own: nothing of the machine's is changed.
mkdir -p parts lists/partial cache/archives/partial
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
archive=$(sed -n 's/^URIs: *\([^ ]*debian\)\/*$/\1/p; s/^deb \(\[[^]]*\] \)*\([^ ]*debian\)\/* .*/\2/p' /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null | head -n 1)
printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$archive" "$suite" >parts/source.sources
get() {
    apt-get -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$PWD/parts" -o Dir::State::lists="$PWD/lists" \
        -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User=root "$@"
}
get update >log 2>&1
# project NAME: its source, patched, in a folder of that name.
project() {
    get source --download-only "$1" >log 2>&1 && mkdir "$1" && tar xf "$1"_*.orig.tar.?z -C "$1" --strip-components=1 && (cd "$1" && patch -p1) <"$1.patch" >>log 2>&1
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP its source, or a tool to build it, is not to be had"; }

make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$PWD/root" PREFIX=/opt/sonde install >log 2>&1
PKG_CONFIG_PATH=$PWD/root/opt/sonde/lib/pkgconfig SONDE_SEED=1 SONDE_STORE=
export PKG_CONFIG_PATH SONDE_SEED SONDE_STORE
if command -v cmake >/dev/null && project cjson; then
    cmake -S cjson -B cjson/out -DCMAKE_PREFIX_PATH="$PWD/root/opt/sonde" >log 2>&1 && cmake --build cjson/out >>log 2>&1
    (cd cjson/out && ctest) >>log 2>&1
    grep -q 'properties\.what_is_printed_is_read_again ' log
    report $? "ctest shows the property of cJSON"
else
    skip cJSON
fi
if command -v meson >/dev/null && project pkgconf; then
    (cd pkgconf && CC=$CC meson setup out -Dtests=false && meson test -C out -v) >log 2>&1 && grep -q ' versions_have_an_order *OK' log
    report $? "meson test shows the property of pkgconf"
else
    skip pkgconf
fi
if command -v libtoolize >/dev/null && project jansson; then
    (cd jansson && autoreconf -fi && ./configure CC="$CC" && make check) >log 2>&1
    grep -q '^PASS: properties' log && grep -q '^ok .*what_is_written_is_read_again: ' jansson/test/properties.log
    report $? "make check shows the property of jansson"
else
    skip jansson
fi
echo "1..$n"
