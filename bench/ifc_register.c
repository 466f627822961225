/* ifc-register: the thirty-three faults of the register machine, by number. --conformance holds the machine and its
 * generators against known rates first. */
#include "ifc/register.h"
#include "lib/bench.h"
#include "lib/fuzzer.h"

struct subject {
    struct reg_table table;
    reg_generator *generator;
};

static void ssni(sonde *t)
{
    const struct subject *subject = sonde_context(t);
    static struct reg_input in; /* large, and overwritten by every case */
    subject->generator(t, &in);
    reg_check_ssni(t, &subject->table, &in);
}

int main(int argc, char **argv)
{
    static bool conformance, copy, smart;
    static const struct bench_flag flags[] = {{"--conformance", &conformance, "compare with known rates", NULL},
                                              {"--copy", &copy,
                                               "two equal states, as FuzzChick's generator of pairs makes them", NULL},
                                              {"--smart", &smart, "the generator written by hand", NULL},
                                              {NULL, NULL, NULL, NULL}};
    static const char *const columns[] = {"found", "tests_to_failure", "valid_rate", "unique_valid", "cpu_s", NULL};
    static struct bench b = {.suite = "ifc-register",
                             .columns = columns,
                             .flags = flags,
                             .guides = "uniform",
                             .others = bench_afl,
                             .tests = 100000,
                             .full_tests = 50000000,
                             .first_seed = 1,
                             .last_seed = 10};
    bench_start(&b, argc, argv);
    if (conformance) return reg_conforms(b.tests, b.first_seed, stdout) ? 0 : 1;
    for (unsigned fault = 1; fault <= REG_FAULTS; fault++) {
        char row[8];
        snprintf(row, sizeof row, "%u", fault);
        struct subject subject = {reg_table(fault), smart ? reg_smart : copy ? reg_copy : reg_naive};
        sonde_property property = {.name = row, .run = ssni, .context = &subject};
        bench_property(&b, row, &property);
    }
    return bench_end(&b);
}
