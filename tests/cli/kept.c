/* The program that made tests/data/kept: every kind of draw, a failure that needs earlier cases, and a search that
 * leaves a corpus. The draws must stay as they are. Each case adds a line of its values to the file $KEPT_LOG. */
#include <sonde.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);

enum { STEPS = 6 };
static uint8_t counters[STEPS];

__attribute__((format(printf, 1, 2))) static void record(const char *format, ...)
{
    const char *path = getenv("KEPT_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (!log) return;
    va_list args;
    va_start(args, format);
    vfprintf(log, format, args);
    va_end(args);
    fclose(log);
}

static void draw_numbers(sonde *t)
{
    static const unsigned weights[] = {5, 0, 1};
    record("draws %d", sonde_int(t, "small", -10, 10));
    record(" %lld", (long long)sonde_i64(t, "wide", INT64_MIN, INT64_MAX));
    record(" %llu", (unsigned long long)sonde_u64(t, "bits", 0, UINT64_MAX));
    record(" %d", sonde_bool(t, "flag"));
    record(" %d", sonde_chance(t, "rare", 0.1));
    record(" %a", sonde_double(t, "ratio", 0, 1));
    record(" %a", sonde_any_double(t, "any"));
    record(" %zu", sonde_pick(t, "which", 7));
    record(" %zu", sonde_weighted(t, "weighed", weights, 3));
}

static void draw_texts(sonde *t)
{
    size_t n;
    const uint8_t *raw = sonde_bytes(t, "raw", 0, 20, &n);
    for (size_t i = 0; i < n; i++) record(" %02x", raw[i]);
    record(" <%s>", sonde_string(t, "text", 0, 20));
    record(" <%s>", sonde_string_of(t, "dna", "acgt", 0, 20));
    record(" <%s>", sonde_utf8(t, "wide text", 0, 20));
    record(" <%s>", sonde_regex(t, "word", "[a-c]+(x|yz)?"));
}

static void draws(sonde *t)
{
    int64_t sum = 0;
    draw_numbers(t);
    draw_texts(t);
    int size = sonde_size(t);
    for (sonde_list xs = sonde_list_of(t, "xs", 0, 9); sonde_more(&xs);) {
        sonde_span(t, "point");
        int x = sonde_int(t, "x", 0, 99);
        if (x == 13) {
            sonde_list_reject(&xs);
            continue;
        }
        sum += x;
        if (sonde_bool(t, "has y")) sum += sonde_int(t, "y", 0, 99);
    }
    record(" size %d, sum %lld\n", size, (long long)sum);
    sonde_check(t, sum < 150 || size < 20);
}

/* Fails in the second of two cases. */
static void remembers(sonde *t)
{
    static int last;
    int x = sonde_int(t, "x", 0, 999), before = last;
    record("remembers %d\n", x);
    last = x;
    sonde_check(t, !(before > 700 && x > 500));
}

static void climbs(sonde *t)
{
    for (int i = 0; i < STEPS; i++) {
        int step = sonde_int(t, "step", 0, 29);
        record(i ? " %d" : "climbs %d", step);
        if (step != (17 + i) % 30) break;
        counters[i]++;
    }
    record("\n");
}

static void crashes(sonde *t)
{
    int *nowhere = NULL;         /* not to volatile: clang's UBSan checks no such pointer */
    __asm__("" : "+r"(nowhere)); /* else gcc leaves the store out */
    int x = sonde_int(t, "x", 0, 1000);
    record("crashes %d\n", x);
    if (x > 600) *nowhere = 1;
    sonde_int(t, "later", 0, 10);
}

int main(int argc, char **argv)
{
    const sonde_property properties[] = {{.name = "draws", .run = draws},
                                         {.name = "remembers", .run = remembers},
                                         {.name = "climbs", .run = climbs},
                                         {.name = "crashes", .run = crashes}};
    __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters);
    return sonde_main(argc, argv, properties, sizeof properties / sizeof *properties);
}
