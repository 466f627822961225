/* The live screen: what it says, and that it stays in its place. */
#include "lib/mocka.h"

#include "base/mem.h"
#include "report/screen.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
    char *text;
    size_t size;
    FILE *out;
    struct sonde_screen screen;
    struct sonde_stats stats;
    struct sonde_share shares[4];
    struct sonde_outlook outlook;
    struct sonde_event event;
};

static int begin(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->out = open_memstream(&f->text, &f->size);
    sonde_screen_init(&f->screen, f->out, false);
    f->stats = (struct sonde_stats){.tests = 2000, .valid = 500, .unique_valid = 400, .seconds = 3661};
    f->shares[0] = (struct sonde_share){"rl", 0.25, 0.75};
    f->shares[1] = (struct sonde_share){"zest", 0.75, 0.25};
    f->outlook = (struct sonde_outlook){.guide = "auto",
                                        .places = 1234,
                                        .valid_places = 1000,
                                        .corpus = 17,
                                        .failures = 2,
                                        .next_is_new = 0.0012,
                                        .quiet_seconds = 12.5,
                                        .shares = f->shares,
                                        .n_shares = 2};
    f->event = (struct sonde_event){.kind = SONDE_EVENT_PROGRESS,
                                    .property = "sorts",
                                    .stats = &f->stats,
                                    .outlook = &f->outlook};
    *state = f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    fclose(f->out);
    free(f->text);
    free(f);
    return 0;
}

static const char *drawn(struct fixture *f)
{
    fflush(f->out);
    return f->text;
}

static void a_frame_says_it_all(void **state)
{
    struct fixture *f = *state;
    sonde_screen_found(&f->screen, "x < 3 does not hold");
    assert_true(sonde_screen_draw(&f->screen, &f->event, 100, 30));
    const char *text = drawn(f);
    const char *const parts[] = {"sonde  sorts  guide auto  1:01:01",
                                 "cases     2,000",
                                 "valid     500, 25.0 %; 400 different",
                                 "1,234 locations, 1,000 by valid",
                                 "17 inputs that the next run starts with",
                                 "12.0 s ago",
                                 "something new: 0.12 %",
                                 "failures  2; the last: x < 3 does not hold",
                                 "rl         25 % earn  75 %",
                                 "zest       75 % earn  25 %"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i])) fail_msg("not there: %s in\n%s", parts[i], text);
}

static void the_next_frame_takes_the_place_of_the_last(void **state)
{
    struct fixture *f = *state;
    char up[16];
    sonde_screen_draw(&f->screen, &f->event, 100, 30);
    int lines = f->screen.lines;
    assert_in_range(lines, 8, 12);
    size_t first = strlen(drawn(f));
    sonde_screen_draw(&f->screen, &f->event, 100, 30);
    snprintf(up, sizeof up, "\033[%dA\r", lines);
    assert_memory_equal(drawn(f) + first, up, strlen(up));
    size_t second = strlen(drawn(f));
    sonde_screen_erase(&f->screen);
    snprintf(up, sizeof up, "\033[%dA\r\033[J", lines);
    assert_string_equal(drawn(f) + second, up);
    sonde_screen_erase(&f->screen);
    assert_int_equal(strlen(drawn(f)), second + strlen(up)); /* it is gone already */
}

static void no_line_is_wider_than_the_window(void **state)
{
    struct fixture *f = *state;
    sonde_screen_draw(&f->screen, &f->event, 40, 30);
    for (const char *line = drawn(f); *line;) {
        size_t n = strcspn(line, "\033\n");
        assert_true(n <= 40);
        line += n;
        line += strcspn(line, "\n");
        if (*line) line++;
    }
}

static void a_small_window_has_no_screen(void **state)
{
    struct fixture *f = *state;
    assert_false(sonde_screen_draw(&f->screen, &f->event, 20, 30));
    assert_false(sonde_screen_draw(&f->screen, &f->event, 80, 8));
    assert_string_equal(drawn(f) ? drawn(f) : "", "");
}

static void failures_cannot_command_the_terminal(void **state)
{
    struct fixture *f = *state;
    sonde_screen_found(&f->screen, "\033[2Jgone\n");
    sonde_screen_draw(&f->screen, &f->event, 100, 30);
    assert_null(strstr(drawn(f), "\033[2J"));
    assert_non_null(strstr(drawn(f), "\\x1b[2Jgone\\n"));
}

static void curves_go_from_the_least_to_the_largest(void **state)
{
    (void)state;
    char *curve = sonde_screen_curve((uint64_t[]){0, 50, 100, 100}, 4, false);
    assert_string_equal(curve, "_=##");
    sonde_free(curve);
    curve = sonde_screen_curve((uint64_t[]){5, 5}, 2, true);
    assert_string_equal(curve, "\u2581\u2581");
    sonde_free(curve);
    curve = sonde_screen_curve(NULL, 0, true);
    assert_string_equal(curve, "");
    sonde_free(curve);
}

static void a_long_run_keeps_its_whole_curve(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 10000; i++) {
        f->stats.seconds = i;
        f->outlook.places = (uint64_t)i + 1;
        sonde_screen_draw(&f->screen, &f->event, 100, 30);
    }
    assert_in_range(f->screen.n_samples, SONDE_SCREEN_SAMPLES / 2, SONDE_SCREEN_SAMPLES);
    assert_true(f->screen.samples[0] < 1000);
    assert_int_equal(f->screen.samples[f->screen.n_samples - 1], 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_frame_says_it_all, begin, end),
        cmocka_unit_test_setup_teardown(the_next_frame_takes_the_place_of_the_last, begin, end),
        cmocka_unit_test_setup_teardown(no_line_is_wider_than_the_window, begin, end),
        cmocka_unit_test_setup_teardown(a_small_window_has_no_screen, begin, end),
        cmocka_unit_test_setup_teardown(failures_cannot_command_the_terminal, begin, end),
        cmocka_unit_test_setup_teardown(curves_go_from_the_least_to_the_largest, begin, end),
        cmocka_unit_test_setup_teardown(a_long_run_keeps_its_whole_curve, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
