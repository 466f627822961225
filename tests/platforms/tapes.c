/* Which values a seed leads to: a property that draws of every kind, and prints a hash over all that were drawn in all of its cases. Run
 * with --isolate=none, so that one process sees all of them. scripts/platforms compares the line between machines and compilers. */
#include <inttypes.h>
#include <sonde.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash = 14695981039346656037u, n_cases;

static void mix(const void *data, size_t n)
{
    for (size_t i = 0; i < n; i++) hash = (hash ^ ((const uint8_t *)data)[i]) * 1099511628211u;
}

/* Whatever the byte order. */
static void mix_number(uint64_t x)
{
    for (int i = 0; i < 64; i += 8) mix(&(uint8_t){(uint8_t)(x >> i)}, 1);
}

static void mix_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    mix_number(bits);
}

static void mix_text(const char *text)
{
    mix(text, strlen(text) + 1);
}

static void tell(void)
{
    printf("cases %" PRIu64 " hash %016" PRIx64 "\n", n_cases, hash);
}

static void every_kind(sonde *t)
{
    size_t n;
    n_cases++;
    mix_number((uint64_t)sonde_int(t, "int", -1000, 1000));
    mix_number((uint64_t)sonde_i64(t, "i64", INT64_MIN, INT64_MAX));
    mix_double(sonde_double(t, "double", -1e9, 1e9));
    mix_double(sonde_any_double(t, "any"));
    mix_double((double)sonde_float(t, "float", -1, 1));
    mix_text(sonde_string(t, "string", 0, 10));
    mix_text(sonde_utf8(t, "utf8", 0, 5));
    mix_text(sonde_regex(t, "regex", "[a-f]{1,3}(x|yz)*"));
    const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 20, &n);
    mix(bytes, n);
    int sum = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 6);
    while (sonde_more(&xs)) sum += sonde_int(t, "x", 0, 9);
    mix_number((uint64_t)sum);
    sonde_assume(t, sum % 3 != 1);
    sonde_check(t, sum >= 0);
}

int main(int argc, char **argv)
{
    const sonde_property properties[] = {{.name = "every_kind", .run = every_kind}};
    atexit(tell);
    return sonde_main(argc, argv, properties, 1);
}
