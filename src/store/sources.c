/* Implements sources.h. SARIF and annotations need paths from the root of the repository. But a library is usually
 * compiled in its own directory, so that the compiler records `utf8proc.c` instead of `deps/utf8proc/utf8proc.c`. */
#include "store/sources.h"

#include "base/mem.h"
#include "base/strings.h"
#include "store/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

/* Larger trees are not searched, because a report should not wait for that. */
enum { ENTRIES_MAX = 50000, DEPTH_MAX = 24, BYTES_MAX = 1 << 26 };

struct search {
    const char *root, *source; /* the directory that is searched, and the end of the path */
    int line;                  /* the file has at least this many lines */
    char *found;               /* the first match, owned */
    unsigned n_found, n_entries;
};

/* Returns whether a file has the line. A file of the same name that is too short is another one. */
static bool has_line(const struct search *s, const char *below)
{
    char *path = sonde_path("%s/%s", s->root, below), *bytes = NULL;
    size_t n = 0;
    int lines = 1;
    if (sonde_read_file(path, BYTES_MAX, true, &bytes, &n) == 0 && n)
        for (const char *at = bytes; lines < s->line && (at = memchr(at, '\n', n - (size_t)(at - bytes))); at++)
            lines++;
    sonde_free(path);
    sonde_free(bytes);
    return lines >= s->line;
}

/* Counts a file, given by its path below the root, if its path ends with the source and it has the line. */
static void count_match(struct search *s, const char *path)
{
    size_t n = strlen(path), m = strlen(s->source);
    bool ends = sonde_ends(path, s->source) && (n == m || path[n - m - 1] == '/');
    if (!ends || !has_line(s, path)) return;
    if (s->n_found++ == 0) s->found = sonde_strdup(path);
}

/* Returns the type of an entry. Some file systems do not store it in the directory; links are never followed. */
static unsigned char type_of(DIR *folder, const struct dirent *entry)
{
    struct stat about;
    if (entry->d_type != DT_UNKNOWN) return entry->d_type;
    if (fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
    return S_ISREG(about.st_mode) ? DT_REG : S_ISDIR(about.st_mode) ? DT_DIR : DT_UNKNOWN;
}

/* Searches the directory `below` the root, and its directories up to DEPTH_MAX, which bounds the recursion. */
static void look(struct search *s, const char *below, unsigned depth)
{
    char *path = sonde_path("%s/%s", s->root, below);
    DIR *folder = opendir(path);
    sonde_free(path);
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL && s->n_entries <= ENTRIES_MAX && s->n_found < 2;) {
        if (entry->d_name[0] == '.') continue; /* hidden files, .git, .sonde */
        s->n_entries++;
        char *child = *below ? sonde_path("%s/%s", below, entry->d_name) : sonde_strdup(entry->d_name);
        unsigned char type = type_of(folder, entry);
        if (type == DT_REG) count_match(s, child);
        else if (type == DT_DIR && depth < DEPTH_MAX) look(s, child, depth + 1);
        sonde_free(child);
    }
    closedir(folder);
}

char *sonde_source_below(const char *root, const char *source, int line)
{
    struct search s = {.root = root, .source = source, .line = line};
    while (sonde_starts(s.source, "./")) s.source += 2;
    while (sonde_starts(s.source, "../")) s.source += 3; /* relative to a directory that is not known */
    if (!*s.source || *s.source == '/') return NULL;
    look(&s, "", 0);
    if (s.n_found == 1 && s.n_entries <= ENTRIES_MAX) return s.found;
    sonde_free(s.found);
    return NULL;
}
