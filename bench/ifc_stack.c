/* ifc-stack: the twenty faults of the stack machine, by number. --conformance holds the machine and its generators
 * against published counts first. */
#include "ifc/stack.h"
#include "ifc/stack_oracle.h"
#include "lib/bench.h"
#include "lib/fuzzer.h"

struct subject {
    struct stack_table table;
    stack_generator *generator;
};

static void ssni(sonde *t)
{
    const struct subject *subject = sonde_context(t);
    struct stack_pair *pair = sonde_new(t, struct stack_pair);
    subject->generator(t, pair);
    stack_check_ssni(t, &subject->table, &pair->a, &pair->b);
}

int main(int argc, char **argv)
{
    static bool conformance, copy, medium, smart, interpreted;
    static const struct bench_flag flags[] = {{"--conformance", &conformance, "compare with published rates", NULL},
                                              {"--copy", &copy,
                                               "two equal states, as FuzzChick's generator of pairs makes them", NULL},
                                              {"--medium", &medium, "a naive state and a variation of it", NULL},
                                              {"--smart", &smart, "the generator written by hand", NULL},
                                              {"--interpreted", &interpreted,
                                               "rules evaluated as in the paper's machine: coverage sees labels", NULL},
                                              {NULL, NULL, NULL, NULL}};
    static const char *const columns[] = {"found", "tests_to_failure", "valid_rate", "unique_valid", "cpu_s", NULL};
    static struct bench b = {.suite = "ifc-stack",
                             .columns = columns,
                             .flags = flags,
                             .guides = "uniform",
                             .others = bench_afl,
                             .tests = 1000000,
                             .full_tests = 200000000,
                             .first_seed = 1,
                             .last_seed = 10};
    bench_start(&b, argc, argv);
    if (interpreted != stack_is_interpreted) {
        fprintf(stderr, "ifc-stack: bench/run ifc-stack %s is another program\n", interpreted ? "--interpreted" : "");
        return 2;
    }
    if (conformance) return stack_conforms(b.tests, b.first_seed, stdout) ? 0 : 1;
    for (unsigned fault = 1; fault <= STACK_FAULTS; fault++) {
        char row[8];
        snprintf(row, sizeof row, "%u", fault);
        struct subject subject = {stack_table(fault), smart    ? stack_smart
                                                      : medium ? stack_medium
                                                      : copy   ? stack_copy
                                                               : stack_naive};
        sonde_property property = {.name = row, .run = ssni, .context = &subject};
        bench_property(&b, row, &property);
    }
    return bench_end(&b);
}
