/* A staircase for long runs: each right answer is a step, seen by a counter as instrumented code would have it, and the top
 * is a failure. STAIRS_EDITED: the generator has changed since. STAIRS_REST: cases that follow the top take no processor time. */
#include <sonde.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);

enum { STEPS = 40 };
static uint8_t counters[STEPS + 1];
static bool is_edited, rests, was_at_top;

static void stairs(sonde *t)
{
    if (rests && was_at_top) usleep(1000);
    if (is_edited && sonde_bool(t, "polite")) sonde_string(t, "greeting", 0, 10);
    for (int i = 0; i < STEPS; i++) {
        int x = sonde_int(t, is_edited && i == 3 ? "stride" : "step", 0, 29);
        if (x != (17 + i) % 30) return;
        counters[i]++;
    }
    was_at_top = true;
    sonde_check(t, !"the top was reached");
}

static void flat(sonde *t)
{
    sonde_assume(t, sonde_int(t, "x", 0, 9) != 3);
    counters[STEPS]++;
}

int main(int argc, char **argv)
{
    const sonde_property properties[] = {{.name = "stairs", .run = stairs}, {.name = "flat", .run = flat}};
    __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters);
    is_edited = getenv("STAIRS_EDITED") != NULL;
    rests = getenv("STAIRS_REST") != NULL;
    return sonde_main(argc, argv, properties, 2);
}
