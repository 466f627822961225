/* The solvers of the guide `goal`, on systems that the tests make. No case is run. */
#include "guide/goal/bits.h"
#include "guide/goal/curve.h"
#include "guide/goal/lines.h"
#include "guide/goal/sum.h"
#include "guide/goal/root.h"
#include "lib/mocka.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct sonde_rng rng;
static struct sonde_lines lines;
static uint64_t work;

static int set_up(void **state)
{
    (void)state;
    sonde_rng_seed(&rng, 7, 0);
    memset(&lines, 0, sizeof lines);
    work = 0;
    return 0;
}

/* ---- Lines */

static void add_axes(uint32_t n, uint64_t down, uint64_t up)
{
    lines.n_axes = n;
    for (uint32_t i = 0; i < n; i++) lines.up[i] = up, lines.down[i] = down;
}

static void add_row(uint8_t bytes, int64_t now, const int64_t *slopes)
{
    struct sonde_goal_line *row = &lines.rows[lines.n_rows++];
    *row = (struct sonde_goal_line){.bytes = bytes, .is_equation = true, .now = now};
    memcpy(row->slopes, slopes, lines.n_axes * sizeof *slopes);
}

static void assert_solved(const int64_t *steps, uint32_t n_rows)
{
    for (uint32_t r = 0; r < n_rows; r++) {
        uint64_t sum = (uint64_t)lines.rows[r].now;
        for (uint32_t i = 0; i < lines.n_axes; i++) sum += (uint64_t)lines.rows[r].slopes[i] * (uint64_t)steps[i];
        assert_int_equal(sonde_wrap(sum - (uint64_t)lines.rows[r].want, lines.rows[r].bytes), 0);
    }
    for (uint32_t i = 0; i < lines.n_axes; i++)
        assert_true(steps[i] < 0 ? 0 - (uint64_t)steps[i] <= lines.down[i] : (uint64_t)steps[i] <= lines.up[i]);
}

static bool solve(enum sonde_lines_way way, int64_t *steps)
{
    return sonde_lines_solve(&lines, way, &rng, steps, &work);
}

static void numbers_wrap_at_their_width(void **state)
{
    (void)state;
    assert_int_equal(sonde_wrap(0x180, 1), -128);
    assert_int_equal(sonde_wrap(0x18000, 2), -32768);
    assert_int_equal(sonde_wrap(UINT64_C(0xffffffff), 4), -1);
    assert_int_equal(sonde_wrap(UINT64_MAX, 8), -1);
}

static void odd_numbers_have_inverses(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t a = sonde_rng_next(&rng) | 1;
        assert_true(a * sonde_inverse(a) == 1);
    }
}

static void one_equation_of_three_numbers(void **state)
{
    (void)state;
    int64_t steps[SONDE_LINES_AXES];
    add_axes(3, 2000000, 2000000);
    add_row(4, -1000003, (int64_t[]){3, 5, -2});
    assert_true(solve(SONDE_LINES_BOUNDED, steps));
    assert_solved(steps, 1);
    assert_true(work > 0);
}

/* A direction that keeps the second equation, and a step along it: as an attack solves two equations. */
static void two_equations_with_one_solution(void **state)
{
    (void)state;
    int64_t by[SONDE_LINES_AXES], steps[SONDE_LINES_AXES];
    add_axes(3, 2000000, 2000000); /* the third axis is the direction */
    add_row(4, -90002, (int64_t[]){3, -1, 0});
    add_row(4, 0, (int64_t[]){1, 2, 0});
    lines.n_axes = 2;
    assert_true(sonde_lines_direction(&lines, 0, &rng, by));
    assert_int_equal(by[0], -2 * by[1]);
    lines.n_axes = 3;
    lines.rows[0].slopes[2] = 3 * by[0] - by[1];
    lines.rows[0].now = -5 * lines.rows[0].slopes[2];
    assert_true(solve(SONDE_LINES_INVERSE, steps));
    assert_int_equal(steps[2], 5);
    assert_solved(steps, 2);
}

static void no_solution_is_no_answer(void **state)
{
    (void)state;
    int64_t steps[SONDE_LINES_AXES];
    add_axes(2, 1000, 1000);
    add_row(4, -7, (int64_t[]){2, 4}); /* even = odd */
    for (enum sonde_lines_way way = 0; way < SONDE_LINES_NEAREST; way++) assert_false(solve(way, steps));
    lines.rows[0].now = -100000; /* out of range */
    for (enum sonde_lines_way way = 0; way < SONDE_LINES_NEAREST; way++) assert_false(solve(way, steps));
}

static void a_system_without_axes_has_no_solution(void **state)
{
    (void)state;
    int64_t steps[SONDE_LINES_AXES];
    add_row(4, -7, (int64_t[]){0});
    for (enum sonde_lines_way way = 0; way <= SONDE_LINES_NEAREST; way++) assert_false(solve(way, steps));
}

/* 0x9e3779b1 * x has the value 12345 modulo 2^32 for exactly one x of 32 bits. */
static void a_multiplication_that_wraps_is_inverted(void **state)
{
    (void)state;
    int64_t steps[SONDE_LINES_AXES];
    add_axes(1, 0, UINT32_MAX);
    add_row(4, -12345, (int64_t[]){(int32_t)0x9e3779b1});
    assert_true(solve(SONDE_LINES_INVERSE, steps));
    assert_int_equal((uint32_t)steps[0] * UINT32_C(0x9e3779b1), 12345);
    lines.up[0] = (uint64_t)steps[0] - 1;
    assert_false(solve(SONDE_LINES_INVERSE, steps));
}

static void even_slopes_are_inverted_where_they_divide(void **state)
{
    (void)state;
    int64_t steps[SONDE_LINES_AXES];
    add_axes(1, 0, UINT64_MAX);
    add_row(8, -24, (int64_t[]){8 * 77});
    assert_true(solve(SONDE_LINES_INVERSE, steps));
    assert_solved(steps, 1);
    lines.rows[0].now = -25;
    assert_false(solve(SONDE_LINES_INVERSE, steps));
}

/* h = h * 33 + byte, eight times, modulo 2^32. */
static void a_hash_of_bytes_is_solved_by_bounds(void **state)
{
    (void)state;
    int64_t steps[SONDE_LINES_AXES], slopes[8];
    uint32_t factor = 1, h = 5381;
    for (int i = 7; i >= 0; i--, factor *= 33) slopes[i] = (int32_t)factor;
    for (int i = 0; i < 8; i++) h = h * 33;
    add_axes(8, 0, 255);
    add_row(4, sonde_wrap((uint64_t)h - 0x1234567, 4), slopes);
    assert_true(solve(SONDE_LINES_BOUNDED, steps));
    assert_solved(steps, 1);
}

static void a_solution_keeps_the_signs_of_other_rows(void **state)
{
    (void)state;
    int64_t steps[SONDE_LINES_AXES];
    add_axes(2, 1000, 1000);
    add_row(4, -100, (int64_t[]){1, 1});
    add_row(4, -10, (int64_t[]){1, 0}); /* the first number stays below 10 */
    lines.rows[1].is_equation = false;
    lines.rows[1].least = INT64_MIN, lines.rows[1].most = -1;
    for (int i = 0; i < 50; i++) {
        assert_true(solve(SONDE_LINES_BOUNDED, steps));
        assert_solved(steps, 1);
        assert_true(steps[0] < 10);
    }
}

static void axes_that_leave_are_avoided(void **state)
{
    (void)state;
    int64_t steps[SONDE_LINES_AXES];
    add_axes(2, 1000, 1000);
    add_row(4, -100, (int64_t[]){1, 1});
    lines.leaves[0] = true;
    assert_true(solve(SONDE_LINES_INVERSE, steps));
    assert_int_equal(steps[0], 0);
    assert_int_equal(steps[1], 100);
}

static void a_direction_keeps_the_other_equations(void **state)
{
    (void)state;
    int64_t by[SONDE_LINES_AXES];
    add_axes(3, 1000, 1000);
    add_row(4, -5, (int64_t[]){3, -1, 0});
    add_row(4, 0, (int64_t[]){1, 2, 0}); /* a + 2b stays */
    assert_true(sonde_lines_direction(&lines, 0, &rng, by));
    assert_int_equal(by[0] + 2 * by[1], 0);
    assert_true(by[0] != 0 && by[2] == 0);
    assert_false(sonde_lines_direction(&lines, 2, &rng, by)); /* no equation depends on it */
}

static void an_equation_of_one_number_has_no_direction(void **state)
{
    (void)state;
    int64_t by[SONDE_LINES_AXES];
    add_axes(2, 1000, 1000);
    add_row(4, -5, (int64_t[]){3, -1});
    add_row(4, 0, (int64_t[]){1, 0});
    assert_false(sonde_lines_direction(&lines, 0, &rng, by));
}

static void the_nearest_step_stays_in_range(void **state)
{
    (void)state;
    int64_t steps[SONDE_LINES_AXES];
    add_axes(1, 10, 20);
    add_row(8, -1000, (int64_t[]){3});
    assert_true(solve(SONDE_LINES_NEAREST, steps));
    assert_int_equal(steps[0], 20);
    lines.rows[0].now = 1000;
    assert_true(solve(SONDE_LINES_NEAREST, steps));
    assert_int_equal(steps[0], -10);
}

/* ---- Curves */

/* The curve of x * y - product at (x, y). */
static struct sonde_curve product_at(int64_t x, int64_t y, int64_t product)
{
    return (struct sonde_curve){.n = 2,
                                .bytes = 8,
                                .at = x * y - product,
                                .first = {y, x},
                                .second = {{0, 1}},
                                .up = {100000 - (uint64_t)x, 100000 - (uint64_t)y},
                                .down = {(uint64_t)x - 2, (uint64_t)y - 2}};
}

static void a_curve_has_the_values_of_its_polynomial(void **state)
{
    (void)state;
    /* 3xx + 5xy - 7y + 11 at (2, 4), with differences for steps of 1 */
    struct sonde_curve c = {.n = 2, .bytes = 8, .at = 35, .first = {35, 3}, .second = {{6, 5}, {0, 0}}};
    for (int64_t i = -20; i < 20; i++)
        for (int64_t k = -20; k < 20; k++) {
            int64_t x = 2 + i, y = 4 + k;
            assert_int_equal(sonde_curve_value(&c, (int64_t[]){i, k}), 3 * x * x + 5 * x * y - 7 * y + 11);
        }
}

static void a_product_of_two_numbers_is_split(void **state)
{
    (void)state;
    int64_t steps[SONDE_CURVE_AXES];
    struct sonde_curve c = product_at(10, 20, INT64_C(3989) * 4001);
    assert_true(sonde_curve_solve(&c, 0, &rng, steps, &work));
    assert_int_equal((10 + steps[0]) * (20 + steps[1]), INT64_C(3989) * 4001);
}

/* w * h * d == 101 * 211 * 307 at (10, 20, 30). */
static void a_product_of_three_numbers_is_split(void **state)
{
    (void)state;
    const int64_t product = INT64_C(101) * 211 * 307;
    int64_t steps[SONDE_CURVE_AXES];
    struct sonde_curve c = {.n = 3,
                            .bytes = 8,
                            .at = 6000 - product,
                            .first = {600, 300, 200},
                            .second = {{0, 30, 20}, {0, 0, 10}},
                            .third = 1,
                            .up = {99990, 99980, 99970},
                            .down = {9, 19, 29}};
    assert_int_equal(sonde_curve_value(&c, (int64_t[]){91, 191, 277}), 0);
    assert_true(sonde_curve_solve(&c, 0, &rng, steps, &work));
    assert_int_equal((10 + steps[0]) * (20 + steps[1]) * (30 + steps[2]), product);
    c.at = 6000 - INT64_C(1000000007) * 1000000009;
    assert_false(sonde_curve_solve(&c, 0, &rng, steps, &work));
}

/* ---- Sums */

static void digits_are_found(void **state)
{
    (void)state;
    struct sonde_sum sum = {.n = 8, .bytes = 8};
    int64_t x[SONDE_SUM_TERMS], by = 1;
    for (uint32_t i = 8; i-- > 0; by *= 10) sum.by[i] = by, sum.hi[i] = 9;
    assert_true(sonde_sum_solve(&sum, 31337421, NULL, x, &work));
    const int64_t digits[] = {3, 1, 3, 3, 7, 4, 2, 1};
    assert_memory_equal(x, digits, sizeof digits);
    assert_false(sonde_sum_solve(&sum, 100000000, NULL, x, &work));
}

static void sums_wrap_around(void **state)
{
    (void)state;
    struct sonde_sum sum = {.n = 2, .bytes = 1, .by = {100, 1}, .hi = {2, 90}};
    int64_t x[SONDE_SUM_TERMS];
    assert_true(sonde_sum_solve(&sum, -6, NULL, x, &work)); /* 250 */
    assert_int_equal(x[0] * 100 + x[1], 250);
}

/* Hex digits: the values of a digit are not a range of codes, and the second counts 16 times as much. */
static void one_value_of_each_term_is_chosen(void **state)
{
    (void)state;
    const int64_t low[] = {1, 2, 9, 10, 15}, high[] = {16, 32, 144, 160, 240};
    struct sonde_sum sum = {.n = 2, .bytes = 4, .by = {15, 240}, .hi = {5, 5}, .effects = {low, high}};
    int64_t x[2];
    assert_true(sonde_sum_solve(&sum, 0xa2, NULL, x, &work));
    assert_int_equal(x[0], 2);
    assert_int_equal(x[1], 4);
    assert_true(sonde_sum_solve(&sum, 0xf, NULL, x, &work)); /* the second stays */
    assert_int_equal(x[1], 0);
    assert_false(sonde_sum_solve(&sum, 0x33, NULL, x, &work));
}

static bool is_odd(const void *of, const int64_t *x)
{
    (void)of;
    return x[0] % 2 == 1;
}

static void a_solution_that_is_not_accepted_is_not_returned(void **state)
{
    (void)state;
    struct sonde_sum sum = {.n = 2, .bytes = 4, .by = {3, 1}, .hi = {10, 10}, .accepts = is_odd};
    int64_t x[SONDE_SUM_TERMS];
    for (int i = 0; i < 20; i++) {
        assert_true(sonde_sum_solve(&sum, 12, &rng, x, &work));
        assert_int_equal(3 * x[0] + x[1], 12);
        assert_int_equal(x[0] % 2, 1);
    }
}

/* Two digits, which other comparisons keep within 0 .. 9. */
static void rows_of_one_number_bound_it(void **state)
{
    (void)state;
    int64_t steps[SONDE_LINES_AXES];
    add_axes(2, 200, 200);
    add_row(4, 25 - 83, (int64_t[]){10, 1}); /* the digits are 2 and 5 */
    for (uint32_t r = 1; r <= 2; r++) {
        add_row(4, 9 - (r == 1 ? 2 : 5), (int64_t[]){r == 1 ? -1 : 0, r == 2 ? -1 : 0});
        lines.rows[r].is_equation = false;
        lines.rows[r].least = 0, lines.rows[r].most = 9;
    }
    assert_true(solve(SONDE_LINES_BOUNDED, steps));
    assert_int_equal(steps[0], 6);
    assert_int_equal(steps[1], -2);
}

static void a_prime_is_not_split(void **state)
{
    (void)state;
    int64_t steps[SONDE_CURVE_AXES];
    struct sonde_curve c = product_at(10, 20, INT64_C(1000000007));
    assert_false(sonde_curve_solve(&c, 0, &rng, steps, &work));
}

static void a_square_has_a_root(void **state)
{
    (void)state;
    int64_t steps[SONDE_CURVE_AXES], a = 17;
    /* a * a - 1234 * a = 4169000 has the solutions 2750 and -1516 */
    struct sonde_curve c = {.n = 1,
                            .bytes = 8,
                            .at = a * a - 1234 * a - 4169000,
                            .first = {2 * a + 1 - 1234},
                            .second = {{2}},
                            .up = {1000000},
                            .down = {1000000}};
    assert_true(sonde_curve_solve(&c, 0, &rng, steps, &work));
    int64_t x = a + steps[0];
    assert_int_equal(x * x - 1234 * x, 4169000);
    c.up[0] = c.down[0] = 5;
    assert_false(sonde_curve_solve(&c, 0, &rng, steps, &work));
}

/* ---- Roots */

/* Runs a search until a value is within `close` of a root; returns the number of values, or 0. */
static uint32_t find_root(struct sonde_root *r, double (*f)(double), double lowest, double close)
{
    double x;
    for (uint32_t n = 1; sonde_root_next(r, &x); n++) {
        assert_true(x >= r->lo && x <= r->hi);
        if (x > lowest && fabs(f(x)) <= close) return n;
        sonde_root_learn(r, x > lowest, f(x));
    }
    return 0;
}

static double line(double x)
{
    return x * 0.75 - 1234.5;
}

static double cube(double x)
{
    return x * x * x - 2;
}

static double flat(double x)
{
    (void)x;
    return 1;
}

static double narrow(double x)
{
    return x - 1.500000001 + 1e-12;
}

static void a_line_is_met_at_once(void **state)
{
    (void)state;
    struct sonde_root r;
    sonde_root_begin(&r, 5, line(5), -1e6, 1e6, false);
    assert_in_range(find_root(&r, line, -1e6, 1e-9), 1, 4);
}

static void a_cube_is_bisected(void **state)
{
    (void)state;
    struct sonde_root r;
    sonde_root_begin(&r, 1000, cube(1000), -1e6, 1e6, false);
    assert_in_range(find_root(&r, cube, -1e6, 1e-12), 1, 90);
}

static void a_flat_function_is_given_up(void **state)
{
    (void)state;
    struct sonde_root r;
    sonde_root_begin(&r, 5, 1, -1e6, 1e6, false);
    assert_int_equal(find_root(&r, flat, -1e6, 0), 0);
    assert_true(r.steps < 20);
}

/* Below 1.5 the comparison is not made. */
static void a_root_close_to_the_end_of_the_path_is_found(void **state)
{
    (void)state;
    struct sonde_root r;
    sonde_root_begin(&r, 8, narrow(8), -1e6, 1e6, false);
    assert_in_range(find_root(&r, narrow, 1.5, 5e-13), 1, 30);
}

static void whole_numbers_stay_whole(void **state)
{
    (void)state;
    struct sonde_root r;
    double x;
    sonde_root_begin(&r, 100, cube(100), -1000, 1000, true);
    while (sonde_root_next(&r, &x)) {
        assert_true(x == rint(x));
        sonde_root_learn(&r, true, cube(x));
    }
    assert_true(r.x[0] + r.x[1] == 3); /* 1 and 2 are around the root */
}

/* ---- Bits */

static struct sonde_bits *bits;

static void make_bits(uint32_t n, uint32_t n_words)
{
    free(bits);
    bits = calloc(1, sizeof *bits);
    bits->n = n;
    bits->n_words = n_words;
    for (uint32_t i = 0; i < n; i++) bits->unknowns[i].bits[i / 64] = UINT64_C(1) << i % 64;
}

static bool has(const struct sonde_flips *flips, uint32_t i)
{
    return flips->bits[i / 64] >> i % 64 & 1;
}

static void assert_flips(const struct sonde_flips *flips, uint64_t (*effects)[SONDE_BITS_WORDS], uint32_t n,
                         const uint64_t *need, uint32_t n_words)
{
    for (uint32_t w = 0; w < n_words; w++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < n; i++) sum ^= has(flips, i) ? effects[i][w] : 0;
        assert_true(sum == need[w]);
    }
}

static void random_systems_of_bits_are_solved(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 100; k++) {
        uint32_t n = 1 + (uint32_t)sonde_rng_upto(&rng, 300), words = 1 + (uint32_t)sonde_rng_upto(&rng, 7);
        make_bits(n, words);
        uint64_t need[SONDE_BITS_WORDS] = {0};
        for (uint32_t i = 0; i < n; i++) {
            bool is_hidden = sonde_rng_next(&rng) & 1;
            for (uint32_t w = 0; w < words; w++) {
                bits->effects[i][w] = sonde_rng_next(&rng) & sonde_rng_next(&rng);
                if (is_hidden) need[w] ^= bits->effects[i][w];
            }
        }
        struct sonde_flips flips;
        assert_true(sonde_bits_solve(bits, need, k % 2 ? &rng : NULL, &flips, &work));
        assert_flips(&flips, bits->effects, n, need, words);
    }
    free(bits), bits = NULL;
}

static void a_bit_that_no_flip_changes_has_no_solution(void **state)
{
    (void)state;
    make_bits(63, 1);
    for (uint32_t i = 0; i < 63; i++) bits->effects[i][0] = UINT64_C(1) << i;
    struct sonde_flips flips;
    assert_true(sonde_bits_solve(bits, (uint64_t[]){UINT64_MAX >> 1}, &rng, &flips, &work));
    assert_false(sonde_bits_solve(bits, (uint64_t[]){UINT64_MAX}, &rng, &flips, &work));
    free(bits), bits = NULL;
}

static uint32_t crc32(const uint8_t *data, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

/* The flips of the message that give a wanted CRC follow from the effects of single flips. */
static void a_crc_is_solved(void **state)
{
    (void)state;
    uint8_t data[20] = "a message, and more";
    uint32_t want = UINT32_C(0xdeadbeef), now = crc32(data, sizeof data);
    make_bits(8 * sizeof data, 1);
    for (uint32_t i = 0; i < bits->n; i++) {
        data[i / 8] ^= (uint8_t)(1 << i % 8);
        bits->effects[i][0] = crc32(data, sizeof data) ^ now;
        data[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    struct sonde_flips flips;
    assert_true(sonde_bits_solve(bits, (uint64_t[]){now ^ want}, &rng, &flips, &work));
    for (uint32_t i = 0; i < bits->n; i++)
        if (has(&flips, i)) data[i / 8] ^= (uint8_t)(1 << i % 8);
    assert_true(crc32(data, sizeof data) == want);
    free(bits), bits = NULL;
}

static void combined_flips_change_only_the_first_word(void **state)
{
    (void)state;
    enum { N = 100, WORDS = 2 };
    make_bits(N, WORDS);
    uint64_t effects[N][SONDE_BITS_WORDS] = {{0}};
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t w = 0; w < WORDS; w++) bits->effects[i][w] = effects[i][w] = sonde_rng_next(&rng) & 0xffffffff;
    sonde_bits_keep_others(bits, &work);
    assert_in_range(bits->n, N - 32, N - 20);
    for (uint32_t k = 0; k < bits->n; k++) {
        uint64_t sum = 0;
        bool is_empty = true;
        for (uint32_t i = 0; i < N; i++)
            if (has(&bits->unknowns[k], i)) sum ^= effects[i][1], is_empty = false;
        assert_true(sum == 0 && !is_empty);
    }
    free(bits), bits = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(numbers_wrap_at_their_width, set_up),
        cmocka_unit_test_setup(odd_numbers_have_inverses, set_up),
        cmocka_unit_test_setup(one_equation_of_three_numbers, set_up),
        cmocka_unit_test_setup(two_equations_with_one_solution, set_up),
        cmocka_unit_test_setup(no_solution_is_no_answer, set_up),
        cmocka_unit_test_setup(a_system_without_axes_has_no_solution, set_up),
        cmocka_unit_test_setup(a_multiplication_that_wraps_is_inverted, set_up),
        cmocka_unit_test_setup(even_slopes_are_inverted_where_they_divide, set_up),
        cmocka_unit_test_setup(a_hash_of_bytes_is_solved_by_bounds, set_up),
        cmocka_unit_test_setup(a_solution_keeps_the_signs_of_other_rows, set_up),
        cmocka_unit_test_setup(axes_that_leave_are_avoided, set_up),
        cmocka_unit_test_setup(a_direction_keeps_the_other_equations, set_up),
        cmocka_unit_test_setup(an_equation_of_one_number_has_no_direction, set_up),
        cmocka_unit_test_setup(the_nearest_step_stays_in_range, set_up),
        cmocka_unit_test_setup(a_curve_has_the_values_of_its_polynomial, set_up),
        cmocka_unit_test_setup(a_product_of_two_numbers_is_split, set_up),
        cmocka_unit_test_setup(a_prime_is_not_split, set_up),
        cmocka_unit_test_setup(one_value_of_each_term_is_chosen, set_up),
        cmocka_unit_test_setup(a_square_has_a_root, set_up),
        cmocka_unit_test_setup(a_line_is_met_at_once, set_up),
        cmocka_unit_test_setup(a_cube_is_bisected, set_up),
        cmocka_unit_test_setup(a_flat_function_is_given_up, set_up),
        cmocka_unit_test_setup(a_root_close_to_the_end_of_the_path_is_found, set_up),
        cmocka_unit_test_setup(a_product_of_three_numbers_is_split, set_up),
        cmocka_unit_test_setup(digits_are_found, set_up),
        cmocka_unit_test_setup(sums_wrap_around, set_up),
        cmocka_unit_test_setup(a_solution_that_is_not_accepted_is_not_returned, set_up),
        cmocka_unit_test_setup(rows_of_one_number_bound_it, set_up),
        cmocka_unit_test_setup(whole_numbers_stay_whole, set_up),
        cmocka_unit_test_setup(random_systems_of_bits_are_solved, set_up),
        cmocka_unit_test_setup(a_bit_that_no_flip_changes_has_no_solution, set_up),
        cmocka_unit_test_setup(a_crc_is_solved, set_up),
        cmocka_unit_test_setup(combined_flips_change_only_the_first_word, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
