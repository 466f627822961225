/* See tree.h. Used for directories of regressions and of inputs, which people arrange as they like: in one
 * directory, in one for each property, or deeper. */
#include "store/tree.h"

#include "base/mem.h"
#include "store/files.h"

#include <errno.h>
#include <string.h>

/* People nest directories less deeply; a tree that is deeper was made to exhaust the stack. */
enum { DEPTH_MAX = 200 };

struct branch {
    const char *path;
    unsigned depth; /* 0: the directory that was named */
    bool belongs;   /* its files, to the property that is meant */
};

/* The walk is the same for all branches. */
struct walk {
    const struct sonde_tree_walk *visit;
    size_t named;
};

static void walk_into(const struct walk *w, const struct branch *in);

/* A link to a directory is reported like one that cannot be listed: below it may be files that are wanted. A link to
 * a file is visited if its name is wanted, and refused by sonde_below_read. */
static bool leads_to_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static void walk_to(const struct walk *w, const struct branch *in, const char *path, const char *name)
{
    const struct sonde_tree_walk *visit = w->visit;
    struct stat info;
    int error = sonde_below_stat(path, w->named, &info);
    bool is_link = !error && S_ISLNK(info.st_mode) && leads_to_directory(path);
    if (!error && S_ISDIR(info.st_mode)) {
        /* Directly in the named directory a file belongs to every property; in one below only if some directory on the
         * way is named after it. */
        bool belongs = visit->is_named_after(visit->context, name) || (in->belongs && in->depth);
        walk_into(w, &(struct branch){.path = path, .depth = in->depth + 1, .belongs = belongs});
    } else if (is_link) {
        visit->unlisted(visit->context, path, -ELOOP);
    } else if (visit->is_wanted(visit->context, name)) {
        visit->file(visit->context, path, in->belongs);
    }
}

static void walk_into(const struct walk *w, const struct branch *in)
{
    struct sonde_names names = {0};
    int error = in->depth < DEPTH_MAX ? sonde_below_list(in->path, w->named, &names) : -ENAMETOOLONG;
    if (!error && names.is_cut) error = -EFBIG;
    if (error) w->visit->unlisted(w->visit->context, in->path, error);
    for (uint32_t i = 0; i < names.n && !w->visit->is_over(w->visit->context); i++) {
        char *path = sonde_path("%s/%s", in->path, names.names[i]);
        walk_to(w, in, path, names.names[i]);
        sonde_free(path);
    }
    sonde_names_clear(&names);
}

/* A directory that does not exist is reported through `unlisted`, like any other that cannot be read. */
void sonde_tree_walk(const struct sonde_tree_walk *walk, const char *directory)
{
    struct walk w = {.visit = walk, .named = strlen(directory)};
    walk_into(&w, &(struct branch){.path = directory, .belongs = true});
}
