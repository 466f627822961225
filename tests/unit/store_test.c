/* The store: saved data comes back, whatever else happens to the directory meanwhile. Every test has a separate store
 * below the directory it runs in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "store/files.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

/* ---- Helpers */

enum { SEEN_MAX = 512, TEXT_MAX = 256 };

struct fixture {
    char directory[64];
    struct sonde_store *store;
    unsigned warnings;
    char warning[1024]; /* the last */
    unsigned n;         /* visited */
    char ids[SEEN_MAX][TEXT_MAX], tokens[SEEN_MAX][TEXT_MAX];
    struct sonde_stored last; /* its strings are gone */
    char message[TEXT_MAX], property[TEXT_MAX];
};

static void count_warning(void *context, const char *text)
{
    struct fixture *f = context;
    f->warnings++;
    snprintf(f->warning, sizeof f->warning, "%s", text);
}

static void open_store(struct fixture *f)
{
    f->store = sonde_store_open(
        &(struct sonde_store_setup){.directory = f->directory, .program = "prog", .warn = count_warning, .context = f});
    assert_non_null(f->store);
}

static void reopen(struct fixture *f)
{
    sonde_store_close(f->store);
    open_store(f);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    strcpy(f->directory, "store-XXXXXX");
    if (!mkdtemp(f->directory)) return -1;
    open_store(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[256];
    sonde_store_close(f->store);
    snprintf(command, sizeof command, "chmod -Rf u+w %s; rm -rf %s", f->directory, f->directory);
    int status = system(command);
    free(f);
    return status;
}

static void copy_text(char *to, const char *from)
{
    snprintf(to, TEXT_MAX, "%s", from ? from : "(none)");
}

static bool note(void *context, const struct sonde_stored *found)
{
    struct fixture *f = context;
    assert_true(f->n < SEEN_MAX);
    copy_text(f->ids[f->n], found->id);
    copy_text(f->tokens[f->n++], found->token);
    copy_text(f->message, found->message);
    copy_text(f->property, found->property);
    return true;
}

static unsigned failures_of(struct fixture *f, const char *property)
{
    f->n = 0;
    return (unsigned)sonde_store_each_failure(f->store, property, note, f);
}

static int save(struct fixture *f, const char *property, const char *id, const char *token)
{
    return sonde_store_save_failure(f->store, property, id, &(struct sonde_stored){.token = token}, NULL);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_file(const char *path, const char *text)
{
    char *bytes;
    size_t n;
    assert_int_equal(sonde_read_file(path, 1 << 20, true, &bytes, &n), 0);
    assert_int_equal(n, strlen(text));
    assert_memory_equal(bytes, text, n);
    sonde_free(bytes);
}

/* A path below the store. */
static const char *below(const struct fixture *f, const char *rest)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/prog/%s", f->directory, rest);
    return path;
}

/* ---- Keeping and finding again */

static void a_failure_comes_back(void **state)
{
    struct fixture *f = *state;
    struct sonde_stored what = {.kind = "check", .message = "a <= b\n\\ \x01 %d", .found = "seed 7", .token = "s1:x=3"};
    char *path;
    assert_int_equal(sonde_store_save_failure(f->store, "p", "f1", &what, &path), 0);
    assert_string_equal(path, below(f, "p/failures/f1.tape"));
    sonde_free(path);
    reopen(f);
    assert_int_equal(failures_of(f, "p"), 1);
    assert_string_equal(f->ids[0], "f1");
    assert_string_equal(f->tokens[0], "s1:x=3");
    assert_string_equal(f->message, what.message);
    assert_string_equal(f->property, "p");
    assert_int_equal(f->warnings, 0);
}

static void a_file_reads_well(void **state)
{
    struct fixture *f = *state;
    struct sonde_stored what = {
        .kind = "check", .message = "a <= b", .place = "t.c:9", .found = "seed 7", .token = "s1:x=3"};
    assert_int_equal(sonde_store_save_failure(f->store, "p", "f1", &what, NULL), 0);
    assert_file(below(f, "p/failures/f1.tape"), "# sonde tape 1\n"
                                                "# property: p\n"
                                                "# kind: check\n"
                                                "# message: a <= b\n"
                                                "# place: t.c:9\n"
                                                "# found: seed 7\n"
                                                "# checksum: 2af7fcd4235de4c9\n"
                                                "s1:x=3\n");
}

static void properties_and_programs_are_apart(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(save(f, "p", "f", "s1:x=1"), 0);
    assert_int_equal(save(f, "q", "f", "s1:x=2"), 0);
    assert_int_equal(failures_of(f, "p"), 1);
    assert_string_equal(f->tokens[0], "s1:x=1");
    struct sonde_store *other =
        sonde_store_open(&(struct sonde_store_setup){.directory = f->directory, .program = "other"});
    assert_int_equal(sonde_store_each_failure(other, "p", note, f), 0);
    sonde_store_close(other);
}

static void the_same_id_replaces(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(save(f, "p", "f", "s1:x=100"), 0);
    assert_int_equal(save(f, "p", "f", "s1:x=1"), 0);
    assert_int_equal(failures_of(f, "p"), 1);
    assert_string_equal(f->tokens[0], "s1:x=1");
}

static void visits_are_in_the_order_of_names(void **state)
{
    struct fixture *f = *state;
    const char *const ids[] = {"b", "c", "a", "d"};
    for (size_t i = 0; i < 4; i++) assert_int_equal(save(f, "p", ids[i], "s1:"), 0);
    assert_int_equal(failures_of(f, "p"), 4);
    for (size_t i = 0; i < 4; i++) assert_int_equal(f->ids[i][0], "abcd"[i]);
}

static bool only_one(void *context, const struct sonde_stored *found)
{
    return note(context, found) && false;
}

static void a_visitor_can_end_the_visits(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(save(f, "p", "a", "s1:"), 0);
    assert_int_equal(save(f, "p", "b", "s1:"), 0);
    assert_int_equal(sonde_store_each_failure(f->store, "p", only_one, f), 1);
    assert_int_equal(f->n, 1);
}

static void a_fixed_failure_is_set_aside(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(save(f, "p", "f", "s1:x=1"), 0);
    assert_int_equal(sonde_store_set_aside(f->store, "p", "f"), 0);
    assert_int_equal(failures_of(f, "p"), 0);
    assert_int_equal(access(below(f, "p/fixed/f.tape"), F_OK), 0);
    assert_int_equal(sonde_store_set_aside(f->store, "p", "f"), 0);
    assert_int_equal(f->warnings, 0);
}

static bool set_aside(void *context, const struct sonde_stored *found)
{
    struct fixture *f = context;
    assert_int_equal(sonde_store_set_aside(f->store, "p", found->id), 0);
    return true;
}

/* A person may have named the file. */
static void a_visitor_sets_aside_whatever_the_name_is(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(save(f, "p", "f", "s1:x=1"), 0);
    write_text(below(f, "p/failures/my best bug.tape"), "s1:x=3");
    assert_int_equal(sonde_store_each_failure(f->store, "p", set_aside, f), 2);
    assert_int_equal(failures_of(f, "p"), 0);
    assert_int_equal(access(below(f, "p/fixed/my best bug.tape"), F_OK), 0);
}

static void a_corpus_holds_each_tape_once(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sonde_store_save_corpus(f->store, "p", &(struct sonde_stored){.token = "s1:x=1"}), 0);
        assert_int_equal(sonde_store_save_corpus(f->store, "p", &(struct sonde_stored){.token = "s1:x=2"}), 0);
    }
    assert_int_equal(sonde_store_each_corpus(f->store, "p", note, f), 2);
    assert_int_equal(sonde_store_drop_corpus(f->store, "p", "s1:x=1"), 0);
    assert_int_equal(sonde_store_each_corpus(f->store, "p", note, f), 1);
    assert_string_equal(f->tokens[2], "s1:x=2");
    assert_int_equal(failures_of(f, "p"), 0);
}

static void what_a_guide_learned_comes_back(void **state)
{
    struct fixture *f = *state;
    struct sonde_bytes first = {(uint8_t[]){1, 0, 3}, 3, 3}, second = {(uint8_t[]){4}, 1, 1}, found;
    assert_int_equal(sonde_store_load_learned(f->store, "p", "rl", &found), -ENOENT);
    assert_int_equal(sonde_store_save_learned(f->store, "p", "rl", &(struct sonde_bytes){0}), 0);
    assert_int_equal(sonde_store_load_learned(f->store, "p", "rl", &found), -ENOENT);
    assert_int_equal(sonde_store_save_learned(f->store, "p", "rl", &first), 0);
    assert_int_equal(sonde_store_load_learned(f->store, "p", "rl", &found), 0);
    assert_int_equal(found.n, 3);
    assert_memory_equal(found.data, first.data, 3);
    sonde_bytes_clear(&found);
    assert_int_equal(sonde_store_load_learned(f->store, "p", "cgpt", &found), -ENOENT);
    assert_int_equal(sonde_store_load_learned(f->store, "q", "rl", &found), -ENOENT);
    assert_int_equal(sonde_store_save_learned(f->store, "p", "rl", &second), 0);
    assert_int_equal(sonde_store_load_learned(f->store, "p", "rl", &found), 0);
    assert_int_equal(found.n, 1);
    sonde_bytes_clear(&found);
    assert_int_equal(f->warnings, 0);
}

static void damaged_knowledge_is_one_warning_and_is_replaced(void **state)
{
    struct fixture *f = *state;
    struct sonde_bytes learned = {(uint8_t[]){1, 2, 3}, 3, 3}, found;
    sonde_store_save_learned(f->store, "p", "rl", &learned);
    write_text(below(f, "p/learned/rl"), "sonde learned 1\n12345678xyz");
    assert_int_equal(sonde_store_load_learned(f->store, "p", "rl", &found), -EINVAL);
    assert_int_equal(sonde_store_load_learned(f->store, "p", "rl", &found), -EINVAL);
    assert_int_equal(f->warnings, 1);
    assert_non_null(strstr(f->warning, "its checksum does not match"));
    assert_int_equal(sonde_store_save_learned(f->store, "p", "rl", &learned), 0);
    assert_int_equal(sonde_store_load_learned(f->store, "p", "rl", &found), 0);
    sonde_bytes_clear(&found);
    const char *others[] = {"", "sonde learned 1", "sonde learned 2\n....", "precious"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        write_text(below(f, "p/learned/rl"), others[i]);
        assert_int_equal(sonde_store_load_learned(f->store, "p", "rl", &found), -EINVAL);
        assert_int_equal(found.n, 0);
    }
    assert_true(sonde_store_save_learned(f->store, "p", "rl", &learned) < 0); /* not ours */
    assert_file(below(f, "p/learned/rl"), "precious");
}

static void nothing_is_created_before_it_is_needed(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(rmdir(f->directory), 0);
    reopen(f);
    assert_int_equal(failures_of(f, "p"), 0);
    assert_int_equal(access(f->directory, F_OK), -1);
    assert_int_equal(save(f, "p", "f", "s1:"), 0);
    assert_int_equal(failures_of(f, "p"), 1);
}

/* ---- Names */

static void hostile_names_stay_inside_and_apart(void **state)
{
    struct fixture *f = *state;
    char longest[3000], longer[3001];
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    snprintf(longer, sizeof longer, "%sx", longest);
    const char *const names[] = {"../../escape", "..",       ".",   "",  "a/b",   "a_b",  "a b", "/etc/passwd",
                                 "\n",           "\xff\x01", "-rf", "~", longest, longer, "p"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char token[32];
        snprintf(token, sizeof token, "s1:x=%zu", i);
        assert_int_equal(save(f, names[i], names[i], token), 0);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char token[32];
        snprintf(token, sizeof token, "s1:x=%zu", i);
        assert_int_equal(failures_of(f, names[i]), 1);
        assert_string_equal(f->tokens[0], token);
        if (strlen(names[i]) < TEXT_MAX) assert_string_equal(f->property, names[i]);
        assert_int_equal(sonde_store_set_aside(f->store, names[i], f->ids[0]), 0);
        assert_int_equal(failures_of(f, names[i]), 0);
    }
    struct sonde_names folders;
    assert_int_equal(sonde_below_list(below(f, ""), SIZE_MAX, &folders), 0);
    assert_int_equal(folders.n, sizeof names / sizeof *names);
    sonde_names_clear(&folders);
    assert_int_equal(sonde_below_list(f->directory, SIZE_MAX, &folders), 0);
    assert_int_equal(folders.n, 1);
    sonde_names_clear(&folders);
    assert_int_equal(f->warnings, 0);
}

/* Earlier versions kept what they found under the last part of the program's path. */
static void findings_of_programs_of_one_name_are_kept_apart(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(save(f, "p", "old", "s1:x=1"), 0); /* under prog/ */
    struct sonde_store *a =
        sonde_store_open(&(struct sonde_store_setup){.directory = f->directory, .program = "a/prog"});
    struct sonde_store *b =
        sonde_store_open(&(struct sonde_store_setup){.directory = f->directory, .program = "b/prog"});
    struct sonde_store *mine = f->store;
    struct sonde_stored what = {.kind = "check", .token = "s1:x=2"};
    assert_int_equal(sonde_store_save_failure(a, "p", "new", &what, NULL), 0);
    f->store = b;
    assert_int_equal(failures_of(f, "p"), 1);
    assert_string_equal(f->ids[0], "old");
    assert_int_equal(sonde_store_set_aside(b, "p", "new"), 0);
    assert_int_equal(sonde_store_set_aside(b, "p", "old"), 0); /* it is not b's to set aside */
    f->store = a;
    assert_int_equal(failures_of(f, "p"), 2);
    f->store = mine;
    sonde_store_close(a);
    sonde_store_close(b);
}

/* ---- Files that are not ours */

static void assert_unreadable(struct fixture *f, const char *text, const char *reason)
{
    f->warnings = 0;
    write_text(below(f, "p/failures/bad.tape"), text);
    reopen(f);
    for (int i = 0; i < 3; i++) assert_int_equal(failures_of(f, "p"), 1);
    assert_string_equal(f->ids[0], "good");
    assert_int_equal(f->warnings, 1);
    assert_non_null(strstr(f->warning, "bad.tape"));
    assert_non_null(strstr(f->warning, reason));
    assert_file(below(f, "p/failures/bad.tape"), text);
}

static void what_cannot_be_read_is_warned_of_once_and_stays(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(save(f, "p", "good", "s1:x=1"), 0);
    assert_unreadable(f, "", "empty");
    assert_unreadable(f, "hello", "not a sonde tape");
    assert_unreadable(f, "# sonde tape 2\n# new: thing\nwhatever", "newer version");
    assert_unreadable(f, "# sonde tape x\ns1:x=1\n", "first line");
    assert_unreadable(f, "# sonde tape 1\n# property: p\n", "cut short");
    assert_unreadable(f, "# sonde tape 1\n# checksum: 12\ns1:x=1\n", "checksum line");
    assert_unreadable(f, "# sonde tape 1\n# checksum: 0123456789abcdef\ns1:x=1\n", "does not match");
}

static void a_truncated_file_is_noticed_wherever_it_is_cut(void **state)
{
    struct fixture *f = *state;
    char *bytes;
    size_t n;
    assert_int_equal(save(f, "p", "f", "s1:xs[{x=1} {x=2}] y=12"), 0);
    assert_int_equal(sonde_read_file(below(f, "p/failures/f.tape"), 4096, true, &bytes, &n), 0);
    for (size_t cut = 0; cut < n - 1; cut++) {
        struct sonde_stored found;
        const char *reason;
        assert_int_equal(sonde_stored_read(&found, bytes, cut, &reason), -EINVAL);
        assert_non_null(reason);
    }
    sonde_free(bytes);
}

static void hand_made_files_are_read(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(save(f, "p", "a", "s1:x=1"), 0);
    write_text(below(f, "p/failures/b.tape"), "s1:x=2\n");
    write_text(below(f, "p/failures/c.tape"), "# sonde tape 1\r\n# anything: goes\r\n#\r\n\r\ns1:x=3\r\n#size=4\r\n");
    write_text(below(f, "p/failures/README"), "not a tape, and nobody says so");
    assert_int_equal(failures_of(f, "p"), 3);
    assert_string_equal(f->tokens[1], "s1:x=2");
    assert_string_equal(f->tokens[2], "s1:x=3 #size=4");
    assert_int_equal(f->warnings, 0);
}

static void line_ends_may_be_rewritten(void **state)
{
    struct fixture *f = *state;
    struct sonde_stored what = {.message = "m", .token = "s1:x=1"}, found;
    const char *reason;
    char crlf[512];
    size_t n, m = 0;
    (void)f;
    char *bytes = sonde_stored_write(&what, &n);
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') crlf[m++] = '\r';
        crlf[m++] = bytes[i];
    }
    sonde_free(bytes);
    assert_int_equal(sonde_stored_read(&found, crlf, m, &reason), 0);
    assert_string_equal(found.token, "s1:x=1");
    sonde_stored_clear(&found);
}

static void an_unreadable_file_is_never_written_over(void **state)
{
    struct fixture *f = *state;
    const char *newer = "# sonde tape 2\nsomething better";
    assert_int_equal(save(f, "p", "f", "s1:x=1"), 0);
    assert_int_equal(sonde_store_set_aside(f->store, "p", "f"), 0);
    write_text(below(f, "p/failures/f.tape"), newer);
    write_text(below(f, "p/fixed/f.tape"), newer);
    assert_int_equal(save(f, "p", "f", "s1:x=2"), 0);
    assert_int_equal(failures_of(f, "p"), 1);
    assert_string_equal(f->tokens[0], "s1:x=2");
    assert_int_equal(sonde_store_set_aside(f->store, "p", f->ids[0]), 0);
    assert_int_equal(failures_of(f, "p"), 0);
    assert_file(below(f, "p/failures/f.tape"), newer);
    assert_file(below(f, "p/fixed/f.tape"), newer);
}

static void pipes_and_folders_are_not_waited_for(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(save(f, "p", "f", "s1:x=1"), 0);
    assert_int_equal(mkfifo(below(f, "p/failures/pipe.tape"), 0600), 0);
    assert_int_equal(mkdir(below(f, "p/failures/folder.tape"), 0700), 0);
    assert_int_equal(symlink("nowhere", below(f, "p/failures/dangling.tape")), 0);
    assert_int_equal(failures_of(f, "p"), 1);
    assert_int_equal(f->warnings, 3);
    assert_int_equal(sonde_store_unreadable(f->store), 3);
    assert_int_equal(save(f, "p", "pipe", "s1:x=2"), 0);
    assert_int_equal(failures_of(f, "p"), 2);
}

static void a_damaged_tape_is_named_with_its_place(void **state)
{
    struct fixture *f = *state;
    struct sonde_tape script;
    struct sonde_labels labels;
    sonde_tape_init(&script);
    sonde_labels_init(&labels);
    struct sonde_stored found = {.path = "x.tape", .token = "s1:t{x=1"};
    assert_int_equal(sonde_store_script(f->store, &found, &script, &labels), -EINVAL);
    assert_int_equal(sonde_store_script(f->store, &found, &script, &labels), -EINVAL);
    assert_int_equal(f->warnings, 1);
    assert_non_null(strstr(f->warning, "at character 9"));
    found.token = "s1:t{x=1}";
    assert_int_equal(sonde_store_script(f->store, &found, &script, &labels), 0);
    assert_int_equal(script.n_choices, 1);
    sonde_tape_clear(&script);
    sonde_labels_clear(&labels);
}

/* ---- Stores that cannot be used */

static void assert_does_nothing(struct fixture *f, unsigned warnings)
{
    for (int i = 0; i < 3; i++) {
        char *path = f->directory;
        struct sonde_stored what = {.token = "s1:x=1"};
        assert_true(sonde_store_save_failure(f->store, "p", "f", &what, &path) < 0);
        assert_null(path);
        assert_true(sonde_store_save_corpus(f->store, "p", &what) < 0);
        assert_int_equal(failures_of(f, "p"), 0);
        sonde_store_set_aside(f->store, "p", "f");
    }
    assert_int_equal(f->warnings, warnings);
}

static void a_path_that_is_a_file_is_one_warning(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(rmdir(f->directory), 0);
    write_text(f->directory, "mine");
    reopen(f);
    assert_string_equal(sonde_store_path(f->store), "");
    assert_does_nothing(f, 1);
    assert_non_null(strstr(f->warning, "Not a directory"));
    assert_file(f->directory, "mine");
    unlink(f->directory);
}

static void a_file_where_a_folder_should_be_is_one_warning(void **state)
{
    struct fixture *f = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/prog", f->directory);
    write_text(path, "mine");
    assert_does_nothing(f, 2); /* one for reading, one for writing */
    assert_file(path, "mine");
}

static void a_read_only_store_is_read_and_warned_of(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(save(f, "p", "f", "s1:x=1"), 0);
    char folder[512];
    snprintf(folder, sizeof folder, "%s", below(f, "p/failures"));
    assert_int_equal(chmod(folder, 0500), 0);
    if (access(folder, W_OK) == 0) {
        print_message("root writes everywhere\n");
        skip();
    }
    assert_int_equal(save(f, "p", "g", "s1:x=2"), -EACCES);
    assert_int_equal(save(f, "p", "h", "s1:x=2"), -EACCES);
    assert_int_equal(f->warnings, 1);
    assert_int_equal(failures_of(f, "p"), 1);
}

static void a_read_only_file_system_is_read_and_warned_of(void **state)
{
    struct fixture *f = *state;
    if (mount("none", f->directory, "tmpfs", 0, "size=64k") < 0) {
        print_message("no small file system can be mounted here: %s\n", strerror(errno));
        skip();
    }
    int before = save(f, "p", "f", "s1:x=1");
    int status = mount("none", f->directory, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k");
    reopen(f);
    int first = save(f, "p", "g", "s1:x=2"), other = save(f, "q", "g", "s1:x=2");
    int aside = sonde_store_set_aside(f->store, "p", "f");
    unsigned found = failures_of(f, "p");
    assert_int_equal(umount2(f->directory, MNT_DETACH), 0);
    assert_int_equal(before, 0);
    assert_int_equal(status, 0);
    assert_int_equal(first, -EROFS);
    assert_int_equal(other, -EROFS);
    assert_int_equal(aside, -EROFS);
    assert_int_equal(found, 1);
    assert_int_equal(f->warnings, 1);
}

static void a_full_disk_is_one_warning_and_leaves_no_halves(void **state)
{
    struct fixture *f = *state;
    if (mount("none", f->directory, "tmpfs", 0, "size=64k") < 0) {
        print_message("no small file system can be mounted here: %s\n", strerror(errno));
        skip();
    }
    static char token[200 << 10];
    memset(token, 'x', sizeof token - 1);
    memcpy(token, "s1:", 3);
    int small = save(f, "p", "small", "s1:x=1");
    int first = save(f, "p", "large", token), second = save(f, "p", "large", token);
    unsigned found = failures_of(f, "p");
    struct sonde_names names;
    sonde_below_list(below(f, "p/failures"), SIZE_MAX, &names);
    unsigned left = names.n;
    sonde_names_clear(&names);
    assert_int_equal(umount2(f->directory, MNT_DETACH), 0);
    assert_int_equal(small, 0);
    assert_int_equal(first, -ENOSPC);
    assert_int_equal(second, -ENOSPC);
    assert_int_equal(found, 1);
    assert_int_equal(left, 1);
    assert_int_equal(f->warnings, 1);
}

static void a_store_that_is_off_says_nothing(void **state)
{
    struct fixture *f = *state;
    sonde_store_close(f->store);
    f->store = sonde_store_open(&(struct sonde_store_setup){
        .directory = f->directory, .is_off = true, .program = "prog", .warn = count_warning, .context = f});
    assert_does_nothing(f, 0);
    assert_int_equal(access(below(f, ""), F_OK), -1);
}

/* ---- Several runs, and runs that die */

static void writers_and_readers_do_not_disturb_each_other(void **state)
{
    struct fixture *f = *state;
    enum { WRITERS = 4, ROUNDS = 40 };
    pid_t pids[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        pids[w] = fork();
        if (pids[w]) continue;
        int bad = 0;
        for (int i = 0; i < ROUNDS; i++) {
            char id[32], token[64];
            snprintf(id, sizeof id, "own-%d-%d", w, i);
            snprintf(token, sizeof token, "s1:writer=%d round=%d", w, i);
            bad |= save(f, "p", id, token) | save(f, "p", "shared", token);
            if (i % 4 == 0) bad |= sonde_store_set_aside(f->store, "p", "shared");
            failures_of(f, "p");
        }
        _exit(bad || f->warnings);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        assert_int_equal(waitpid(pids[w], &status, 0), pids[w]);
        assert_int_equal(status, 0);
    }
    assert_true(failures_of(f, "p") >= WRITERS * ROUNDS);
    assert_int_equal(f->warnings, 0);
}

static void a_killed_writer_leaves_only_whole_files(void **state)
{
    struct fixture *f = *state;
    static char token[1 << 16];
    memset(token, 'x', sizeof token - 1);
    memcpy(token, "s1:", 3);
    for (int round = 0; round < 10; round++) {
        pid_t pid = fork();
        if (pid == 0)
            for (unsigned i = 0;; i++) {
                token[10] = (char)('a' + i % 26);
                save(f, "p", i % 2 ? "a" : "b", token);
            }
        usleep(2000 + (unsigned)round * 500);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    reopen(f);
    failures_of(f, "p");
    assert_int_equal(f->warnings, 0);
    char command[256];
    snprintf(command, sizeof command, "test -z \"$(find %s -name '*.tmp')\"", f->directory);
    assert_int_equal(system(command), 0);
}

static void only_leftovers_of_the_dead_are_removed(void **state)
{
    struct fixture *f = *state;
    char live[64], old[64], dead[64];
    assert_int_equal(save(f, "p", "f", "s1:"), 0);
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    waitpid(pid, NULL, 0);
    snprintf(live, sizeof live, "p/failures/.%ld-0.tmp", (long)getppid());
    snprintf(old, sizeof old, "p/failures/.%ld-1.tmp", (long)getppid());
    snprintf(dead, sizeof dead, "p/corpus/.%ld-0.tmp", (long)pid);
    assert_int_equal(sonde_make_directories(below(f, "p/corpus")), 0);
    const char *const names[] = {live, old, dead, "p/failures/.mine.tmp", "p/failures/.12x-3.tmp"};
    for (size_t i = 0; i < 5; i++) write_text(below(f, names[i]), "half");
    assert_int_equal(utime(below(f, old), &(struct utimbuf){1, 1}), 0);
    assert_int_equal(failures_of(f, "p"), 1);
    reopen(f);
    for (size_t i = 0; i < 5; i++) assert_int_equal(access(below(f, names[i]), F_OK), i == 1 || i == 2 ? -1 : 0);
}

/* ---- Files and directories of the user */

static void a_single_file_is_read(void **state)
{
    struct fixture *f = *state;
    struct sonde_stored found;
    const char *reason;
    char path[128];
    snprintf(path, sizeof path, "%s/one", f->directory);
    write_text(path, "# sonde tape 1\n# property: p\ns1:x=4\n");
    assert_int_equal(sonde_store_read_file(path, &found, &reason), 0);
    assert_string_equal(found.token, "s1:x=4");
    assert_string_equal(found.property, "p");
    sonde_stored_clear(&found);
    assert_int_equal(sonde_store_read_file("no such file", &found, &reason), -ENOENT);
    assert_non_null(reason);
    assert_int_equal(sonde_store_read_file(f->directory, &found, &reason), -EISDIR);
}

static void another_token_keeps_the_head_and_renews_the_checksum(void **state)
{
    struct fixture *f = *state;
    struct sonde_stored found;
    const char *reason;
    char path[128];
    size_t n;
    snprintf(path, sizeof path, "%s/one", f->directory);
    char *file = sonde_stored_write(&(struct sonde_stored){.property = "p", .found = "a\\b", .token = "s1:x=4"}, &n);
    file[n] = '\0';
    write_text(path, file);
    sonde_free(file);
    assert_int_equal(sonde_store_replace_token(path, strlen(path), "s1:x=4 y=5"), 0);
    assert_int_equal(sonde_store_read_file(path, &found, &reason), 0);
    assert_string_equal(found.token, "s1:x=4 y=5");
    assert_string_equal(found.property, "p");
    assert_string_equal(found.found, "a\\b");
    sonde_stored_clear(&found);
    char *bytes;
    assert_int_equal(sonde_read_file(path, 4096, true, &bytes, &n), 0);
    bytes[n - 2] = '6';
    assert_int_equal(sonde_stored_read(&found, bytes, n, &reason), -EINVAL);
    assert_non_null(strstr(reason, "its checksum does not match"));
    sonde_free(bytes);
}

static void regressions_belong_by_line_then_by_folder(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(sonde_make_directories(below(f, "tapes/p/deep")), 0);
    assert_int_equal(sonde_make_directories(below(f, "tapes/q")), 0);
    write_text(below(f, "tapes/1.tape"), "s1:for=everyone");
    write_text(below(f, "tapes/2.tape"), "# sonde tape 1\n# property: p\ns1:for=p\n");
    write_text(below(f, "tapes/3.tape"), "# sonde tape 1\n# property: q\ns1:for=q\n");
    write_text(below(f, "tapes/p/4.tape"), "s1:for=p");
    write_text(below(f, "tapes/p/deep/5.tape"), "s1:for=p");
    write_text(below(f, "tapes/q/6.tape"), "s1:for=q");
    write_text(below(f, "tapes/q/7.tape"), "# sonde tape 1\n# property: p\ns1:for=p\n");
    write_text(below(f, "tapes/q/notes.txt"), "nothing");
    char folder[512];
    snprintf(folder, sizeof folder, "%s", below(f, "tapes"));
    assert_int_equal(sonde_store_each_regression(f->store, folder, "p", note, f), 5);
    for (unsigned i = 0; i < f->n; i++) assert_null(strstr(f->tokens[i], "for=q"));
    assert_int_equal(f->warnings, 0);
    assert_int_equal(sonde_store_each_regression(f->store, "no such folder", "p", note, f), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_failure_comes_back),
        TEST(a_file_reads_well),
        TEST(properties_and_programs_are_apart),
        TEST(the_same_id_replaces),
        TEST(visits_are_in_the_order_of_names),
        TEST(a_visitor_can_end_the_visits),
        TEST(a_fixed_failure_is_set_aside),
        TEST(a_visitor_sets_aside_whatever_the_name_is),
        TEST(a_corpus_holds_each_tape_once),
        TEST(what_a_guide_learned_comes_back),
        TEST(damaged_knowledge_is_one_warning_and_is_replaced),
        TEST(nothing_is_created_before_it_is_needed),
        TEST(hostile_names_stay_inside_and_apart),
        TEST(findings_of_programs_of_one_name_are_kept_apart),
        TEST(what_cannot_be_read_is_warned_of_once_and_stays),
        TEST(a_truncated_file_is_noticed_wherever_it_is_cut),
        TEST(hand_made_files_are_read),
        TEST(line_ends_may_be_rewritten),
        TEST(an_unreadable_file_is_never_written_over),
        TEST(pipes_and_folders_are_not_waited_for),
        TEST(a_damaged_tape_is_named_with_its_place),
        TEST(a_path_that_is_a_file_is_one_warning),
        TEST(a_file_where_a_folder_should_be_is_one_warning),
        TEST(a_read_only_store_is_read_and_warned_of),
        TEST(a_read_only_file_system_is_read_and_warned_of),
        TEST(a_full_disk_is_one_warning_and_leaves_no_halves),
        TEST(a_store_that_is_off_says_nothing),
        TEST(writers_and_readers_do_not_disturb_each_other),
        TEST(a_killed_writer_leaves_only_whole_files),
        TEST(only_leftovers_of_the_dead_are_removed),
        TEST(a_single_file_is_read),
        TEST(another_token_keeps_the_head_and_renews_the_checksum),
        TEST(regressions_belong_by_line_then_by_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
