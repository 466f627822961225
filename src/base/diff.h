/* The lines of source that changed since a commit, by git: committed and uncommitted changes, and new files that git
 * does not ignore. Lines are counted in the files as they are now, so a line that was only deleted is not among them.
 *
 *     struct sonde_diff diff = {0};
 *     char *error = sonde_diff_since(&diff, "src", "HEAD~3");
 *     if (!error && sonde_diff_has(&diff, "../src/codec.c", 91)) ...
 *     sonde_diff_clear(&diff); */
#ifndef SONDE_BASE_DIFF_H
#define SONDE_BASE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changed lines in a row. */
struct sonde_diff_range {
    uint32_t file;        /* index into `files` */
    uint32_t first, last; /* both included; UINT32_MAX: to the end of the file */
};

/* All changes; all zeros: none. */
struct sonde_diff {
    char *top;    /* root of the working tree, an absolute path; NULL: unknown */
    char **files; /* paths below `top` */
    struct sonde_diff_range *ranges;
    uint32_t n_files, cap_files, n_ranges, cap_ranges;
};

/* Adds the lines that changed since `ref` in the repository around `directory`, or around the working directory if it
 * is NULL. Runs git, without a shell. Returns NULL, or an error message that the caller frees with sonde_free. */
char *sonde_diff_since(struct sonde_diff *diff, const char *directory, const char *ref);
/* Adds the changes of a patch as `git diff` prints it. Lines that are not part of a patch are skipped. */
void sonde_diff_parse(struct sonde_diff *diff, const char *patch, size_t n);
/* Returns whether the line has changed. `file` is the path as the compiler recorded it: absolute, or relative to a
 * directory that may be neither the working directory nor the root. If no such file exists, a changed file with the
 * same last parts in its path is taken for it. */
bool sonde_diff_has(const struct sonde_diff *diff, const char *file, uint32_t line);
/* Frees all memory. */
void sonde_diff_clear(struct sonde_diff *diff);

#endif
