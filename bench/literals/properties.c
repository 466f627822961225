/* literals: code that wants something exact of its input, which chance alone does not give.
 *
 *   buggy             a string that starts with "bug", looked at letter by letter
 *   keyword           a string that is a word of nine letters, compared as a whole
 *   magic             a number of four bytes
 *   magic-int         the same, drawn as a signed one
 *   magic-file        the same as the first four bytes of a file
 *   checksum          a payload and its CRC-32, drawn apart
 *   checksum-frame    the sum as the last four bytes of the payload
 *   length            a payload and its length, drawn apart
 *   length-record     the length as two bytes of a header
 *
 * The code under test is in bench/literals, to be instrumented alone. */
#include "lib/bench.h"
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

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        sonde_property property;
    } rows[] = {{"buggy", {.run = buggy}},
                {"keyword", {.run = keyword}},
                {"magic", {.run = magic}},
                {"magic-int", {.run = magic_int}},
                {"magic-file", {.run = magic_file}},
                {"checksum", {.run = checksum}},
                {"checksum-frame", {.run = checksum_frame}},
                {"length", {.run = length}},
                {"length-record", {.run = length_record}}};
    static const char *const columns[] = {"found", "tests_to_failure", "cpu_s", NULL};
    static struct bench b = {.suite = "literals",
                             .columns = columns,
                             .guides = "uniform,zest,cgpt",
                             .tests = 100000,
                             .full_tests = 10000000,
                             .first_seed = 1,
                             .last_seed = 20};
    bench_start(&b, argc, argv);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) bench_property(&b, rows[i].name, &rows[i].property);
    return bench_end(&b);
}
