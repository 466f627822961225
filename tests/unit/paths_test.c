/* Comparisons as lines: found from few runs, dropped when wrong, and what they leave room for. */
#include "lib/mocka.h"

#include "guide/target/paths.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { CHOICES = 6 };

/* Runs that compare as `sides` says: by[i] at comparison i. */
struct world {
    struct sonde_paths *paths;
    struct sonde_rng rng;
    uint64_t work;
    struct sonde_trail path; /* of the last run */
    uint32_t n;
    void (*sides)(const double *x, double *by);
    bool (*is_valid)(const double *by);
};

static void run(struct world *w, const double *x)
{
    double by[4];
    struct sonde_compared all[4];
    w->sides(x, by);
    for (uint32_t i = 0; i < w->n; i++) all[i] = (struct sonde_compared){.place = 100 + i, .by = by[i], .call = 1};
    struct sonde_observation o = {.verdict = w->is_valid(by) ? SONDE_VALID : SONDE_DISCARDED,
                                  .compared = all,
                                  .n_compared = w->n};
    sonde_paths_learn(w->paths, &o, x, CHOICES, &w->path);
}

static void random_values(struct world *w, double *x)
{
    for (int i = 0; i < CHOICES; i++) x[i] = (double)sonde_rng_upto(&w->rng, 99);
}

static void begin(struct world *w, uint32_t n, void (*sides)(const double *, double *),
                  bool (*is_valid)(const double *))
{
    *w = (struct world){.paths = sonde_calloc(1, sizeof *w->paths), .n = n, .sides = sides, .is_valid = is_valid};
    w->paths->work = &w->work;
    sonde_rng_seed(&w->rng, 7, 1);
}

static void end(struct world *w)
{
    sonde_paths_clear(w->paths);
    sonde_free(w->paths);
}

static void learn(struct world *w, int runs)
{
    for (int i = 0; i < runs; i++) {
        double x[CHOICES];
        random_values(w, x);
        run(w, x);
    }
}

static bool keeps(struct world *w, const double *x)
{
    return sonde_paths_judge(w->paths, &w->path, x, NULL, NULL) == SONDE_PATHS_KEEPS;
}

static void in_order(const double *x, double *by)
{
    by[0] = x[0] - x[1];
    by[1] = x[1] + 2 * x[2] - x[3];
}

static bool are_less(const double *by)
{
    return by[0] < 0 && by[1] <= 0;
}

static void lines_are_found(void **state)
{
    struct world w;
    (void)state;
    begin(&w, 2, in_order, are_less);
    learn(&w, 60);
    assert_true(w.paths->slots[0].is_exact && w.paths->slots[1].is_exact);
    assert_int_equal(w.paths->slots[0].n, 2);
    assert_int_equal(w.paths->slots[1].n, 3);
    assert_true(sonde_paths_matters(w.paths, 2) && !sonde_paths_matters(w.paths, 4));
    assert_true(w.work > 0);
    end(&w);
}

static void what_no_valid_run_had_is_refused(void **state)
{
    struct world w;
    (void)state;
    begin(&w, 2, in_order, are_less);
    learn(&w, 600);
    for (int i = 0; i < 500; i++) {
        double x[CHOICES], by[4];
        random_values(&w, x);
        in_order(x, by);
        /* by[1] is 0 once in a hundred: a valid run with it may not have been among them. */
        if (by[1] != 0) assert_int_equal(keeps(&w, x), are_less(by));
    }
    end(&w);
}

static void room_is_between_the_others(void **state)
{
    struct world w;
    double lo, hi;
    (void)state;
    begin(&w, 2, in_order, are_less);
    learn(&w, 600);
    run(&w, (double[]){3, 50, 10, 90, 0, 0});
    /* x[1] > 3, and x[1] + 20 <= 90 */
    assert_true(sonde_paths_room(w.paths, &w.path, (double[]){3, 50, 10, 90, 0, 0}, 1, &lo, &hi));
    assert_float_equal(lo, 4, 0);
    assert_true(hi == 70 || hi == 69);
    /* x[0] < 50, from above alone */
    assert_true(sonde_paths_room(w.paths, &w.path, (double[]){3, 50, 10, 90, 0, 0}, 0, &lo, &hi));
    assert_true(isinf(lo));
    assert_float_equal(hi, 49, 0);
    assert_false(sonde_paths_room(w.paths, &w.path, (double[]){3, 50, 10, 90, 0, 0}, 4, &lo, &hi));
    end(&w);
}

static void total(const double *x, double *by)
{
    by[0] = x[0] + x[1] - 2 * x[2];
}

static bool is_equal(const double *by)
{
    return by[0] == 0;
}

static void an_equality_ties_choices(void **state)
{
    struct world w;
    double lo, hi, ratio;
    (void)state;
    begin(&w, 1, total, is_equal);
    learn(&w, 60);
    run(&w, (double[]){4, 6, 5, 0, 0, 0});
    double x[CHOICES] = {4, 6, 5};
    assert_true(keeps(&w, x));
    assert_true(sonde_paths_room(w.paths, &w.path, x, 0, &lo, &hi));
    assert_true(lo == 4 && hi == 4);
    for (uint64_t any = 0; any < 3; any++) {
        uint32_t other = sonde_paths_partner(w.paths, &w.path, x, 0, any, &ratio);
        assert_true(other == 1 || other == 2);
        assert_float_equal(ratio, other == 1 ? -1 : 0.5, 0);
    }
    x[1] = NAN;
    assert_int_equal(sonde_paths_partner(w.paths, &w.path, x, 0, 0, &ratio), 2);
    end(&w);
}

static void product(const double *x, double *by)
{
    by[0] = x[0] * x[1] - 1000;
}

static void what_is_no_line_says_nothing(void **state)
{
    struct world w;
    uint64_t told = 0, open = 0;
    (void)state;
    begin(&w, 1, product, is_equal);
    learn(&w, 500);
    run(&w, (double[]){10, 100, 0, 0, 0, 0});
    assert_false(w.paths->slots[0].is_exact);
    assert_true(keeps(&w, (double[]){10, 99, 0, 0, 0, 0}));
    sonde_paths_judge(w.paths, &w.path, (double[]){10, 99, 0, 0, 0, 0}, &told, &open);
    assert_int_equal(told, 1);
    assert_int_equal(open, 1);
    end(&w);
}

/* A line while x[3] is below 90. */
static void bent(const double *x, double *by)
{
    by[0] = x[0] - x[1] + (x[3] > 90 ? x[2] : 0);
}

static void a_wrong_line_is_dropped(void **state)
{
    struct world w;
    (void)state;
    begin(&w, 1, bent, are_less);
    for (int i = 0; i < 40; i++) {
        double x[CHOICES];
        random_values(&w, x);
        x[3] = fmin(x[3], 80);
        run(&w, x);
    }
    assert_true(w.paths->slots[0].is_exact);
    run(&w, (double[]){5, 7, 50, 95, 0, 0});
    assert_false(w.paths->slots[0].is_exact);
    end(&w);
}

/* Other shapes: a comparison counts once it was seen in many valid runs, and where all its choices are there. */
static void other_shapes_are_judged_by_what_is_known_well(void **state)
{
    struct world w;
    (void)state;
    begin(&w, 2, in_order, are_less);
    learn(&w, 60);
    double bad[CHOICES] = {9, 5, 0, 99, 0, 0};
    uint32_t early = sonde_paths_objections(w.paths, bad);
    learn(&w, 1000);
    assert_int_equal(early, 0);
    assert_int_equal(sonde_paths_objections(w.paths, bad), 1);
    bad[1] = NAN;
    assert_int_equal(sonde_paths_objections(w.paths, bad), 0);
    end(&w);
}

/* More comparisons than there is room for are left out. */
static void there_is_room_for_a_limited_number(void **state)
{
    struct sonde_paths *paths = sonde_calloc(1, sizeof *paths);
    struct sonde_trail path;
    static struct sonde_compared all[3 * SONDE_PATH_SLOTS];
    double x[CHOICES] = {0};
    uint64_t work = 0;
    (void)state;
    paths->work = &work;
    for (uint32_t i = 0; i < 3 * SONDE_PATH_SLOTS; i++) all[i] = (struct sonde_compared){.place = i / 3, .call = i % 3};
    struct sonde_observation o = {.verdict = SONDE_VALID, .compared = all, .n_compared = 3 * SONDE_PATH_SLOTS};
    for (int i = 0; i < 20; i++) sonde_paths_learn(paths, &o, x, CHOICES, &path);
    assert_true(paths->n_slots <= SONDE_PATH_SLOTS && paths->n_slots > 0);
    assert_int_equal(paths->slots[0].seen, 20);
    sonde_paths_clear(paths);
    sonde_free(paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_found),
        cmocka_unit_test(what_no_valid_run_had_is_refused),
        cmocka_unit_test(room_is_between_the_others),
        cmocka_unit_test(an_equality_ties_choices),
        cmocka_unit_test(what_is_no_line_says_nothing),
        cmocka_unit_test(a_wrong_line_is_dropped),
        cmocka_unit_test(other_shapes_are_judged_by_what_is_known_well),
        cmocka_unit_test(there_is_room_for_a_limited_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
