/* FuzzChick's own experiment (section 5.1), in part: from its generator of pairs of equal states, `ret (st, st)`, its
 * loop finds faults 7, 8 and 14 of the stack machine, for which two states must differ; published (mean time times
 * tests per second): 18k, 13k and 34k tests. Here the medians of ten seeds are 12k, 6k and 22k; three of the thirty
 * searches found nothing within 100k. The seed is fixed. uniform, which does not mutate, makes equal states forever. */
#include "ifc/stack.h"
#include "lib/searches.h"

#include <inttypes.h>

static void ssni(sonde *t)
{
    const struct stack_table *table = sonde_context(t);
    struct stack_pair *pair = sonde_new(t, struct stack_pair);
    stack_copy(t, pair);
    stack_check_ssni(t, table, &pair->a, &pair->b);
}

static uint64_t tests_to_failure(unsigned fault, const char *guide, uint64_t most)
{
    struct stack_table table = stack_table(fault);
    const sonde_property property = {.name = "ssni", .run = ssni, .context = &table};
    struct sonde_options options = searches_options(guide, 1, most);
    options.guide_options = "order=stack,counts=raw"; /* the program that was measured */
    struct sonde_search *s = searches_run(&property, &options);
    uint64_t tests = s->n_found ? s->found[0]->test : 0;
    searches_free(s);
    return tests;
}

int main(void)
{
    enum { MOST = 100000 };
    static const unsigned faults[] = {7, 8, 14};
    int failed = 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        uint64_t tests = tests_to_failure(faults[i], "cgpt-classic", MOST);
        printf("fault %u: %" PRIu64 " tests\n", faults[i], tests);
        failed += tests == 0 || tests_to_failure(faults[i], "uniform", 20000) != 0;
    }
    return failed != 0;
}
