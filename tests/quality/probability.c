/* The probability of an input under uniform draws, by which claims of sonde_cover are judged in spaces that are known: of
 * 200,000 independent cases each of the likeliest inputs comes as often as it says, within six standard deviations, and the
 * probabilities of all inputs that came do not exceed 1. */
#include "exec/exec.h"
#include "guide/guides.h"
#include "lib/searches.h"

#include <math.h>
#include <string.h>

enum { CASES = 200000, INPUTS = 4096 };

static void flat(sonde *t)
{
    sonde_int(t, "x", -3, 3);
    sonde_bool(t, "b");
    sonde_pick(t, "p", 5);
}

static void lopsided(sonde *t)
{
    static const unsigned weights[] = {1, 0, 3, 16};
    bool often = sonde_chance(t, "c", 0.9);
    if (sonde_weighted(t, "w", weights, 4) == 2 || often) sonde_int(t, "x", 0, 2);
}

static void lists(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "xs", 1, 3);
    while (sonde_more(&xs)) sonde_bool(t, "x");
}

static void open_list(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "xs", 0, SONDE_ANY);
    while (sonde_more(&xs)) sonde_int(t, "x", 4, 4);
}

static void rejecting(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "xs", 2, 2);
    while (sonde_more(&xs))
        if (sonde_int(t, "x", 0, 3) == 0) sonde_list_reject(&xs);
}

static void texts(sonde *t)
{
    sonde_string_of(t, "s", "abc", 0, 2);
    sonde_string_of(t, "open", "a", 1, SONDE_ANY);
}

static void sized(sonde *t)
{
    sonde_int(t, "x", 0, sonde_size(t));
}

static void selections(sonde *t)
{
    int order[] = {1, 2, 3};
    size_t some[3];
    sonde_shuffle(t, "order", order, 3, sizeof *order);
    sonde_subset(t, "some", 3, 0, 3, some);
}

struct input {
    uint64_t identity;
    double p;
    uint64_t count;
};

static struct input inputs[INPUTS];

static struct input *input_of(uint64_t identity)
{
    struct input *in = &inputs[identity % INPUTS];
    while (in->count && in->identity != identity) in = in == &inputs[INPUTS - 1] ? inputs : in + 1;
    return in;
}

static void sample(const sonde_property *property)
{
    const struct sonde_options options = searches_options("uniform", 1, 1);
    struct sonde_search *s = searches_run(property, &options);
    memset(inputs, 0, sizeof inputs);
    for (int i = 0; i < CASES; i++) {
        sonde_exec_inline(s->t, property, s->guide, NULL);
        struct input *in = input_of(sonde_case_hash(s->t));
        in->identity = sonde_case_hash(s->t);
        in->p = sonde_uniform_probability(&s->t->tape) * s->t->weighted_p;
        in->count++;
    }
    searches_free(s);
}

static bool holds(const char *name)
{
    double sum = 0, worst = 0;
    for (int i = 0; i < INPUTS; i++) {
        const struct input *in = &inputs[i];
        double expected = in->p * CASES;
        if (in->count) sum += in->p;
        if (in->count && expected > 100)
            worst = fmax(worst, fabs((double)in->count - expected) / sqrt(expected * (1 - in->p) + 1e-9));
        if (in->count > 200 && expected < 100) worst = INFINITY;
    }
    bool ok = worst < 6 && sum < 1 + 1e-9 && sum > 0.9;
    printf("%s %s: %.1f standard deviations off at most, all inputs together %.4f\n", ok ? "ok  " : "FAIL", name, worst,
           sum);
    return ok;
}

int main(void)
{
    static const sonde_property properties[] = {
        {.name = "numbers", .run = flat},       {.name = "chance and weights", .run = lopsided},
        {.name = "lists", .run = lists},        {.name = "open lists", .run = open_list},
        {.name = "rejected", .run = rejecting}, {.name = "texts", .run = texts},
        {.name = "sizes", .run = sized},        {.name = "selections", .run = selections},
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        sample(&properties[i]);
        failed += !holds(properties[i].name);
    }
    return failed != 0;
}
