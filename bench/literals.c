/* literals: code that wants something exact of its input, which chance alone does not give.
 *
 *   buggy             a string that starts with "bug", looked at letter by letter
 *   keyword           a string that is a word of nine letters, compared as a whole
 *   word              a string of letters that is a word of four, compared as a whole
 *   word-noise-10     the same, and ten comparisons of other strings afterwards; word-noise-60: sixty
 *   magic             a number of four bytes
 *   magic-int         the same, drawn as a signed one
 *   magic-file        the same as the first four bytes of a file
 *   checksum          a payload and its CRC-32, drawn apart
 *   checksum-frame    the sum as the last four bytes of the payload
 *   length            a payload and its length, drawn apart
 *   length-record     the length as two bytes of a header
 *
 * The code under test and the properties are in bench/literals, the former to be instrumented alone. The guides may be
 * libfuzzer and libfuzzer-bytes as well (lib/fuzzer.h). */
#include "lib/bench.h"
#include "lib/fuzzer.h"
#include "literals/properties.h"

int main(int argc, char **argv)
{
    static const char *const columns[] = {"found", "tests_to_failure", "cpu_s", NULL};
    static struct bench b = {.suite = "literals",
                             .columns = columns,
                             .guides = "uniform,zest,cgpt",
                             .others = bench_fuzzers,
                             .tests = 100000,
                             .full_tests = 10000000,
                             .first_seed = 1,
                             .last_seed = 20};
    bench_start(&b, argc, argv);
    for (const sonde_property *p = literals_properties; p->name; p++) bench_property(&b, p->name, p);
    return bench_end(&b);
}
