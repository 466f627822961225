/* Lines that changed since a commit: patches, hostile ones too, names as compilers record them, and a repository. */
#include "lib/mocka.h"

#include "base/mem.h"
#include "base/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sonde_diff diff;

/* Writes the ranges as "a.c 1-3, b.c 7". A cut after line 4 is 4^, a blank one 4~. */
static const char *ranges(void)
{
    static char out[1024];
    size_t n = 0;
    *out = '\0';
    for (uint32_t i = 0; i < diff.n_ranges; i++) {
        const struct sonde_diff_range *r = &diff.ranges[i];
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s %u", i ? ", " : "", diff.files[r->file], r->first);
        if (r->is_cut) n += (size_t)snprintf(out + n, sizeof out - n, r->is_blank ? "~" : "^");
        if (r->last == UINT32_MAX) n += (size_t)snprintf(out + n, sizeof out - n, "-");
        else if (r->last != r->first) n += (size_t)snprintf(out + n, sizeof out - n, "-%u", r->last);
    }
    return out;
}

static const char *parsed(const char *patch)
{
    sonde_diff_clear(&diff);
    sonde_diff_parse(&diff, patch, strlen(patch));
    return ranges();
}

static int forget(void **state)
{
    (void)state;
    sonde_diff_clear(&diff);
    return 0;
}

#define HEAD(name) "diff --git a/" name " b/" name "\nindex 1..2 100644\n--- a/" name "\n+++ b/" name "\n"

static void hunks_become_ranges(void **state)
{
    (void)state;
    assert_string_equal(parsed(""), "");
    assert_string_equal(parsed(HEAD("a.c") "@@ -3 +3 @@ int f(void)\n-x\n+y\n"), "a.c 3");
    assert_string_equal(parsed(HEAD("a.c") "@@ -3,0 +4,2 @@\n+x\n+y\n@@ -9,2 +11,0 @@\n-x\n-y\n"), "a.c 4-5, a.c 11^");
    assert_string_equal(parsed(HEAD("a.c") "@@ -1 +1 @@\n-x\n+y\n" HEAD("d/b.c") "@@ -7 +7 @@\n-x\n+y\n"),
                        "a.c 1, d/b.c 7");
    assert_string_equal(parsed(HEAD(
                            "a.c") "@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"
                                   "@@ -4 +4 @@\n-x\n+y\n"),
                        "a.c 1, a.c 4");
    /* With context, as GIT_DIFF_OPTS may ask for it: only added lines count. */
    assert_string_equal(parsed(HEAD("a.c") "@@ -1,3 +1,4 @@\n a\n+b\n\n c\n"), "a.c 2");
}

static void lines_that_were_only_deleted_are_cuts(void **state)
{
    (void)state;
    assert_string_equal(parsed(HEAD("a.c") "@@ -1 +0,0 @@\n-x\n@@ -4 +3,0 @@\n-}\n@@ -5 +4 @@\n-x\n+y\n"),
                        "a.c 0^, a.c 3^, a.c 4");
    assert_string_equal(parsed(HEAD("a.c") "@@ -3,3 +2,0 @@\n-\n-  /* x\n-   * y */\n@@ -9 +7,0 @@\n-\t// x\n"),
                        "a.c 2~, a.c 7~");
    assert_string_equal(parsed(HEAD("a.c") "@@ -3,2 +2,0 @@\n-// x\n-  * (x) \\\n"), "a.c 2^");
    assert_false(sonde_diff_has(&diff, "a.c", 2));
    assert_int_equal(sonde_diff_file(&diff, "./a.c"), 0);
    assert_int_equal(sonde_diff_file(&diff, "b.c"), UINT32_MAX);
}

static void files_without_new_lines_have_none(void **state)
{
    (void)state;
    assert_string_equal(parsed("diff --git a/gone.c b/gone.c\ndeleted file mode 100644\n--- a/gone.c\n+++ /dev/null\n"
                               "@@ -1,2 +0,0 @@\n-x\n-y\n"),
                        "");
    assert_string_equal(parsed(HEAD("a.c") "diff --git a/b.png b/b.png\nBinary files a/b.png and b/b.png differ\n"
                                           "@@ -1 +1 @@\n-x\n+y\n"),
                        "");
    assert_string_equal(parsed(
                            "diff --git a/old.c b/new.c\nsimilarity index 100%\nrename from old.c\nrename to new.c\n"),
                        "");
    assert_string_equal(parsed("diff --git a/old.c b/new.c\nsimilarity index 90%\nrename from old.c\nrename to new.c\n"
                               "--- a/old.c\n+++ b/new.c\n@@ -5 +5 @@\n-x\n+y\n"),
                        "new.c 5");
    assert_string_equal(parsed("diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"), "");
}

/* Writes the changes that are not in lines as "deleted a.c, moved a.c b.c". */
static const char *others(const char *patch)
{
    static const char *const words[] = {"deleted", "moved", "link", "repository"};
    static char out[1024];
    size_t n = 0;
    parsed(patch);
    *out = '\0';
    for (uint32_t i = 0; i < diff.n_others; i++) {
        const struct sonde_diff_other *o = &diff.others[i];
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s %s%s%s", i ? ", " : "", words[o->kind], o->path,
                              o->to ? " " : "", o->to ? o->to : "");
    }
    return out;
}

static void changes_that_are_not_in_lines(void **state)
{
    (void)state;
    assert_string_equal(others("diff --git a/gone.c b/gone.c\ndeleted file mode 100644\nindex 1..0\n--- a/gone.c\n"
                               "+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n--- a/y.c\n" HEAD("a.c") "@@ -1 +1 @@\n-x\n+y\n"),
                        "deleted gone.c");
    assert_string_equal(others("diff --git a/o b/n\nrename from old.c\nrename to \"n\\303\\244w.c\"\n"),
                        "moved old.c n\303\244w.c");
    assert_string_equal(others(
                            "diff --git a/src b/src\nindex 1..2 120000\n--- a/src\n+++ b/src\n@@ -1 +1 @@\n-a\n+b\n"),
                        "link src");
    assert_int_equal(diff.n_files, 0);
    assert_string_equal(others(
                            "diff --git a/src b/src\ndeleted file mode 120000\nindex 1..0\n--- a/src\n+++ /dev/null\n"
                            "@@ -1 +0,0 @@\n-a\ndiff --git a/src b/src\nnew file mode 120000\nindex 0..1\n"
                            "--- /dev/null\n+++ b/src\n@@ -0,0 +1 @@\n+b\n"),
                        "link src, link src");
    assert_string_equal(others(HEAD("a.c") "@@ -1 +1 @@\n-x\n+y\n"), "");
}

static void names_are_unquoted(void **state)
{
    (void)state;
    assert_string_equal(parsed("+++ b/two words.c\t\n@@ -1 +1 @@\n-x\n+y\n"), "two words.c 1");
    assert_string_equal(parsed("+++ \"b/t\\303\\244b\\t\\\"q\\\\.c\"\n@@ -1 +1 @@\n-x\n+y\n"), "t\303\244b\t\"q\\.c 1");
    assert_string_equal(parsed("+++ \"b/cut\n@@ -1 +1 @@\n-x\n+y\n"), "");
    assert_string_equal(parsed("+++ \"b/bad\\9\"\n@@ -1 +1 @@\n-x\n+y\n"), "");
    assert_string_equal(parsed("+++ \"b/nul\\000x\"\n@@ -1 +1 @@\n-x\n+y\n"), "");
    assert_string_equal(parsed("+++ \"b/high\\777\"\n@@ -1 +1 @@\n-x\n+y\n"), "");
    assert_string_equal(parsed("+++ c/other\n@@ -1 +1 @@\n-x\n+y\n"), "");
    assert_string_equal(parsed("+++ b/\n@@ -1 +1 @@\n-x\n+y\n"), "");
}

/* Source that looks like a patch, added and removed. */
static void lines_that_look_like_headers_are_lines(void **state)
{
    (void)state;
    assert_string_equal(
        parsed(HEAD("a.c") "@@ -1,2 +1,3 @@\n--- a/x\n-@@ -9 +9 @@\n+++ b/evil.c\n+@@ -1 +1 @@\n+diff --git a/x b/x\n"
                           "@@ -9 +9 @@\n-x\n+y\n"),
        "a.c 1-3, a.c 9");
}

static void malformed_patches_are_left(void **state)
{
    (void)state;
    static const char *const bad[] = {"+++ ",
                                      "@@ ",
                                      "@@ -1 +1 @@\n+y\n",
                                      HEAD("a.c") "@@ -1 @@\n+y\n",
                                      HEAD("a.c") "@@ -1,x +1 @@\n+y\n",
                                      HEAD("a.c") "@@ -1 +99999999999 @@\n+y\n",
                                      HEAD("a.c") "@@ -1 +4294967295 @@\n+y\n",
                                      HEAD("a.c") "@@ -1 +4294967290,9 @@\n+y\n",
                                      HEAD("a.c") "@@ -1,4294967296 +1 @@\n+y\n",
                                      HEAD("a.c") "@@ -1 +1 @@\n* Unmerged path a.c\n+y\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_string_equal(parsed(bad[i]), "");
}

/* Every beginning of a patch, and every patch with one byte changed, is read without a fault. */
static void any_bytes_are_read(void **state)
{
    (void)state;
    static const char whole[] =
        HEAD("a.c") "@@ -3,1 +3,2 @@ f\n-x\n+y\n\\ No\n+z\n+++ \"b/\\303\\\"\"\n@@ -1 +1,2 @@\n+a\n+b\n";
    for (size_t n = 0; n < sizeof whole; n++) {
        char *cut = malloc(n ? n : 1);
        memcpy(cut, whole, n);
        sonde_diff_clear(&diff);
        sonde_diff_parse(&diff, cut, n);
        for (int c = 0; n && c < 256; c += 5) {
            cut[n - 1] = (char)c;
            sonde_diff_parse(&diff, cut, n);
        }
        for (uint32_t i = 0; i < diff.n_ranges; i++) assert_true(diff.ranges[i].first <= diff.ranges[i].last);
        for (uint32_t i = 0; i < diff.n_ranges; i++) assert_true(diff.ranges[i].file < diff.n_files);
        free(cut);
    }
}

static void names_match_as_compilers_record_them(void **state)
{
    (void)state;
    parsed(HEAD("src/codec.c") "@@ -7 +7,2 @@\n-x\n+y\n+z\n");
    assert_true(sonde_diff_has(&diff, "src/codec.c", 7));
    assert_true(sonde_diff_has(&diff, "../src/codec.c", 8));
    assert_true(sonde_diff_has(&diff, "./codec.c", 7));
    assert_true(sonde_diff_has(&diff, "/build/package/src/codec.c", 7));
    assert_false(sonde_diff_has(&diff, "src/codec.c", 6));
    assert_false(sonde_diff_has(&diff, "src/codec.c", 9));
    assert_false(sonde_diff_has(&diff, "othersrc/codec.c", 7));
    assert_false(sonde_diff_has(&diff, "other/codec.c", 7));
    assert_false(sonde_diff_has(&diff, "dec.c", 7));
    assert_false(sonde_diff_has(&diff, "", 7));
    assert_false(sonde_diff_has(&diff, "..", 7));
}

/* ---- With git */

static char home[] = "/tmp/sonde-diff-XXXXXX";

static void run(const char *command)
{
    if (system(command) != 0) fail_msg("%s failed", command);
}

/* Makes a repository of two commits and enters it. */
static int make_repository(void **state)
{
    (void)state;
    if (system("git --version >/dev/null 2>&1") != 0) return -1;
    if (!mkdtemp(home) || chdir(home) != 0) return -1;
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    setenv("GIT_AUTHOR_NAME", "a", 1), setenv("GIT_AUTHOR_EMAIL", "a@b", 1);
    setenv("GIT_COMMITTER_NAME", "a", 1), setenv("GIT_COMMITTER_EMAIL", "a@b", 1);
    run("mkdir repo empty && cd repo && git init -q && mkdir src build 'odd dir' && printf '1\\n2\\n3\\n4\\n' >src/a.c && "
        "printf '1\\n2\\n3\\n4\\n5\\n6\\n' >src/moved.c && echo 1 >src/gone.c && echo '*.o' >.gitignore && "
        "printf 'x\\0y' >src/bin && echo 1 >'odd dir/\303\244 \"q\".c' && git add . && git commit -qm one && "
        "printf '1\\nTWO\\n3\\n4\\n' >src/a.c && git mv src/moved.c src/new.c && git rm -q src/gone.c && "
        "echo 2 >'odd dir/\303\244 \"q\".c' && git commit -qam two && "
        "printf '1\\nTWO\\n3\\n4\\nfive\\n' >src/a.c && printf '1\\n2\\n3\\n4\\n5\\nsix\\n' >src/new.c && "
        "printf 'x\\0z' >src/bin && echo 1 >src/fresh.c && echo 1 >src/fresh.o");
    return 0;
}

static int remove_repository(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return chdir("/") != 0 || system(command) != 0 ? -1 : 0;
}

static const char *since(const char *directory, const char *ref)
{
    static char text[512];
    sonde_diff_clear(&diff);
    char *error = sonde_diff_since(&diff, directory, ref);
    snprintf(text, sizeof text, "%s", error ? error : ranges());
    sonde_free(error);
    return text;
}

static void a_repository_is_read(void **state)
{
    (void)state;
    assert_string_equal(since("repo", "HEAD"), "src/a.c 5, src/bin 1, src/new.c 6, src/fresh.c 1-");
    assert_string_equal(since("repo/src", "HEAD~1"),
                        "odd dir/\303\244 \"q\".c 1, src/a.c 2, src/a.c 5, src/bin 1, src/new.c 6, src/fresh.c 1-");
    assert_true(sonde_diff_has(&diff, "repo/src/a.c", 2)); /* from here */
    assert_true(sonde_diff_has(&diff, "src/a.c", 2));      /* from the root */
    assert_true(sonde_diff_has(&diff, "../src/a.c", 5));   /* from the build directory, which is not known */
    assert_true(sonde_diff_has(&diff, "src/fresh.c", 1000));
    assert_false(sonde_diff_has(&diff, "repo/src/a.c", 3));
    assert_false(sonde_diff_has(&diff, "src/fresh.o", 1));
    char path[128];
    snprintf(path, sizeof path, "%s/repo/src/../src/a.c", home);
    assert_true(sonde_diff_has(&diff, path, 2));
    snprintf(path, sizeof path, "%s/empty/src/a.c", home); /* elsewhere, and missing: the ends of the paths agree */
    assert_true(sonde_diff_has(&diff, path, 2));
    run("mkdir -p empty/src && echo 1 >empty/src/a.c"); /* now it is another file */
    assert_false(sonde_diff_has(&diff, path, 2));
}

/* Settings of the user that change what `git diff` prints. */
static void settings_do_not_matter(void **state)
{
    (void)state;
    run("cd repo && git config diff.noprefix true && git config color.ui always && git config diff.external false && "
        "git config diff.renames false && git config diff.interHunkContext 50 && git config diff.context 9 && "
        "git config core.quotePath false && git config diff.relative true && git config core.pager false && "
        "echo '*.c diff=broken' >.git/info/attributes && git config diff.broken.textconv false");
    setenv("GIT_EXTERNAL_DIFF", "false", 1);
    setenv("GIT_DIFF_OPTS", "--unified=3", 1);
    assert_string_equal(since("repo/src", "HEAD~1"),
                        "odd dir/\303\244 \"q\".c 1, src/a.c 2, src/a.c 5, src/bin 1, src/new.c 6, src/fresh.c 1-");
    unsetenv("GIT_EXTERNAL_DIFF");
    unsetenv("GIT_DIFF_OPTS");
}

static void errors_have_their_sentences(void **state)
{
    (void)state;
    assert_string_equal(since("repo", "gone"),
                        "git does not know the commit \"gone\" (fetch it, or check its spelling)");
    assert_string_equal(since("repo", "src/a.c"),
                        "git does not know the commit \"src/a.c\" (fetch it, or check its spelling)");
    assert_string_equal(since("repo", "--output=/tmp/x"),
                        "\"--output=/tmp/x\" does not name a commit; give a commit, a branch or a tag");
    assert_string_equal(since("repo", ""), "\"\" does not name a commit; give a commit, a branch or a tag");
    assert_string_equal(since("empty", "HEAD"),
                        "empty is not in the working tree of a git repository (`git -C empty status` prints why)");
    assert_string_equal(since("missing", "HEAD"),
                        "missing is not in the working tree of a git repository (`git -C missing status` prints why)");
    run("git clone -q --depth 1 \"file://$PWD/repo\" shallow");
    assert_non_null(
        strstr(since("shallow", "HEAD~1"), "git does not know the commit \"HEAD~1\": this clone is shallow"));
    char *path = sonde_strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    assert_string_equal(since("repo", "HEAD"), "git is not installed, or not in PATH");
    setenv("PATH", path, 1);
    sonde_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(hunks_become_ranges, forget),
        cmocka_unit_test_teardown(lines_that_were_only_deleted_are_cuts, forget),
        cmocka_unit_test_teardown(files_without_new_lines_have_none, forget),
        cmocka_unit_test_teardown(changes_that_are_not_in_lines, forget),
        cmocka_unit_test_teardown(names_are_unquoted, forget),
        cmocka_unit_test_teardown(lines_that_look_like_headers_are_lines, forget),
        cmocka_unit_test_teardown(malformed_patches_are_left, forget),
        cmocka_unit_test_teardown(any_bytes_are_read, forget),
        cmocka_unit_test_teardown(names_match_as_compilers_record_them, forget),
    };
    const struct CMUnitTest with_git[] = {
        cmocka_unit_test_teardown(a_repository_is_read, forget),
        cmocka_unit_test_teardown(settings_do_not_matter, forget),
        cmocka_unit_test_teardown(errors_have_their_sentences, forget),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (system("git --version >/dev/null 2>&1") != 0) return failed;
    return failed + cmocka_run_group_tests(with_git, make_repository, remove_repository);
}
