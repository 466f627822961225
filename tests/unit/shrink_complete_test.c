/* A result that is called complete has no smaller neighbour that fails. The properties fail on arbitrary inputs, so no
 * search can rely on order, and a candidate that a pass skips may fail. The neighbours are listed here, without the
 * passes: they are the simple classes of docs/shrinking.md, each in full. */
#include "lib/shrinking.h"
#include "shrink/pass.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Properties */

enum { SEEDS = 150, PLENTY = 1000000, SOME = 3, FEW = 31 };

/* About one of passing + 1 inputs fails, a power of two; which ones depends on the seed alone. */
static void fail_at_random(sonde *t, uint64_t hash, unsigned passing)
{
    const uint64_t *seed = sonde_context(t);
    hash = (hash ^ *seed) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
    sonde_check(t, hash * UINT64_C(0xbf58476d1ce4e5b9) >> 32 & passing);
}

static uint64_t stir(uint64_t hash, uint64_t x)
{
    hash = (hash ^ x) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    return hash ^ hash >> 31;
}

static void numbers(sonde *t)
{
    uint64_t hash = stir(1, sonde_u64(t, "flags", 0, 255));
    hash = stir(hash, (uint64_t)sonde_int(t, "x", -40, 40));
    hash = stir(hash, sonde_u64(t, "small", 0, 5));
    hash = stir(hash, sonde_pick(t, "pick", 7));
    fail_at_random(t, hash, SOME);
}

static void large_numbers(sonde *t)
{
    uint64_t hash = stir(2, sonde_u64(t, "x", 0, 100000));
    fail_at_random(t, stir(hash, (uint64_t)sonde_int(t, "y", INT_MIN, INT_MAX)), SOME);
}

static void a_list(sonde *t)
{
    uint64_t hash = 3;
    sonde_list xs = sonde_list_of(t, "xs", 0, 6);
    while (sonde_more(&xs)) hash = stir(hash, sonde_u64(t, "x", 0, 3));
    fail_at_random(t, hash, SOME);
}

static void a_long_list(sonde *t)
{
    uint64_t hash = 4;
    sonde_list xs = sonde_list_of(t, "xs", 20, 40);
    while (sonde_more(&xs)) hash = stir(hash, sonde_bool(t, "x"));
    fail_at_random(t, hash, SOME);
}

static void a_loop(sonde *t)
{
    int n = sonde_int(t, "n", 0, 5);
    uint64_t hash = 5;
    for (int i = 0; i < n; i++) hash = stir(hash, sonde_u64(t, "key", 0, 9));
    fail_at_random(t, hash, SOME);
}

static uint64_t draw_tree(sonde *t, int depth)
{
    sonde_span(t, "tree");
    size_t kind = sonde_pick(t, "kind", depth < 3 ? 5 : 2);
    uint64_t hash = stir(6, kind);
    if (kind == 1) hash = stir(hash, sonde_u64(t, "leaf", 0, 3));
    for (size_t i = 1; i < kind; i++) hash = stir(hash, draw_tree(t, depth + 1));
    return hash;
}

static void a_tree(sonde *t)
{
    fail_at_random(t, draw_tree(t, 0), SOME);
}

static uint64_t draw_wide(sonde *t, int depth)
{
    sonde_span(t, "tree");
    size_t n = sonde_pick(t, "n", depth < 2 ? 8 : 1);
    uint64_t hash = stir(11, n);
    if (n == 0) hash = stir(hash, sonde_u64(t, "leaf", 0, 1));
    while (n-- > 0) hash = stir(hash, draw_wide(t, depth + 1));
    return hash;
}

static void wide_tree(sonde *t)
{
    fail_at_random(t, draw_wide(t, 0), FEW);
}

static void far_fields(sonde *t)
{
    static const char *const between[] = {"b", "c", "d", "e", "f"};
    uint64_t hash = stir(12, sonde_u64(t, "a", 0, 50));
    for (unsigned i = 0; i < 5; i++) hash = stir(hash, sonde_u64(t, between[i], 0, i + 1));
    fail_at_random(t, stir(hash, sonde_u64(t, "z", 0, 50)), FEW);
}

static void flags_in_a_list(sonde *t)
{
    uint64_t hash = 13;
    sonde_list xs = sonde_list_of(t, "xs", 0, 4);
    while (sonde_more(&xs)) hash = stir(hash, sonde_u64(t, "flags", 0, 255));
    fail_at_random(t, hash, FEW);
}

static void bytes(sonde *t)
{
    size_t n;
    const uint8_t *b = sonde_bytes(t, "b", 0, 5, &n);
    uint64_t hash = stir(7, n);
    for (size_t i = 0; i < n; i++) hash = stir(hash, b[i]);
    fail_at_random(t, hash, SOME);
}

static void two_texts(sonde *t)
{
    uint64_t hash = 8;
    for (const char *s = sonde_string_of(t, "s", "abc", 0, 14); *s; s++) hash = stir(hash, (unsigned char)*s);
    for (const char *s = sonde_string_of(t, "r", "abc", 0, 3); *s; s++) hash = stir(hash, (unsigned char)*s);
    fail_at_random(t, hash, SOME);
}

static void many_fields(sonde *t)
{
    char label[8] = "f0";
    uint64_t hash = 9;
    for (int i = 0; i < 40; i++) {
        label[1] = (char)('0' + i);
        hash = stir(hash, sonde_u64(t, label, 0, 2));
    }
    fail_at_random(t, hash, SOME);
}

static void discarding(sonde *t)
{
    uint64_t n = sonde_u64(t, "n", 0, 4), sum = 0, hash = 10;
    sonde_list xs = sonde_list_of(t, "xs", 0, 4);
    sonde_assume(t, xs.n == n);
    while (sonde_more(&xs)) {
        uint64_t x = sonde_u64(t, "x", 0, 9);
        hash = stir(hash, x);
        sum += x;
    }
    sonde_assume(t, sonde_u64(t, "sum", 0, 40) == sum);
    fail_at_random(t, hash, SOME);
}

/* ---- Neighbours. Each function proposes one class; the shrinker's generation tells whether one was smaller and failed. */

static void lower_choices(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices; i++) {
        const struct sonde_choice *c = &s->best.choices[i];
        if (c->kind == SONDE_KIND_BLOB || c->kind == SONDE_KIND_LENGTH) continue;
        bool is_number = c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT;
        sonde_wide v;
        sonde_try_index(s, i, 0);
        for (uint64_t x = 1; !is_number && c->index <= 8 && x < c->index; x++) sonde_try_index(s, i, x);
        if (is_number && sonde_number(&s->best, i, &v)) sonde_try_number(s, i, v < 0 ? v + 1 : v - 1);
        /* without a bound on calls, what a search has shown may speak against these */
        for (int k = 0; is_number && k < 63 && s->test->max_calls; k++)
            if (sonde_number(&s->best, i, &v) && (sonde_wide)1 << k < (v < 0 ? -v : v))
                sonde_try_number(s, i, v < 0 ? v + ((sonde_wide)1 << k) : v - ((sonde_wide)1 << k));
    }
}

/* Exchanges a draw with the next one of its span that has the same domain. */
static void swap_fields(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices; i++) {
        const struct sonde_choice *x = &s->best.choices[i], *y = x + 1;
        if (x->kind != SONDE_KIND_UINT) continue;
        const struct sonde_choice *end = &s->best.choices[s->best.spans[x->span].end];
        while (y < end && (y->span != x->span || y->kind != x->kind || y->max != x->max || y->base != x->base)) y++;
        if (y >= end) continue;
        sonde_edit_begin(s);
        sonde_edit_set(s, i, y->index);
        sonde_edit_set(s, (uint32_t)(y - s->best.choices), x->index);
        sonde_edit_try(s);
        if (s->generation) return;
    }
}

static void drop_items(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs; q++)
        for (uint32_t i = 0; i < s->seqs[q].n; i++) {
            sonde_edit_begin(s);
            sonde_edit_drop_items(s, &s->seqs[q], i, i + 1);
            sonde_edit_try(s);
            if (s->generation) return;
            for (uint32_t k = i + 1; k < s->seqs[q].n; k++) {
                struct sonde_seq seq = s->seqs[q];
                sonde_edit_begin(s);
                sonde_edit_drop_items(s, &seq, k, k + 1);
                sonde_edit_drop_items(s, &seq, i, i + 1);
                if (seq.length != UINT32_MAX && s->script.choices[seq.length].index > 0)
                    s->script.choices[seq.length].index--;
                sonde_edit_try(s);
                if (s->generation) return;
            }
        }
}

/* Swaps neighbours among the elements of lists. */
static void swap_items(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs; q++)
        for (uint32_t i = 0; s->seqs[q].kind == SONDE_SEQ_LIST && i + 1 < s->seqs[q].n; i++) {
            const uint32_t *pieces = &s->pieces[s->starts[s->seqs[q].first]];
            const uint32_t spans[2] = {pieces[i] & ~SONDE_PIECE_SPAN, pieces[i + 1] & ~SONDE_PIECE_SPAN};
            sonde_edit_begin(s);
            sonde_edit_permute(s, spans, (uint32_t[]){1, 0}, 2);
            sonde_edit_try(s);
            if (s->generation) return;
        }
}

/* Reports whether span k is in span i, of its label, with no other span of that label around it in i. */
static bool is_nearest(const struct sonde_tape *t, uint32_t i, uint32_t k)
{
    bool is_nearest = k > i && k < t->spans[i].next;
    for (uint32_t m = i + 1; m < k; m++) is_nearest &= t->spans[m].label != t->spans[i].label || t->spans[m].next <= k;
    return is_nearest;
}

static void change_spans(struct sonde_shrinker *s)
{
    for (uint32_t i = 1; i < s->best.n_spans; i++) {
        const struct sonde_tape *t = &s->best;
        sonde_edit_begin(s);
        sonde_edit_empty_span(s, i);
        sonde_edit_try(s);
        if (s->generation) return;
        for (uint32_t k = 1; k < t->n_spans; k++) {
            const struct sonde_tape_span *p = &t->spans[i], *r = &t->spans[k];
            bool is_inside = k > i && k < p->next, is_around = k < i && i < r->next;
            bool is_simpler = r->end - r->start > 1 && p->end - p->start > 1
                              && t->choices[r->start].index < t->choices[p->start].index;
            if (k == i || is_around || r->label != p->label) continue;
            if (is_inside ? !is_nearest(t, i, k) : !is_simpler) continue;
            sonde_edit_begin(s);
            sonde_script_replace(&s->script, t, i, t, k);
            sonde_try_once(s, &s->script);
            if (s->generation) return;
        }
    }
}

static void try_symbols(struct sonde_shrinker *s, uint32_t choice, const uint32_t *symbols, uint32_t n)
{
    struct sonde_blob blob = sonde_choice_blob(&s->best, &s->best.choices[choice]);
    if (n < blob.min || s->generation) return;
    sonde_edit_begin(s);
    sonde_edit_blob(s, choice, symbols, n);
    sonde_edit_try(s);
}

/* Removes one or two symbols, swaps neighbours, and lowers one symbol to 0, by one, or (bytes) to every value. */
static void change_symbols(struct sonde_shrinker *s, uint32_t choice)
{
    struct sonde_blob blob = sonde_choice_blob(&s->best, &s->best.choices[choice]);
    uint32_t old[64], new[64], n = blob.len;
    bool is_short = n <= 4 && blob.alphabet.kind == SONDE_ALPHABET_BYTES;
    assert_true(n < 64);
    sonde_blob_read(&blob, old, n);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i; k < n; k++) {
            uint32_t kept = 0;
            for (uint32_t at = 0; at < n; at++)
                if (at != i && at != k) new[kept++] = old[at];
            try_symbols(s, choice, new, kept);
        }
        memcpy(new, old, sizeof new);
        for (uint32_t x = 0; x < old[i]; x++) {
            new[i] = x;
            if (x == 0 || x + 1 == old[i] || is_short) try_symbols(s, choice, new, n);
        }
        memcpy(new, old, sizeof new);
        if (i + 1 < n && old[i + 1] < old[i]) {
            new[i] = old[i + 1];
            new[i + 1] = old[i];
            try_symbols(s, choice, new, n);
        }
        if (s->generation) return;
    }
}

static void change_blobs(struct sonde_shrinker *s)
{
    for (uint32_t i = 0; i < s->best.n_choices; i++)
        if (s->best.choices[i].kind == SONDE_KIND_BLOB) change_symbols(s, i);
}

/* Fails if a neighbour of the shrunk tape is smaller and fails. */
static void expect_no_neighbour(struct shrinking *made, unsigned seed)
{
    void (*const classes[])(struct sonde_shrinker *) = {lower_choices, swap_fields,  drop_items,
                                                        swap_items,    change_spans, change_blobs};
    struct sonde_shrinker s;
    memset(&s, 0, sizeof s);
    s.test = &made->test;
    s.known = sonde_known_create();
    sonde_tape_copy(&s.best, &made->tape);
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
        classes[i](&s);
        if (s.generation) fail_msg("seed %u: complete, but class %u has a smaller input than %s", seed, i, made->text);
    }
    sonde_shrinker_clear(&s);
}

/* Shrinks failures of a property, and checks each result that is called complete. Returns how many are. */
static unsigned check(sonde_property_fn *property, uint64_t max_calls)
{
    struct shrinking s;
    uint64_t seed;
    unsigned complete = 0;
    shrinking_init(&s, property);
    s.property.context = &seed;
    s.test.max_calls = max_calls;
    for (seed = 1; seed <= SEEDS; seed++) {
        assert_true(shrinking_find(&s, seed, 0));
        shrinking_run(&s);
        if (!s.result.complete) continue;
        complete++;
        expect_no_neighbour(&s, (unsigned)seed);
    }
    shrinking_clear(&s);
    return complete;
}

#define COMPLETE(name, least, most)                                                                                    \
    static void name##_have_no_smaller_neighbour(void **state)                                                         \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        unsigned n = check(name, 0), all = check(name, PLENTY);                                                        \
        if (n < (least)) fail_msg("only %u of %u complete", n, SEEDS);                                                 \
        if (all < (most)) fail_msg("with enough calls only %u of %u complete", all, SEEDS);                            \
    }
COMPLETE(numbers, SEEDS, SEEDS)
COMPLETE(large_numbers, SEEDS, SEEDS)
COMPLETE(a_list, SEEDS, SEEDS)
COMPLETE(a_long_list, 100, 100)
COMPLETE(a_loop, SEEDS, SEEDS)
COMPLETE(a_tree, SEEDS, SEEDS)
COMPLETE(wide_tree, 120, SEEDS)
COMPLETE(far_fields, 80, SEEDS)
COMPLETE(flags_in_a_list, 80, 140)
COMPLETE(bytes, SEEDS, SEEDS)
COMPLETE(two_texts, SEEDS, SEEDS)
COMPLETE(many_fields, SEEDS, SEEDS)
COMPLETE(discarding, 140, SEEDS)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_no_smaller_neighbour),
        cmocka_unit_test(large_numbers_have_no_smaller_neighbour),
        cmocka_unit_test(a_list_have_no_smaller_neighbour),
        cmocka_unit_test(a_long_list_have_no_smaller_neighbour),
        cmocka_unit_test(a_loop_have_no_smaller_neighbour),
        cmocka_unit_test(a_tree_have_no_smaller_neighbour),
        cmocka_unit_test(bytes_have_no_smaller_neighbour),
        cmocka_unit_test(two_texts_have_no_smaller_neighbour),
        cmocka_unit_test(wide_tree_have_no_smaller_neighbour),
        cmocka_unit_test(far_fields_have_no_smaller_neighbour),
        cmocka_unit_test(flags_in_a_list_have_no_smaller_neighbour),
        cmocka_unit_test(many_fields_have_no_smaller_neighbour),
        cmocka_unit_test(discarding_have_no_smaller_neighbour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
