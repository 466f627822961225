#!/bin/sh
# Properties in any CI that runs a script in the project's directory and keeps .sonde and .sonde-install between runs. Set the address and
# the checksum of a release, and the project's commands. Needs curl, and a compiler and make, or the right to install them by apt-get.
set -eu
SONDE_TARBALL=${SONDE_TARBALL:-@URL@/sonde-@VERSION@.tar.gz}
SONDE_SHA256=${SONDE_SHA256:-@SHA256@}
export CI=true SONDE_ID="$SONDE_SHA256" SONDE_STORE="$PWD/.sonde"

sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
case $SONDE_TARBALL in
*://*) curl -fsSL -o "$sources/sonde.tar.gz" "$SONDE_TARBALL" ;;
*) cp "$SONDE_TARBALL" "$sources/sonde.tar.gz" ;;
esac
echo "$SONDE_SHA256  $sources/sonde.tar.gz" | sha256sum -c
tar xzf "$sources/sonde.tar.gz" --strip-components=1 -C "$sources"
"$sources/packaging/ci/install" .sonde-install
eval "$("$sources/packaging/ci/install" --env "$PWD/.sonde-install")"

make properties
echo ./properties | "$sources/packaging/ci/test"
