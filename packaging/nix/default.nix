# An expression for Nix: nix-build -E 'with import <nixpkgs> {}; callPackage ./default.nix {}'. The Makefile builds and installs.
{ lib, stdenv, elfutils, fetchurl, libclang, pkg-config, python3, which }:

stdenv.mkDerivation rec {
  pname = "sonde";
  version = "@VERSION@";
  src = fetchurl {
    url = "@URL@/sonde-${version}.tar.gz";
    sha256 = "@SHA256@";
  };
  nativeBuildInputs = [ pkg-config python3 which ];
  buildInputs = [ elfutils libclang ];
  makeFlags = [ "PREFIX=$(out)" "WERROR=" ];
  enableParallelBuilding = true;
  meta = with lib; {
    description = "Guided property-based testing for C";
    license = licenses.mit;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
}
