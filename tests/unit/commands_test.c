/* The commands of `sonde share` on a shared location in memory, whose names and strings could come from any untrusted
 * program. */
#include "../../tools/share/commands.c"

#include "lib/mocka.h"

#include <sys/stat.h>

/* ---- The shared location */

enum { MOST = 40 };

static struct {
    struct sonde_notice notices[MOST];
    const char *texts[MOST]; /* NULL: it cannot be fetched */
    bool is_dropped[MOST];
    unsigned n, visited, n_open;
    const char *program, *property; /* of its only room; NULL: there is none */
    const char *message;            /* of a failure; NULL: there is none */
    char put[MOST][64];
    unsigned n_put;
    int put_error, drop_error;
    bool was_as_stored;
} table;

static struct sonde_shared_place *open_table(const struct sonde_place_setup *setup, char *message, size_t size)
{
    (void)message, (void)size;
    table.n_open++;
    table.visited = 0;
    table.was_as_stored = setup->is_as_stored;
    return (struct sonde_shared_place *)(void *)&table;
}

static void close_table(struct sonde_shared_place *p)
{
    (void)p;
    table.n_open--;
}

static void put(struct sonde_shared_place *p, struct sonde_shared_tape *tapes, uint32_t n)
{
    (void)p;
    assert_in_range(n, 1, SONDE_TAPES_AT_ONCE);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(tapes[i].notice.name == sonde_hash_text(SONDE_WIRE_VERSION, tapes[i].text));
        tapes[i].error = table.put_error;
        if (!tapes[i].error) snprintf(table.put[table.n_put++], sizeof table.put[0], "%s", tapes[i].text);
    }
}

/* Three at a time: a shared location may hand them out in parts. */
static int look(struct sonde_shared_place *p, sonde_notice_visit *visit, void *context)
{
    (void)p;
    for (unsigned i = 0; i < 3 && table.visited < table.n; i++)
        if (visit(context, &table.notices[table.visited])) table.visited++;
    return 0;
}

static void fetch(struct sonde_shared_place *p, struct sonde_shared_tape *tapes, uint32_t n)
{
    (void)p;
    assert_in_range(n, 1, SONDE_TAPES_AT_ONCE);
    for (uint32_t i = 0; i < n; i++) {
        const char *text = table.texts[tapes[i].notice.name];
        tapes[i].error = text ? 0 : -EAGAIN;
        if (text) tapes[i].text = sonde_strdup(text), tapes[i].n = strlen(text);
    }
}

static int look_for_failures(struct sonde_shared_place *p, sonde_shared_failure_visit *visit, void *context)
{
    (void)p;
    struct sonde_shared_failure f = {
        .id = "0123456789abcdef", .kind = "check", .message = table.message, .place = "", .found = "", .text = ""};
    if (table.message) visit(context, &f);
    f.is_shrunk = true;
    if (table.message) visit(context, &f);
    return 0;
}

static int properties_of_table(struct sonde_shared_place *p, sonde_property_visit *visit, void *context)
{
    (void)p;
    if (table.program) visit(context, table.program, table.property);
    return 0;
}

static int workers_of_table(struct sonde_shared_place *p, sonde_worker_visit *visit, void *context)
{
    (void)p;
    visit(context, "{\"worker\": \"one\", \"seconds\": 2, \"cases\": 3000}", 1);
    visit(context, "{\"worker\": \"old\", \"seconds\": 2, \"cases\": 500}", SONDE_SILENT_SECONDS + 1);
    return 0;
}

static int drop(struct sonde_shared_place *p, const struct sonde_notice *notice)
{
    (void)p;
    table.is_dropped[notice->name] = !table.drop_error;
    return table.drop_error;
}

static const struct sonde_place_ops ops = {.open = open_table,
                                           .close = close_table,
                                           .put = put,
                                           .look = look,
                                           .fetch = fetch,
                                           .look_for_failures = look_for_failures,
                                           .each_property = properties_of_table,
                                           .each_worker = workers_of_table,
                                           .drop = drop};

const struct sonde_place_ops *sonde_share_ops(const char *name)
{
    (void)name;
    return &ops;
}

static void add(const char *text, uint8_t n_keys, uint32_t a, uint32_t b)
{
    table.texts[table.n] = text;
    table.notices[table.n] = (struct sonde_notice){.name = table.n, .n_keys = n_keys, .keys = {a, b}};
    table.n++;
}

/* ---- Running a command */

static char said[8192]; /* on both streams, in their order */

static int run(int (*command)(int, char **), const char *words)
{
    static char line[512];
    char *argv[16];
    int argc = 0, out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    snprintf(line, sizeof line, "%s", words);
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) argv[argc++] = word;
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    int status = command(argc, argv);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(table.n_open, 0); /* what was opened is closed, whatever went wrong */
    return status;
}

static int begin(void **state)
{
    (void)state;
    memset(&table, 0, sizeof table);
    table.program = "parser";
    table.property = "parses";
    return 0;
}

static void status_counts_what_is_there(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 7; i++) add("s1:x=1", 1, i, 0);
    table.notices[3].is_bytes = true; /* another fuzzer's */
    table.message = "x > 0";
    assert_int_equal(run(sonde_share_status, "status dir:x"), SONDE_PASSED);
    assert_string_equal(said,
                        "parser/parses: 1 worker, 3,500 cases, 1,500 a second, 6 tapes, 1 failure, 1 shrunk (some "
                        "workers have ended)\n");
}

static void an_empty_place_is_said_to_be_empty(void **state)
{
    (void)state;
    table.program = NULL;
    assert_int_equal(run(sonde_share_status, "status dir:x"), SONDE_PASSED);
    assert_string_equal(said, "nothing has been shared there yet\n");
    assert_int_equal(run(sonde_share_status, "status --json dir:x"), SONDE_PASSED);
    assert_string_equal(said, "{\"properties\": []}\n");
}

/* A terminal acts upon some bytes. */
static void nothing_that_strangers_wrote_is_printed_as_it_is(void **state)
{
    (void)state;
    static const char *const commands[] = {"status dir:x", "status --json dir:x", "prune dir:x",
                                           "prune --dry-run dir:x"};
    table.program = "pro\033[2Jgram";
    table.property = "prop\nerty\233";
    table.message = "\033]0;title\007\"";
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        run(commands[i][0] == 's' ? sonde_share_status : sonde_share_prune, commands[i]);
        assert_non_null(strstr(said, "pro"));
        assert_null(strpbrk(said, "\033\007\233"));
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* one line */
    }
}

static void prune_keeps_a_tape_for_each_key(void **state)
{
    (void)state;
    add("a", 2, 1, 2);
    add("b", 1, 2, 0);
    add("c", 2, 2, 3);
    add("d", 2, 3, 1);
    add("e", 0, 0, 0);
    add("f", 1, 1, 0);
    table.notices[5].is_bytes = true; /* another fuzzer's: it is not ours to drop */
    assert_int_equal(run(sonde_share_prune, "prune --dry-run dir:x"), SONDE_PASSED);
    assert_string_equal(said, "parser/parses: 2 of 5 tapes would be dropped\n");
    for (unsigned i = 0; i < table.n; i++) assert_false(table.is_dropped[i]);
    assert_int_equal(run(sonde_share_prune, "prune dir:x"), SONDE_PASSED);
    assert_string_equal(said, "parser/parses: 2 of 5 tapes dropped\n");
    for (unsigned i = 0; i < table.n; i++) assert_int_equal(table.is_dropped[i], i == 1 || i == 3);
    assert_true(table.was_as_stored);
    table.drop_error = -EACCES;
    assert_int_equal(run(sonde_share_prune, "prune dir:x"), SONDE_INTERNAL);
    assert_non_null(strstr(said, "0 of "));
    assert_non_null(strstr(said, "some tapes could not be dropped: Permission denied"));
}

static void export_writes_tapes_and_counts_what_is_missing(void **state)
{
    (void)state;
    char folder[] = "/tmp/sonde_commands.XXXXXX", words[200], path[200];
    struct stat info;
    assert_non_null(mkdtemp(folder));
    for (unsigned i = 0; i < SONDE_TAPES_AT_ONCE + 2; i++) {
        static char texts[SONDE_TAPES_AT_ONCE + 2][16];
        snprintf(texts[i], sizeof texts[i], "s1:x=%u", i);
        add(texts[i], 1, i, 0);
    }
    snprintf(words, sizeof words, "export dir:x %s parses", folder);
    assert_int_equal(run(sonde_share_export, words), SONDE_PASSED);
    assert_string_equal(said, "18 tapes\n");
    snprintf(path, sizeof path, "%s/%016" PRIx64 ".tape", folder, sonde_hash_text(0, "s1:x=17"));
    assert_int_equal(stat(path, &info), 0);
    table.texts[4] = NULL;
    assert_int_equal(run(sonde_share_export, words), SONDE_INTERNAL);
    assert_non_null(strstr(said, "1 tape could not be fetched and is left out: not complete, or damaged"));
    assert_non_null(strstr(said, "17 tapes\n"));
    snprintf(words, sizeof words, "export --bytes dir:x %s parses", folder);
    table.texts[5] = "not a tape";
    assert_int_equal(run(sonde_share_export, words), SONDE_INTERNAL);
    assert_non_null(strstr(said, "2 tapes could not be fetched and are left out"));
    assert_non_null(strstr(said, "16 tapes\n"));
    snprintf(words, sizeof words, "export dir:x %s other", folder);
    assert_int_equal(run(sonde_share_export, words), SONDE_USAGE);
    assert_non_null(strstr(said, "there are no tapes of a property 'other'"));
    snprintf(words, sizeof words, "rm -r %s", folder);
    assert_int_equal(system(words), 0);
}

static void write_file(const char *folder, const char *name, const char *bytes, size_t n)
{
    char path[200];
    unsigned turn = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(sonde_write_file_lightly(path, bytes, n, &turn), 0);
}

static void import_takes_tapes_and_leaves_out_the_rest(void **state)
{
    (void)state;
    char folder[] = "/tmp/sonde_commands.XXXXXX", words[200];
    struct sonde_bytes bytes = {0};
    assert_non_null(mkdtemp(folder));
    assert_true(encode("s1:x=7", &bytes));
    write_file(folder, "line", "s1:x=1 ?\n", 9);
    write_file(folder, "target", (const char *)bytes.data, bytes.n);
    write_file(folder, "sequence", "s1:x=1 ?; s1:x=2 ?\n", 19);
    write_file(folder, "none", "PNG", 3);
    sonde_bytes_clear(&bytes);
    snprintf(words, sizeof words, "import dir:x parser parses %s", folder);
    assert_int_equal(run(sonde_share_import, words), SONDE_PASSED);
    assert_string_equal(said, "2 tapes, 2 files left out\n");
    assert_int_equal(table.n_put, 2);
    assert_string_equal(table.put[0], "s1:x=1 ?");
    assert_string_equal(table.put[1], "s1:x=7");
    assert_false(table.was_as_stored);
    table.put_error = -EFBIG;
    assert_int_equal(run(sonde_share_import, words), SONDE_INTERNAL);
    assert_non_null(strstr(said, "cannot write to"));
    assert_non_null(strstr(said, "0 tapes, 2 files left out"));
    snprintf(words, sizeof words, "rm -r %s", folder);
    assert_int_equal(system(words), 0);
    assert_int_equal(run(sonde_share_import, "import dir:x parser parses /nowhere/at/all"), SONDE_USAGE);
    assert_non_null(strstr(said, "0 tapes, 1 files left out"));
}

static void what_is_misspelt_is_refused(void **state)
{
    (void)state;
    assert_int_equal(run(sonde_share_status, "status"), SONDE_USAGE);
    assert_non_null(strstr(said, "too few arguments"));
    assert_int_equal(run(sonde_share_status, "status dir:x dir:y"), SONDE_USAGE);
    assert_non_null(strstr(said, "too many arguments"));
    assert_int_equal(run(sonde_share_status, "status --jason dir:x"), SONDE_USAGE);
    assert_non_null(strstr(said, "unknown option '--jason'"));
    assert_int_equal(run(sonde_share_prune, "prune elsewhere"), SONDE_USAGE);
    assert_non_null(strstr(said, "write dir:PATH for a directory"));
    assert_int_equal(run(sonde_share_import, "import redis://a:b@c p q r"), SONDE_USAGE);
    assert_non_null(strstr(said, "a password on the command line"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(status_counts_what_is_there),
        TEST(an_empty_place_is_said_to_be_empty),
        TEST(nothing_that_strangers_wrote_is_printed_as_it_is),
        TEST(prune_keeps_a_tape_for_each_key),
        TEST(export_writes_tapes_and_counts_what_is_missing),
        TEST(import_takes_tapes_and_leaves_out_the_rest),
        TEST(what_is_misspelt_is_refused),
    };
    return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
