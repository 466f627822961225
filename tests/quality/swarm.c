/* Long runs of one call: of a machine with ten rules of equal weight and 0 to 100 steps, 49 of 100 cases repeat some rule ten
 * times in a row or more. Coin flips per step would do so in one case of ten million. Seeds are fixed; with 20,000 cases
 * the share is known to 1.1 points (three standard deviations).
 *
 * And the opposite: as many cases again are not spent on one rule alone, or bugs that need several would be lost. */
#include <sonde.h>

#include <stdio.h>
#include <string.h>

enum { RULES = 10, CASES = 20000, LONG = 10 };

struct world {
    const char *last;
    int run, longest;
    unsigned met; /* bits of rules */
};

static unsigned long cases, with_run, with_several;

static void note_call(struct world *w, int rule)
{
    static const char *const names = "abcdefghij";
    w->run = w->last == names + rule ? w->run + 1 : 1;
    w->last = names + rule;
    w->met |= 1u << rule;
    if (w->run > w->longest) w->longest = w->run;
}

#define RULE(i)                                                                                                        \
    static void rule##i(sonde *t, void *world)                                                                         \
    {                                                                                                                  \
        (void)t;                                                                                                       \
        note_call(world, i);                                                                                           \
    }
RULE(0)
RULE(1)
RULE(2)
RULE(3)
RULE(4)
RULE(5)
RULE(6)
RULE(7)
RULE(8)
RULE(9)

static void count(sonde *t, void *world)
{
    const struct world *w = world;
    (void)t;
    cases++;
    with_run += w->longest >= LONG;
    with_several += __builtin_popcount(w->met) >= 3;
}

static const sonde_rule rules[RULES] = {SONDE_RULE(rule0), SONDE_RULE(rule1), SONDE_RULE(rule2), SONDE_RULE(rule3),
                                        SONDE_RULE(rule4), SONDE_RULE(rule5), SONDE_RULE(rule6), SONDE_RULE(rule7),
                                        SONDE_RULE(rule8), SONDE_RULE(rule9)};
static const sonde_machine machine = {.rules = rules, .n_rules = RULES, .size = sizeof(struct world), .stop = count};

static void drive(sonde *t)
{
    sonde_drive(t, "calls", &machine);
}

/* The share of cases, in percent. */
static double share(unsigned long n)
{
    return 100.0 * (double)n / (double)cases;
}

int main(void)
{
    static const char *const guides[] = {"uniform", "random", "auto"};
    int failures = 0;
    for (unsigned g = 0; g < sizeof guides / sizeof *guides; g++) {
        cases = with_run = with_several = 0;
        for (uint64_t seed = 1; seed <= 2; seed++)
            sonde_run(drive, &(sonde_config){.seed = seed,
                                             .tests = CASES / 2,
                                             .seconds = 1e9,
                                             .guide = guides[g],
                                             .quiet = true,
                                             .store = ""});
        bool is_met = share(with_run) >= 49 && share(with_several) >= 49;
        printf("%s %u - guide %s: %.1f %% of %lu cases with a run of %d, %.1f %% with three rules or more\n",
               is_met ? "ok" : "not ok", g + 1, guides[g], share(with_run), cases, LONG, share(with_several));
        failures += !is_met;
    }
    printf("1..%zu\n", sizeof guides / sizeof *guides);
    return failures > 0;
}
