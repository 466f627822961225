/* See diff.h: what git says of changes. Settings of the user change what git prints, so every option that matters is
 * given. */
#include "base/diff.h"

#include "base/buffer.h"
#include "base/command.h"
#include "base/mem.h"
#include "base/strings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The start of git's arguments. */
#define GIT(directory) "git", "-C", directory

enum { SECONDS = 60, MOST_BYTES = 256 << 20 };

/* Runs git; argv[0] to argv[2] are "git -C DIRECTORY". Returns 0, the status of git, or a negative errno. */
static int run_git(const char *const *argv, char **out, size_t *n)
{
    struct sonde_command command = {.argv = argv, .input = -1, .seconds = SECONDS, .max = MOST_BYTES};
    int status = sonde_command_run(&command, out, n);
    if (status < 0) return status;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

/* Returns the first line that git prints; NULL if git fails. *status receives what run_git returned. */
static char *ask_git(const char *const *argv, int *status)
{
    char *out = NULL;
    size_t n = 0;
    *status = run_git(argv, &out, &n);
    if (*status == 0 && out) {
        out[strcspn(out, "\n")] = '\0';
        return out;
    }
    sonde_free(out);
    return NULL;
}

__attribute__((format(printf, 1, 2))) static char *message(const char *format, ...)
{
    struct sonde_buffer text;
    va_list args;
    va_start(args, format);
    vfprintf(sonde_buffer_open(&text), format, args);
    va_end(args);
    char *copy = sonde_strdup(sonde_buffer_close(&text));
    sonde_buffer_clear(&text);
    return copy;
}

/* Finds the root of the repository. Returns an error message, or NULL. */
static char *find_top(struct sonde_diff *diff, const char *directory)
{
    const char *const ask[] = {"git", "-C", directory, "rev-parse", "--show-toplevel", NULL};
    int status;
    char *top = ask_git(ask, &status);
    if (top && *top) {
        char *real = realpath(top, NULL);
        diff->top = sonde_strdup(real ? real : top);
        free(real);
        sonde_free(top);
        return NULL;
    }
    sonde_free(top);
    if (status == -ENOENT || status == 127) return message("git is not installed, or not in PATH");
    if (status < 0) return message("git cannot be run: %s", strerror(-status));
    return message("%s is not in the working tree of a git repository (`git -C %s status` prints why)", directory,
                   directory);
}

/* Finds the commit that `ref` names. Its hash cannot be mistaken for an option or a file. Returns an error message, or
 * NULL. */
static char *find_commit(const char *top, const char *ref, char **commit)
{
    char *object = message("%s^{commit}", ref);
    const char *const ask[] = {"git", "-C", top, "rev-parse", "--verify", "--quiet", object, NULL};
    const char *const ask_shallow[] = {"git", "-C", top, "rev-parse", "--is-shallow-repository", NULL};
    int status;
    *commit = ask_git(ask, &status);
    sonde_free(object);
    if (*commit) return NULL;
    if (status < 0) return message("git cannot be run: %s", strerror(-status));
    char *shallow = ask_git(ask_shallow, &status);
    bool is_shallow = shallow && strcmp(shallow, "true") == 0;
    sonde_free(shallow);
    if (is_shallow)
        return message(
            "git does not know the commit \"%s\": this clone is shallow; fetch more of its history (git fetch "
            "--unshallow; fetch-depth: 0 in GitHub Actions)",
            ref);
    return message("git does not know the commit \"%s\" (fetch it, or check its spelling)", ref);
}

/* Adds the files that git neither tracks nor ignores; every line in them is new. */
static int add_untracked(struct sonde_diff *diff, const char *top)
{
    const char *const list[] = {GIT(top), "ls-files", "--others", "--exclude-standard", "-z", NULL};
    char *out = NULL;
    size_t n = 0;
    int status = run_git(list, &out, &n);
    for (size_t at = 0; status == 0 && at < n; at += strlen(out + at) + 1) {
        if (sonde_ends(out + at, "/")) continue; /* another repository */
        sonde_diff_add_file(diff, out + at);
        sonde_diff_add_lines(diff, 1, UINT32_MAX);
    }
    sonde_free(out);
    return status;
}

/* Adds the lines that differ between the commit and the working tree. A file that git takes for binary is read like
 * any other: attributes may name sources. */
static int add_changed(struct sonde_diff *diff, const char *top, const char *commit)
{
    const char *const list[] = {GIT(top),
                                "--no-pager",
                                "diff",
                                "-U0",
                                "-M",
                                "--text",
                                "--inter-hunk-context=0",
                                "--no-color",
                                "--no-ext-diff",
                                "--no-textconv",
                                "--ignore-submodules=all",
                                "--src-prefix=a/",
                                "--dst-prefix=b/",
                                commit,
                                "--",
                                NULL};
    char *out = NULL;
    size_t n = 0;
    int status = run_git(list, &out, &n);
    if (status == 0 && out) sonde_diff_parse(diff, out, n);
    sonde_free(out);
    return status;
}

static int add_all(struct sonde_diff *diff, const char *top, const char *commit);

/* Adds the changes within a submodule, from the commit that the outer repository had. Changes that cannot be listed,
 * because the submodule is new or its old commit is not there, are added as one change. */
static void add_submodule(struct sonde_diff *diff, const char *top, const char *name, const char *commit)
{
    char *directory = message("%s/%s", top, name), *outer = diff->below;
    char *git_file = message("%s/.git", directory);
    uint32_t n_ranges = diff->n_ranges;
    int status = -ENOENT;
    diff->below = outer ? message("%s/%s", outer, name) : sonde_strdup(name);
    /* Without it, git would take the outer repository. */
    if (access(git_file, F_OK) == 0) status = add_all(diff, directory, commit);
    sonde_free(diff->below);
    diff->below = outer;
    if (status != 0) diff->n_ranges = n_ranges;
    if (status != 0) sonde_diff_add_other(diff, name, NULL, SONDE_DIFF_REPOSITORY);
    sonde_free(git_file);
    sonde_free(directory);
}

/* Reads a line of git's raw format, with NUL after its two parts: ":160000 160000 OLD NEW M" and the name. */
static const char *read_raw(struct sonde_diff *diff, const char *top, const char *at, const char *end)
{
    char commit[72];
    const char *name = at + strlen(at) + 1;
    if (name >= end) return end;
    bool was = sonde_starts(at, ":160000 "), is = strlen(at) > 15 && !strncmp(at + 8, "160000 ", 7);
    snprintf(commit, sizeof commit, "%.*s", (int)strcspn(at + (was ? 15 : 0), " "), at + (was ? 15 : 0));
    if (was && is) add_submodule(diff, top, name, commit);
    else if (was || is) sonde_diff_add_other(diff, name, NULL, SONDE_DIFF_REPOSITORY);
    return name + strlen(name) + 1;
}

static int add_submodules(struct sonde_diff *diff, const char *top, const char *commit)
{
    const char *const list[] = {
        GIT(top), "diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=none",
        commit,   "--",   NULL};
    char *out = NULL;
    size_t n = 0;
    int status = run_git(list, &out, &n);
    for (const char *at = out; status == 0 && out && at < out + n;) at = read_raw(diff, top, at, out + n);
    sonde_free(out);
    return status;
}

static int add_all(struct sonde_diff *diff, const char *top, const char *commit)
{
    int status = add_changed(diff, top, commit);
    if (status == 0) status = add_untracked(diff, top);
    return status == 0 ? add_submodules(diff, top, commit) : status;
}

char *sonde_diff_since(struct sonde_diff *diff, const char *directory, const char *ref)
{
    if (!*ref || *ref == '-') return message("\"%s\" does not name a commit; give a commit, a branch or a tag", ref);
    char *commit = NULL, *error = find_top(diff, directory ? directory : ".");
    if (!error) error = find_commit(diff->top, ref, &commit);
    if (error) return error;
    int status = add_all(diff, diff->top, commit);
    sonde_free(commit);
    if (status == -EFBIG) return message("the changes since \"%s\" are larger than %d MB", ref, MOST_BYTES >> 20);
    if (status < 0) return message("git could not list the changes since \"%s\": %s", ref, strerror(-status));
    if (status > 0)
        return message("git could not list the changes since \"%s\": it exited with status %d", ref, status);
    return NULL;
}

bool sonde_diff_ignores(const struct sonde_diff *diff, const char *file)
{
    const char *const ask[] = {GIT(diff->top), "check-ignore", "--quiet", "--", file, NULL};
    char *out = NULL;
    size_t n = 0;
    int status = run_git(ask, &out, &n);
    sonde_free(out);
    return status == 0;
}
