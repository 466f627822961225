/* The options table: parsing, environment, precedence, messages, help. */
#include "cli/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct sonde_cli cli;
static char message[SONDE_CLI_MESSAGE];

/* Parses up to three arguments with up to one variable in the environment. */
static int parse(char *variable, char *a, char *b, char *c)
{
    char program[] = "test", *argv[] = {program, a, b, c, NULL}, *environment[] = {variable, NULL};
    int argc = 1 + !!a + !!b + !!c;
    message[0] = 0;
    return sonde_cli_parse(&cli, NULL, argc, argv, environment, message);
}

static void assert_wrong(char *a, char *b, const char *expected)
{
    assert_int_equal(parse(NULL, a, b, NULL), -EINVAL);
    if (!strstr(message, expected)) fail_msg("'%s' is not in '%s'", expected, message);
}

static void defaults_are_the_promised_budget(void **state)
{
    (void)state;
    assert_int_equal(parse(NULL, NULL, NULL, NULL), 0);
    assert_int_equal(cli.engine.tests, 10000);
    assert_true(cli.engine.seconds == 10);
    assert_false(cli.engine.tests_given || cli.engine.seconds_given || cli.engine.seed_given);
    assert_string_equal(cli.engine.guide, "auto");
}

static void values_come_after_equals_or_as_the_next_word(void **state)
{
    (void)state;
    assert_int_equal(parse(NULL, "--tests=7", "--seed", "0x10"), 0);
    assert_int_equal(cli.engine.tests, 7);
    assert_int_equal(cli.engine.seed, 16);
    assert_true(cli.engine.tests_given && cli.engine.seed_given);
}

static void letters_take_values_too(void **state)
{
    (void)state;
    assert_int_equal(parse(NULL, "-n5", "-q", NULL), 0);
    assert_int_equal(cli.engine.tests, 5);
    assert_true(cli.quiet);
    assert_int_equal(parse(NULL, "-n", "6", NULL), 0);
    assert_int_equal(cli.engine.tests, 6);
}

static void command_line_wins_over_environment(void **state)
{
    (void)state;
    assert_int_equal(parse("SONDE_TESTS=3", NULL, NULL, NULL), 0);
    assert_int_equal(cli.engine.tests, 3);
    assert_int_equal(parse("SONDE_TESTS=3", "--tests=4", NULL, NULL), 0);
    assert_int_equal(cli.engine.tests, 4);
    assert_int_equal(parse("SONDE_REPORT=tap", "--report=json", NULL, NULL), 0);
    assert_int_equal(cli.n_reports, 1);
    assert_int_equal(cli.reports[0].kind, SONDE_REPORT_JSON);
}

static void flags_in_the_environment_are_on_or_off(void **state)
{
    (void)state;
    assert_int_equal(parse("SONDE_NO_SHRINK=yes", NULL, NULL, NULL), 0);
    assert_false(cli.engine.shrink);
    assert_int_equal(parse("SONDE_NO_SHRINK=0", NULL, NULL, NULL), 0);
    assert_true(cli.engine.shrink);
    assert_int_equal(parse("SONDE_QUIET=maybe", NULL, NULL, NULL), -EINVAL);
    assert_non_null(strstr(message, "SONDE_QUIET: 'maybe' is not one of"));
}

static void one_limit_lifts_the_default_of_the_other(void **state)
{
    (void)state;
    assert_int_equal(parse(NULL, "--tests=50000", NULL, NULL), 0);
    assert_true(cli.engine.seconds == 0 && cli.engine.seconds_given);
    assert_int_equal(parse(NULL, "--time=2m", NULL, NULL), 0);
    assert_true(cli.engine.tests == 0 && cli.engine.seconds == 120);
    assert_int_equal(parse(NULL, "--time=2", "--tests=9", NULL), 0);
    assert_true(cli.engine.tests == 9 && cli.engine.seconds == 2);
    assert_int_equal(parse(NULL, "--tests=0", NULL, NULL), 0);
    assert_true(cli.engine.seconds == 10);
}

static void sizes_have_suffixes(void **state)
{
    (void)state;
    assert_int_equal(parse(NULL, "--memory=128M", NULL, NULL), 0);
    assert_int_equal(cli.engine.memory, 128 << 20);
    assert_int_equal(parse(NULL, "--memory=1G", NULL, NULL), 0);
    assert_int_equal(cli.engine.memory, 1 << 30);
    assert_wrong("--memory=12Q", NULL, "--memory: '12Q' is not a size");
    assert_wrong("--memory=1", NULL, "give at least 65536 bytes");
    assert_wrong("--memory=99999999999999999999G", NULL, "--memory: '99999999999999999999G' is not a size");
    assert_wrong("--memory=9999999999999G", NULL, "--memory: '9999999999999G' is not a size");
}

static void counts_have_suffixes_and_exponents(void **state)
{
    (void)state;
    static const struct {
        char text[32];
        uint64_t count;
    } good[] = {{"--tests=1M", 1000000},    {"--tests=1e6", 1000000},  {"--tests=100k", 100000},
                {"--tests=2G", 2000000000}, {"--tests=1.5M", 1500000}, {"--tests=0", 0},
                {"--tests=0x10", 16},       {"--tests=2.5e3", 2500},   {"--tests=18446744073709551615", UINT64_MAX}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[32];
        memcpy(text, good[i].text, sizeof text);
        assert_int_equal(parse(NULL, text, NULL, NULL), 0);
        assert_true(cli.engine.tests == good[i].count);
    }
    assert_wrong("--tests=1.5", NULL, "--tests: '1.5' is not a valid number");
    assert_wrong("--tests=1MM", NULL, "is not a valid number");
    assert_wrong("--tests=1e30", NULL, "is not a valid number");
    assert_wrong("--tests=-1", NULL, "is not a valid number");
    assert_wrong("--jobs=1k", NULL, "'1k' is not allowed; give a whole number from 1 to 64");
}

static void times_have_units(void **state)
{
    (void)state;
    static const struct {
        char text[32];
        double seconds;
    } good[] = {{"30", 30},  {"0.5", 0.5},  {"500ms", 0.5}, {"30s", 30},
                {"2m", 120}, {"2min", 120}, {"1.5h", 5400}, {"1d", 86400}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[400];
        snprintf(text, sizeof text, "--time=%s", good[i].text);
        assert_int_equal(parse(NULL, text, NULL, NULL), 0);
        assert_true(cli.engine.seconds == good[i].seconds);
        snprintf(text, sizeof text, "--until-flat=%s", good[i].text);
        assert_int_equal(parse(NULL, text, NULL, NULL), 0);
        assert_true(cli.engine.flat_seconds == good[i].seconds * (i < 2 ? 60 : 1));
    }
    assert_wrong("--time=0x5", NULL, "'0x5' is not a time; give seconds");
    assert_wrong("--time=0,5", NULL, "'0,5' is not a time; give seconds");
    assert_wrong("--until-flat=5x", NULL, "'5x' is not a time; give minutes");
}

static void reports_are_kinds_with_files(void **state)
{
    (void)state;
    assert_int_equal(parse(NULL, "--report=tap,junit:out.xml", "--report", "json:a:b"), 0);
    assert_int_equal(cli.n_reports, 3);
    assert_int_equal(cli.reports[0].kind, SONDE_REPORT_TAP);
    assert_int_equal(cli.reports[0].file_length, 0);
    assert_int_equal(cli.reports[1].kind, SONDE_REPORT_JUNIT);
    assert_int_equal(cli.reports[1].file_length, 7);
    assert_memory_equal(cli.reports[1].file, "out.xml", 7);
    assert_memory_equal(cli.reports[2].file, "a:b", 3);
    assert_wrong("--report=xml", NULL,
                 "'xml' is not a kind of report; give terminal, json, tap, junit, github, sarif, html or tyche");
    assert_wrong("--report=junit:", NULL, "lacks a file name");
    assert_wrong("--report=", NULL, "'' is not a kind of report");
}

static void unknown_option_suggests_the_nearest(void **state)
{
    (void)state;
    assert_wrong("--test=5", NULL, "unknown option --test; did you mean --tests?");
    assert_wrong("--sede", "1", "did you mean --seed?");
    assert_wrong("--filtre", "x", "did you mean --filter?");
    assert_wrong("--shrink", NULL, "did you mean --");
    assert_wrong("--xyzzyplugh", NULL, "unknown option --xyzzyplugh; --help lists the options");
    assert_wrong("-x", NULL, "unknown option -x;");
    assert_wrong("-verbose", NULL, "unknown option -verbose; did you mean --verbose?");
}

static void bad_values_say_what_was_given_and_what_is_allowed(void **state)
{
    (void)state;
    assert_wrong("--tests", "many", "--tests: 'many' is not a valid number; give a whole number from 0 to ");
    assert_wrong("--tests=-1", NULL, "'-1' is not a valid number");
    assert_wrong("--tests=1e", NULL, "'1e' is not a valid number");
    assert_wrong("--tests=", NULL, "'' is not a valid number");
    assert_wrong("--tests=18446744073709551616", NULL, "18446744073709551615");
    assert_wrong("--max-choices=0", NULL, "'0' is not allowed; give a whole number from 1 to ");
    assert_wrong("--time=soon", NULL, "--time: 'soon' is not a time; give seconds");
    assert_wrong("--time=-1", NULL, "'-1' is not a time");
    assert_wrong("--time=inf", NULL, "'inf' is not a time");
    assert_wrong("--time=1e999", NULL, "'1e999' is not a time");
    assert_wrong("--color=red", NULL, "--color: 'red' is not one of auto|always|never");
    assert_wrong("--color=auto|always", NULL, "is not one of");
    assert_wrong("--filter=", NULL, "--filter: the value is empty; give PATTERN");
    assert_wrong("--list=yes", NULL, "--list: takes no value, but 'yes' was given");
    assert_wrong("--tests", NULL, "--tests: a value is missing; write --tests N");
    assert_wrong("sorts", NULL, "unexpected argument 'sorts'; to choose properties write --filter 'sorts'");
}

static void unknown_guide_lists_the_guides(void **state)
{
    (void)state;
    assert_wrong("--guide=magic", NULL,
                 "--guide: there is no guide 'magic'; the guides are auto, random, uniform, enumerate");
}

static void environment_errors_name_the_variable(void **state)
{
    (void)state;
    assert_int_equal(parse("SONDE_TESTS=x", NULL, NULL, NULL), -EINVAL);
    assert_int_equal(strncmp(message, "SONDE_TESTS: 'x'", 16), 0);
    assert_int_equal(parse("SONDE_TESTS=", NULL, NULL, NULL), 0); /* set to nothing is not set */
}

static void long_values_do_not_overflow_messages(void **state)
{
    (void)state;
    static char argument[10000];
    memset(argument, 'x', sizeof argument - 1);
    memcpy(argument, "--tests=", 8);
    assert_int_equal(parse(NULL, argument, NULL, NULL), -EINVAL);
    memcpy(argument, "--", 2);
    argument[2] = 'q';
    memset(argument + 2, 'q', 6);
    assert_int_equal(parse(NULL, argument, NULL, NULL), -EINVAL);
    assert_true(strlen(message) < SONDE_CLI_MESSAGE);
}

/* Every option is in the help and in the manual page, with its environment name. */
static void help_and_manual_have_every_option(void **state)
{
    (void)state;
    char *help = NULL, *man = NULL, name[64], variable[SONDE_OPTION_VARIABLE];
    size_t help_size, man_size;
    FILE *out = open_memstream(&help, &help_size);
    sonde_cli_help(out, "test");
    fclose(out);
    out = open_memstream(&man, &man_size);
    sonde_cli_man(out);
    fclose(out);
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) {
        snprintf(name, sizeof name, "--%s", o->name);
        assert_non_null(strstr(help, name));
        sonde_option_variable(o, variable);
        if (!o->is_private) assert_non_null(strstr(man, variable));
        assert_in_range(strlen(variable), 7, sizeof variable - 2); /* not cut off */
    }
    assert_non_null(strstr(help, "(10000)"));
    assert_null(strstr(help, " \n"));
    free(help);
    free(man);
}

static void environment_names_follow_from_those_of_options(void **state)
{
    (void)state;
    char variable[SONDE_OPTION_VARIABLE];
    assert_string_equal(sonde_option_variable(&(struct sonde_option){.name = "max-choices"}, variable),
                        "SONDE_MAX_CHOICES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_promised_budget),
        cmocka_unit_test(values_come_after_equals_or_as_the_next_word),
        cmocka_unit_test(letters_take_values_too),
        cmocka_unit_test(command_line_wins_over_environment),
        cmocka_unit_test(flags_in_the_environment_are_on_or_off),
        cmocka_unit_test(one_limit_lifts_the_default_of_the_other),
        cmocka_unit_test(sizes_have_suffixes),
        cmocka_unit_test(counts_have_suffixes_and_exponents),
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(reports_are_kinds_with_files),
        cmocka_unit_test(unknown_option_suggests_the_nearest),
        cmocka_unit_test(bad_values_say_what_was_given_and_what_is_allowed),
        cmocka_unit_test(unknown_guide_lists_the_guides),
        cmocka_unit_test(environment_errors_name_the_variable),
        cmocka_unit_test(long_values_do_not_overflow_messages),
        cmocka_unit_test(help_and_manual_have_every_option),
        cmocka_unit_test(environment_names_follow_from_those_of_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
