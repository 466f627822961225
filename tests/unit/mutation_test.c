/* The result of a mutation run: counts, ranks, the first screen, and the state that --continue reads. The tables of
 * mutants are written by hand. */
#include "lib/mocka.h"

#include "base/mem.h"
#include "mutate/collect.h"
#include "mutate/inputs.h"
#include "mutate/result.h"
#include "mutate/state.h"
#include "program/mutants.h"
#include "tape/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two objects; the second one by name registers first. */
enum { N = 6, KEY = 77 };
static struct sonde_mutants_now_ now_a, now_b;
static volatile unsigned char reached_a[4], reached_b[3];
static const struct sonde_mutant_ of_a[] = {
    {1, 10, 1, 1, SONDE_MUTANT_RELATION_, 0, "a.c", "f", NULL, "x < y", "x <= y"},
    {1, 10, 1, 1, SONDE_MUTANT_RELATION_, 0, "a.c", "f", NULL, "x < y", "x >= y"},
    {2, 11, 1, 2, SONDE_MUTANT_NO_ASSIGN_, 0, "a.c", "f", NULL, "z = 1;", ""},
    {3, 12, 1, 3, SONDE_MUTANT_CONSTANT_, SONDE_MUTANT_INDEX_, "a.c", "f", NULL, "3", "4"},
};
static const struct sonde_mutant_ of_b[] = {
    {1, 20, 1, 1, SONDE_MUTANT_NO_CALL_, 0, "b.c", "list_free", NULL, "free(x);", ""},
    {2, 21, 1, 2, SONDE_MUTANT_LOGIC_, SONDE_MUTANT_ERROR_PATH_, "b.c", "g", NULL, "a && b", "a || b"},
};
static struct sonde_mutants_ table_a = {SONDE_MUTANTS_VERSION_, 4, 3, "a.c", 1, of_a, reached_a, &now_a, NULL},
                             table_b = {SONDE_MUTANTS_VERSION_, 2, 2, "b.c", 2, of_b, reached_b, &now_b, NULL};

static int add_tables(void **state)
{
    (void)state;
    sonde_mutants_add_(&table_b);
    sonde_mutants_add_(&table_a);
    return 0;
}

/* ---- Numbers */

static void numbers_follow_the_names_of_sources(void **state)
{
    (void)state;
    assert_int_equal(sonde_mutants_count(), N);
    assert_int_equal(sonde_mutants_sites(), 5);
    assert_ptr_equal(sonde_mutants_at(1), &of_a[0]);
    assert_ptr_equal(sonde_mutants_at(5), &of_b[0]);
    assert_int_equal(sonde_mutants_site_of(4), 3);
    assert_int_equal(sonde_mutants_site_of(6), 5);
    assert_true(sonde_mutants_statement_of(1) == sonde_mutants_statement_of(2));
    assert_false(sonde_mutants_statement_of(1) == sonde_mutants_statement_of(5));
}

static void one_mutant_is_chosen_at_a_time(void **state)
{
    (void)state;
    sonde_mutants_choose(2, SONDE_MUTANT_ON);
    assert_int_equal(now_a.site, 1);
    assert_int_equal(now_a.mutant, 2);
    sonde_mutants_choose(6, SONDE_MUTANT_WATCHED);
    assert_int_equal(now_a.site, 0);
    assert_int_equal(now_b.mutant, 2);
    assert_true(now_b.watch);
    now_b.differed = 3;
    assert_int_equal(sonde_mutants_differed(6), 3);
    sonde_mutants_choose(6, SONDE_MUTANT_NULL);
    assert_int_equal(now_b.site, 2);
    assert_int_equal(now_b.mutant, 0);
    sonde_mutants_choose(0, SONDE_MUTANT_OFF);
    assert_int_equal(now_b.site, 0);
}

static void reached_sites_are_numbered_over_the_program(void **state)
{
    (void)state;
    uint64_t set[1];
    assert_int_equal(sonde_mutants_words(), 1);
    reached_a[2] = reached_b[2] = 1;
    assert_int_equal(sonde_mutants_reached(set), 2);
    assert_int_equal(set[0], 1 << 2 | 1 << 5);
    sonde_mutants_forget_reached();
    assert_int_equal(sonde_mutants_reached(set), 0);
}

/* ---- Results */

static void set_up(struct sonde_mutation *m)
{
    static const char *const names[] = {"p", "q"};
    *m = (struct sonde_mutation){.n_properties = 2, .n_mutants = N};
    m->properties = sonde_calloc(2, sizeof *m->properties);
    m->mutants = sonde_calloc(N, sizeof *m->mutants);
    for (uint32_t p = 0; p < 2; p++) m->properties[p].name = names[p];
    for (uint32_t i = 0; i < N; i++) {
        struct sonde_mutant_result *r = &m->mutants[i];
        *r = (struct sonde_mutant_result){.number = i + 1, .mutant = sonde_mutants_at(i + 1), .killer = UINT32_MAX};
        r->fate = SONDE_FATE_SURVIVED;
        r->effect = SONDE_EFFECT_NONE;
        r->compared = 10;
        r->kills = sonde_calloc(2, sizeof *r->kills);
        r->kills[0].check = r->kills[1].check = UINT32_MAX;
    }
    m->checks = sonde_calloc(2, sizeof *m->checks);
    for (uint32_t i = 0; i < 2; i++)
        m->checks[m->n_checks++] =
            (struct sonde_mutation_check){sonde_strdup("t.c"), sonde_strdup("ok"), (int)i + 1, 0, 0};
}

static void kill_by(struct sonde_mutant_result *r, uint32_t property, uint32_t check)
{
    r->fate = SONDE_FATE_KILLED;
    if (r->killer == UINT32_MAX) r->killer = property;
    r->kills[property] = (struct sonde_mutant_kill){SONDE_KILL_CHECK, check};
}

static void effect(struct sonde_mutant_result *r, enum sonde_mutant_effect what, uint32_t n)
{
    r->effect = what;
    r->observed = what == SONDE_EFFECT_OBSERVED ? n : 0;
    r->other_way = what == SONDE_EFFECT_WAY ? n : 0;
    r->differed = n;
}

static void survivors_are_ranked_by_effect_then_by_how_many_inputs_show_it(void **state)
{
    (void)state;
    struct sonde_mutation m;
    set_up(&m);
    effect(&m.mutants[0], SONDE_EFFECT_VALUE, 10);
    effect(&m.mutants[1], SONDE_EFFECT_WAY, 2);
    effect(&m.mutants[2], SONDE_EFFECT_WAY, 9);
    effect(&m.mutants[4], SONDE_EFFECT_OBSERVED, 1);
    m.mutants[5].excuse = "no input can reach it";
    sonde_mutation_sum_up(&m);
    const uint32_t want[] = {4, 2, 1, 0, 3};
    assert_int_equal(m.n_ranked, 5);
    assert_memory_equal(m.ranked, want, sizeof want);
    assert_int_equal(m.n_excused, 1);
    assert_int_equal(m.effects[SONDE_EFFECT_WAY], 2);
    assert_int_equal(m.effects[SONDE_EFFECT_NONE], 1); /* without the excused one */
    sonde_mutation_clear(&m);
}

static void the_first_screen_has_one_per_statement(void **state)
{
    (void)state;
    struct sonde_mutation m;
    set_up(&m);
    sonde_mutation_sum_up(&m);
    const uint32_t want[] = {0, 2, 3, 4, 5}; /* 2 shares a statement with 1 */
    assert_int_equal(m.n_first_screen, 5);
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(m.ranked[m.first_screen[i]], want[i]);
    sonde_mutation_clear(&m);
}

/* A table of a program with more survivors than the first screen has room for: eleven statements of f, one of g. */
static void the_first_screen_is_spread_over_functions(void **state)
{
    (void)state;
    enum { MANY = 12 };
    static unsigned char hit[MANY + 1];
    static struct sonde_mutants_now_ now;
    static struct sonde_mutant_ all[MANY];
    static struct sonde_mutants_ table = {SONDE_MUTANTS_VERSION_, MANY, MANY, "c.c", 3, all, hit, &now, NULL};
    struct sonde_mutation m = {.n_mutants = MANY};
    m.mutants = sonde_calloc(MANY, sizeof *m.mutants);
    for (uint32_t i = 0; i < MANY; i++) {
        all[i] = (struct sonde_mutant_){i + 1, i + 1, 1, i + 1, 0, 0, "c.c", i + 1 < MANY ? "f" : "g", NULL, "x", "y"};
        m.mutants[i] = (struct sonde_mutant_result){.number = N + i + 1, .mutant = &all[i], .compared = 10};
        m.mutants[i].fate = SONDE_FATE_SURVIVED;
        effect(&m.mutants[i], i + 1 < MANY ? SONDE_EFFECT_WAY : SONDE_EFFECT_VALUE, 10);
    }
    sonde_mutants_add_(&table);
    sonde_mutation_sum_up(&m);
    assert_int_equal(m.n_first_screen, 10);
    assert_int_equal(m.ranked[m.first_screen[9]], MANY - 1); /* of g, before the tenth of f */
    m.mutants[MANY - 1].effect = SONDE_EFFECT_LOST;
    sonde_free(m.files);
    sonde_free(m.ranked);
    sonde_free(m.first_screen);
    m.n_files = m.n_ranked = m.n_first_screen = 0;
    sonde_mutation_sum_up(&m);
    for (uint32_t i = 0; i < 10; i++) assert_int_equal(m.ranked[m.first_screen[i]], i); /* it may be equivalent */
    sonde_mutation_clear(&m);
}

static void large_changes_with_far_effects_come_first(void **state)
{
    (void)state;
    struct sonde_mutation m;
    struct sonde_mutant_ changed[N];
    set_up(&m);
    for (uint32_t i = 0; i < N; i++) {
        changed[i] = *m.mutants[i].mutant;
        m.mutants[i].mutant = &changed[i];
        effect(&m.mutants[i], SONDE_EFFECT_WAY, 10);
    }
    changed[0].hints = SONDE_MUTANT_ROOM_;
    changed[1].hints = SONDE_MUTANT_NUDGES_;
    effect(&m.mutants[2], SONDE_EFFECT_NONE, 0);
    effect(&m.mutants[3], SONDE_EFFECT_LOST, 10);
    m.mutants[1].far = m.mutants[5].far = 10;
    sonde_mutation_sum_up(&m);
    const uint32_t want[] = {5, 4, 1, 0, 3, 2};
    assert_memory_equal(m.ranked, want, sizeof want);
    sonde_mutation_clear(&m);
}

static void advice_follows_from_place_and_effect(void **state)
{
    (void)state;
    struct sonde_mutation m;
    set_up(&m);
    for (uint32_t i = 1; i < N; i++) effect(&m.mutants[i], SONDE_EFFECT_VALUE, 1);
    sonde_mutation_sum_up(&m);
    const enum sonde_mutant_advice want[] = {SONDE_ADVICE_INPUT,  SONDE_ADVICE_VALUE, SONDE_ADVICE_WRITTEN,
                                             SONDE_ADVICE_BOUNDS, SONDE_ADVICE_LEAK,  SONDE_ADVICE_ERROR_PATH};
    for (uint32_t i = 0; i < N; i++) assert_int_equal(m.mutants[i].advice, want[i]);
    sonde_mutation_clear(&m);
}

static void counts_are_per_file_property_and_check(void **state)
{
    (void)state;
    struct sonde_mutation m;
    set_up(&m);
    m.has_matrix = true;
    kill_by(&m.mutants[0], 0, 0);
    kill_by(&m.mutants[1], 0, 0);
    kill_by(&m.mutants[1], 1, 1);
    kill_by(&m.mutants[5], 1, 1);
    m.mutants[2].fate = SONDE_FATE_NEVER_REACHED;
    m.mutants[4].fate = SONDE_FATE_NOT_TRIED;
    sonde_mutation_sum_up(&m);
    assert_int_equal(m.n_files, 2);
    assert_string_equal(m.files[0].name, "a.c");
    assert_int_equal(m.files[0].mutants, 4);
    assert_int_equal(m.files[0].fates[SONDE_FATE_KILLED], 2);
    assert_int_equal(m.files[1].fates[SONDE_FATE_NOT_TRIED], 1);
    assert_int_equal(m.fates[SONDE_FATE_KILLED], 3);
    assert_int_equal(m.kills[SONDE_KILL_CHECK], 3);
    assert_int_equal(m.properties[0].kills, 2);
    assert_int_equal(m.properties[0].alone, 1);
    assert_int_equal(m.properties[1].kills, 2);
    assert_int_equal(m.properties[1].alone, 1);
    assert_int_equal(m.checks[0].kills, 2);
    assert_int_equal(m.checks[0].alone, 1);
    sonde_mutation_clear(&m);
}

/* ---- The state */

static void judge_some(struct sonde_mutation *m)
{
    kill_by(&m->mutants[0], 1, 1);
    m->mutants[0].tape = 5;
    m->mutants[0].reached = 12;
    m->mutants[0].in_series = true;
    m->mutants[0].token = sonde_strdup("s1:a=3");
    m->mutants[0].message = sonde_strdup("got 1\n\twant 2");
    effect(&m->mutants[1], SONDE_EFFECT_WAY, 4);
    m->mutants[1].runs = 90;
    m->mutants[1].searches = 2;
    for (uint32_t i = 2; i < N; i++) m->mutants[i].fate = SONDE_FATE_NOT_JUDGED;
}

static void a_state_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct sonde_mutation m, back;
    set_up(&m);
    judge_some(&m);
    char *text = sonde_state_write(&m, KEY);
    set_up(&back);
    for (uint32_t i = 0; i < N; i++) back.mutants[i].fate = SONDE_FATE_NOT_JUDGED;
    assert_int_equal(sonde_state_read(&back, KEY, text), 2);
    const struct sonde_mutant_result *r = &back.mutants[0];
    assert_int_equal(r->fate, SONDE_FATE_KILLED);
    assert_int_equal(r->killer, 1);
    assert_int_equal(r->kills[1].check, 1);
    assert_int_equal(r->kills[0].kind, SONDE_KILL_NONE);
    assert_int_equal(r->tape, 5);
    assert_int_equal(r->reached, 12);
    assert_true(r->in_series && !back.mutants[1].in_series);
    assert_int_equal(back.mutants[1].searches, 2);
    assert_string_equal(r->token, "s1:a=3");
    assert_string_equal(r->message, "got 1  want 2");
    assert_int_equal(back.mutants[1].other_way, 4);
    assert_int_equal(back.mutants[1].runs, 90);
    assert_int_equal(back.mutants[2].fate, SONDE_FATE_NOT_JUDGED);
    assert_int_equal(back.n_checks, 2);
    sonde_free(text);
    sonde_mutation_clear(&m);
    sonde_mutation_clear(&back);
}

static void a_state_of_another_run_is_not_read(void **state)
{
    (void)state;
    struct sonde_mutation m;
    set_up(&m);
    judge_some(&m);
    char *text = sonde_state_write(&m, KEY + 1);
    assert_true(sonde_state_read(&m, KEY, text) < 0);
    assert_true(sonde_state_read(&m, KEY, "") < 0);
    sonde_free(text);
    sonde_mutation_clear(&m);
}

/* Every prefix, and every change of one byte, is read whole or not at all. */
static void a_damaged_state_changes_nothing_or_is_sound(void **state)
{
    (void)state;
    struct sonde_mutation m;
    set_up(&m);
    judge_some(&m);
    char *text = sonde_state_write(&m, KEY);
    size_t n = strlen(text);
    for (size_t i = 0; i < 2 * n; i++) {
        struct sonde_mutation back;
        char *damaged = sonde_strndup(text, i < n ? i : n);
        if (i >= n) damaged[i - n] = (char)("\t\n9-x"[i % 5]);
        set_up(&back);
        for (uint32_t k = 0; k < N; k++) back.mutants[k].fate = SONDE_FATE_NOT_JUDGED;
        if (sonde_state_read(&back, KEY, damaged) < 0)
            for (uint32_t k = 0; k < N; k++) assert_int_equal(back.mutants[k].fate, SONDE_FATE_NOT_JUDGED);
        sonde_mutation_sum_up(&back); /* which uses every index */
        sonde_mutation_clear(&back);
        sonde_free(damaged);
    }
    sonde_free(text);
    sonde_mutation_clear(&m);
}

/* ---- The inputs */

static void set_up_judges(struct sonde_judge_of *of)
{
    memset(of, 0, 2 * sizeof *of);
    for (uint32_t p = 0; p < 2; p++) sonde_labels_init(&of[p].labels);
}

static void clear_judges(struct sonde_judge_of *of)
{
    for (uint32_t p = 0; p < 2; p++) sonde_judge_of_clear(&of[p]);
}

/* The first property has two inputs, the second is refused. */
static void search_some(struct sonde_judge_of *of, struct sonde_mutation *m)
{
    static const char *const tokens[] = {"s1:a=3 xs[{x=1} {x=2}]", "s1:a=4"};
    set_up(m);
    set_up_judges(of);
    for (uint32_t p = 0; p < 2; p++) sonde_bank_init(&of[p].bank, sonde_mutants_sites(), 1 << 20);
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t sites[] = {i ? 1 << 2 : 1 << 2 | 1 << 5};
        struct sonde_tape tape;
        sonde_tape_init(&tape);
        assert_int_equal(sonde_tape_from_text(&tape, &of[0].labels, tokens[i], strlen(tokens[i]), NULL), 0);
        sonde_bank_offer(&of[0].bank, &tape, sites, i ? 1 : 2, false);
        sonde_tape_clear(&tape);
    }
    of[0].bank.inputs[0].size = 77;
    of[0].bank.reached[2] = 900;
    of[0].fill = 0x5a;
    of[0].options.timeout_cpu = 0.1;
    *sonde_map_at(&of[0].known, UINT64_C(0xfedcba9876543210)) = 1;
    m->properties[0].cases = 1000;
    m->properties[0].valid = 950;
    m->properties[1].refusal = sonde_strdup("x == y does not hold");
}

static void inputs_are_read_as_they_were_written(void **state)
{
    (void)state;
    struct sonde_judge_of of[2], back[2];
    struct sonde_mutation m, n;
    search_some(of, &m);
    char *text = sonde_inputs_write(of, &m, KEY);
    set_up(&n);
    set_up_judges(back);
    back[0].options.timeout_wall_given = true;
    back[0].options.timeout_wall = 7;
    assert_true(sonde_inputs_read(back, &n, KEY, text));
    assert_int_equal(back[0].bank.n, 2);
    assert_int_equal(back[0].bank.inputs[0].size, 77);
    assert_int_equal(back[0].bank.have[2], 2);
    assert_int_equal(back[0].bank.have[5], 1);
    assert_int_equal(back[0].bank.reached[2], 900);
    assert_int_equal(back[0].fill, 0x5a);
    assert_true(back[0].options.timeout_cpu == 0.1 && back[0].options.timeout_wall == 7);
    assert_int_equal(sonde_map_get(&back[0].known, UINT64_C(0xfedcba9876543210)), 1);
    char *token = sonde_tape_to_text(&back[0].bank.inputs[0].tape, &back[0].labels);
    assert_string_equal(token, "s1:a=3 xs[{x=1} {x=2}]");
    assert_int_equal(n.properties[0].cases, 1000);
    assert_int_equal(n.properties[0].tapes, 2);
    assert_null(n.properties[0].refusal);
    assert_string_equal(n.properties[1].refusal, "x == y does not hold");
    sonde_free(token);
    sonde_free(text);
    clear_judges(of);
    clear_judges(back);
    sonde_mutation_clear(&m);
    sonde_mutation_clear(&n);
}

static void damaged_inputs_are_not_read(void **state)
{
    (void)state;
    struct sonde_judge_of of[2];
    struct sonde_mutation m;
    search_some(of, &m);
    char *text = sonde_inputs_write(of, &m, KEY);
    size_t n = strlen(text);
    clear_judges(of);
    sonde_mutation_clear(&m);
    for (size_t i = 0; i <= 2 * n; i++) {
        char *copy = sonde_strdup(text);
        if (i < n) copy[i] = 0;
        else if (i < 2 * n) copy[i - n] ^= 1;
        set_up(&m);
        set_up_judges(of);
        assert_false(sonde_inputs_read(of, &m, i == 2 * n ? KEY + 1 : KEY, copy));
        assert_true(!of[0].bank.n && !m.properties[0].cases);
        clear_judges(of);
        sonde_mutation_clear(&m);
        sonde_free(copy);
    }
    sonde_free(text);
}

/* Each mutant comes once, and a tenth of them is spread over all tenths of the program. */
static void mutants_are_judged_all_over_the_program(void **state)
{
    (void)state;
    enum { MOST = 1200 };
    for (uint32_t n = 1; n <= MOST; n++) {
        unsigned char seen[MOST] = {0};
        unsigned in_tenth[10] = {0};
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = sonde_mutation_nth(n, i);
            assert_in_range(at, 0, n - 1);
            assert_false(seen[at]++);
            if (i < n / 10) in_tenth[10 * (uint64_t)at / n]++;
        }
        for (int k = 0; k < 10 && n >= 400; k++) assert_in_range(in_tenth[k], n / 250, n / 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_follow_the_names_of_sources),
        cmocka_unit_test(one_mutant_is_chosen_at_a_time),
        cmocka_unit_test(reached_sites_are_numbered_over_the_program),
        cmocka_unit_test(survivors_are_ranked_by_effect_then_by_how_many_inputs_show_it),
        cmocka_unit_test(the_first_screen_has_one_per_statement),
        cmocka_unit_test(large_changes_with_far_effects_come_first),
        cmocka_unit_test(advice_follows_from_place_and_effect),
        cmocka_unit_test(counts_are_per_file_property_and_check),
        cmocka_unit_test(a_state_is_read_as_it_was_written),
        cmocka_unit_test(a_state_of_another_run_is_not_read),
        cmocka_unit_test(a_damaged_state_changes_nothing_or_is_sound),
        cmocka_unit_test(inputs_are_read_as_they_were_written),
        cmocka_unit_test(damaged_inputs_are_not_read),
        cmocka_unit_test(mutants_are_judged_all_over_the_program),
        cmocka_unit_test(the_first_screen_is_spread_over_functions), /* last: it adds mutants */
    };
    return cmocka_run_group_tests(tests, add_tables, NULL);
}
