/* The published baselines against what their papers print: cgpt-classic (FuzzChick), zest-bytes (Zest), target-classic (targeted testing). Runs and their coverage are made up by hand;
 * what the guide plans next is read off its scripts. */
#include "lib/mocka.h"
#include "lib/tapes.h"

#include "guide/guides.h"

#include <stdio.h>
#include <stdlib.h>

struct bred {
    struct sonde_guide_setup setup;
    struct sonde_guide *guide;
    struct tapes tape;
    struct sonde_tape script;
};

static void breed(struct bred *b, const char *name, const char *options)
{
    memset(b, 0, sizeof *b);
    b->setup = (struct sonde_guide_setup){.seed = 1, .stream = 1, .memory = 1 << 22, .options = options};
    b->guide = sonde_guide_find(name)->create(&b->setup);
    sonde_tape_init(&b->script);
    tapes_begin(&b->tape);
}

static void end(struct bred *b)
{
    b->guide->ops->destroy(b->guide);
    sonde_tape_clear(&b->script);
    tapes_clear(&b->tape);
}

/* The guide learns of the tape that was written, as a run that hit one counter so often; the next tape may be written. */
static void learn(struct bred *b, enum sonde_verdict verdict, uint8_t hits, uint64_t cost)
{
    const struct sonde_feature feature = {.id = 0, .value = hits, .mark = hits, .kind = SONDE_FEATURE_COUNTER};
    const struct sonde_coverage_view view = {.features = &feature, .n_features = 1, .n_ids = 1, .n_edges = 9};
    const struct sonde_observation seen = {.verdict = verdict, .cost = cost, .coverage = &view};
    sonde_tape_end(&b->tape.tape);
    const struct sonde_run run = {.tape = &b->tape.tape,
                                  .observation = &seen,
                                  .interest = {.reasons = SONDE_NEW_COVERAGE}};
    b->guide->ops->learn(b->guide, &run);
    tapes_clear(&b->tape);
    tapes_begin(&b->tape);
}

/* A case whose only choice is a number: it names the seed that a mutant comes from by its range. */
static void learn_number(struct bred *b, int64_t range, enum sonde_verdict verdict, uint8_t hits, uint64_t cost)
{
    tapes_int(&b->tape, "x", 0, range, range);
    learn(b, verdict, hits, cost);
}

static enum sonde_plan start(struct bred *b)
{
    return b->guide->ops->start(b->guide, &b->script);
}

/* ---- cgpt-classic: the queues of algorithm 3 */

/* How many of the next cases are mutants of the seed of that range, one after the other. */
static unsigned mutants_of(struct bred *b, uint64_t range, unsigned most)
{
    unsigned n = 0;
    while (n < most && start(b) == SONDE_PLAN_SCRIPT && b->script.choices[0].max == range) n++;
    return n;
}

static void the_oldest_valid_seed_is_first_and_discards_are_last(void **state)
{
    (void)state;
    struct bred b;
    breed(&b, "cgpt-classic", NULL);
    learn_number(&b, 10, SONDE_DISCARDED, 1, 1000);
    learn_number(&b, 20, SONDE_VALID, 2, 1000);
    learn_number(&b, 30, SONDE_VALID, 3, 1000);
    assert_int_equal(mutants_of(&b, 20, 10), 10);
    learn_number(&b, 40, SONDE_VALID, 4, 1000);
    assert_int_equal(mutants_of(&b, 20, 2000),
                     990); /* until its energy of 1,000 is spent; one of the next was started */
    assert_int_equal(mutants_of(&b, 30, 2000), 999);
    assert_int_equal(mutants_of(&b, 40, 2000), 999);
    assert_int_equal(mutants_of(&b, 10, 2000), 329); /* a third for discards */
    assert_int_equal(start(&b), SONDE_PLAN_FRESH);
    end(&b);
}

static void the_program_of_2019_takes_the_newest_of_a_batch(void **state)
{
    (void)state;
    struct bred b;
    breed(&b, "cgpt-classic", "order=stack");
    learn_number(&b, 20, SONDE_VALID, 1, 1000);
    learn_number(&b, 30, SONDE_VALID, 2, 1000);
    assert_int_equal(mutants_of(&b, 30, 10), 10);
    learn_number(&b, 40, SONDE_VALID, 4, 1000); /* the next batch */
    assert_int_equal(mutants_of(&b, 30, 2000), 990);
    assert_int_equal(mutants_of(&b, 20, 2000), 999);
    assert_int_equal(mutants_of(&b, 40, 2000), 999);
    end(&b);
}

/* AFL's schedule: a run that takes more than 4/3 of the mean gets three quarters. */
static void slow_runs_get_less_energy(void **state)
{
    (void)state;
    struct bred b;
    breed(&b, "cgpt-classic", NULL);
    learn_number(&b, 20, SONDE_VALID, 1, 1000);
    learn_number(&b, 30, SONDE_VALID, 2, 3000); /* 1.5 times the mean of both */
    assert_int_equal(mutants_of(&b, 20, 2000), 1000);
    assert_int_equal(mutants_of(&b, 30, 2000), 749);
    end(&b);
}

/* ---- cgpt-classic: what is of interest */

static unsigned interesting(const char *options, uint8_t first, uint8_t second)
{
    struct bred b;
    unsigned n = 0;
    breed(&b, "cgpt-classic", options);
    learn_number(&b, 20, SONDE_VALID, first, 1000);
    learn_number(&b, 30, SONDE_VALID, second, 1000);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    b.guide->ops->stats(b.guide, out);
    fclose(out);
    const char *at = strstr(text, "interesting=");
    assert_non_null(at);
    n = (unsigned)strtoul(at + strlen("interesting="), NULL, 10);
    free(text);
    end(&b);
    return n;
}

static void counts_are_of_interest_by_classes(void **state)
{
    (void)state;
    static const uint8_t starts[] = {1, 2, 3, 4, 8, 16, 32, 128};
    for (size_t i = 1; i < sizeof starts; i++) {
        assert_int_equal(interesting(NULL, starts[i - 1], starts[i]), 2);
        assert_int_equal(interesting(NULL, starts[i], (uint8_t)(i + 1 < sizeof starts ? starts[i + 1] - 1 : 255)), 1);
    }
    assert_int_equal(interesting(NULL, 4, 5), 1);
    assert_int_equal(interesting("counts=raw", 4, 5), 2); /* the lowest bit is new */
    assert_int_equal(interesting("counts=raw", 7, 5), 1);
}

/* ---- cgpt-classic: figure 3, the derived mutator of trees */

static void write_leaf(struct bred *b, int64_t x)
{
    tapes_open(&b->tape, "tree", 0);
    tapes_uint(&b->tape, SONDE_KIND_PICK, "constructor", 0, 1, 0);
    tapes_int(&b->tape, "x", 0, 1000, x);
    tapes_close(&b->tape);
}

static void write_node(struct bred *b)
{
    tapes_open(&b->tape, "tree", 0);
    tapes_uint(&b->tape, SONDE_KIND_PICK, "constructor", 0, 1, 1);
    tapes_int(&b->tape, "x", 0, 1000, 5);
    write_leaf(b, 6);
    write_leaf(b, 7);
    tapes_close(&b->tape);
}

enum { OTHER_CONSTRUCTOR, VALUE, LEFT, RIGHT, BECOMES_LEFT, BECOMES_RIGHT, OPTIONS };

static bool differs(const struct sonde_choice *c, uint64_t index)
{
    return c->index != index || c->flags & SONDE_CHOICE_HOLE;
}

/* Returns what was changed in Node 5 (Leaf 6) (Leaf 7). Its choices are: constructor 5 constructor 6 constructor 7. */
static int done_to_node(const struct sonde_tape *script)
{
    const struct sonde_choice *c = script->choices;
    if (script->n_choices == 2) return c[1].index == 6 ? BECOMES_LEFT : BECOMES_RIGHT;
    if (differs(&c[0], 1)) return OTHER_CONSTRUCTOR;
    if (differs(&c[1], 5)) return VALUE;
    return differs(&c[2], 0) || differs(&c[3], 6) ? LEFT : RIGHT;
}

static void a_node_is_mutated_in_six_ways(void **state)
{
    (void)state;
    struct bred b;
    unsigned done[OPTIONS] = {0};
    breed(&b, "cgpt-classic", NULL);
    write_node(&b);
    learn(&b, SONDE_VALID, 1, 1000);
    for (int i = 0; i < 900; i++) {
        assert_int_equal(start(&b), SONDE_PLAN_SCRIPT);
        done[done_to_node(&b.script)]++;
    }
    for (int i = 0; i < OPTIONS; i++) assert_in_range(done[i], 110, 190); /* 150, five deviations each way nearly */
    end(&b);
}

/* An instruction with an argument, of eight: seven other constructors and one part. */
static void every_other_constructor_is_an_option(void **state)
{
    (void)state;
    struct bred b;
    unsigned to[8] = {0}, argument = 0;
    breed(&b, "cgpt-classic", NULL);
    tapes_open(&b.tape, "instr", 0);
    tapes_uint(&b.tape, SONDE_KIND_PICK, "op", 0, 7, 2);
    tapes_int(&b.tape, "n", 0, 1000, 5);
    tapes_close(&b.tape);
    learn(&b, SONDE_VALID, 1, 1000);
    for (int i = 0; i < 960; i++) {
        assert_int_equal(start(&b), SONDE_PLAN_SCRIPT);
        to[b.script.choices[0].index]++;
        argument += differs(&b.script.choices[1], 5);
    }
    assert_int_equal(to[2], argument);
    for (int i = 0; i < 8; i++) assert_in_range(to[i], 80, 165); /* 120 each */
    end(&b);
}

/* ---- zest-bytes: what is kept */

static unsigned kept(const char *options, enum sonde_verdict first, enum sonde_verdict second, uint8_t hits)
{
    struct bred b;
    unsigned n[2] = {0, 0};
    breed(&b, "zest-bytes", options);
    learn_number(&b, 20, first, 1, 1000);
    learn_number(&b, 30, second, hits, 1000);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    b.guide->ops->stats(b.guide, out);
    fclose(out);
    assert_int_equal(sscanf(text, "cases=%*u valid_pool=%u discarded_pool=%u", &n[0], &n[1]), 2);
    free(text);
    end(&b);
    return n[0] + n[1];
}

/* Algorithm 2, lines 14 to 20: sets of branches, with a separate set for valid inputs. */
static void coverage_is_a_set_and_valid_coverage_another(void **state)
{
    (void)state;
    assert_int_equal(kept(NULL, SONDE_VALID, SONDE_VALID, 1), 1);
    assert_int_equal(kept(NULL, SONDE_VALID, SONDE_VALID, 200), 1);
    assert_int_equal(kept(NULL, SONDE_DISCARDED, SONDE_VALID, 1), 2);
    assert_int_equal(kept(NULL, SONDE_VALID, SONDE_DISCARDED, 1), 1);
    assert_int_equal(kept(NULL, SONDE_FAILED, SONDE_DISCARDED, 1), 1); /* failing ones go to F */
    assert_int_equal(kept("points=classes", SONDE_VALID, SONDE_VALID, 2), 2);
    assert_int_equal(kept("points=classes", SONDE_VALID, SONDE_VALID, 1), 1);
}

/* ---- hill, anneal: one input in hand; the range of its number names it */

static void learn_worth(struct bred *b, int64_t range, double worth)
{
    const struct sonde_target_value target = {.label = 1, .value = worth};
    const struct sonde_observation seen = {.verdict = SONDE_VALID, .targets = &target, .n_targets = 1};
    tapes_int(&b->tape, "x", 0, range, range / 2);
    sonde_tape_end(&b->tape.tape);
    const struct sonde_run run = {.tape = &b->tape.tape, .observation = &seen, .author = b->guide};
    b->guide->ops->learn(b->guide, &run);
    tapes_clear(&b->tape);
    tapes_begin(&b->tape);
}

static uint64_t held(struct bred *b)
{
    return start(b) == SONDE_PLAN_SCRIPT ? b->script.choices[0].max : 0;
}

static void hill_climbing_goes_up_only(void **state)
{
    (void)state;
    struct bred b;
    breed(&b, "hill", "vain=4");
    assert_int_equal(held(&b), 0);
    learn_worth(&b, 1000, 5);
    learn_worth(&b, 2000, 4);
    learn_worth(&b, 3000, 5);
    assert_int_equal(held(&b), 1000);
    learn_worth(&b, 4000, 6);
    assert_int_equal(held(&b), 4000);
    for (int i = 0; i < 4; i++) learn_worth(&b, 2000, 1);
    assert_int_equal(held(&b), 0); /* begins again */
    end(&b);
}

/* A number moves by up to a tenth of its range, or is drawn again once in ten times. */
static void a_neighbour_is_near(void **state)
{
    (void)state;
    struct bred b;
    unsigned anew = 0, moved = 0;
    breed(&b, "hill", NULL);
    learn_worth(&b, 1000, 5);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(held(&b), 1000);
        const struct sonde_choice *c = &b.script.choices[0];
        if (c->flags & SONDE_CHOICE_HOLE) anew++;
        else assert_in_range(c->index, 399, 601);
        moved += c->index != 500;
    }
    assert_in_range(anew, 60, 145);
    assert_int_equal(anew + moved, 1000);
    end(&b);
}

/* e^(-d / T): a loss of 1 at temperature 1 is taken in 37 of 100 cases; at the end of the cooling none is. */
static unsigned losses_taken(const char *options, double worse)
{
    unsigned taken = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct bred b;
        breed(&b, "anneal", options);
        b.guide->ops->destroy(b.guide);
        b.setup.seed = seed;
        b.guide = sonde_guide_find("anneal")->create(&b.setup);
        learn_worth(&b, 1000, 5);
        learn_worth(&b, 2000, 5 - worse);
        taken += held(&b) == 2000;
        end(&b);
    }
    return taken;
}

static void annealing_takes_losses_by_temperature(void **state)
{
    (void)state;
    assert_in_range(losses_taken("heat=1,steps=1000000", 1), 300, 440);
    assert_in_range(losses_taken("heat=1,steps=1000000", 10), 0, 5);
    assert_in_range(losses_taken("heat=1,steps=1000000", -1), 1000, 1000);
    assert_in_range(losses_taken("heat=100,steps=1000000", 1), 970, 1000);
    assert_in_range(losses_taken("heat=1,steps=2", 1), 100, 180); /* half of the way: T = 1/2, e^-2 */
}

/* ---- target-classic: the loop of section 6.2; the range of its number names a seed */

static void learn_seed(struct bred *b, int64_t range, double worth, uint32_t reasons)
{
    const struct sonde_target_value target = {.label = 1, .value = worth};
    const struct sonde_observation seen = {.verdict = SONDE_VALID, .targets = &target, .n_targets = 1};
    tapes_int(&b->tape, "x", 0, range, range / 2);
    sonde_tape_end(&b->tape.tape);
    const struct sonde_run run = {.tape = &b->tape.tape,
                                  .observation = &seen,
                                  .interest = {.reasons = reasons},
                                  .author = b->guide};
    b->guide->ops->learn(b->guide, &run);
    tapes_clear(&b->tape);
    tapes_begin(&b->tape);
}

/* The mutant that was started brings nothing. */
static void learn_nothing(struct bred *b)
{
    learn_seed(b, 1, -1e9, 0);
}

/* How many mutants of the seed of that range follow, none of which is interesting. */
static unsigned in_vain(struct bred *b, uint64_t range)
{
    unsigned n = 0;
    while (held(b) == range) {
        learn_nothing(b);
        n++;
    }
    return n;
}

static void the_best_seed_of_the_pool_is_mutated(void **state)
{
    (void)state;
    struct bred b;
    breed(&b, "target-classic", NULL);
    assert_int_equal(held(&b), 0); /* the pool is empty: a random input */
    learn_seed(&b, 1000, 5, 0);
    assert_int_equal(held(&b), 1000);
    learn_seed(&b, 2000, 5, 0); /* not higher: not interesting */
    assert_int_equal(held(&b), 1000);
    learn_seed(&b, 3000, 7, 0);
    assert_int_equal(held(&b), 3000);
    learn_seed(&b, 4000, 6, SONDE_NEW_STATE); /* interesting by its state, but not the best */
    assert_int_equal(held(&b), 3000);
    learn_seed(&b, 5000, 7, SONDE_NEW_STATE); /* as good, and newer */
    assert_int_equal(held(&b), 5000);
    end(&b);
}

static void a_seed_has_an_energy_of_5000(void **state)
{
    (void)state;
    struct bred b;
    breed(&b, "target-classic", NULL);
    assert_int_equal(held(&b), 0);
    learn_seed(&b, 1000, 5, 0);
    assert_int_equal(in_vain(&b, 1000), 5000);
    end(&b);
}

/* The first seed has a child after 3 mutants. Then it may have twice as many mutants in vain. */
static void a_new_seed_doubles_the_energy_of_its_parent(void **state)
{
    (void)state;
    struct bred b;
    breed(&b, "target-classic", "energy=10");
    assert_int_equal(held(&b), 0);
    learn_seed(&b, 1000, 5, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(held(&b), 1000);
        learn_nothing(&b);
    }
    assert_int_equal(held(&b), 1000);
    learn_seed(&b, 2000, 6, 0);
    assert_int_equal(in_vain(&b, 2000), 10); /* one of the parent's mutants was started */
    learn_nothing(&b);
    assert_int_equal(in_vain(&b, 1000), 19);
    end(&b);
}

static void an_exhausted_pool_alternates(void **state)
{
    (void)state;
    struct bred b;
    unsigned of_first = 0, of_second = 0;
    breed(&b, "target-classic", "energy=1");
    assert_int_equal(held(&b), 0);
    learn_seed(&b, 1000, 5, 0);
    learn_seed(&b, 2000, 6, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(held(&b), 0);
        learn_nothing(&b);
    }
    for (int i = 0; i < 200; i++) {
        assert_int_equal(held(&b), 0); /* random, then a random exhausted seed */
        learn_nothing(&b);
        uint64_t range = held(&b);
        of_first += range == 1000;
        of_second += range == 2000;
        learn_nothing(&b);
    }
    assert_int_equal(of_first + of_second, 200);
    assert_in_range(of_first, 65, 135);
    assert_int_equal(held(&b), 0);
    learn_seed(&b, 3000, 7, 0); /* the pool is populated again */
    assert_int_equal(held(&b), 3000);
    end(&b);
}

/* Section 6.3: without sonde_target the assumes are the target. */
static void learn_assumes(struct bred *b, int64_t range, enum sonde_verdict verdict, const double *distances, size_t n)
{
    const bool fails = verdict == SONDE_DISCARDED;
    const struct sonde_observation seen = {.verdict = verdict,
                                           .assumes_passed = (uint32_t)(fails ? n - 1 : n),
                                           .assume_distance = fails ? distances[n - 1] : 0,
                                           .distances = distances,
                                           .n_distances = n};
    tapes_int(&b->tape, "x", 0, range, range / 2);
    sonde_tape_end(&b->tape.tape);
    const struct sonde_run run = {.tape = &b->tape.tape, .observation = &seen, .author = b->guide};
    b->guide->ops->learn(b->guide, &run);
    tapes_clear(&b->tape);
    tapes_begin(&b->tape);
}

static void assumes_are_the_utility_where_there_is_no_other(void **state)
{
    (void)state;
    struct bred b;
    breed(&b, "target-classic", NULL);
    assert_int_equal(held(&b), 0);
    learn_assumes(&b, 1000, SONDE_DISCARDED, (const double[]){-9}, 1);
    assert_int_equal(held(&b), 1000);
    learn_assumes(&b, 2000, SONDE_DISCARDED, (const double[]){-3}, 1); /* nearer */
    assert_int_equal(held(&b), 2000);
    learn_assumes(&b, 3000, SONDE_DISCARDED, (const double[]){0, -50}, 2); /* further */
    assert_int_equal(held(&b), 3000);
    learn_assumes(&b, 4000, SONDE_DISCARDED, (const double[]){9, -60}, 2);
    assert_int_equal(held(&b), 3000);
    learn_assumes(&b, 5000, SONDE_VALID, (const double[]){0, 4}, 2);
    assert_int_equal(held(&b), 5000);
    learn_assumes(&b, 6000, SONDE_VALID, (const double[]){1, 1}, 2); /* the lowest of a conjunction */
    assert_int_equal(held(&b), 6000);
    end(&b);
}

/* Section 6.5: a list gets elements, loses some, or has some mutated; an element's number moves. */
static void lists_grow_shrink_and_change(void **state)
{
    (void)state;
    struct bred b;
    unsigned grown = 0, shrunk = 0, changed = 0, several = 0;
    const struct sonde_target_value target = {.label = 1, .value = 1};
    const struct sonde_observation seen = {.verdict = SONDE_VALID, .targets = &target, .n_targets = 1};
    breed(&b, "target-classic", NULL);
    tapes_open(&b.tape, "xs", SONDE_SPAN_LIST);
    tapes_uint(&b.tape, SONDE_KIND_LENGTH, SONDE_LABEL_LENGTH, 0, 9, 4);
    for (int i = 0; i < 4; i++) {
        tapes_open(&b.tape, "xs[]", SONDE_SPAN_ELEMENT);
        tapes_int(&b.tape, "x", 0, 1000, 500);
        tapes_close(&b.tape);
    }
    tapes_close(&b.tape);
    sonde_tape_end(&b.tape.tape);
    const struct sonde_run run = {.tape = &b.tape.tape, .observation = &seen, .author = b.guide};
    b.guide->ops->learn(b.guide, &run);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(start(&b), SONDE_PLAN_SCRIPT);
        const struct sonde_choice *c = b.script.choices;
        uint32_t n = b.script.n_choices - 1, moved = 0;
        for (uint32_t k = 1; k <= n; k++) moved += differs(&c[k], 500);
        assert_in_range(c[0].index, 0, 9);
        assert_true(n < 4 || moved > 0 || c[0].index > n); /* something was done */
        grown += c[0].index > n;
        shrunk += n < 4;
        changed += moved > 0;
        several += (c[0].index > n) + (n < 4) + (moved > 0) > 1;
    }
    /* Four of the seven sets of edits have each; what is removed is not mutated. */
    assert_in_range(grown, 480, 660);
    assert_in_range(shrunk, 480, 660);
    assert_in_range(changed, 430, 660);
    assert_in_range(several, 450, 660);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_valid_seed_is_first_and_discards_are_last),
        cmocka_unit_test(the_program_of_2019_takes_the_newest_of_a_batch),
        cmocka_unit_test(slow_runs_get_less_energy),
        cmocka_unit_test(counts_are_of_interest_by_classes),
        cmocka_unit_test(a_node_is_mutated_in_six_ways),
        cmocka_unit_test(every_other_constructor_is_an_option),
        cmocka_unit_test(coverage_is_a_set_and_valid_coverage_another),
        cmocka_unit_test(hill_climbing_goes_up_only),
        cmocka_unit_test(a_neighbour_is_near),
        cmocka_unit_test(annealing_takes_losses_by_temperature),
        cmocka_unit_test(the_best_seed_of_the_pool_is_mutated),
        cmocka_unit_test(a_seed_has_an_energy_of_5000),
        cmocka_unit_test(a_new_seed_doubles_the_energy_of_its_parent),
        cmocka_unit_test(an_exhausted_pool_alternates),
        cmocka_unit_test(assumes_are_the_utility_where_there_is_no_other),
        cmocka_unit_test(lists_grow_shrink_and_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
