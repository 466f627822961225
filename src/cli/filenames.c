/* See filenames.h. */
#include "cli/filenames.h"

#include "base/strings.h"

static bool ends_in_one(const char *path, const char *const *ends)
{
    for (; *ends; ends++)
        if (sonde_ends(path, *ends)) return true;
    return false;
}

bool sonde_filename_is_header(const char *path)
{
    static const char *const ends[] = {".h", ".hh", ".hpp", ".hxx", ".H", ".inc", ".inl", ".def", ".ipp", ".tcc", NULL};
    return ends_in_one(path, ends);
}

bool sonde_filename_is_source(const char *path)
{
    static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".s", ".S", NULL};
    return ends_in_one(path, ends) || sonde_filename_is_header(path);
}

bool sonde_filename_is_build_file(const char *path)
{
    static const char *const ends[] = {".mk",    ".mak",   ".am",  ".ac", ".m4",  ".cmake",
                                       ".ninja", ".bazel", ".bzl", ".gn", ".gni", NULL};
    static const char *const names[] = {"CMakeLists.txt", "CMakePresets.json",
                                        "meson.build",    "meson_options.txt",
                                        "meson.options",  "configure",
                                        "SConstruct",     "SConscript",
                                        "BUILD",          "Kbuild",
                                        "Kconfig",        NULL};
    const char *name = sonde_last_part(path);
    bool is_makefile = sonde_starts(name, "Makefile") || sonde_starts(name, "makefile") || !strcmp(name, "GNUmakefile");
    for (size_t i = 0; names[i] && !is_makefile; i++) is_makefile = !strcmp(name, names[i]);
    return is_makefile || ends_in_one(name, ends);
}

bool sonde_filename_is_document(const char *path)
{
    static const char *const ends[] = {".md",  ".txt",  ".rst",  ".adoc", ".org",  ".tex",   ".html",
                                       ".css", ".svg",  ".png",  ".jpg",  ".jpeg", ".gif",   ".pdf",
                                       ".yml", ".yaml", ".1",    ".3",    ".5",    ".7",     ".8",
                                       ".po",  ".pot",  ".tape", ".log",  ".diff", ".patch", NULL};
    static const char *const starts[] = {"README", "LICENSE", "LICENCE",       "COPYING",  "CHANGE",
                                         "Change", "NEWS",    "AUTHORS",       "INSTALL",  "TODO",
                                         ".git",   ".clang",  ".editorconfig", ".mailmap", NULL};
    const char *name = sonde_last_part(path);
    bool is = ends_in_one(name, ends) || sonde_starts(path, ".git");
    for (size_t i = 0; starts[i] && !is; i++) is = sonde_starts(name, starts[i]);
    return is;
}

bool sonde_filename_is_system(const char *path)
{
    return sonde_starts(path, "/usr/include/") || sonde_starts(path, "/usr/lib/")
           || sonde_starts(path, "/usr/local/include/");
}

bool sonde_filename_is_of_sonde(const struct sonde_line_table *t, const char *path)
{
    static const char *const ends[] = {"/sonde.h",         "/sonde.c",         "/sonde.hpp",
                                       "/sonde/derive.h",  "/sonde/derived.h", "/sonde/extend.h",
                                       "/sonde/globals.h", "/sonde/mutants.h", NULL};
    static const char this_file[] = "/src/cli/filenames.c";
    if (ends_in_one(path, ends)) return true;
    for (uint32_t i = 0; i < t->n_files; i++) {
        if (!sonde_ends(t->files[i], this_file)) continue;
        size_t n = strlen(t->files[i]) - strlen(this_file);
        bool is_below = strncmp(path, t->files[i], n) == 0;
        return is_below && (sonde_starts(path + n, "/src/") || sonde_starts(path + n, "/addons/"));
    }
    return false;
}
