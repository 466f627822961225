/* Folders of tapes: visiting the files of one, writing a tape into one. */
#include "base/hash.h"
#include "base/mem.h"
#include "store/format.h"
#include "tools.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 8192 };

/* ---- Reading */

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* What is in a folder, and neither a file nor a folder: a pipe would be waited for, a link may lead nowhere or back. */
static bool is_odd(const char *command, const char *path)
{
    struct stat info, link;
    const char *why = "it is neither a file nor a folder";
    bool is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    if (stat(path, &info) < 0) why = strerror(errno);
    else if (S_ISREG(info.st_mode) || (S_ISDIR(info.st_mode) && !is_link)) return false;
    else if (S_ISDIR(info.st_mode)) why = "it is a link to a folder";
    fprintf(stderr, "sonde %s: '%s' is left out: %s\n", command, path, why);
    return true;
}

bool sonde_visit_folder(const struct sonde_folder_visit *visit, const char *path)
{
    struct dirent **names = NULL;
    int n = scandir(path, &names, not_hidden, alphasort);
    bool good = true;
    if (n < 0 && errno == ENOTDIR) return visit->file(visit->user, path);
    if (n < 0 && !(visit->may_be_missing && errno == ENOENT)) {
        fprintf(stderr, "sonde %s: cannot read '%s': %s\n", visit->command, path, strerror(errno));
        return false;
    }
    for (int i = 0; i < n; i++) {
        char inner[PATH_ROOM];
        snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
        bool is_file = names[i]->d_type == DT_REG; /* else it may be either, for all that is known */
        bool is_left_out = !is_file && is_odd(visit->command, inner);
        if (!is_left_out) good = good && (is_file ? visit->file(visit->user, inner) : sonde_visit_folder(visit, inner));
        free(names[i]);
    }
    free(names);
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
    fprintf(stderr, "sonde %s: cannot make '%s': %s\n", command, folder, strerror(errno));
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
    if (!good) fprintf(stderr, "sonde %s: cannot write '%s': %s\n", command, path, strerror(errno));
    sonde_free(text);
    return good;
}
