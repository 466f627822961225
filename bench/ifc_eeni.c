/* ifc-eeni: the named bugs of the first information-flow stack machine, found by end-to-end noninterference. The paper
 * on targeted testing counts trials of 10,000 tests that find nothing, out of 100: that is --seeds 1-100. */
#include "ifc/eeni.h"
#include "lib/bench.h"

static void eeni(sonde *t)
{
    const enum eeni_bug *bug = sonde_context(t);
    static struct eeni_pair pair; /* large, and overwritten by every case */
    eeni_draw(t, &pair);
    eeni_check(t, *bug, &pair);
}

/* How often each tool of the paper found a bug, out of 100: theirs, Hypothesis, Hypothesis with targets. */
static void print_paper(void)
{
    static const struct {
        enum eeni_bug bug;
        int found[3];
    } paper[] = {
        {EENI_ADD_NO_TAINT, {100, 74, 73}},
        {EENI_PUSH_NO_TAINT, {100, 100, 100}},
        {EENI_LOAD_NO_TAINT, {92, 4, 2}},
        {EENI_STORE_NO_POINTER_TAINT, {49, 0, 1}},
        {EENI_STORE_DOWN_BY_POINTER, {100, 100, 100}},
        {EENI_STORE_NO_VALUE_TAINT, {100, 100, 100}},
        {EENI_JUMP_NO_RAISE, {22, 29, 26}},
        {EENI_JUMP_LOWERS, {1, 0, 0}},
        {EENI_STORE_NO_PC_TAINT, {0, 0, 0}},
        {EENI_STORE_DOWN_BY_PC, {2, 1, 0}},
        {EENI_CALL_LOWERS, {5, 0, 0}},
        {EENI_CALL_NO_RAISE, {57, 26, 28}},
        {EENI_RETURN_NO_TAINT, {0, 0, 0}},
        {EENI_POP_RETURNS, {0, 0, 0}},
    };
    printf("%-10s %8s %12s %12s   found in 100 trials of 10,000 tests\n", "bug", "theirs", "hypothesis", "targeted");
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++)
        printf("%-10s %8d %12d %12d\n", eeni_name(paper[i].bug), paper[i].found[0], paper[i].found[1],
               paper[i].found[2]);
}

int main(int argc, char **argv)
{
    static bool paper, right;
    static const struct bench_flag flags[] = {{"--paper", &paper, "print what the paper found, and nothing else", NULL},
                                              {"--right", &right, "run the machine without a bug too", NULL},
                                              {NULL, NULL, NULL, NULL}};
    static const char *const columns[] = {"found", "tests_to_failure", "valid_rate", "unique_valid", "cpu_s", NULL};
    static struct bench b = {.suite = "ifc-eeni",
                             .columns = columns,
                             .flags = flags,
                             .guides = "uniform",
                             .tests = 10000,
                             .first_seed = 1,
                             .last_seed = 100};
    bench_start(&b, argc, argv);
    if (paper) {
        print_paper();
        return 0;
    }
    for (enum eeni_bug bug = right ? EENI_RIGHT : EENI_RIGHT + 1; bug < EENI_BUGS; bug++) {
        sonde_property property = {.name = eeni_name(bug), .run = eeni, .context = &bug};
        bench_property(&b, eeni_name(bug), &property);
    }
    return bench_end(&b);
}
