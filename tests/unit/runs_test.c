/* Runs of equal bytes in tokens: what is written, what is read, and that nothing else changes its meaning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "lib/short.h"
#include "lib/tapes.h"
#include "tape/runs.h"
#include "tape/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 200 };

/* Starts a tape of one draw of bytes. */
static void begin_bytes(struct tapes *b, const uint8_t *bytes, uint32_t n)
{
    tapes_begin(b);
    tapes_blob(b, "v", sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), 0, MOST, (const char *)bytes, n);
}

static char *written(struct tapes *b)
{
    sonde_tape_end(&b->tape);
    return sonde_tape_to_text(&b->tape, &b->labels);
}

/* Asserts that a token gives the draw of `v` these symbols. */
static void assert_reads(const char *token, const uint8_t *want, uint32_t n_want)
{
    struct tapes b;
    uint32_t symbols[2 * MOST];
    struct sonde_alphabet alphabet = sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL);
    tapes_begin(&b);
    assert_int_equal(sonde_tape_from_text(&b.tape, &b.labels, token, strlen(token), NULL), 0);
    uint32_t n = sonde_literal_symbols(&b.tape, &b.tape.choices[0], &alphabet, symbols, 2 * MOST);
    assert_int_equal(n, n_want);
    for (uint32_t i = 0; i < n; i++) assert_int_equal(symbols[i], want[i]);
    tapes_clear(&b);
}

/* Asserts what is written for some bytes, and that the token reads as the same bytes. */
static void assert_bytes(const uint8_t *bytes, uint32_t n, const char *want)
{
    struct tapes b;
    begin_bytes(&b, bytes, n);
    char *token = written(&b);
    if (want) assert_string_equal(token, want);
    assert_reads(token, bytes, n);
    sonde_free(token);
    tapes_clear(&b);
}

static void long_runs_are_counted(void **state)
{
    (void)state;
    uint8_t bytes[MOST] = {0};
    assert_bytes(bytes, 15, "s1:v=000000000000000000000000000000");
    assert_bytes(bytes, 16, "s2:v=00x16");
    bytes[16] = 0xff;
    assert_bytes(bytes, 17, "s2:v=00x16.ff");
    memset(bytes + 20, 0xab, 100);
    assert_bytes(bytes, 120, "s2:v=00x16.ff000000.abx100");
    memset(bytes, 7, 20);
    assert_bytes(bytes, 120, "s2:v=07x20.abx100");
}

/* Bytes of two values, so that runs of all lengths occur. */
static void any_bytes_read_as_they_were_written(void **state)
{
    (void)state;
    struct sonde_rng rng;
    sonde_rng_seed(&rng, 3, 0);
    for (int round = 0; round < (is_short() ? 200 : 5000); round++) {
        uint8_t bytes[MOST];
        uint32_t n = (uint32_t)sonde_rng_upto(&rng, MOST), i = 0;
        while (i < n) {
            uint8_t byte = sonde_rng_upto(&rng, 1) ? 0xee : 0x10;
            for (uint64_t k = sonde_rng_upto(&rng, 40); k > 0 && i < n; k--) bytes[i++] = byte;
        }
        assert_bytes(bytes, n, NULL);
    }
}

/* A string beside bytes with a run: version 2, in which its x is escaped if it could be read as a run. */
static void strings_keep_their_meaning(void **state)
{
    (void)state;
    static const char *const strings[] = {"00x16", "80x25", "ab.cdx2", "x", "0x", "hello", "00", "x264", ""};
    static const uint8_t zeros[MOST];
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        struct tapes b, again;
        uint32_t n = (uint32_t)strlen(strings[i]), got;
        struct sonde_alphabet printable = sonde_alphabet_make(SONDE_ALPHABET_PRINTABLE, NULL);
        begin_bytes(&b, zeros, 100);
        tapes_blob(&b, "s", printable, 0, MOST, strings[i], n);
        char *token = written(&b);
        assert_memory_equal(token, "s2:v=00x100 s=", 14);
        tapes_begin(&again);
        assert_int_equal(sonde_tape_from_text(&again.tape, &again.labels, token, strlen(token), NULL), 0);
        const char *text = sonde_literal_text(&again.tape, &again.tape.choices[1], &got);
        assert_int_equal(got, n);
        assert_memory_equal(text, strings[i], n);
        sonde_free(token);
        tapes_clear(&b);
        tapes_clear(&again);
    }
}

static void version_1_has_no_runs(void **state)
{
    (void)state;
    assert_reads("s1:v=00x3", (const uint8_t *)"00x3", 4);
    assert_reads("v=00x3", (const uint8_t *)"00x3", 4);
    assert_reads("s2:v=00x3", (const uint8_t *)"\0\0\0", 3);
    assert_reads("s2:v=01.00x3.02", (const uint8_t *)"\1\0\0\0\2", 5);
}

/* Other strings are taken byte by byte, as in version 1. */
static void other_strings_are_no_runs(void **state)
{
    (void)state;
    static const char *const strings[] = {"00x",
                                          "00x0",
                                          "00x03",
                                          "0x3",
                                          "000x3",
                                          "0000x3",
                                          "00x3.",
                                          ".00x3",
                                          "x3",
                                          "00x3x3",
                                          "00X3",
                                          "FFx3",
                                          "00x3..00",
                                          "00x-3",
                                          "00x3.0",
                                          "00.01",
                                          "00x99999999999999999999999",
                                          "00x3.zz"};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        char token[100];
        snprintf(token, sizeof token, "s2:v=%s", strings[i]);
        assert_int_equal(sonde_runs_length(strings[i], strlen(strings[i])), 0);
        assert_reads(token, (const uint8_t *)strings[i], (uint32_t)strlen(strings[i]));
    }
    assert_reads("s2:v=00%783", (const uint8_t *)"00x3", 4);
}

/* A token of a few characters must not take the memory that it names. */
static void huge_runs_are_refused(void **state)
{
    (void)state;
    static const char *const tokens[] = {"s2:v=00x33554433", "s2:v=00x4000000000", "s2:v=00x9999999999999999999",
                                         "s2:v=00x16777216 w=00x16777216 x=00x16777216",
                                         "s2:v=00x9000000000000000000.00x9000000000000000000.00x9000000000000000000"};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        struct tapes b;
        struct sonde_text_error error;
        tapes_begin(&b);
        assert_int_equal(sonde_tape_from_text(&b.tape, &b.labels, tokens[i], strlen(tokens[i]), &error), -EINVAL);
        assert_string_equal(error.reason, "the values are too long");
        assert_int_equal(b.tape.n_choices, 0);
        tapes_clear(&b);
    }
}

/* Random strings of the characters of runs: the length that is announced is the length that is written. */
static void any_string_is_expanded_within_its_length(void **state)
{
    (void)state;
    static const char characters[] = "00x1.ff29";
    struct sonde_rng rng;
    sonde_rng_seed(&rng, 5, 0);
    unsigned n_runs = 0, rounds = is_short() ? 2000 : 200000;
    for (unsigned round = 0; round < rounds; round++) {
        char text[24], out[4096];
        size_t n = sonde_rng_upto(&rng, sizeof text);
        for (size_t i = 0; i < n; i++) text[i] = characters[sonde_rng_upto(&rng, sizeof characters - 2)];
        size_t length = sonde_runs_length(text, n);
        if (length == 0 || length >= sizeof out) continue;
        n_runs++;
        memset(out, '!', sizeof out);
        sonde_runs_expand(text, n, out);
        assert_null(memchr(out, '!', length));
        assert_int_equal(out[length], '!');
    }
    assert_true(n_runs > rounds / 20000);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_runs_are_counted),
        cmocka_unit_test(any_bytes_read_as_they_were_written),
        cmocka_unit_test(strings_keep_their_meaning),
        cmocka_unit_test(version_1_has_no_runs),
        cmocka_unit_test(other_strings_are_no_runs),
        cmocka_unit_test(huge_runs_are_refused),
        cmocka_unit_test(any_string_is_expanded_within_its_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
