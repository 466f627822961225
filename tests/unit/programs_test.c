/* The counts of the bench `programs`, on a program of six counters, and its selection of seeds. */
#include "lib/mocka.h"

#include "programs/measure.h"
#include "programs/seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The sections that clang writes for an instrumented program; the code of counters 0 to 2 is semantic. */
enum { COUNTERS = 6, SEMANTIC = 3, CODE = 0x1000 };
__attribute__((section("__sancov_cntrs"), used)) static uint8_t counters[COUNTERS];
__attribute__((section("__sancov_pcs"), used)) static uintptr_t pcs[2 * COUNTERS];

static char folder[] = "/tmp/sonde-programs-XXXXXX";

static const char *file(const char *name)
{
    static char paths[4][64];
    static int i;
    char *path = paths[i++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *out = fopen(file(name), "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static char *read_file(const char *name)
{
    static char text[1 << 16];
    FILE *in = fopen(file(name), "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    return text;
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    for (size_t i = 0; i < COUNTERS; i++) pcs[2 * i] = CODE + i;
    char ranges[64];
    snprintf(ranges, sizeof ranges, "%x %x\n", CODE, CODE + SEMANTIC);
    write_file("ranges", ranges);
    return setenv("PROGRAMS_RANGES", file("ranges"), 1);
}

static int remove_folder(void **state)
{
    (void)state;
    for (const char *const *name = (const char *const[]){"ranges", "state", "tapes", "seeds", NULL}; *name; name++)
        remove(file(*name));
    return rmdir(folder);
}

/* ---- Counts */

/* An input is pairs of a counter and how often it is hit, as in "0122"; a ! at the end: it is valid. */
static bool run(const char *text, size_t n)
{
    for (size_t i = 0; i + 1 < n; i += 2) counters[text[i] - '0'] = (uint8_t)(text[i + 1] - '0');
    return text[n - 1] == '!';
}

static void run_all(const char *const *texts)
{
    for (; *texts; texts++) measure_run(*texts, strlen(*texts), run);
}
#define RUN(...) run_all((const char *const[]){__VA_ARGS__, NULL})

static struct measure *begin(const char *seconds, const char *spent, const char *runs)
{
    remove(file("state"));
    setenv("PROGRAMS_STATE", file("state"), 1);
    setenv("PROGRAMS_SECONDS", seconds, 1);
    setenv("PROGRAMS_SPENT", spent, 1);
    setenv("PROGRAMS_RUNS", runs, 1);
    measure_start();
    struct measure *m = measure_map(file("state"), false);
    assert_non_null(m);
    m->is_watched = true; /* else the end of the time ends the process */
    return m;
}

static void semantic_edges_are_those_of_valid_inputs_and_of_all(void **state)
{
    (void)state;
    struct measure *m = begin("0", "0", "0");
    RUN("01", "11!", "41!");
    assert_int_equal(m->now.sem_all, 2);
    assert_int_equal(m->now.sem_valid, 1);
    assert_int_equal(m->syn_all, 1);
    measure_unmap(m);
}

/* RLCheck, section 5.1: a branch that is hit twice and three times is hit "the same base-2 order-of-magnitude times". */
static void traces_differ_by_powers_of_two(void **state)
{
    (void)state;
    struct measure *m = begin("0", "0", "0");
    RUN("01!", "02!");
    assert_int_equal(m->now.diverse_valid, 2);
    RUN("03!");
    assert_int_equal(m->now.diverse_valid, 2);
    RUN("04!", "07!");
    assert_int_equal(m->now.diverse_valid, 3);
    RUN("08!");
    assert_int_equal(m->now.diverse_valid, 4);
    assert_int_equal(m->now.unique_valid, 6);
    measure_unmap(m);
}

static void coverage_of_seeds_is_that_of_the_seeds_alone(void **state)
{
    (void)state;
    struct measure *m = begin("0", "0", "0");
    RUN("01!", "11"); /* the seeds */
    assert_false(m->has_seeds);
    measure_end_seeds();
    RUN("11!", "21!"); /* what Zest makes of them */
    measure_end_seeds();
    assert_true(m->has_seeds);
    assert_int_equal(m->seeds.runs, 2);
    assert_int_equal(m->seeds.valid, 1);
    assert_int_equal(m->seeds.sem_valid, 1);
    assert_int_equal(m->seeds.sem_all, 2);
    assert_int_equal(m->now.sem_valid, 3);
    measure_unmap(m);
}

static void making_seeds_costs_time_and_covers_nothing(void **state)
{
    (void)state;
    struct measure *m = begin("60", "2.5", "0");
    assert_int_equal(m->n_series, 2); /* a point each second */
    assert_true(m->series[1].cpu == 2 && m->series[1].runs == 0 && m->series[1].sem_all == 0);
    RUN("01!");
    measure_end_seeds();
    assert_true(m->seeds.cpu >= 2.5 && m->seeds.cpu < 60);
    assert_int_equal(m->seeds.sem_valid, 1);
    measure_unmap(m);
}

static void a_number_of_runs_ends_it(void **state)
{
    (void)state;
    struct measure *m = begin("0", "0", "3");
    RUN("01!", "11!");
    assert_false(measure_is_over());
    RUN("21!", "31!");
    assert_true(measure_is_over());
    assert_int_equal(m->now.runs, 3);
    measure_unmap(m);
}

/* ---- Seeds */

enum { TAPES = 90, SEEDS = 10 };

static void write_tapes(void)
{
    char text[TAPES * 32] = "";
    for (int i = 0; i < TAPES; i++) /* most of them are alike */
        sprintf(text + strlen(text), "s1:a=%d b=%d c=%d\n", i % 30 ? 1 : i / 30, i % 20 ? 2 : i, i);
    write_file("tapes", text);
}

static struct seeds select_by(enum sonde_filter_by by)
{
    struct seeds seeds = {.by = by, .size = SEEDS, .seed = 1};
    assert_true(seeds_select(&seeds, file("tapes"), file("seeds")));
    return seeds;
}

/* Returns the number of lines; each of them must also occur in the other string. */
static int count_lines_of(const char *text, const char *other)
{
    char line[64];
    int n = 0, used = 0;
    for (; sscanf(text, "%63[^\n]\n%n", line, &used) == 1; text += used, n++) assert_non_null(strstr(other, line));
    return n;
}

static void filters_select_different_seeds(void **state)
{
    (void)state;
    char *texts[3];
    write_tapes();
    for (int by = SONDE_FILTER_RANDOM; by <= SONDE_FILTER_CHOICES; by++) {
        struct seeds seeds = select_by((enum sonde_filter_by)by);
        assert_int_equal(seeds.offered, TAPES);
        assert_int_equal(seeds.selected, SEEDS);
        texts[by] = strdup(read_file("seeds"));
        assert_int_equal(count_lines_of(texts[by], read_file("tapes")), SEEDS);
    }
    for (int i = 0; i < 3; i++) assert_string_not_equal(texts[i], texts[(i + 1) % 3]);
    for (int i = 0; i < 3; i++) free(texts[i]);
}

static void what_was_selected_while_it_was_made_is_taken_whole(void **state)
{
    (void)state;
    write_tapes();
    assert_int_equal(select_by(SONDE_FILTER_GENERATOR).selected, TAPES);
    char *seeds = strdup(read_file("seeds"));
    assert_string_equal(seeds, read_file("tapes"));
    free(seeds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(semantic_edges_are_those_of_valid_inputs_and_of_all),
        cmocka_unit_test(traces_differ_by_powers_of_two),
        cmocka_unit_test(coverage_of_seeds_is_that_of_the_seeds_alone),
        cmocka_unit_test(making_seeds_costs_time_and_covers_nothing),
        cmocka_unit_test(a_number_of_runs_ends_it),
        cmocka_unit_test(filters_select_different_seeds),
        cmocka_unit_test(what_was_selected_while_it_was_made_is_taken_whole),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
