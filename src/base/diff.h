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

/* Changes that are not in lines. */
enum sonde_diff_kind {
    SONDE_DIFF_DELETED,   /* a file that is gone */
    SONDE_DIFF_MOVED,     /* a file that has another name now; `files` has it too if lines changed */
    SONDE_DIFF_LINK,      /* a symbolic link that is new, gone, or leads elsewhere */
    SONDE_DIFF_REPOSITORY /* a submodule whose changes cannot be listed */
};

struct sonde_diff_other {
    char *path, *to; /* below `top`; `to` is the new name of a file that was moved, else NULL */
    enum sonde_diff_kind kind;
};

/* All changes; all zeros: none. */
struct sonde_diff {
    char *top;    /* root of the working tree, an absolute path; NULL: unknown */
    char **files; /* paths below `top` */
    struct sonde_diff_range *ranges;
    struct sonde_diff_other *others;
    uint32_t n_files, cap_files, n_ranges, cap_ranges, n_others, cap_others;
    char *below; /* while a submodule is read: its path below `top` */
};

/* Adds what changed since `ref` in the repository around `directory`, or around the working directory if it is NULL,
 * and in its submodules. Runs git, without a shell. Returns NULL, or an error message that the caller frees with
 * sonde_free. */
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
/* Returns the path below `top` of a file that the compiler recorded, as above; NULL if it is not there. The caller
 * frees it with sonde_free. */
char *sonde_diff_below(const struct sonde_diff *diff, const char *file);
/* Returns whether git ignores a file, given by its path below `top`. Runs git. */
bool sonde_diff_ignores(const struct sonde_diff *diff, const char *file);
/* Adds a file without changes. */
void sonde_diff_add_file(struct sonde_diff *diff, const char *name);
/* Adds lines of the last file, to the last range if they follow it. */
void sonde_diff_add_lines(struct sonde_diff *diff, uint32_t first, uint32_t last);
/* Adds a change that is not in lines. */
void sonde_diff_add_other(struct sonde_diff *diff, const char *name, const char *to, enum sonde_diff_kind kind);
/* Frees all memory. */
void sonde_diff_clear(struct sonde_diff *diff);

#endif
