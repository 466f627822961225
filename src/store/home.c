/* See home.h. Only reads the file system; nothing is created here. Names are made safe part by part, so that a store
 * can be copied to any file system. */
#include "store/home.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/strings.h"
#include "store/files.h"
#include "store/sources.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 80 }; /* maximum length of a safe name in bytes, without its hash */

/* ---- Names */

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'
           || c == '.';
}

char *sonde_safe_name(const char *name)
{
    char plain[NAME_MAX_BYTES + 1];
    size_t n = 0;
    /* A leading dot would hide the file, a leading dash would look like an option to tools. */
    bool is_changed = name[0] == '.' || name[0] == '\0' || name[0] == '-';
    for (; n < NAME_MAX_BYTES && name[n]; n++) {
        bool keep = is_plain((unsigned char)name[n]) && !(n == 0 && is_changed);
        plain[n] = keep ? name[n] : '_';
        if (!keep) is_changed = true;
    }
    plain[n] = '\0';
    if (!is_changed && !name[n]) return sonde_strdup(plain);
    /* The hash is of the original, so two names that become equal stay different. */
    return sonde_path("%s~%08x", plain, (unsigned)sonde_fold32(sonde_hash_text(0, name)));
}

/* Makes each part of a path safe; leaves out empty parts and ".". */
static char *safe_path(const char *path)
{
    char *all = sonde_strdup("");
    while (*path) {
        size_t n = strcspn(path, "/");
        char *part = sonde_path("%.*s", (int)n, path);
        if (*part && strcmp(part, ".") != 0) {
            char *name = sonde_safe_name(part);
            char *longer = *all ? sonde_path("%s/%s", all, name) : sonde_strdup(name);
            sonde_free(name);
            sonde_free(all);
            all = longer;
        }
        sonde_free(part);
        path += n + (path[n] == '/');
    }
    if (*all) return all;
    sonde_free(all);
    return sonde_safe_name("");
}

/* Returns the parent directory of a path, without a final slash; "" for a path without slashes, or directly below
 * "/". */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return sonde_path("%.*s", (int)(slash ? slash - path : 0), path);
}

/* Removes the last part of a path; returns false if there is no slash left. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash) return false;
    *slash = '\0';
    return true;
}

/* ---- Roots */

static bool is_there(const char *path, bool must_own)
{
    struct stat info;
    return stat(path, &info) == 0 && (!must_own || info.st_uid == geteuid());
}

static bool is_root(const char *folder, bool must_own)
{
    static const char *const marks[] = {".git", ".hg", ".svn"};
    bool is = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !is; i++) {
        char *mark = sonde_path("%s/%s", folder, marks[i]);
        is = is_there(mark, must_own) && is_there(*folder ? folder : "/", must_own);
        sonde_free(mark);
    }
    return is;
}

/* Returns the root of the repository that holds a directory, given by its absolute path; NULL if there is none. */
static char *root_above(const char *folder, bool must_own)
{
    char *up = sonde_strdup(folder);
    if (*up != '/') *up = '\0';
    bool found = false;
    while (*up && !(found = is_root(up, must_own)) && go_up(up)) continue;
    if (found) return up;
    sonde_free(up);
    return NULL;
}

/* ---- The program and its source */

char *sonde_home_executable(const char *otherwise)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0 && path[0] == '/') {
        path[n] = '\0';
        return sonde_strdup(path);
    }
    char *real = otherwise ? realpath(otherwise, NULL) : NULL;
    char *copy = sonde_strdup(real ? real : otherwise ? otherwise : "");
    free(real);
    return copy;
}

/* Returns the absolute directory of the source; NULL if the source is not found. The compiler got the path as an
 * argument, mostly relative to where it was called: a directory above the program, or the working directory. */
static char *source_folder(const char *source, const char *program)
{
    if (!source || !*source) return NULL;
    char *real = *source == '/' ? realpath(source, NULL) : NULL;
    char *up = sonde_strdup(program);
    /* Searches from the program's directory upwards: for the program build/tests/x with the source tests/x.c, the
     * source is found at the root of the tree. */
    while (!real && *source != '/' && *up == '/' && go_up(up)) {
        char *path = sonde_path("%s/%s", up, source);
        real = realpath(path, NULL);
        sonde_free(path);
    }
    if (!real) real = realpath(source, NULL);
    sonde_free(up);
    char *folder = real ? folder_of(real) : NULL;
    free(real);
    return folder;
}

/* Returns the path of a source that is not where the compiler's path leads. It must be the only file in the repository
 * of the program that the path may name; NULL otherwise. */
static char *find_by_name(const char *source, const char *program, int line)
{
    char *folder = folder_of(program), *root = *source == '/' ? NULL : root_above(folder, false);
    char *path = root ? sonde_source_below(root, source, line) : NULL;
    sonde_free(folder);
    sonde_free(root);
    return path;
}

char *sonde_home_source(const char *source, const char *program, int line)
{
    char *folder = source_folder(source, program), *root = folder ? root_above(folder, false) : NULL;
    char *path = root ? sonde_path("%s/%s", folder + strlen(root), sonde_last_part(source)) : NULL;
    if (root) memmove(path, path + 1, strlen(path)); /* removes the leading slash */
    else if (!folder) path = find_by_name(source, program, line);
    sonde_free(folder);
    sonde_free(root);
    return path ? path : sonde_strdup(source);
}

/* ---- The directory of the store */

/* Returns the store in the user's directory for state, or beside the program if there is none. */
static char *state_folder(const char *program)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    /* The XDG Base Directory Specification says to ignore relative paths. */
    if (state && *state == '/') return sonde_path("%s/sonde", state);
    if (home && *home == '/') return sonde_path("%s/.local/state/sonde", home);
    char *folder = folder_of(program), *path = sonde_path("%s%s.sonde", folder, strchr(program, '/') ? "/" : "");
    sonde_free(folder);
    return path;
}

/* Returns the root of the user's repository that holds the source, else the program; NULL if there is none. */
static char *users_root(const char *program, const char *sources)
{
    char *folder = folder_of(program), *root = sources ? root_above(sources, true) : NULL;
    if (!root) root = root_above(folder, true);
    sonde_free(folder);
    return root;
}

char *sonde_home_root(const char *program, const char *source)
{
    char *sources = source_folder(source, program), *root = users_root(program, sources);
    sonde_free(sources);
    return root;
}

static char *default_store(const char *program, const char *sources)
{
    char *root = users_root(program, sources);
    char *store = root ? sonde_path("%s/.sonde", root) : state_folder(program);
    sonde_free(root);
    return store;
}

/* Returns the path of a program in the store. It is relative to the root and so the same in two clones of a repository,
 * which can then share a store. */
static char *name_program(const char *program, const char *sources)
{
    char *folder = sources ? sonde_strdup(sources) : folder_of(program), *root = root_above(folder, false);
    char *path = sonde_path("%s/%s", root ? folder + strlen(root) : folder, sonde_last_part(program));
    char *name = safe_path(path);
    sonde_free(path);
    sonde_free(root);
    sonde_free(folder);
    return name;
}

void sonde_home_find(struct sonde_home *home, const char *directory, const char *program, const char *source)
{
    char *sources = source_folder(source, program);
    home->is_default = !directory || !*directory;
    home->store = home->is_default ? default_store(program, sources) : sonde_strdup(directory);
    home->program = name_program(program, sources);
    sonde_free(sources);
}

void sonde_home_clear(struct sonde_home *home)
{
    sonde_free(home->store);
    sonde_free(home->program);
}
