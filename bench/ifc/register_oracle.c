/* Conformance of the register machine. Known: how many inputs each generator has accepted (measured on the original),
 * that the generator written by hand finds every fault within some 20,000 tests, and that the right table never fails.
 * The generator written by hand is described only roughly, hence the wide tolerance. */
#include "ifc/register.h"

#include "lib/sample.h"

#include <math.h>

struct census {
    reg_generator *generator;
    uint64_t tests, accepted;
    uint64_t failed[REG_FAULTS + 1];
    uint64_t first[REG_FAULTS + 1]; /* test that failed first; 0: none */
    struct reg_table tables[REG_FAULTS + 1];
    struct reg_input in;
};

static void count_all(sonde *t)
{
    struct census *c = sonde_context(t);
    c->generator(t, &c->in);
    c->tests++;
    if (!reg_alike(c->in.observer, &c->in.a, &c->in.b)) return;
    c->accepted += reg_ssni(&c->tables[0], &c->in) != REG_DISCARD;
    for (unsigned i = 0; i <= REG_FAULTS; i++) {
        if (reg_ssni(&c->tables[i], &c->in) != REG_FAIL) continue;
        if (c->failed[i]++ == 0) c->first[i] = c->tests;
    }
}

static void say(FILE *out, const char *name, const char *what, double measured, const char *known, bool agrees)
{
    fprintf(out, "%-8s %-10s %12.6g %-22s %s\n", name, what, measured, known, agrees ? "agrees" : "DISAGREES");
}

static const struct {
    const char *name;
    reg_generator *generator;
    double accepted, tolerance; /* absolute */
    uint64_t share;             /* one in so many tests: the naive one is dear */
} known[] = {
    {"naive", reg_naive, 2e-5, 3e-5, 4},
    {"copy", reg_copy, 0.019, 0.002, 4},
    {"copy3", reg_copy3, 0.028, 0.002, 4},
    {"smart", reg_smart, 0.69, 0.07, 1},
};

bool reg_conforms(uint64_t tests, uint64_t seed, FILE *out)
{
    static struct census c;
    bool ok = true;
    fprintf(out, "%-8s %-10s %12s %s\n", "", "", "measured", "known");
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        char text[64], what[16];
        c = (struct census){.generator = known[k].generator};
        for (unsigned i = 0; i <= REG_FAULTS; i++) c.tables[i] = reg_table(i);
        bench_sample(&(sonde_property){.run = count_all, .context = &c}, tests / known[k].share, seed);
        double n = (double)c.tests, rate = (double)c.accepted / n;
        double allowed = known[k].tolerance + 4 * sqrt(known[k].accepted / n);
        bool agrees = fabs(rate - known[k].accepted) <= allowed;
        snprintf(text, sizeof text, "%g +-%.2g", known[k].accepted, allowed);
        say(out, known[k].name, "accepted", rate, text, agrees);
        say(out, known[k].name, "no fault", (double)c.failed[0], "0", c.failed[0] == 0);
        ok &= agrees && c.failed[0] == 0;
        for (unsigned i = 1; i <= REG_FAULTS && known[k].generator == reg_smart; i++) {
            bool found = c.first[i] > 0 && c.first[i] <= 40000;
            snprintf(what, sizeof what, "fault %u", i);
            say(out, known[k].name, what, (double)c.first[i], "first at <= 40000", found);
            ok &= found;
        }
    }
    return ok;
}
