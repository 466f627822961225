/* Directories of tapes: visiting the files of one, writing a tape into one. */
#include "base/die.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/below.h"
#include "store/format.h"
#include "store/tree.h"
#include "tools.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 8192 };

/* ---- Reading */

struct visiting {
    const struct sonde_folder_visit *visit;
    size_t named; /* bytes of each path that the user named */
    bool good;
};

static bool any_name(void *context, const char *name)
{
    (void)context;
    return name[0] != '\0';
}

/* Links, pipes and devices are left out with a message: they may lead anywhere, or never end. */
static void visit_file(void *context, const char *path, bool belongs)
{
    struct visiting *v = context;
    struct stat info;
    (void)belongs;
    int error = sonde_below_stat(path, v->named, &info);
    if (!error && S_ISLNK(info.st_mode)) error = -ELOOP;
    else if (!error && !S_ISREG(info.st_mode)) error = -EINVAL;
    if (!error) v->good = v->visit->file(v->visit->user, path);
    else sonde_complain("sonde %s: '%s' is left out: %s", v->visit->command, path, sonde_below_reason(error));
}

static void skip(void *context, const char *path, int error)
{
    struct visiting *v = context;
    bool is_named = strlen(path) == v->named;
    if (is_named && error == -ENOENT && v->visit->may_be_missing) return;
    if (is_named) v->good = false;
    sonde_complain(is_named ? "sonde %s: cannot read '%s': %s" : "sonde %s: '%s' is left out: %s", v->visit->command,
                   path, sonde_below_reason(error));
}

static bool is_over(void *context)
{
    const struct visiting *v = context;
    return !v->good;
}

bool sonde_visit_folder(const struct sonde_folder_visit *visit, const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode)) return visit->file(visit->user, path);
    struct visiting v = {visit, strlen(path), true};
    sonde_tree_walk(&(struct sonde_tree_walk){any_name, any_name, visit_file, skip, is_over, &v}, path);
    return v.good;
}

/* ---- Writing */

bool sonde_make_folder(const char *command, const char *folder)
{
    struct stat info;
    if (mkdir(folder, 0777) == 0) return true;
    bool is_there = errno == EEXIST && stat(folder, &info) == 0;
    if (is_there && S_ISDIR(info.st_mode)) return true;
    if (is_there) errno = ENOTDIR;
    sonde_complain("sonde %s: cannot make '%s': %s", command, folder, strerror(errno));
    return false;
}

/* Whether a file holds just these bytes. */
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
