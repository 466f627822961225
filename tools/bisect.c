/* The command `sonde bisect`: finds the commit that introduced a stored failure.
 *
 * Everything happens in a linked work tree (git worktree) in a temporary directory. git keeps the state of a bisection
 * per work tree, so the user's files, index, branches and bisections are not touched. Each commit is checked out
 * there, built, and judged by a replay of the tape. A commit that cannot be judged is skipped. If the last good commit
 * and the first bad one have skipped ones between them, the change of each is tried alone. */
#include "base/buffer.h"
#include "base/command.h"
#include "base/die.h"
#include "base/mem.h"
#include "base/strings.h"
#include "store/format.h"
#include "store/store.h"
#include "tools.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OUTPUT_MAX = 16 << 20,
    WORDS = 32,
    REASON = 512,
    HASH = 65,
    KEPT_MAX = 64,
    PASSED_MAX = 256, /* more than any bisection judges */
    OPTIONS_MAX = 64,
    VALUES_MAX = 1 << 16, /* bytes of drawn values that are compared */
    CANDIDATES_MAX = 64
};

/* Seconds that one replay may take. The tape's case has the limits of the program, which are far lower. */
static const double replay_seconds = 120;
/* Replays of a commit: a flaky failure needs more. */
enum { FLAKY_TIMES = 10 };

/* How a commit is judged. */
enum judgement { GOOD, BAD, SKIPPED };

/* Facts that identify a failure in another build of the program, where lines and addresses differ. */
struct signature {
    char kind[64], id[64], condition[2048], function[512], message[2048];
};

struct bisect {
    const char *tape; /* as given */
    char *file;       /* the tape as a file with an absolute path */
    struct sonde_stored stored;
    const char *good, *bad, *build, *program;
    const char *options[OPTIONS_MAX]; /* of the program */
    size_t n_options;
    const char *kept[KEPT_MAX]; /* files of the user's work tree that are used at every commit */
    size_t n_kept;
    char *root;               /* of the user's work tree */
    char directory[PATH_MAX]; /* temporary; "" if there is none */
    char tree[PATH_MAX];      /* the linked work tree, in it */
    int lock;                 /* held as long as the directory is used */
    bool has_tree;
    struct signature failure;
    bool has_values;
    char values[VALUES_MAX]; /* that the first replay drew, as in JSON */
    unsigned n_judged, n_skipped;
    char passed[PASSED_MAX][HASH]; /* commits at which the input passes */
    size_t n_passed;
    char good_doubt[REASON];     /* why the good commit could not be judged; "" if it was */
    struct sonde_buffer skipped; /* lines for the report */
    char last_reason[REASON];    /* of the last judgement */
    char candidates[CANDIDATES_MAX][HASH];
    size_t n_candidates;
    char left_out[REASON]; /* files in which the change that was tried alone does not apply */
};

/* ---- Ctrl-C: the running command is ended, and the temporary directory removed, however often it is pressed */

static volatile sig_atomic_t stopped_by; /* the signal; 0: none */

static void stop(int signal)
{
    stopped_by = signal;
}

static bool is_stopped(void)
{
    return stopped_by != 0;
}

static void watch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = stop};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* if the output is closed, the directory is removed all the same */
}

/* ---- Commands */

/* Runs a program; returns its status, or a negative errno. Its output, which the caller frees, is never NULL. */
static int run(const char *const *argv, double seconds, char **output)
{
    size_t n;
    struct sonde_command command = {
        .argv = argv, .input = -1, .seconds = seconds, .max = OUTPUT_MAX, .is_over = is_stopped};
    int status = sonde_command_run(&command, output, &n);
    if (!*output) *output = sonde_strdup("");
    if (status < 0) return status;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Runs git in a directory; the arguments end with NULL. Returns its output without the last line end, which the caller
 * frees; NULL if git failed. */
static char *git(const char *directory, ...)
{
    const char *argv[WORDS] = {
        "git", "-C", directory, "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false"};
    size_t n = 7;
    va_list args;
    va_start(args, directory);
    while (n + 1 < WORDS && (argv[n] = va_arg(args, const char *)) != NULL) n++;
    va_end(args);
    argv[n] = NULL;
    char *output;
    int status = run(argv, 0, &output);
    size_t length = strlen(output);
    while (length && output[length - 1] == '\n') output[--length] = '\0';
    if (status == 0) return output;
    sonde_free(output);
    return NULL;
}

/* Returns whether git succeeded. */
#define git_does(...) does(git(__VA_ARGS__, NULL))
static bool does(char *output)
{
    bool is_good = output != NULL;
    sonde_free(output);
    return is_good;
}

/* Runs a shell command in the linked work tree. Returns its status, and its output, which the caller frees. */
static int shell(const struct bisect *b, const char *command, double seconds, char **output)
{
    static const char in_tree[] = "cd \"$1\" && exec 2>&1 && eval \"$2\"";
    const char *argv[] = {"sh", "-c", in_tree, "sh", b->tree, command, NULL};
    return run(argv, seconds, output);
}

/* ---- Words */

/* Returns "3f2a1c0 \"subject\"" of a commit; the caller frees it. */
static char *name_of(const struct bisect *b, const char *commit)
{
    char *name = git(b->root, "log", "-1", "--format=%h \"%s\"", commit, NULL);
    return name ? name : sonde_strdup(commit);
}

static void say(const char *format, ...) SONDE_PRINTF(1, 2);
static void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

/* Keeps why a commit cannot be judged. */
SONDE_PRINTF(2, 3) static enum judgement skip(struct bisect *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(b->last_reason, sizeof b->last_reason, format, args);
    va_end(args);
    return SKIPPED;
}

/* Returns the last line of an output that is not empty, cut, in static memory. */
static const char *last_line(char *output)
{
    static char line[160];
    size_t n = strlen(output);
    while (n && strchr(" \t\r\n", output[n - 1])) output[--n] = '\0';
    const char *start = strrchr(output, '\n');
    snprintf(line, sizeof line, "%s", start ? start + 1 : output);
    return line;
}

/* ---- Judging a commit */

/* Copies the string of a JSON field, as it is written there; "" if there is none. Searches from `from`. */
static void field(const char *from, const char *name, char *out, size_t size)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": \"", name);
    const char *at = from ? strstr(from, key) : NULL;
    size_t n = 0;
    *out = '\0';
    if (!at) return;
    for (at += strlen(key); *at && *at != '"' && n + 2 < size;) {
        if (*at == '\\' && at[1]) out[n++] = *at++;
        out[n++] = *at++;
    }
    out[n] = '\0';
}

/* Reads the first failure of a report. */
static void read_signature(const char *json, struct signature *s)
{
    const char *failure = strstr(json, "\"failures\": [{");
    field(failure, "kind", s->kind, sizeof s->kind);
    field(failure, "id", s->id, sizeof s->id);
    field(failure, "condition", s->condition, sizeof s->condition);
    field(failure, "message", s->message, sizeof s->message);
    const char *in = strstr(s->message, ", in ");
    size_t n = in ? strcspn(in + 5, " ,(\\") : 0;
    snprintf(s->function, sizeof s->function, "%.*s", (int)n, in ? in + 5 : "");
}

/* Returns whether two failures are the same: by identity, or by the condition of the check, the function of a crash,
 * or the message. Lines change from commit to commit. */
static bool are_same(const struct signature *a, const struct signature *b)
{
    if (*a->id && !strcmp(a->id, b->id)) return true;
    if (strcmp(a->kind, b->kind) != 0) return false;
    if (*a->condition || *b->condition) return !strcmp(a->condition, b->condition);
    if (*a->function || *b->function) return !strcmp(a->function, b->function);
    return !strcmp(a->message, b->message);
}

/* Returns whether each value that a replay drew is one that the first replay drew. Keeps the values of the first. A
 * generator that has changed draws the simplest value where the tape has none, and may fail for that. */
static bool is_same_input(struct bisect *b, const char *report)
{
    static const char start[] = "\"values\": [", end[] = "], \"values_complete\"";
    const char *values = report ? strstr(report, start) : NULL, *stop = values ? strstr(values, end) : NULL;
    if (!stop) return true;
    values += sizeof start - 1;
    size_t n = (size_t)(stop - values);
    if (n >= VALUES_MAX) n = VALUES_MAX - 1;
    if (!b->has_values) snprintf(b->values, sizeof b->values, "%.*s", (int)n, values);
    b->has_values = true;
    return !strncmp(b->values, values, n) && (!n || !b->values[n] || b->values[n] == ',' || n == VALUES_MAX - 1);
}

/* Replays the tape once in the program that was built. */
static enum judgement replay(struct bisect *b, struct signature *seen)
{
    const char *argv[OPTIONS_MAX + 16] = {"sh", "-c",    "cd \"$1\" && shift && exec \"$@\" 2>&1",
                                          "sh", b->tree, b->program};
    size_t n = 6;
    char *output, verdict[32], warning[1024];
    for (size_t i = 0; i < b->n_options; i++) argv[n++] = b->options[i];
    if (b->stored.property) argv[n++] = "--filter";
    if (b->stored.property) argv[n++] = b->stored.property;
    argv[n++] = "--no-store";
    argv[n++] = "--no-shrink";
    argv[n++] = "--json";
    argv[n++] = "--replay";
    argv[n++] = b->file;
    argv[n] = NULL;
    int status = run(argv, replay_seconds, &output);
    const char *report = strstr(output, "{\"property\":");
    enum judgement judgement = SKIPPED;
    field(report, "verdict", verdict, sizeof verdict);
    field(report, "warning_text", warning, sizeof warning);
    bool lacks_draws = strstr(warning, " was drawn") || strstr(warning, " were drawn");
    read_signature(report ? report : "", seen);
    if (status == -ETIME) skip(b, "the replay did not end");
    else if (!report) skip(b, "the replay gave no report: %s", last_line(output));
    else if (!strcmp(verdict, "falsified")) {
        judgement = BAD;
        if (lacks_draws || !is_same_input(b, report))
            judgement = skip(b, "it fails, but the property draws values that the tape lacks");
    } else if (!strcmp(verdict, "passed") || !strcmp(verdict, "exhausted")) {
        judgement = GOOD;
        if (lacks_draws) judgement = skip(b, "the property draws values that the tape lacks");
    } else if (!strcmp(verdict, "gave_up")) skip(b, "the input is discarded there");
    else {
        field(report, "message", warning, sizeof warning);
        skip(b, "the tape cannot be replayed there: %.300s", *warning ? warning : verdict);
    }
    sonde_free(output);
    return judgement;
}

/* Replays the tape as often as it needs. One failure is enough; another failure than the one that is sought is none. */
static enum judgement judge_program(struct bisect *b, struct signature *seen)
{
    bool is_flaky = b->stored.confirmed && strcmp(b->stored.confirmed, "yes") != 0;
    enum judgement judgement = GOOD;
    for (int i = 0; i < (is_flaky ? FLAKY_TIMES : 1) && judgement == GOOD && !is_stopped(); i++)
        judgement = replay(b, seen);
    if (judgement != BAD || !*b->failure.kind || are_same(&b->failure, seen)) return judgement;
    return skip(b, "it fails in another way there: %.300s", seen->message);
}

/* Copies the files of --with from the user's work tree. */
static bool copy_kept(struct bisect *b)
{
    for (size_t i = 0; i < b->n_kept; i++) {
        char *output;
        const char *argv[] = {"sh",
                              "-c",
                              "mkdir -p \"$(dirname \"$2/$3\")\" && rm -rf \"$2/$3\" && cp -R \"$1/$3\" \"$2/$3\" 2>&1",
                              "sh",
                              b->root,
                              b->tree,
                              b->kept[i],
                              NULL};
        int status = run(argv, 0, &output);
        sonde_free(output);
        if (status != 0) return false;
    }
    return true;
}

/* Builds and judges what is checked out. Nothing of an earlier build is left. */
static enum judgement judge_tree(struct bisect *b, struct signature *seen)
{
    char *output;
    struct stat info;
    char path[2 * PATH_MAX];
    b->n_judged++;
    if (!copy_kept(b)) return skip(b, "the files of --with cannot be copied");
    int status = shell(b, b->build, 0, &output);
    if (status != 0) skip(b, "it does not build: %s", *output ? last_line(output) : "the command says nothing");
    sonde_free(output);
    if (status != 0) return SKIPPED;
    snprintf(path, sizeof path, "%s/%s", b->tree, b->program);
    if (stat(path, &info) < 0) return skip(b, "its build makes no %.200s", b->program);
    return judge_program(b, seen);
}

static enum judgement judge_commit(struct bisect *b, const char *commit, struct signature *seen)
{
    if (!git_does(b->tree, "checkout", "--quiet", "--force", "--detach", commit)
        || !git_does(b->tree, "clean", "-xfdq"))
        return skip(b, "it cannot be checked out");
    return judge_tree(b, seen);
}

static bool has_passed(const struct bisect *b, const char *commit)
{
    for (size_t i = 0; i < b->n_passed; i++)
        if (!strcmp(b->passed[i], commit)) return true;
    return false;
}

/* Prints one line about a commit that was judged, and keeps it if it passed or was skipped. */
static void report_commit(struct bisect *b, const char *commit, enum judgement judgement)
{
    if (judgement == GOOD && b->n_passed < PASSED_MAX) snprintf(b->passed[b->n_passed++], HASH, "%s", commit);
    char *name = name_of(b, commit);
    say("  %s: %s%s", name,
        judgement == GOOD  ? "passes"
        : judgement == BAD ? "fails"
                           : "skipped: ",
        judgement == SKIPPED ? b->last_reason : "");
    if (judgement == SKIPPED) {
        b->n_skipped++;
        fprintf(b->skipped.out, "    %s: %s\n", name, b->last_reason);
    }
    sonde_free(name);
}

/* ---- The work tree */

/* Runs a command that Ctrl-C does not end. */
static void run_to_end(const char *const *argv)
{
    struct sonde_command command = {.argv = argv, .input = -1, .max = OUTPUT_MAX};
    char *output = NULL;
    size_t n;
    sonde_command_run(&command, &output, &n);
    sonde_free(output);
}

/* Removes the temporary directory, and what git knows of the work tree in it. */
static void clean_up(struct bisect *b)
{
    if (!*b->directory) return;
    if (b->has_tree)
        run_to_end(
            (const char *const[]){"git", "-C", b->root, "worktree", "remove", "--force", "--force", b->tree, NULL});
    run_to_end((const char *const[]){"rm", "-rf", b->directory, NULL});
    *b->directory = '\0';
}

/* Takes the lock of a directory. Fails if its bisection is running. The lock ends with the process. */
static int lock_of(const char *directory)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/lock", directory);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

/* Removes the directories of bisections of this repository that were killed. */
static void clean_up_after_others(const struct bisect *b)
{
    static const char tree[] = "/tree", prefix[] = "/sonde-bisect-";
    char *list = git(b->root, "worktree", "list", "--porcelain", NULL), *rest = NULL;
    for (char *line = list ? strtok_r(list, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        struct bisect other = {.root = b->root, .has_tree = true};
        if (!sonde_starts(line, "worktree /") || !sonde_ends(line, tree)) continue;
        snprintf(other.tree, sizeof other.tree, "%s", line + strlen("worktree "));
        snprintf(other.directory, sizeof other.directory, "%.*s", (int)(strlen(other.tree) - strlen(tree)), other.tree);
        const char *name = strrchr(other.directory, '/');
        if (!name || !sonde_starts(name, prefix) || access(other.directory, W_OK) != 0) continue;
        int lock = lock_of(other.directory);
        if (lock < 0) continue;
        clean_up(&other);
        close(lock);
    }
    sonde_free(list);
}

static bool create_tree(struct bisect *b, const char *commit)
{
    clean_up_after_others(b);
    const char *parent = getenv("TMPDIR");
    snprintf(b->directory, sizeof b->directory, "%.3000s/sonde-bisect-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(b->directory)) {
        sonde_complain("sonde bisect: cannot create a directory in '%.3000s': %s; set TMPDIR to another",
                       parent && *parent ? parent : "/tmp", strerror(errno));
        *b->directory = '\0';
        return false;
    }
    b->lock = lock_of(b->directory);
    snprintf(b->tree, sizeof b->tree, "%.4000s/tree", b->directory);
    b->has_tree = true;
    if (git_does(b->root, "worktree", "add", "--quiet", "--detach", "--force", b->tree, commit)) return true;
    sonde_complain("sonde bisect: git cannot create a work tree in '%s'", b->directory);
    return false;
}

/* ---- Bisecting */

/* Reads the commits of a bisection's result: the first bad one, or all that are left. */
static void read_candidates(struct bisect *b, const char *text)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        size_t n = strspn(line, "0123456789abcdef");
        bool is_commit = n >= 40 && n < HASH && (line[n] == '\n' || line[n] == '\0' || line[n] == ' ');
        if (!is_commit || b->n_candidates == CANDIDATES_MAX) continue;
        snprintf(b->candidates[b->n_candidates++], HASH, "%.*s", (int)n, line);
    }
}

/* Returns whether git's output says that the bisection is over, and reads its result. */
static bool is_over(struct bisect *b, const char *output)
{
    if (strstr(output, "is the first bad commit") || strstr(output, "The first bad commit could be any of"))
        read_candidates(b, output);
    return b->n_candidates > 0;
}

/* Runs git bisect with a word, in the linked work tree. Its status is not 0 if only skipped commits are left. */
static char *advance(struct bisect *b, const char *word)
{
    const char *argv[] = {"git", "-C", b->tree, "-c", "core.hooksPath=/dev/null", "bisect", word, NULL};
    char *output;
    if (run(argv, 0, &output) >= 0) return output;
    sonde_free(output);
    return NULL;
}

/* Restores the files of the commit that is checked out, and removes all others. */
static bool restore(const struct bisect *b)
{
    return git_does(b->tree, "reset", "--quiet", "--hard") && git_does(b->tree, "clean", "-xfdq");
}

/* Bisects between the two commits. Returns whether there is a result. */
static bool bisect(struct bisect *b, const char *good, const char *bad)
{
    static const char *const words[] = {[GOOD] = "good", [BAD] = "bad", [SKIPPED] = "skip"};
    char *output = restore(b) ? git(b->tree, "bisect", "start", bad, good, "--", NULL) : NULL;
    struct signature seen;
    while (output && !is_over(b, output) && !is_stopped()) {
        char *commit = git(b->tree, "rev-parse", "HEAD", NULL);
        sonde_free(output);
        if (!commit) return false;
        enum judgement judgement = judge_tree(b, &seen);
        if (!is_stopped()) report_commit(b, commit, judgement);
        sonde_free(commit);
        /* Files of --with and files that the build wrote must not keep git from leaving the commit. */
        if (is_stopped() || !restore(b)) return false;
        output = advance(b, words[judgement]);
    }
    sonde_free(output);
    return b->n_candidates > 0 && !is_stopped();
}

static char *conflicts(const struct bisect *b)
{
    return git(b->tree, "-c", "core.quotePath=false", "diff", "--name-only", "--diff-filter=U", NULL);
}

/* Takes files, a name per line, from a commit, or from "--ours" in a conflict. Returns whether all could be taken. */
static bool take_files(const struct bisect *b, const char *from, const char *names)
{
    char *list = sonde_strdup(names), *rest = NULL;
    bool is_taken = true;
    for (char *name = strtok_r(list, "\n", &rest); name && is_taken; name = strtok_r(NULL, "\n", &rest))
        is_taken = git_does(b->tree, "checkout", from, "--", name);
    sonde_free(list);
    return is_taken;
}

static bool check_out(const struct bisect *b, const char *commit)
{
    return git_does(b->tree, "checkout", "--quiet", "--force", "--detach", commit)
           && git_does(b->tree, "clean", "-xfdq");
}

/* Judges the change of a candidate on top of a good commit. Files in which it conflicts stay as they are there;
 * *left_out receives their names, which the caller frees. If they are left out, a case that passes shows nothing. */
static enum judgement judge_alone(struct bisect *b, const char *commit, const char *base, char **left_out)
{
    struct signature seen;
    *left_out = NULL;
    if (!check_out(b, base)) return skip(b, "it cannot be checked out");
    if (!git_does(b->tree, "cherry-pick", "--no-commit", "--allow-empty", commit)) {
        *left_out = conflicts(b);
        if (!*left_out || !**left_out || !take_files(b, "--ours", *left_out))
            return skip(b, "its change does not apply alone");
    }
    enum judgement judgement = judge_tree(b, &seen);
    return judgement == GOOD && *left_out ? skip(b, "its change does not apply alone") : judgement;
}

/* Returns whether the first commit that fails passes without the change of a candidate. Files that were left out stay
 * as they are. Half of a change may fail by itself, so this is needed as well. */
static bool passes_without(struct bisect *b, const char *commit, const char *bad, const char *left_out)
{
    struct signature seen;
    if (!check_out(b, bad)) return false;
    git_does(b->tree, "revert", "--no-commit", commit);
    if (!take_files(b, bad, left_out)) return false;
    char *left = conflicts(b);
    bool is_clean = left && !*left;
    sonde_free(left);
    return is_clean && judge_tree(b, &seen) == GOOD;
}

/* Tries the change of each candidate alone, on top of the last commit that is known to be good. If exactly one makes
 * the failure, it is the one, and the only candidate that is left. */
static bool try_alone(struct bisect *b, const char *base)
{
    size_t n_bad = 0, which = 0;
    if (b->n_candidates < 2) return false;
    char *bad = git(b->tree, "rev-parse", "refs/bisect/bad", NULL);
    say("The commits before the first one that fails could not be judged. Their changes are tried alone:");
    for (size_t i = 0; bad && i < b->n_candidates && !is_stopped(); i++) {
        char *left_out, *name = name_of(b, b->candidates[i]);
        enum judgement judgement = judge_alone(b, b->candidates[i], base, &left_out);
        restore(b);
        if (judgement == BAD && left_out && !passes_without(b, b->candidates[i], bad, left_out))
            judgement = skip(b, "part of its change fails, but the failure stays without it");
        say("  %s alone: %s%s", name,
            judgement == GOOD  ? "passes"
            : judgement == BAD ? "fails"
                               : "skipped: ",
            judgement == SKIPPED ? b->last_reason : "");
        n_bad += judgement == BAD;
        if (judgement == BAD) which = i;
        if (judgement == BAD) snprintf(b->left_out, sizeof b->left_out, "%s", left_out ? left_out : "");
        sonde_free(left_out);
        sonde_free(name);
        restore(b);
    }
    sonde_free(bad);
    if (n_bad != 1 || is_stopped()) return false;
    if (which) memcpy(b->candidates[0], b->candidates[which], HASH);
    b->n_candidates = 1;
    for (char *end = b->left_out; (end = strchr(end, '\n')); end++) *end = ' ';
    return true;
}

/* Returns the good commit of the bisection that is nearest to the first bad one; the caller frees it. */
static char *nearest_good(const struct bisect *b)
{
    char *all = git(b->tree, "for-each-ref", "--format=%(objectname)", "refs/bisect/good-*", NULL), *best = NULL;
    unsigned long least = ULONG_MAX;
    for (char *commit = all ? strtok(all, "\n") : NULL; commit; commit = strtok(NULL, "\n")) {
        char range[2 * HASH + 3];
        snprintf(range, sizeof range, "%.64s..%.64s", commit, b->candidates[0]);
        char *count = git(b->tree, "rev-list", "--count", range, NULL);
        unsigned long n = count ? strtoul(count, NULL, 10) : ULONG_MAX;
        if (n < least) {
            least = n;
            sonde_free(best);
            best = sonde_strdup(commit);
        }
        sonde_free(count);
    }
    sonde_free(all);
    return best;
}

/* ---- The report */

static void print_skipped(const struct bisect *b)
{
    if (!b->n_skipped) return;
    say("  Not judged (%u of %u):", b->n_skipped, b->n_judged);
    printf("%s", b->skipped.text);
}

/* Prints how to see the failure at a commit. */
static void print_commands(const struct bisect *b, const char *commit)
{
    printf("    git checkout %.12s\n    %s\n    %s", commit, b->build, b->program);
    for (size_t i = 0; i < b->n_options; i++) printf(" %s", b->options[i]);
    if (b->stored.property) printf(" --filter %s", b->stored.property);
    printf(" --replay '%s'\n", b->stored.token ? b->stored.token : b->tape);
}

/* Checks that the input passes at every parent. git assumes this of a parent that is an ancestor of a good commit, and
 * the good commit itself may not have been run. Writes the doubt; "" if there is none. */
static void check_parents(struct bisect *b, const char *commit, char *doubt, size_t size)
{
    char all[HASH + 3];
    struct signature seen;
    snprintf(all, sizeof all, "%s^@", commit);
    char *parents = git(b->root, "rev-parse", all, NULL), *rest = NULL;
    *doubt = '\0';
    if (!parents || !*parents) snprintf(doubt, size, "there is no commit before it");
    for (char *parent = parents ? strtok_r(parents, "\n", &rest) : NULL; parent && !*doubt && !is_stopped();
         parent = strtok_r(NULL, "\n", &rest)) {
        if (has_passed(b, parent)) continue;
        char *name = name_of(b, parent);
        enum judgement judgement = judge_commit(b, parent, &seen);
        if (!is_stopped()) report_commit(b, parent, judgement);
        if (judgement == BAD) snprintf(doubt, size, "the one before it, %.200s, fails, too", name);
        if (judgement == SKIPPED)
            snprintf(doubt, size, "the one before it, %.200s, could not be judged: %.200s", name, b->last_reason);
        sonde_free(name);
    }
    sonde_free(parents);
}

/* Prints a commit that fails, where nothing shows that it introduced the failure. */
static void report_doubt(struct bisect *b, const char *doubt)
{
    char *name = name_of(b, b->candidates[0]);
    say("\nThe first commit that is known to fail is %s, but %s. So the cause may be older.", name, doubt);
    print_skipped(b);
    fflush(stdout);
    sonde_free(name);
}

/* Prints the commit, and a paragraph for a bug report. */
static void report_found(struct bisect *b, bool by_trial, const char *base)
{
    const char *commit = b->candidates[0];
    char parent[HASH + 2];
    snprintf(parent, sizeof parent, "%s^", commit);
    char *name = name_of(b, commit), *about = git(b->root, "log", "-1", "--format=%an, %as", commit, NULL);
    char *before = name_of(b, by_trial ? base : parent);
    char *tags = git(b->root, "tag", "--contains", commit, "--sort=creatordate", NULL),
         *stat = git(b->root, "show", "--stat=72", "--format=", commit, NULL);
    if (tags) tags[strcspn(tags, "\n")] = '\0';
    say("\nIntroduced by %s (%s)%s%s", name, about ? about : "?", tags && *tags ? ", first in " : "", tags ? tags : "");
    if (stat && *stat) say("%s", stat);
    say("\nFor a bug report:\n");
    printf("  Since commit %s%s%s%s the property %s fails: %s.\n", name, tags && *tags ? " (first in " : "",
           tags ? tags : "", tags && *tags ? ")" : "", b->stored.property ? b->stored.property : "of this input",
           b->failure.message);
    if (by_trial)
        printf(
            "  The commits around it could not be judged. On %s, the last one that passes, its change alone makes the "
            "failure%s%s%s.\n",
            before, *b->left_out ? ", even without its part in " : "", b->left_out,
            *b->left_out ? ", which does not apply there" : "");
    else printf("  The commit before it, %s, passes.\n", before);
    if (*b->good_doubt) printf("  %s was taken for good without a run: %s.\n", b->good, b->good_doubt);
    print_skipped(b);
    say("  To see it:");
    print_commands(b, commit);
    fflush(stdout);
    sonde_free(name);
    sonde_free(about);
    sonde_free(before);
    sonde_free(tags);
    sonde_free(stat);
}

/* Prints the commits of which one introduced the failure. */
static void report_several(struct bisect *b)
{
    say("\nIntroduced by one of these %zu commits, which the runs cannot tell apart:", b->n_candidates);
    for (size_t i = 0; i < b->n_candidates; i++) {
        char *name = name_of(b, b->candidates[i]);
        say("  %s", name);
        sonde_free(name);
    }
    if (*b->good_doubt) say("  %s was taken for good without a run: %s.", b->good, b->good_doubt);
    print_skipped(b);
    fflush(stdout);
}

/* ---- The beginning */

/* Judges the two ends. Returns false, with a message, if there is nothing to bisect. */
static bool check_ends(struct bisect *b, const char *good, const char *bad)
{
    struct signature seen;
    say("Building and replaying at both ends, in %s:", b->directory);
    enum judgement at_bad = judge_commit(b, bad, &b->failure);
    if (is_stopped()) return false;
    report_commit(b, bad, at_bad);
    if (at_bad != BAD) {
        sonde_complain("sonde bisect: %s %s: %s; give a commit at which the failure comes back with --bad, "
                       "and commit the changes that it needs",
                       at_bad == GOOD ? "the failure does not come back at" : "cannot judge", b->bad,
                       at_bad == GOOD ? "the input passes" : b->last_reason);
        return false;
    }
    enum judgement at_good = judge_commit(b, good, &seen);
    if (is_stopped()) return false;
    report_commit(b, good, at_good);
    if (at_good == SKIPPED) snprintf(b->good_doubt, sizeof b->good_doubt, "%s", b->last_reason);
    if (at_good != BAD) return true;
    sonde_complain("sonde bisect: the failure is there at %s, too; give an older commit with --good", b->good);
    return false;
}

/* Returns the full name of a commit; the caller frees it. NULL after a message. */
static char *commit_of(const struct bisect *b, const char *option, const char *ref)
{
    char wanted[1024];
    snprintf(wanted, sizeof wanted, "%.1000s^{commit}", ref);
    char *commit = git(b->root, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted, NULL);
    if (!commit)
        sonde_complain("sonde bisect: %s: there is no commit '%.200s' in this repository%s", option, ref,
                       git_does(b->root, "rev-parse", "--is-shallow-repository")
                           ? "; in a shallow clone, fetch more with git fetch --unshallow"
                           : "");
    return commit;
}

/* Bisects in a linked work tree, and prints the result. Returns the exit status. */
static int run_bisection(struct bisect *b, const char *good, const char *bad)
{
    if (!create_tree(b, bad)) return SONDE_USAGE;
    if (!check_ends(b, good, bad)) return SONDE_USAGE;
    char *count_range = NULL, range[2 * HASH + 3];
    snprintf(range, sizeof range, "%.64s..%.64s", good, bad);
    count_range = git(b->root, "rev-list", "--count", range, NULL);
    say("Bisecting %s commits:", count_range ? count_range : "some");
    sonde_free(count_range);
    if (!bisect(b, good, bad)) {
        if (!is_stopped())
            sonde_complain("sonde bisect: git cannot bisect between %s and %s; is the first one older?", b->good,
                           b->bad);
        return SONDE_USAGE;
    }
    char *base = nearest_good(b);
    bool by_trial = base && try_alone(b, base);
    char doubt[REASON] = "";
    if (b->n_candidates == 1 && !by_trial) check_parents(b, b->candidates[0], doubt, sizeof doubt);
    sonde_buffer_close(&b->skipped);
    if (!is_stopped()) {
        if (*doubt) report_doubt(b, doubt);
        else if (b->n_candidates == 1) report_found(b, by_trial, base ? base : good);
        else report_several(b);
    }
    sonde_free(base);
    if (is_stopped()) return SONDE_USAGE;
    return b->n_candidates == 1 && !*doubt ? SONDE_PASSED : SONDE_FALSIFIED;
}

/* Takes the name of the program from the path of the stored tape: .sonde/failures/PROGRAM/PROPERTY/ID.tape. Returns
 * false, with a message, if there is none. */
static bool guess_program(struct bisect *b)
{
    static char name[PATH_MAX];
    const char *start = b->file ? strstr(b->file, "/failures/") : NULL;
    snprintf(name, sizeof name, "%s", start ? start + strlen("/failures/") : "");
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(name, '/');
        if (slash) *slash = '\0';
        else *name = '\0';
    }
    if (*name) b->program = name;
    if (b->program) return true;
    sonde_complain(
        "sonde bisect: which program runs the tape? Give its path, as the build makes it, at the end: -- ./test");
    return false;
}

/* Reads the tape: a file of the store, or a token. */
static bool read_input(struct bisect *b)
{
    const char *reason = NULL, *path = b->tape + (*b->tape == '@');
    if (*b->tape != '@' && access(path, R_OK) != 0 && strpbrk(path, "={[?;:")) {
        b->file = sonde_strdup(path);
        return true;
    }
    int status = sonde_store_read_file(path, &b->stored, &reason);
    char *whole = status < 0 ? NULL : realpath(path, NULL);
    b->file = whole ? sonde_strdup(whole) : NULL;
    free(whole);
    if (b->file) return true;
    sonde_complain("sonde bisect: cannot read '%.300s': %s", path,
                   reason ? reason : strerror(status < 0 ? -status : errno));
    return false;
}

/* Reads the arguments; returns false after a message. */
static bool read_arguments(struct bisect *b, int argc, char **argv)
{
    b->bad = "HEAD";
    b->build = "make";
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const char **to = !strcmp(word, "--good")    ? &b->good
                          : !strcmp(word, "--bad")   ? &b->bad
                          : !strcmp(word, "--build") ? &b->build
                                                     : NULL;
        bool is_kept = !strcmp(word, "--with");
        if (!strcmp(word, "--")) {
            for (i++; i < argc && b->n_options < OPTIONS_MAX; i++) {
                if (b->program) b->options[b->n_options++] = argv[i];
                else b->program = argv[i];
            }
        } else if (to || is_kept) {
            if (i + 1 == argc || !*argv[i + 1] || (is_kept && b->n_kept == KEPT_MAX)) {
                sonde_complain("sonde bisect: %s: %s", word,
                               i + 1 == argc ? "a value is missing" : "the value is empty, or one too many");
                return false;
            }
            if (to) *to = argv[++i];
            else b->kept[b->n_kept++] = argv[++i];
        } else if (*word == '-' || b->tape) {
            sonde_complain(
                "sonde bisect: unexpected argument '%.200s'; write sonde bisect TAPE --good REF [--bad REF] [--build CMD] [--with FILE] [-- TEST [OPTION]...]",
                word);
            return false;
        } else b->tape = word;
    }
    if (b->tape && b->good) return read_input(b) && guess_program(b);
    sonde_complain("sonde bisect: %s", b->tape ? "give a commit at which the property held: --good REF"
                                               : "the tape is missing; reports of failures name its file");
    return false;
}

/* Checks that there is a repository, and that the files of --with are in it. */
static bool find_root(struct bisect *b)
{
    struct stat info;
    /* A hook of git sets these, and git would then work on the user's index. */
    static const char *const variables[] = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR",
                                            "GIT_PREFIX"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
    setenv("LC_ALL", "C", 1); /* for git's words */
    b->root = git(".", "rev-parse", "--show-toplevel", NULL);
    if (!b->root) sonde_complain("sonde bisect: this directory is in no work tree of git, or there is no git");
    for (size_t i = 0; b->root && i < b->n_kept; i++) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", b->root, b->kept[i]);
        if (*b->kept[i] != '/' && !strstr(b->kept[i], "..") && stat(path, &info) == 0) continue;
        sonde_complain("sonde bisect: --with: there is no '%.200s' below the root of the repository", b->kept[i]);
        return false;
    }
    return b->root != NULL;
}

int sonde_tool_bisect(int argc, char **argv)
{
    struct bisect *b = sonde_calloc(1, sizeof *b);
    int status = SONDE_USAGE;
    char *good = NULL, *bad = NULL;
    sonde_buffer_open(&b->skipped);
    if (read_arguments(b, argc, argv) && find_root(b) && (good = commit_of(b, "--good", b->good)) != NULL
        && (bad = commit_of(b, "--bad", b->bad)) != NULL) {
        watch_signals();
        status = run_bisection(b, good, bad);
        clean_up(b);
    }
    sonde_buffer_clear(&b->skipped);
    sonde_stored_clear(&b->stored);
    sonde_free(good);
    sonde_free(bad);
    sonde_free(b->root);
    sonde_free(b->file);
    sonde_free(b);
    if (is_stopped()) sonde_say("bisect: stopped; nothing was left behind");
    return is_stopped() ? 128 + (int)stopped_by : status;
}
