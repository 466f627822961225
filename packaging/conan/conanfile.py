# A recipe for Conan 2. The Makefile builds and installs: what is compiled how is said there alone.
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, get


class SondeConan(ConanFile):
    name = "sonde"
    version = "@VERSION@"
    description = "Guided property-based testing for C"
    license = "MIT"
    topics = ("testing", "property-based-testing", "fuzzing")
    settings = "os", "arch", "compiler", "build_type"
    package_type = "static-library"

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch in ("x86", "armv7", "armv7hf"):
            raise ConanInvalidConfiguration("sonde needs Linux, on a machine of 64 bits")

    def source(self):
        get(self, "@URL@/sonde-@VERSION@.tar.gz", sha256="@SHA256@", strip_root=True)

    def build(self):
        self.run("make lib build/sonde build/share/sonde.c WERROR=")

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        self.run(f"make install WERROR= PREFIX={self.package_folder}")

    def package_info(self):
        self.cpp_info.libs = ["sonde"]
        self.cpp_info.system_libs = ["m", "pthread"]
        self.cpp_info.set_property("cmake_file_name", "sonde")
        self.cpp_info.set_property("cmake_target_name", "sonde::static")
        self.cpp_info.set_property("pkg_config_name", "sonde-static")
