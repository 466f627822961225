/* The zoo of the benches: one number is one program, everywhere; faults are as likely as stated; recorded rows are read
 * as they were written, and luck is not taken for regret. */
#include "lib/mocka.h"

#include "base/hash.h"
#include "zoo/batch.h"
#include "zoo/calibrate.h"
#include "zoo/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The grammar */

static uint64_t hash_of(uint64_t number, enum zoo_form form, const struct zoo_bug *bugs, unsigned n)
{
    struct zoo_subject *z = zoo_make(number);
    struct zoo_text text = zoo_emit(z, form, bugs, n);
    uint64_t hash = sonde_hash_bytes(number, text.s, text.n);
    zoo_text_clear(&text);
    zoo_free(z);
    return hash;
}

/* If this fails, numbers mean other subjects than before: raise ZOO_GENERATION, and put the new hash here. */
static void a_number_is_one_text_with_every_compiler(void **state)
{
    (void)state;
    const struct zoo_bug bugs[] = {{0x5, ZOO_NESTED}, {0xa, ZOO_JOINED}, {0x14, ZOO_BRANCHLESS}, {0x28, ZOO_SUMMED}};
    uint64_t hash = ZOO_GENERATION;
    for (uint64_t number = 1; number <= 300; number++) {
        hash = sonde_hash_add(hash, hash_of(number, ZOO_PROBE, NULL, 0));
        hash = sonde_hash_add(hash, hash_of(number, ZOO_ONE, bugs, 1));
        hash = sonde_hash_add(hash, hash_of(number, ZOO_CANARY, bugs, 4));
    }
    assert_int_equal(ZOO_GENERATION, 1);
    assert_int_equal(hash, UINT64_C(0x59c8aa09fe8a9160));
    assert_int_equal(hash_of(7, ZOO_PROBE, NULL, 0), hash_of(7, ZOO_PROBE, NULL, 0));
    assert_int_not_equal(hash_of(7, ZOO_ONE, bugs, 1), hash_of(7, ZOO_ONE, bugs + 1, 1));
}

static void every_kind_is_there(void **state)
{
    (void)state;
    static const char *const types[] = {"record", "union", "list", "records", "rows", "string",
                                        "bytes",  "tree",  "term", "calls",   "pair"};
    static const char *const classes[] = {"linear",  "nonlinear", "bits",  "order", "sum",   "unique", "literal",
                                          "balance", "structure", "scope", "type",  "state", "pair"};
    static const char *const faults[] = {"value", "relation", "shape", "sequence"};
    unsigned type[11] = {0}, class[13] = {0}, fault[4] = {0}, style[ZOO_STYLES] = {0}, bug_style[ZOO_BUG_STYLES] = {0};
    unsigned early = 0, noisy = 0, measured = 0, two = 0;
    for (uint64_t number = 1; number <= 500; number++) {
        struct zoo_subject *z = zoo_make(number);
        for (unsigned i = 0; i < 11; i++)
            for (unsigned k = 0; k < z->n_parts; k++) type[i] += strcmp(z->types[k], types[i]) == 0;
        for (unsigned i = 0; i < 13; i++)
            for (unsigned k = 0; k < z->n_required; k++) class[i] += strcmp(z->required[k].class, classes[i]) == 0;
        for (unsigned i = 0; i < 4; i++)
            for (unsigned k = 0; k < z->n_atoms; k++) fault[i] += strcmp(z->atoms[k].class, faults[i]) == 0;
        style[z->style]++, bug_style[z->bug_style]++;
        early += z->is_early, noisy += z->noise > 0, measured += z->is_measured, two += z->n_parts == 2;
        zoo_free(z);
    }
    for (unsigned i = 0; i < 11; i++) assert_true(type[i] >= 20);
    for (unsigned i = 0; i < 13; i++) assert_true(class[i] >= 4);
    for (unsigned i = 0; i < 4; i++) assert_true(fault[i] >= 500);
    for (unsigned i = 0; i < ZOO_STYLES; i++) assert_true(style[i] >= 50);
    for (unsigned i = 0; i < ZOO_BUG_STYLES; i++) assert_true(bug_style[i] >= 50);
    assert_true(early >= 30 && noisy >= 80 && measured >= 40 && two >= 100);
}

/* ---- Batches */

static void names_of_a_batch_do_not_meet(void **state)
{
    (void)state;
    const struct zoo_piece pieces[] = {
        {7,
         "#include <a.h>\nenum { A, B = A };\nstruct s {\n    int inner;\n};\nstatic int "
         "f(int x)\n{\n    const char *c = \"f{\"; /* f */\n    return c['{' - 123] + x;\n}\n"
         "void subject_7(sonde *t)\n{\n    f(A);\n}\n",
         "7.c"},
        {8, "static unsigned f;\nvoid zoo_note(int);\n", "8.c"}};
    struct zoo_text joined = zoo_join("first\n", pieces, 2);
    assert_int_equal(
        strncmp(joined.s, "first\n#define A A_7\n#define B B_7\n#define s s_7\n#define f f_7\n#line 1 \"7.c\"\n",
                strlen("first\n#define A A_7\n#define B B_7\n#define s s_7\n#define f f_7\n#line 1 \"7.c\"\n")),
        0);
    assert_non_null(strstr(joined.s, "#undef f\n#define f f_8\n#line 1 \"8.c\"\n"));
    assert_non_null(strstr(joined.s, "void zoo_note(int);\n\n#undef f\n"));
    assert_null(strstr(joined.s, "define inner"));
    assert_null(strstr(joined.s, "define x"));
    assert_null(strstr(joined.s, "define subject"));
    zoo_text_clear(&joined);
}

static void a_batch_is_taken_apart_again(void **state)
{
    (void)state;
    const struct zoo_piece pieces[] = {{7, "", "7.c"}, {8, "", "8.c"}, {9, "", "9.c"}};
    const char *preprocessed =
        "# 1 \"b.c\"\nint first;\n# 1 \"7.c\"\nint seven;\n# 2 \"8.c\"\n# 1 \"8.c\"\nint eight;\n";
    struct zoo_text part = {0};
    assert_true(zoo_part(preprocessed, pieces, 2, 0, &part));
    assert_string_equal(part.s, "# 1 \"b.c\"\nint first;\n# 1 \"7.c\"\nint seven;\n# 2 \"8.c\"\n");
    zoo_text_clear(&part);
    assert_true(zoo_part(preprocessed, pieces, 2, 1, &part));
    assert_string_equal(part.s, "# 1 \"b.c\"\nint first;\n# 1 \"8.c\"\nint eight;\n");
    zoo_text_clear(&part);
    assert_false(zoo_part(preprocessed, pieces, 3, 2, &part));
    assert_false(zoo_part("", pieces, 2, 0, &part));
    assert_null(part.s);
}

/* ---- Calibration, on a probe that is written by hand */

static int draw(struct zoo_source *s, int n)
{
    uint64_t x = s->stream += UINT64_C(0x9e3779b97f4a7c15);
    unsigned at = s->at++;
    if (s->answers == ZOO_SIMPLE) return at != s->where ? 0 : (int)s->step < n ? (int)s->step : n - 1;
    if (s->answers == ZOO_GIVEN) return (int)(((uint64_t)s->given[at] * (uint64_t)n) >> 32);
    return (int)(((sonde_mix(x) >> 32) * (uint64_t)n) >> 32);
}

enum { SIDE = 200 };

/* Two numbers below SIDE, the first less than the second; atoms are remainders of both. */
static bool is_pair_valid(int a, int b)
{
    return a < b;
}

static uint32_t atoms_of(int a, int b)
{
    uint32_t holds = 0;
    for (int i = 0; i < 12; i++) holds |= (uint32_t)(a % (i + 2) == i % 3 + 1 && a > 2) << i;
    for (int i = 0; i < 12; i++) holds |= (uint32_t)(b % (i + 2) == i % 2 + 1 && b > 2) << (12 + i);
    return holds;
}

static void pair_probe(struct zoo_source *s)
{
    int a = draw(s, SIDE), b = draw(s, SIDE);
    if (!is_pair_valid(a, b)) return;
    s->passed++;
    s->holds = atoms_of(a, b);
    s->is_valid = true;
}

static double exact_p(uint32_t atoms)
{
    unsigned hits = 0;
    for (int a = 0; a < SIDE; a++)
        for (int b = 0; b < SIDE; b++) hits += is_pair_valid(a, b) && (atoms_of(a, b) & atoms) == atoms;
    return hits / (double)SIDE / SIDE;
}

static void faults_are_as_likely_as_is_said(void **state)
{
    (void)state;
    struct zoo_subject z = {.n_atoms = ZOO_ATOMS, .n_parts = 1, .types = {"record"}};
    unsigned faults = 0;
    for (z.number = 1; z.number <= 6; z.number++) {
        struct zoo_verdict v = zoo_calibrate(&z, pair_probe);
        if (v.dropped) continue;
        assert_true(fabs(v.p_valid - 0.4975) < 0.005);
        for (unsigned i = 0; i < v.n_canaries; i++) {
            double p = exact_p(v.canaries[i].bug.atoms), off = v.canaries[i].p / p;
            faults++;
            assert_true(p > 0); /* a witness had it */
            if (v.canaries[i].how == ZOO_COUNTED && p > 1e-4) assert_true(off > 0.75 && off < 1.33);
        }
        if (v.has_one && v.one.how == ZOO_SPLIT) assert_true(exact_p(v.one.bug.atoms) > 0);
        /* Nothing that the simplest inputs have. */
        for (int a = 0; a < 3; a++)
            for (unsigned i = 0; i < v.n_canaries; i++)
                if (is_pair_valid(a, 0) || is_pair_valid(0, a))
                    assert_true((atoms_of(0, a) & v.canaries[i].bug.atoms) != v.canaries[i].bug.atoms);
    }
    assert_true(faults >= 15);
}

static void never_valid_probe(struct zoo_source *s)
{
    draw(s, 2);
}

static void what_is_never_valid_is_dropped(void **state)
{
    (void)state;
    struct zoo_subject z = {.number = 1, .n_atoms = ZOO_ATOMS, .n_parts = 1, .types = {"record"}};
    struct zoo_verdict v = zoo_calibrate(&z, never_valid_probe);
    assert_string_equal(v.dropped, "hardly ever valid");
}

static void decades_begin_at_powers_of_ten(void **state)
{
    (void)state;
    assert_int_equal(zoo_decade(1e-2), 2);
    assert_int_equal(zoo_decade(2e-3), 2);
    assert_int_equal(zoo_decade(9.9e-4), 3);
    assert_int_equal(zoo_decade(1.1e-7), 6);
}

/* ---- Records */

static void print_row(FILE *f, unsigned number, const char *guide, unsigned seed, unsigned tests, bool found)
{
    fprintf(
        f,
        "{\"suite\":\"zoo\",\"row\":\"%u\",\"generation\":1,\"form\":\"one\",\"guide\":\"%s\",\"seed\":%u,\"build\":\"cc\","
        "\"library\":\"0\",\"limit\":1000000,\"options\":\"\",\"found\":%s,\"tests\":%u,\"tests_to_failure\":%u,\"cost\":10,"
        "\"cpu_s\":0.5,\"valid\":7,\"different\":{\"shape\":1,\"skeleton\":2,\"trace\":3,\"payload\":4},\"first\":[],"
        "\"stopped\":\"%s\",\"types\":[\"tree\",\"list\"],\"preconditions\":[\"order:heap\",\"sum:count\"],\"style\":\"and\","
        "\"place\":\"early\",\"bugs\":[\"value\"],\"depths\":[1],\"written\":[\"nested\"],\"p\":[0.001],\"known\":[\"counted\"],"
        "\"noise\":10,\"p_valid\":0.5,\"draws\":3}\n",
        number, guide, seed, found ? "true" : "false", tests, tests, found ? "found" : "tests");
}

static FILE *make_file(char *path)
{
    strcpy(path, "zoo-rows-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    return f;
}

static void rows_are_read_as_they_were_written(void **state)
{
    (void)state;
    char path[32];
    struct zoo_record record;
    struct zoo_row row;
    double tests;
    FILE *f = make_file(path);
    print_row(f, 12, "auto", 1, 345, true);
    print_row(f, 12, "auto", 11, 1000000, false);
    fprintf(f, "{\"suite\":\"zoo\",\"row\":\"13\",\"gener"); /* killed here */
    fclose(f);
    assert_int_equal(zoo_record_read(&record, path), 0);
    assert_int_equal(record.n, 2);
    assert_null(zoo_record_find(&record, "{\"suite\":\"zoo\",\"row\":\"13\""));
    const char *line = zoo_record_find(
        &record, "{\"suite\":\"zoo\",\"row\":\"12\",\"generation\":1,\"form\":\"one\",\"guide\":\"auto\",\"seed\":1,");
    assert_non_null(line);
    assert_true(zoo_row_read(line, &row));
    assert_int_equal(row.number, 12);
    assert_string_equal(row.guide, "auto");
    assert_string_equal(row.tags[0], "type tree");
    assert_string_equal(row.tags[3], "assumes sum");
    assert_string_equal(row.bug_tags[0][0], "fault value");
    assert_int_equal(row.payloads, 4);
    assert_true(zoo_row_tests(&row, 0, &tests) && tests == 345);
    assert_true(zoo_row_read(record.lines[1], &row));
    assert_true(row.seed == 11 && !zoo_row_tests(&row, 0, &tests) && tests == 1000000);
    zoo_record_clear(&record);
    assert_true(zoo_record_read(&record, "no such file") < 0);
    unlink(path);
}

/* Seven guides that are equal: the best of six, chosen and judged by the same seeds, seems to be far better than the seventh. */
static void luck_is_no_regret(void **state)
{
    (void)state;
    static const char *const guides[] = {"auto", "a", "b", "c", "d", "e", "f"};
    enum { SUBJECTS = 400 };
    static double logs[2 * SUBJECTS];
    char path[32];
    struct zoo_rng rng = {5};
    struct zoo_survey s;
    FILE *f = make_file(path);
    for (unsigned number = 1; number <= SUBJECTS; number++)
        for (unsigned g = 0; g < 7; g++)
            for (unsigned seed = 1; seed <= 4; seed++) {
                double unit = ((double)(zoo_next(&rng) >> 11) + 0.5) / 9007199254740992.0;
                print_row(f, number, guides[g], seed, 1 + (unsigned)(-1000 * log(unit)), true);
            }
    print_row(f, SUBJECTS + 1, "auto", 1, 5, true); /* the others have not come to it */
    fclose(f);
    assert_int_equal(zoo_survey_read(&s, path), 0);
    assert_int_equal(s.n_subjects, SUBJECTS);
    assert_int_equal(s.n_guides, 7);
    double naive = 0, honest = 0;
    for (unsigned i = 0; i < SUBJECTS; i++) {
        double least = INFINITY;
        for (unsigned g = 1; g < 7; g++) least = fmin(least, zoo_log_tests(&s, i, g, 2));
        naive += zoo_log_tests(&s, i, 0, 2) - least;
    }
    unsigned n = zoo_regrets(&s, 0, NULL, logs);
    for (unsigned i = 0; i < n; i++) honest += logs[i];
    assert_int_equal(n, 2 * SUBJECTS);
    assert_true(exp(naive / SUBJECTS) > 1.8);
    assert_true(fabs(honest / n) < 0.15);
    zoo_survey_clear(&s);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_one_text_with_every_compiler),
        cmocka_unit_test(every_kind_is_there),
        cmocka_unit_test(names_of_a_batch_do_not_meet),
        cmocka_unit_test(a_batch_is_taken_apart_again),
        cmocka_unit_test(faults_are_as_likely_as_is_said),
        cmocka_unit_test(what_is_never_valid_is_dropped),
        cmocka_unit_test(decades_begin_at_powers_of_ten),
        cmocka_unit_test(rows_are_read_as_they_were_written),
        cmocka_unit_test(luck_is_no_regret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
