/* The model of the assumes: what it knows after few runs, and what it does when it was wrong. */
#include "lib/mocka.h"

#include "guide/target/region.h"

#include <math.h>
#include <string.h>

enum { X, Y, Z };

/* Three numbers in 0..99 and assumes over them, run without an engine. */
struct world {
    struct sonde_region *region;
    struct sonde_rng rng;
    uint32_t n_assumes;
    void (*distances)(const double *v, double *out);
};

static void make_tape(struct sonde_tape *tape, const double *v)
{
    sonde_tape_begin(tape);
    for (uint32_t i = 0; i < 3; i++) {
        struct sonde_choice c = {.index = (uint64_t)v[i], .max = 99, .site = 100 + i, .kind = SONDE_KIND_UINT};
        sonde_tape_add(tape, &c);
    }
    sonde_tape_end(tape);
}

static bool run(struct world *w, const double *v)
{
    double d[4];
    struct sonde_tape tape;
    struct sonde_region_point point;
    uint32_t n = 0;
    w->distances(v, d);
    while (n < w->n_assumes && d[n] >= 0) n++;
    bool valid = n == w->n_assumes;
    sonde_tape_init(&tape);
    make_tape(&tape, v);
    struct sonde_observation o = {.verdict = valid ? SONDE_VALID : SONDE_DISCARDED,
                                  .assumes_passed = n,
                                  .distances = d,
                                  .n_distances = valid ? n : n + 1};
    struct sonde_run r = {.tape = &tape, .observation = &o};
    sonde_region_read(w->region, &tape, &point, NULL);
    sonde_region_learn(w->region, &r, &point, NULL, true, &w->rng);
    sonde_tape_clear(&tape);
    return valid;
}

static void random_values(struct world *w, double *v)
{
    for (int i = 0; i < 3; i++) v[i] = (double)sonde_rng_upto(&w->rng, 99);
}

/* Runs random inputs, and the inputs that the model asks for. */
static void learn(struct world *w, int runs)
{
    struct sonde_tape script;
    sonde_tape_init(&script);
    for (int i = 0; i < runs; i++) {
        double v[3];
        random_values(w, v);
        if (sonde_region_ask(w->region, &script))
            for (int k = 0; k < 3; k++) v[k] = (double)script.choices[k].index;
        run(w, v);
    }
    sonde_tape_clear(&script);
}

static void init(struct world *w, uint64_t seed, uint32_t n, void (*distances)(const double *, double *))
{
    *w = (struct world){.region = sonde_region_create(), .n_assumes = n, .distances = distances};
    sonde_rng_seed(&w->rng, seed, 1);
}

/* Judgements that are wrong, and that say nothing, in a hundred. */
static void examine(struct world *w, int *wrong, int *open)
{
    *wrong = *open = 0;
    for (int i = 0; i < 1000; i++) {
        double v[SONDE_REGION_CHOICES], d[4];
        for (uint32_t k = 0; k < SONDE_REGION_CHOICES; k++) v[k] = NAN;
        random_values(w, v);
        w->distances(v, d);
        bool holds = true;
        for (uint32_t k = 0; k < w->n_assumes; k++) holds &= d[k] >= 0;
        enum sonde_region_answer answer = sonde_region_judge(w->region, v, w->n_assumes, NULL);
        *open += answer == SONDE_REGION_OPEN;
        *wrong += answer != SONDE_REGION_OPEN && (answer == SONDE_REGION_IN) != holds;
    }
    *wrong /= 10;
    *open /= 10;
}

static void linear(const double *v, double *d)
{
    d[0] = v[Y] + 2 * v[Z] - 3 * v[X];
    d[1] = v[X] - v[Y] - 1;
}

static void product(const double *v, double *d)
{
    d[0] = 2000 - v[X] * v[Y] * (v[Z] + 1) / 4;
}

static void mere_truth(const double *v, double *d)
{
    d[0] = v[X] + v[Y] > 60 ? 1 : -1;
}

static void apart(const double *v, double *d)
{
    d[0] = v[X] != v[Y] ? fabs(v[X] - v[Y]) : -1;
}

static void expect(void (*distances)(const double *, double *), uint32_t n, int runs, int most_open)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct world w;
        int wrong, open;
        init(&w, seed, n, distances);
        learn(&w, runs);
        examine(&w, &wrong, &open);
        if (wrong > 2 || open > most_open) fail_msg("seed %d: %d %% wrong, %d %% open", (int)seed, wrong, open);
        sonde_region_free(w.region);
    }
}

static void linear_assumes_are_known_after_few_runs(void **state)
{
    (void)state;
    expect(linear, 2, 150, 0);
}

static void products_are_known_after_few_runs(void **state)
{
    (void)state;
    expect(product, 1, 200, 0);
}

static void mere_truths_are_known_but_for_their_border(void **state)
{
    (void)state;
    expect(mere_truth, 1, 1000, 15);
}

static void unequal_sides_are_hardly_ever_taken_for_equal(void **state)
{
    (void)state;
    expect(apart, 1, 500, 20);
}

static void nothing_matters_until_it_is_shown(void **state)
{
    (void)state;
    struct world w;
    init(&w, 1, 1, mere_truth);
    for (uint32_t i = 0; i < SONDE_REGION_CHOICES; i++) assert_false(sonde_region_matters(w.region, i));
    learn(&w, 500);
    assert_true(sonde_region_matters(w.region, X));
    assert_true(sonde_region_matters(w.region, Y));
    assert_false(sonde_region_matters(w.region, Z));
    sonde_region_free(w.region);
}

/* Assumes that fail now and then on the way to the one that is looked into, and distances that are often equal. */
static void blocked(const double *v, double *d)
{
    d[0] = fmod(v[X] + v[Y], 3) - 1;
    d[1] = fmod(v[Y] * v[Z], 5) - 1;
    d[2] = fmin(v[X], 50) - fmin(v[Y], 50);
}

static void steps(const double *v, double *d)
{
    d[0] = fmod(v[X], 2) == 0 ? 2 : -2;
    d[1] = floor(v[Y] / 30) - floor(v[Z] / 40);
    d[2] = v[Z] > v[X] ? 3 : -3;
}

static void assert_sets(const struct sonde_region *r)
{
    for (uint32_t k = 0; k < r->n_assumes; k++) {
        const struct sonde_region_assume *a = &r->assumes[k];
        bool seen[SONDE_REGION_CHOICES] = {false};
        assert_in_range(a->n_matters, 0, r->n_choices);
        for (uint32_t i = 0; i < a->n_matters; i++) {
            assert_in_range(a->matters[i], 0, r->n_choices - 1);
            assert_false(seen[a->matters[i]]);
            seen[a->matters[i]] = true;
        }
    }
}

static void a_choice_matters_once(void **state)
{
    (void)state;
    void (*const all[])(const double *, double *) = {blocked, steps};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world w;
        init(&w, seed, 3, all[seed % 2]);
        for (int i = 0; i < 300; i++) {
            learn(&w, 1);
            assert_sets(w.region);
        }
        sonde_region_free(w.region);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_assumes_are_known_after_few_runs),
        cmocka_unit_test(products_are_known_after_few_runs),
        cmocka_unit_test(mere_truths_are_known_but_for_their_border),
        cmocka_unit_test(unequal_sides_are_hardly_ever_taken_for_equal),
        cmocka_unit_test(nothing_matters_until_it_is_shown),
        cmocka_unit_test(a_choice_matters_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
