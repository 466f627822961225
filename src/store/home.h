/* Finds the directory of the store, and the name of a program in it.
 *
 * Unless a directory is given, the store is the first of these:
 *   - `.sonde` at the root of the repository that holds the program's source, if that root belongs to the user;
 *   - `.sonde` at the root of the repository that holds the program;
 *   - `sonde` in the user's state directory (XDG_STATE_HOME).
 * The working directory does not matter. A root is a directory with .git, .hg or .svn in it. Roots of other users are
 * skipped, so that another user cannot choose where the findings go.
 * A program is identified by its path under the root: by the directory of its source if that is known, else by its
 * directory. So all builds of a program share their findings. Two programs of one name in different directories stay
 * separate.
 *
 * Example: /src/lib is a repository, the source is /src/lib/tests/list.c, the program was built as /build/list_test.
 * The store is /src/lib/.sonde, and PROGRAM is tests/list_test. Another build of it, with sanitizers say, uses the
 * same files. */
#ifndef SONDE_STORE_HOME_H
#define SONDE_STORE_HOME_H

#include <stdbool.h>

/* The location of a program's findings. */
struct sonde_home {
    char *store;     /* the directory of the whole store */
    char *program;   /* path of the program within the store, made of safe names (sonde_safe_name) */
    bool is_default; /* the user did not choose the directory */
};

/* Finds the store and the program's path within it; the caller frees `home` with sonde_home_clear. `directory` is the
 * directory that the user gave, or NULL. `program` is the path of the executable. `source` is the path of its source as
 * the compiler recorded it; it may be NULL, or missing on this machine. */
void sonde_home_find(struct sonde_home *home, const char *directory, const char *program, const char *source);
/* Frees the strings. */
void sonde_home_clear(struct sonde_home *home);

/* Returns the path of the executable of this process; the caller frees it with sonde_free. If the system does not
 * provide the path, it is derived from `otherwise`, the program's argv[0]. */
char *sonde_home_executable(const char *otherwise);

/* Returns the root of the repository that holds the program's source or, failing that, the program. Returns NULL if
 * there is no root that belongs to the user. The caller frees it with sonde_free. */
char *sonde_home_root(const char *program, const char *source);

/* Returns the path of a source file, as the compiler knew it, relative to the root of its repository. A file that is
 * not where the path leads is looked for in the repository of the program, by the end of its path. It must have line
 * number `line`. Returns a copy of the path if it is not found, found twice, or not in a repository. The caller frees
 * it with sonde_free. */
char *sonde_home_source(const char *source, const char *program, int line);

/* Returns a name that is valid in any file system; the caller frees it with sonde_free. A name that had to be changed,
 * or could collide with another, gets a hash of the original. */
char *sonde_safe_name(const char *name);

#endif
