/* Every guide is shown hostile runs: counters that are 0, distances that are all equal, utilities that are NaN or
 * infinite, empty tapes, thousands of assumes, verdicts at random, and a generator that follows the same choices with
 * other draws. A guide may do badly then; it may not crash, loop, or answer outside of a domain (which the case
 * asserts), and in the checked builds all of its structures must stay whole. */
#include "lib/cases.h"
#include "lib/sanitizers.h"
#include "lib/short.h"

#include <math.h>
#include <sonde/extend.h>
#include <stdlib.h>

enum { MOST_DISTANCES = 64, MOST_TARGETS = 64, MOST_FEATURES = 64, MOST_HINTS = 40, WIDTH = 4 };

struct show {
    struct sonde_rng rng;
    struct sonde_observation observation;
    struct sonde_coverage_view view;
    double distances[MOST_DISTANCES];
    struct sonde_target_value targets[MOST_TARGETS];
    struct sonde_feature features[MOST_FEATURES];
    struct sonde_hint hints[MOST_HINTS];
    struct sonde_hint_text texts[3];
    struct sonde_tape empty;
    uint32_t n_ids;
};

static struct show s;

static uint64_t upto(uint64_t max)
{
    return sonde_rng_upto(&s.rng, max);
}

/* ---- The generator */

static void draw_part(sonde *t, unsigned depth)
{
    static const unsigned weights[] = {0, 5, 1, 0, 2};
    size_t n;
    const char *type = upto(1) ? "part" : "other";
    sonde_open(t, type);
    for (uint64_t i = upto(2); i-- > 0;) {
        switch (upto(9)) {
        case 0: sonde_bool(t, "flag"); break;
        case 1: sonde_int(t, "x", -3, (int)upto(40)); break;
        case 2: sonde_u64(t, "wide", 0, UINT64_MAX >> upto(63)); break;
        case 3: sonde_double(t, "d", -1e300, 1e300); break;
        case 4: sonde_any_double(t, "any"); break;
        case 5: sonde_pick(t, "pick", 1 + upto(5)); break;
        case 6: sonde_weighted(t, "weighted", weights, sizeof weights / sizeof *weights); break;
        case 7: sonde_string_of(t, "text", "ab(", 0, upto(20)); break;
        case 8: sonde_bytes(t, "bytes", 0, upto(9), &n); break;
        default: sonde_chance(t, "chance", (double)upto(4) / 4); break;
        }
    }
    if (depth < WIDTH && upto(1)) draw_part(t, depth + 1);
    if (depth == 0 && upto(2) == 0) {
        sonde_list xs = sonde_list_of(t, "xs", 0, upto(6));
        while (sonde_more(&xs)) draw_part(t, depth + 1);
    }
    sonde_close(t, type);
}

/* Not a function of its choices: what it draws next is decided elsewhere, one time in eight. */
static void generator(sonde *t)
{
    if (upto(7)) sonde_rng_seed(&s.rng, sonde_int(t, "plan", 0, 30) * 1000003u, 7);
    for (uint64_t i = 1 + upto(3); i-- > 0;) draw_part(t, 0);
}

/* ---- Observations that guides are given */

static double odd_number(void)
{
    static const double odd[] = {0,     -0.0,     1,         -1,  5e-324, -1e308,
                                 1e308, INFINITY, -INFINITY, NAN, 1e-9,   4503599627370497.5};
    return upto(2) ? odd[upto(sizeof odd / sizeof *odd - 1)] : (double)upto(100) - 50;
}

static void show_numbers(struct sonde_observation *o)
{
    double same = odd_number();
    bool all_equal = upto(3) == 0;
    o->n_distances = upto(MOST_DISTANCES);
    for (size_t i = 0; i < o->n_distances; i++) s.distances[i] = all_equal ? same : odd_number();
    o->distances = s.distances;
    o->n_targets = upto(3) ? 0 : upto(MOST_TARGETS);
    for (size_t i = 0; i < o->n_targets; i++)
        s.targets[i] = (struct sonde_target_value){.label = (uint32_t)upto(5), .value = odd_number()};
    o->targets = s.targets;
    o->are_margins = upto(1);
}

static void show_coverage(struct sonde_observation *o)
{
    uint32_t id = 0;
    static char text[] = "text";
    o->coverage = upto(3) ? &s.view : NULL;
    s.view = (struct sonde_coverage_view){.features = s.features, .hints = s.hints, .texts = s.texts};
    while (s.view.n_features < MOST_FEATURES && upto(40)) {
        uint8_t value = (uint8_t)(upto(3) ? upto(255) : 0);
        s.features[s.view.n_features++] =
            (struct sonde_feature){.id = id, .value = value, .mark = (uint8_t)upto(63), .kind = (uint8_t)upto(1)};
        id += 1 + (uint32_t)upto(20);
    }
    if (id > s.n_ids) s.n_ids = id;
    s.view.n_ids = s.n_ids;
    s.view.n_edges = (uint32_t)s.view.n_features;
    s.view.edges = upto(50);
    s.view.trace = upto(5000);
    s.view.executed = upto(3) ? upto(1000) : UINT64_MAX;
    s.view.compared = upto(1);
    s.view.n_hints = upto(MOST_HINTS);
    for (size_t i = 0; i < s.view.n_hints; i++)
        s.hints[i] =
            (struct sonde_hint){sonde_rng_next(&s.rng) >> upto(63), upto(300), 1u << upto(3), (uint32_t)upto(9)};
    s.view.n_texts = upto(3);
    for (size_t i = 0; i < s.view.n_texts; i++) s.texts[i] = (struct sonde_hint_text){text, upto(4)};
}

static struct sonde_run show(const struct sonde_tape *tape, struct sonde_guide *author)
{
    struct sonde_observation *o = &s.observation;
    *o = (struct sonde_observation){.verdict = (enum sonde_verdict)upto(SONDE_OVERRUN),
                                    .assumes_passed = (uint32_t)(upto(1) ? upto(4) : upto(100000)),
                                    .assume_distance = odd_number(),
                                    .assume_held = (uint32_t)upto(70),
                                    .identity = upto(200) + 1,
                                    .cost = upto(20) ? upto(1000) : UINT64_MAX / 2};
    show_numbers(o);
    show_coverage(o);
    return (struct sonde_run){.tape = upto(15) ? tape : &s.empty,
                              .observation = o,
                              .interest = {.reasons = (uint32_t)upto(255)},
                              .author = upto(3) ? author : NULL};
}

/* ---- The test */

static uint64_t n_runs(void)
{
    if (is_short()) return 100;
    /* a million take 200 s of processor time, and three times as long with a sanitizer */
    return !getenv("SONDE_TEST_LONG") ? 10000 : HAS_ADDRESS_SANITIZER ? 200000 : 1000000;
}

static void survive(const struct sonde_guide_ops *ops, uint64_t seed, uint64_t n)
{
    struct cases own;
    struct sonde_tape script;
    cases_init(&own, ops, seed);
    own.setup.memory = (size_t)1 << (14 + 2 * seed); /* from hardly any to plenty */
    own.setup.tests = seed % 2 ? n : 0;
    own.guide->ops->destroy(own.guide);
    own.guide = ops->create(&own.setup);
    sonde_rng_seed(&s.rng, seed, 1);
    sonde_tape_init(&script);
    for (uint64_t i = 0; i < n; i++) {
        struct sonde_rng before = s.rng;
        enum sonde_plan plan = ops->start ? ops->start(own.guide, &script) : SONDE_PLAN_FRESH;
        if (plan == SONDE_PLAN_DONE) break; /* if a generator does not draw the same each time, anything may be done */
        cases_run(&own, generator, plan == SONDE_PLAN_SCRIPT ? &script : NULL);
        assert_int_not_equal(own.t->verdict, SONDE_MISUSE);
        sonde_rng_seed(&s.rng, sonde_rng_next(&before), i);
        struct sonde_run run = show(&own.t->tape, own.guide);
        if (ops->learn) ops->learn(own.guide, &run);
    }
    sonde_tape_clear(&script);
    cases_clear(&own);
}

static void every_guide_survives_what_it_is_shown(void **state)
{
    (void)state;
    sonde_tape_init(&s.empty);
    sonde_tape_begin(&s.empty);
    sonde_tape_end(&s.empty);
    for (size_t i = 0; sonde_guides[i]; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) survive(sonde_guides[i], seed, n_runs() / 5);
    sonde_tape_clear(&s.empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_guide_survives_what_it_is_shown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
