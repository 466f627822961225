/* Feedback of the user's own: the examples of docs/feedback.md. Each state leads the search to what chance misses. */
#include "lib/mocka.h"
#include "lib/short.h"

#include <sonde/extend.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sonde_result run(sonde_property_fn *property, const struct sonde_feedback *feedback, uint64_t seed,
                        uint64_t tests)
{
    sonde_result result;
    sonde_property p = {.run = property, .feedback = feedback};
    sonde_run(property, &(sonde_config){.seed = seed,
                                        .tests = tests,
                                        .seconds = 30,
                                        .guide = "target",
                                        .store = "",
                                        .quiet = true,
                                        .result = &result,
                                        .property = &p});
    return result;
}

static void expect_found(sonde_property_fn *property, const struct sonde_feedback *feedback, uint64_t tests)
{
    for (uint64_t seed = 1; seed <= seeds_of(5); seed++) {
        assert_int_equal(run(property, feedback, seed, tests).status, SONDE_FALSIFIED);
        assert_int_equal(run(property, NULL, seed, tests).status, SONDE_PASSED);
    }
}

/* ---- The maximum: plain targeting */

static bool update_maximum(void *state, const struct sonde_feedback_run *r)
{
    struct {
        bool has;
        double most;
    } *s = state;
    double before = s->most;
    bool had = s->has;
    for (size_t i = 0; i < r->n_records; i++) {
        if (!s->has || r->records[i].value > s->most) s->most = r->records[i].value;
        s->has = true;
    }
    return !had ? s->has : s->most > before;
}
static const struct sonde_feedback maximum = {16, update_maximum};

static void peak(sonde *t)
{
    int64_t x = sonde_i64(t, "x", 0, 1000000000000);
    sonde_record(t, 0, -fabs((double)x - 123456789));
    sonde_check(t, x != 123456789);
}

static void a_maximum_is_climbed(void **state)
{
    (void)state;
    expect_found(peak, &maximum, 20000);
}

/* ---- Branches: coverage */

static bool update_branches(void *state, const struct sonde_feedback_run *r)
{
    unsigned char *seen = state;
    bool changed = false;
    for (size_t i = 0; i < r->n_records; i++) {
        unsigned char *s = &seen[r->records[i].key % 256];
        changed |= !*s;
        *s = 1;
    }
    return changed;
}
static const struct sonde_feedback branches = {256, update_branches};

static void word(sonde *t)
{
    static const char bug[] = "trouble";
    char *s = sonde_string_of(t, "s", "abcdefghijklmnopqrstuvwxyz", 7, 7);
    size_t n = 0;
    while (n < 7 && s[n] == bug[n]) sonde_record(t, n++, 1);
    sonde_check(t, n < 7);
}

static void branches_lead_letter_by_letter(void **state)
{
    (void)state;
    expect_found(word, &branches, 50000);
}

/* ---- AFL's map: how often each branch is taken, in powers of two */

static bool update_log_counts(void *state, const struct sonde_feedback_run *r)
{
    unsigned char *seen = state; /* a bit for each power, 64 branches */
    unsigned counts[64] = {0};
    bool changed = false;
    for (size_t i = 0; i < r->n_records; i++) counts[r->records[i].key % 64]++;
    for (size_t i = 0; i < 64; i++) {
        unsigned power = 0;
        while (counts[i] >> power) power++;
        unsigned char bit = (unsigned char)(1u << (power < 8 ? power : 7));
        if (power && !(seen[i] & bit)) seen[i] |= bit, changed = true;
    }
    return changed;
}
static const struct sonde_feedback log_counts = {64, update_log_counts};

static void loop(sonde *t)
{
    int64_t n = sonde_i64(t, "n", 0, 1000000000);
    unsigned rounds = 0;
    while (n > 0 && n % 3 == 0 && rounds < 100) {
        sonde_record(t, 1, 1);
        n /= 3;
        rounds++;
    }
    sonde_check(t, rounds < 12);
}

static void counts_of_a_loop_lead_deeper(void **state)
{
    (void)state;
    uint64_t with = 0, without = 0;
    for (uint64_t seed = 1; seed <= seeds_of(5); seed++) {
        with += run(loop, &log_counts, seed, 50000).status == SONDE_FALSIFIED;
        without += run(loop, NULL, seed, 50000).status == SONDE_FALSIFIED;
    }
    assert_true(with >= without);
}

/* ---- A grid of cells, the best of each kept: diverse extremes */

static bool update_grid(void *state, const struct sonde_feedback_run *r)
{
    float *best = state; /* of 16 cells; 0 is empty */
    bool changed = false;
    for (size_t i = 0; i < r->n_records; i++) {
        float *cell = &best[r->records[i].key % 16], value = (float)(1 + r->records[i].value);
        if (value > *cell) *cell = value, changed = true;
    }
    return changed;
}
static const struct sonde_feedback grid = {16 * sizeof(float), update_grid};

static void niches(sonde *t)
{
    int kind = sonde_int(t, "kind", 0, 15), size = sonde_int(t, "size", 0, 10000000);
    sonde_record(t, (uint64_t)kind, size);
    sonde_check(t, kind != 5 || size < 9999995);
}

static void every_cell_of_a_grid_is_climbed(void **state)
{
    (void)state;
    expect_found(niches, &grid, 100000);
}

/* ---- The longest execution */

static bool update_longest(void *state, const struct sonde_feedback_run *r)
{
    size_t *longest = state;
    if (r->n_records <= *longest) return false;
    *longest = r->n_records;
    return true;
}
static const struct sonde_feedback longest = {sizeof(size_t), update_longest};

static void program(sonde *t)
{
    sonde_list ops = sonde_list_of(t, "ops", 0, 30);
    bool runs = true;
    size_t steps = 0;
    while (sonde_more(&ops)) {
        uint64_t op = sonde_pick(t, "op", 10);
        runs = runs && op == (steps * 7 + 3) % 10;
        if (!runs) continue;
        sonde_record(t, op, 1);
        steps++;
    }
    sonde_check(t, steps < 12);
}

static void the_longest_execution_grows(void **state)
{
    (void)state;
    expect_found(program, &longest, 50000);
}

/* ---- The seam */

static bool count_calls(void *state, const struct sonde_feedback_run *r)
{
    assert_true(r->n_records == 2 && r->records[0].key == 7 && r->records[1].value == 2.5);
    ++*(uint64_t *)state;
    return false;
}
static const struct sonde_feedback counting = {8, count_calls};

static void two_records(sonde *t)
{
    sonde_int(t, "x", 0, 1000000);
    sonde_record(t, 7, 1);
    sonde_record(t, 8, 2.5);
}

static void every_run_is_shown_with_its_records(void **state)
{
    (void)state;
    assert_int_equal(run(two_records, &counting, 1, 100).status, SONDE_PASSED);
}

static void too_many(sonde *t)
{
    for (int i = 0; i < 5000; i++) sonde_record(t, 0, 0);
}

static void more_records_than_fit_are_misuse(void **state)
{
    (void)state;
    assert_int_equal(run(too_many, NULL, 1, 10).status, SONDE_USAGE);
}

int main(void)
{
    setenv("SONDE_FAIL_FAST", "1", 1); /* more failures are not of interest, and each costs a sanitizer much */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_maximum_is_climbed),
        cmocka_unit_test(branches_lead_letter_by_letter),
        cmocka_unit_test(counts_of_a_loop_lead_deeper),
        cmocka_unit_test(every_cell_of_a_grid_is_climbed),
        cmocka_unit_test(the_longest_execution_grows),
        cmocka_unit_test(every_run_is_shown_with_its_records),
        cmocka_unit_test(more_records_than_fit_are_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
