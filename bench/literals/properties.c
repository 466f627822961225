/* See properties.h and bench/literals.c. */
#include "literals/properties.h"

#include "literals/literals.h"

enum { TEXT = 32, BYTES = 64 };

static void buggy(sonde *t)
{
    sonde_check(t, !literals_buggy(sonde_string(t, "s", 0, TEXT)));
}

static void keyword(sonde *t)
{
    sonde_check(t, !literals_keyword(sonde_string(t, "s", 0, TEXT)));
}

static const char *letters(sonde *t)
{
    return sonde_string_of(t, "s", "abcdefghijklmnopqrstuvwxyz", 0, 8);
}

static void word(sonde *t)
{
    sonde_check(t, !literals_word(letters(t), 0));
}

static void word_noise_10(sonde *t)
{
    sonde_check(t, !literals_word(letters(t), 10));
}

static void word_noise_60(sonde *t)
{
    sonde_check(t, !literals_word(letters(t), 60));
}

static void magic(sonde *t)
{
    sonde_check(t, !literals_magic((uint32_t)sonde_u64(t, "x", 0, UINT32_MAX)));
}

static void magic_int(sonde *t)
{
    sonde_check(t, !literals_magic((uint32_t)sonde_int(t, "x", INT32_MIN, INT32_MAX)));
}

static void magic_file(sonde *t)
{
    size_t n;
    const uint8_t *data = sonde_bytes(t, "data", 0, BYTES, &n);
    sonde_check(t, !literals_magic_file(data, n));
}

static void checksum(sonde *t)
{
    size_t n;
    const uint8_t *payload = sonde_bytes(t, "payload", 0, BYTES, &n);
    sonde_check(t, !literals_checksum(payload, n, (uint32_t)sonde_u64(t, "sum", 0, UINT32_MAX)));
}

static void checksum_frame(sonde *t)
{
    size_t n;
    const uint8_t *frame = sonde_bytes(t, "frame", 0, BYTES, &n);
    sonde_check(t, !literals_checksum_frame(frame, n));
}

static void length(sonde *t)
{
    size_t n;
    const uint8_t *payload = sonde_bytes(t, "payload", 0, BYTES, &n);
    sonde_check(t, !literals_length(payload, n, (uint32_t)sonde_u64(t, "length", 0, UINT32_MAX)));
}

static void length_record(sonde *t)
{
    size_t n;
    const uint8_t *record = sonde_bytes(t, "record", 0, BYTES, &n);
    sonde_check(t, !literals_length_record(record, n));
}

const sonde_property literals_properties[] = {{.name = "buggy", .run = buggy},
                                              {.name = "keyword", .run = keyword},
                                              {.name = "word", .run = word},
                                              {.name = "word-noise-10", .run = word_noise_10},
                                              {.name = "word-noise-60", .run = word_noise_60},
                                              {.name = "magic", .run = magic},
                                              {.name = "magic-int", .run = magic_int},
                                              {.name = "magic-file", .run = magic_file},
                                              {.name = "checksum", .run = checksum},
                                              {.name = "checksum-frame", .run = checksum_frame},
                                              {.name = "length", .run = length},
                                              {.name = "length-record", .run = length_record},
                                              {.name = NULL}};
