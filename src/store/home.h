/* Where the store stands, and what a program is called in it.
 *
 * The place is, unless one is given: `.sonde` at the root of the repository that holds the program's source, if that
 * belongs to the user; else of the one that holds the program; else `sonde` in the user's folder for state. The working
 * directory has no say in it. A root is a folder with .git, .hg or .svn in it; those of other users are passed over, so
 * that nobody can have another's findings go to a place of his choice.
 *
 * A program is known by its path under the root: by the folder of its source, where that is known, so that all builds of
 * it share what they find, else by its own. Two programs of one name are two.
 *
 * Example: /src/lib is a repository, the source is /src/lib/tests/list.c, the program was built as
 * /build/list_test. The store is /src/lib/.sonde, and PROGRAM is tests/list_test: another build of it,
 * with sanitizers say, finds what this one kept. */
#ifndef SONDE_STORE_HOME_H
#define SONDE_STORE_HOME_H

#include <stdbool.h>

struct sonde_home {
    char *store;     /* the folder of the whole store */
    char *program;   /* path of the program in it, of safe names */
    bool is_default; /* nobody chose the place */
};

/* `directory` (NULL: none was given), `program` (path of the executable) and `source` (as the compiler knew it; may be
 * NULL or not be there) are borrowed. */
void sonde_home_find(struct sonde_home *home, const char *directory, const char *program, const char *source);
void sonde_home_clear(struct sonde_home *home);

/* The path of the executable of this process; sonde_free it. `otherwise`, its argv[0], where the system does not say. */
char *sonde_home_executable(const char *otherwise);

/* The root of the repository that holds the program's source, else the program, if it belongs to the user; NULL if there is
 * none. sonde_free it. */
char *sonde_home_root(const char *program, const char *source);

/* A source file, as the compiler knew it, by its path from the root of the repository that holds it; as it is where the file
 * is not there or in no repository. sonde_free it. */
char *sonde_home_source(const char *source, const char *program);

/* A name that any file system likes; one that had to be changed, or might be taken for another, gets a hash of what it
 * was. sonde_free it. */
char *sonde_safe_name(const char *name);

#endif
