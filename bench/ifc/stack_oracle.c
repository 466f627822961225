/* Conformance of the stack machine: the same inputs go through all tables, and the counts are held against those that
 * the authors of FuzzChick published with their runs of October 2018 (10^7 tests per table), and for the naive
 * generator against longer runs of another implementation (2 * 10^8).
 *
 * A count agrees if it is within the tolerance given for its generator, widened by four standard deviations of both
 * counts. */
#include "ifc/stack_oracle.h"

#include "lib/sample.h"

#include <math.h>

struct counter {
    stack_generator *generator;
    struct stack_census *census;
    struct stack_table tables[STACK_FAULTS + 1];
};

static bool alarms_without_code(const struct stack_table *table, const struct stack_pair *p)
{
    struct stack_state a2 = p->a, b2 = p->b;
    if (!stack_alike_but_code(&p->a, &p->b) || stack_alike(&p->a, &p->b)) return false;
    if (p->a.pc.high || !stack_step(table, &a2) || !stack_step(table, &b2)) return false;
    return !stack_alike_but_code(&a2, &b2);
}

static void count_all(sonde *t)
{
    struct counter *c = sonde_context(t);
    struct stack_pair pair;
    c->generator(t, &pair);
    c->census->tests++;
    enum stack_outcome outcome = stack_ssni(&c->tables[0], &pair.a, &pair.b);
    c->census->false_alarms += alarms_without_code(&c->tables[0], &pair);
    c->census->accepted += outcome != STACK_DISCARD;
    c->census->failed[0] += outcome == STACK_FAIL;
    if (!stack_alike(&pair.a, &pair.b)) return;
    for (unsigned i = 1; i <= STACK_FAULTS; i++)
        c->census->failed[i] += stack_ssni(&c->tables[i], &pair.a, &pair.b) == STACK_FAIL;
}

struct stack_census stack_count(stack_generator *generator, uint64_t tests, uint64_t seed)
{
    struct stack_census census = {0};
    struct counter counter = {.generator = generator, .census = &census};
    for (unsigned i = 0; i <= STACK_FAULTS; i++) counter.tables[i] = stack_table(i);
    sonde_property property = {.run = count_all, .context = &counter};
    bench_sample(&property, tests, seed);
    return census;
}

/* ---- The known numbers */

static const struct known {
    const char *name;
    stack_generator *generator;
    double tolerance; /* relative */
    double tests;     /* that the counts are from */
    double accepted;  /* per test */
    double failed[STACK_FAULTS];
} known[] = {
    {"naive", stack_naive, 0, 2e8, 26e-6, {48, 9, 7, 0, 0, 0, 2163, 697, 0, 0, 0, 6, 0, 9, 0, 0, 0, 0, 0, 0}},
    {"copy", stack_copy, 0.02, 1e6, 0.110, {-1}},
    {"medium", stack_medium, 0.05, 1e7, 0.088, {9984, 6028, 1572, 6377,  3727, 17412, 66891, 66816, 4717, 4664,
                                                7889, 6644, 7296, 11086, 2514, 1823,  899,   410,   2076, 1267}},
    {"smart", stack_smart, 0.15, 1e7, 0.773, {698104,  174198, 161531, 54278,  134807, 266153, 122171,
                                              1152070, 56838,  57321,  433625, 86089,  108330, 656816,
                                              85596,   71317,  42519,  14220,  57253,  155689}},
};

static bool compare(FILE *out, const struct known *k, const char *what, double measured, double n, double expected)
{
    double rate = expected / k->tests, noise = 4 * sqrt(n * rate + n * rate * n / k->tests) + 4;
    double off = fabs(measured - n * rate), allowed = k->tolerance * n * rate + noise;
    bool agrees = off <= allowed;
    fprintf(out, "%-8s %-10s %12.0f %12.1f +-%-10.1f %s\n", k->name, what, measured, n * rate, allowed,
            agrees ? "agrees" : "DISAGREES");
    return agrees;
}

static bool conforms(const struct known *k, uint64_t tests, uint64_t seed, FILE *out)
{
    struct stack_census c = stack_count(k->generator, tests, seed);
    double n = (double)c.tests;
    bool ok = compare(out, k, "accepted", (double)c.accepted, n, k->accepted * k->tests);
    for (unsigned i = 1; i <= STACK_FAULTS && k->failed[0] >= 0; i++) {
        char what[16];
        snprintf(what, sizeof what, "fault %u", i);
        ok &= compare(out, k, what, (double)c.failed[i], n, k->failed[i - 1]);
    }
    bool right = c.failed[0] == 0;
    fprintf(out, "%-8s %-10s %12.0f %12d %-12s %s\n", k->name, "no fault", (double)c.failed[0], 0, "",
            right ? "agrees" : "DISAGREES");
    if (k->generator != stack_naive) return ok && right;
    bool alarms = c.false_alarms > 0;
    fprintf(out, "%-8s %-10s %12.0f %12s %-12s %s\n", k->name, "blind", (double)c.false_alarms, "> 0", "",
            alarms ? "agrees" : "DISAGREES");
    return ok && right && alarms;
}

bool stack_conforms(uint64_t tests, uint64_t seed, FILE *out)
{
    bool ok = true;
    fprintf(out, "%-8s %-10s %12s %12s %s\n", "", "", "measured", "known", "tolerance");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) ok &= conforms(&known[i], tests, seed, out);
    return ok;
}
