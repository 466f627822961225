/* The machines of the ifc suites are the published ones: a short run of each oracle. A right machine fails this with a
 * probability of less than one in a thousand, and the seed is fixed.
 * Stages: long (it tests subjects of benchmarks, 8 s) */
#include "ifc/eeni.h"
#include "ifc/register.h"
#include "ifc/stack_oracle.h"
#include "lib/sample.h"

/* The EENI machine has no published rates; at least the right one must not fail. */
static void count_eeni(sonde *t)
{
    uint64_t *failed = sonde_context(t);
    static struct eeni_pair pair;
    eeni_draw(t, &pair);
    if (eeni_run(EENI_RIGHT, &pair.a) && eeni_run(EENI_RIGHT, &pair.b)) *failed += !eeni_alike(&pair.a, &pair.b);
}

static bool eeni_conforms(uint64_t tests, uint64_t seed, FILE *out)
{
    uint64_t failed = 0;
    bench_sample(&(sonde_property){.run = count_eeni, .context = &failed}, tests, seed);
    fprintf(out, "eeni     no fault   %12.0f\n", (double)failed);
    return failed == 0;
}

int main(void)
{
    bool stack = stack_conforms(300000, 1, stdout);
    bool registers = reg_conforms(60000, 1, stdout);
    bool eeni = eeni_conforms(100000, 1, stdout);
    return stack && registers && eeni ? 0 : 1;
}
