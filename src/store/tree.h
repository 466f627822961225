/* Files in a directory and in those below it, in the order of their names. */
#ifndef SONDE_STORE_TREE_H
#define SONDE_STORE_TREE_H

#include <stdbool.h>

/* What is asked of each name and done for each file, and for each directory that cannot be listed, or not to its end (a
 * negative errno, worded by sonde_below_reason). */
struct sonde_tree_walk {
    bool (*is_wanted)(void *context, const char *name);
    bool (*is_named_after)(void *context, const char *folder); /* the property that is meant */
    void (*file)(void *context, const char *path, bool belongs);
    void (*unlisted)(void *context, const char *path, int error);
    bool (*is_over)(void *context);
    void *context;
};

/* Visits them. A file belongs to the property that is meant if a directory on the way to it is named after it, or if it
 * stands in `directory` itself. Links below `directory` are not followed: one that leads to a directory is reported by
 * `unlisted` (-ELOOP). Read the files by sonde_below_read with strlen(directory), which refuses the others. */
void sonde_tree_walk(const struct sonde_tree_walk *walk, const char *directory);

#endif
