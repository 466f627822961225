/* Reads and writes directories of tapes; declared in tools.h. */
#include "base/die.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/files.h"
#include "store/format.h"
#include "tools.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Size of a buffer for a path: twice PATH_MAX, so that a file name can be appended. */
enum { PATH_ROOM = 8192 };

/* ---- Reading */

/* Returns 0 if a path below the directory is a regular file, else a negative errno. Symbolic links, pipes and devices
 * are rejected: they may lead anywhere, or never end. */
static int check_kind(const char *path, size_t named)
{
    struct stat info;
    int error = sonde_below_stat(path, named, &info);
    if (error) return error;
    return S_ISLNK(info.st_mode) ? -ELOOP : S_ISREG(info.st_mode) ? 0 : -EINVAL;
}

/* Reports a path that cannot be read. Returns whether the visit may continue: it ends if the directory itself
 * (is_named) cannot be read, unless it may be missing. */
static bool skip(const struct sonde_folder_visit *visit, const struct sonde_tree_file *file, bool is_named)
{
    if (is_named && file->error == -ENOENT && visit->may_be_missing) return true;
    sonde_complain(is_named ? "sonde %s: cannot read '%s': %s" : "sonde %s: '%s' is left out: %s", visit->command,
                   file->path, sonde_below_reason(file->error));
    return !is_named;
}

bool sonde_visit_folder(const struct sonde_folder_visit *visit, const char *path)
{
    struct stat info;
    struct sonde_tree tree = {.n = 0};
    struct sonde_tree_file file;
    bool good = true;
    if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode)) return visit->file(visit->user, path);
    sonde_tree_begin(&tree, path);
    while (good && sonde_tree_next(&tree, &file)) {
        if (!file.error) file.error = check_kind(file.path, tree.named);
        if (!file.error) good = visit->file(visit->user, file.path);
        else good = skip(visit, &file, strlen(file.path) == tree.named);
    }
    sonde_tree_end(&tree);
    return good;
}

/* ---- Writing */

bool sonde_make_folder(const char *command, const char *folder)
{
    struct stat info;
    if (mkdir(folder, 0777) == 0) return true;
    bool is_there = errno == EEXIST && stat(folder, &info) == 0;
    if (is_there && S_ISDIR(info.st_mode)) return true;
    if (is_there) errno = ENOTDIR;
    sonde_complain("sonde %s: cannot create '%s': %s", command, folder, strerror(errno));
    return false;
}

/* Reports whether a file has exactly these bytes. */
static bool holds(const char *path, const char *bytes, size_t n)
{
    FILE *in = fopen(path, "rbe");
    char *found = sonde_malloc(n + 1);
    bool is_same = in && fread(found, 1, n + 1, in) == n && !ferror(in) && memcmp(found, bytes, n) == 0;
    if (in) fclose(in);
    sonde_free(found);
    return is_same;
}

bool sonde_write_tape(const char *command, const char *folder, const char *token)
{
    char path[PATH_ROOM];
    size_t n;
    char *text = sonde_stored_write(&(struct sonde_stored){.token = token}, &n);
    snprintf(path, sizeof path, "%s/%016" PRIx64 ".tape", folder, sonde_hash_bytes(0, token, strlen(token)));
    FILE *out = fopen(path, "wbxe");
    bool good = out && fwrite(text, 1, n, out) == n;
    if (out) good = fclose(out) == 0 && good;
    else if (errno == EEXIST) good = holds(path, text, n), errno = EEXIST;
    if (!good) sonde_complain("sonde %s: cannot write '%s': %s", command, path, strerror(errno));
    sonde_free(text);
    return good;
}
