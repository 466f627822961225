/* Finds a source in a repository by the end of its path. */
#ifndef SONDE_STORE_SOURCES_H
#define SONDE_STORE_SOURCES_H

/* Returns the path below `root` of the one file there whose path ends with `source`, and which has line number `line`.
 * The source is a relative path as the compiler was given it. Returns NULL if there is no such file or several, or if
 * the tree is too large to look through. Follows no links, and leaves out hidden directories. The caller frees it with
 * sonde_free. */
char *sonde_source_below(const char *root, const char *source, int line);

#endif
