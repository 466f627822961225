/* The lines of source that changed since a commit, as git reports them: committed and uncommitted changes, and new
 * files that git does not ignore. Line numbers refer to the files as they are now. Where lines were only deleted, the
 * list has a cut: the line before the gap.
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

/* Changed lines in a row, or a cut. */
struct sonde_diff_range {
    uint32_t file;        /* index into `files` */
    uint32_t first, last; /* both included; UINT32_MAX: to the end of the file */
    bool is_cut;          /* lines were deleted after line `first`, which is 0 at the start of a file */
    bool is_blank;        /* for a cut: the deleted lines were empty, or looked like comments */
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
/* Returns whether the line has changed; a cut changes no line. `file` is the path as the compiler recorded it. It is
 * absolute, or relative to a directory that may be neither the working directory nor the root. If no such file exists,
 * a changed file with the same last parts in its path is taken for it. */
bool sonde_diff_has(const struct sonde_diff *diff, const char *file, uint32_t line);
/* Returns the index of the changed file that the compiler recorded as `file`, as above; UINT32_MAX if it has not
 * changed. */
uint32_t sonde_diff_file(const struct sonde_diff *diff, const char *file);
/* Frees all memory of the list, which is empty afterwards. */
void sonde_diff_clear(struct sonde_diff *diff);

#endif
