# A formula for Homebrew on Linux. The Makefile builds and installs.
class Sonde < Formula
  desc "Guided property-based testing for C"
  homepage "@URL@"
  url "@URL@/sonde-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "llvm" => :build
  depends_on "pkg-config" => :build
  depends_on "elfutils"
  depends_on :linux

  def install
    system "make", "install", "PREFIX=#{prefix}", "WERROR="
    pkgshare.install "examples/01_first.c"
  end

  test do
    system bin/"sonde", "cc", pkgshare/"01_first.c", "-o", "first"
    assert_match "falsified", shell_output("./first --seed 1 --no-store", 1)
  end
end
