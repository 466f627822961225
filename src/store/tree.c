/* See tree.h. Used for folders of regressions and of inputs, which people arrange as they like: in one
 * folder, in one for each property, or deeper. Symbolic links are followed, since people share folders
 * by them. */
#include "store/tree.h"

#include "base/mem.h"
#include "store/files.h"

#include <sys/stat.h>

/* The folders on the way to a file. A link may lead back to one of them. */
struct branch {
    const struct branch *above;
    const char *path;
    bool belongs; /* what is in it, to the property that is meant */
    dev_t device;
    ino_t inode;
};

static bool is_folder(const char *path, struct branch *branch)
{
    struct stat info;
    if (stat(path, &info) < 0 || !S_ISDIR(info.st_mode)) return false;
    *branch = (struct branch){.path = path, .device = info.st_dev, .inode = info.st_ino};
    return true;
}

/* By device and inode, since a path can be written in many ways. */
static bool leads_back(const struct branch *branch)
{
    for (const struct branch *b = branch->above; b; b = b->above)
        if (b->device == branch->device && b->inode == branch->inode) return true;
    return false;
}

/* Recursion is as deep as the folders are; leads_back ends loops of symbolic links. */
static void walk_into(const struct sonde_tree_walk *walk, const struct branch *in)
{
    struct sonde_names names;
    int error = sonde_list_names(in->path, &names);
    if (error) walk->unlisted(walk->context, in->path, error);
    for (uint32_t i = 0; i < names.n && !walk->is_over(walk->context); i++) {
        const char *name = names.names[i];
        char *path = sonde_path("%s/%s", in->path, name);
        struct branch inner;
        if (is_folder(path, &inner)) {
            inner.above = in;
            /* Directly in the directory a file belongs to every property; in a subfolder only if some folder on the way is named
             * after it. */
            inner.belongs = walk->is_named_after(walk->context, name) || (in->belongs && in->above);
            if (!leads_back(&inner)) walk_into(walk, &inner);
        } else if (walk->is_wanted(walk->context, name)) walk->file(walk->context, path, in->belongs);
        sonde_free(path);
    }
    sonde_names_clear(&names);
}

/* A directory that does not exist is reported through `unlisted`, like any other that cannot be read. */
void sonde_tree_walk(const struct sonde_tree_walk *walk, const char *directory)
{
    struct branch root = {.path = directory};
    is_folder(directory, &root);
    root.belongs = true;
    walk_into(walk, &root);
}
