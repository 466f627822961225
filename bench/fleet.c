/* The subject of measurements of fleets (bench/fleet.py runs it): a property that sleeps 20 ms per case, so that many
 * workers fit on few processors, over code with 4,096 counters, each of which a case in 4,096 reaches; and a property
 * with a failure that no worker finds alone. */
#include <sonde.h>
#include <stdint.h>
#include <unistd.h>

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);

enum { PLACES = 4096, NAP = 20000 };
static uint8_t counters[PLACES];

static void nap(sonde *t)
{
    uint64_t x = sonde_u64(t, "x", 0, UINT32_MAX);
    usleep(NAP);
    counters[x % PLACES]++;
}

static void needle(sonde *t)
{
    uint64_t x = sonde_u64(t, "x", 0, UINT32_MAX);
    usleep(NAP);
    sonde_check(t, x != 3141592653);
}

int main(int argc, char **argv)
{
    const sonde_property properties[] = {{.name = "nap", .run = nap}, {.name = "needle", .run = needle}};
    __sanitizer_cov_8bit_counters_init(counters, counters + PLACES);
    return sonde_main(argc, argv, properties, sizeof properties / sizeof *properties);
}
