/* See retry.h. A test that fails at once may rest on a wrong guess, and the code itself can tell which guess is right.
 * Six guesses are varied. Which int means success? Which function prepares a new object, and which one frees it? Which
 * functions of a machine may be called in any order? Must a value come back as it was, or only stay the same on a
 * second trip? Which values may be drawn? Each round has one variant of each failing test, all compiled and run as one
 * program. */
#include "retry.h"

#include "trial.h"

#include <string.h>

/* Limits: each round compiles and runs a program. */
enum { MOST_STARTERS = 4, MOST_STOPPERS = 2 };

/* ---- Other guesses: each changes a proposal; false if it has no such guess */

static bool other_success(struct proposal *p, uint32_t round)
{
    (void)round;
    if (p->test.zero_fails || !strstr(p->text, GUESSED_SUCCESS)) return false;
    return p->test.zero_fails = true;
}

/* Returns the object of a proposal: the first parameter that functions of the header create. NULL: there is none. */
static const struct type *object_of(const struct proposal *p, const char **user)
{
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t a = 0; a < all[k].n && !strcmp(all[k].name, p->names[i]); a++)
                if (object_key(all[k].types[a]) && is_made(all[k].types[a])) {
                    *user = all[k].name;
                    return all[k].types[a];
                }
    return NULL;
}

static bool other_start(struct proposal *p, uint32_t round)
{
    const char *user, *starters[MOST_STARTERS];
    const struct type *object = object_of(p, &user);
    if (!object || p->before) return false;
    const struct test *test = &p->test;
    uint32_t n = 0, each = test->n_made > 1 ? MOST_STARTERS / 2 : MOST_STARTERS;
    for (uint32_t i = 0; i < test->n_made && n < MOST_STARTERS; i++) { /* its object, and what that needs */
        uint32_t most = MOST_STARTERS - n < each ? MOST_STARTERS - n : each;
        bool is_again = i && !strcmp(object_key(test->made[i]), object_key(test->made[i - 1]));
        if (!is_again) n += starters_of(test->made[i], user, starters + n, most);
    }
    if (round >= n) return false;
    for (uint32_t i = 0; i < p->n; i++)
        if (!strcmp(p->names[i], starters[round])) return false;
    p->test.start = starters[round];
    p->before = p->found;
    return true;
}

static bool other_stop(struct proposal *p, uint32_t round)
{
    const char *user, *stoppers[MOST_STOPPERS];
    const struct type *object = object_of(p, &user);
    struct maker maker = object ? maker_for(object, user) : (struct maker){MAKES_NOTHING, NULL, 0};
    if (p->before || maker.making == MAKES_NOTHING
        || round >= stoppers_of(object, maker.p->name, stoppers, MOST_STOPPERS))
        return false;
    p->test.stop = stoppers[round];
    p->before = p->found;
    return true;
}

/* Gives a machine the functions that it has, without `out`, and with `in` unless that is NULL. */
static void change_names(struct proposal *p, const char *out, const char *in)
{
    const char **names = keep((p->n + 1) * sizeof *names);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (!out || strcmp(p->names[i], out) != 0) names[n++] = p->names[i];
    if (in) names[n++] = in;
    p->names = names, p->n = p->cap = n;
}

/* Leaves out the function that a failure is about, as long as most of a machine remains. */
static bool without_culprit(struct proposal *p, uint32_t round)
{
    (void)round;
    if (strcmp(p->kind, "machine") != 0 || !p->culprit || p->n_left == MOST_LEFT_OUT) return false;
    if (p->n < 3 || p->n <= p->n_left + 1) return false;
    p->left[p->n_left++] = (struct left_out){p->culprit, p->found};
    p->n_suspects = p->n_left;
    change_names(p, p->culprit, NULL);
    return true;
}

/* Takes back a function that was left out, if leaving out a later one was what helped. */
static bool with_innocent(struct proposal *p, uint32_t round)
{
    if (round + 2 > p->n_suspects) return false;
    uint32_t at = p->n_suspects - 2 - round; /* from the end, so that those before it stay where they are */
    change_names(p, NULL, p->left[at].name);
    p->n_left--;
    for (uint32_t i = at; i < p->n_left; i++) p->left[i] = p->left[i + 1];
    return true;
}

/* ---- Rounds */

/* Returns whether a variant is better: it passes, or a machine that failed before its first call now fails in one. */
static bool is_better(const struct proposal *variant, const struct proposal *p)
{
    if (!variant->is_run || variant->why_not) return false;
    return !variant->found || (!strcmp(p->kind, "machine") && p->found && !p->culprit && variant->culprit);
}

/* Changes the variants of proposals that fail (or pass, if `passing`), and runs them. A proposal becomes its variant if
 * that is better. */
static void try_round(const struct new_request *o, struct proposal *all, struct proposal *variants, uint32_t n,
                      bool (*vary)(struct proposal *p, uint32_t round), uint32_t round, bool passing)
{
    bool is_any = false;
    for (uint32_t i = 0; i < n; i++) {
        struct proposal *p = &variants[i];
        bool is_one = passing ? !all[i].found : all[i].found && p->found;
        bool is_tried = is_one && !all[i].why_not && !p->why_not && vary(p, round);
        p->why_not = is_tried ? NULL : "";
        p->found = p->culprit = NULL, p->is_run = false;
        is_any |= is_tried;
    }
    if (!is_any || !try_all(o, variants, n)) return;
    trial_run(o, variants, n);
    for (uint32_t i = 0; i < n; i++)
        if (is_better(&variants[i], &all[i])) all[i] = variants[i];
}

/* ---- Random inputs */

/* Counts how many random inputs each failing proposal fails for. */
static void sample_failing(const struct new_request *o, struct proposal *all, uint32_t n)
{
    struct proposal *samples = keep((n + 1) * sizeof *samples);
    bool is_any = false;
    memcpy(samples, all, n * sizeof *all);
    for (uint32_t i = 0; i < n; i++) {
        bool is_one = all[i].found && !all[i].why_not;
        is_any |= is_one;
        if (!is_one) samples[i].why_not = "";
    }
    if (is_any) trial_sample(o, samples, n);
    for (uint32_t i = 0; i < n && is_any; i++)
        if (all[i].found && !all[i].why_not && samples[i].is_run)
            all[i].n_valid = samples[i].n_valid, all[i].n_failed = samples[i].n_failed;
}

/* Lets the value that comes back differ once, as with upper and lower case. That is not tried where few values differ:
 * these may show a bug. */
static bool with_second_trip(struct proposal *p, uint32_t round)
{
    (void)round;
    bool is_rare = 10 * p->n_failed < p->n_failed + p->n_valid;
    if (p->test.is_twice || is_rare || strcmp(p->kind, "roundtrip") != 0 || strcmp(p->failed_by, "check") != 0)
        return false;
    p->once = p->found;
    return p->test.is_twice = true;
}

/* Draws fewer values. A test that fails for few of its inputs stays as it is: such inputs are what it is for. But a
 * large number may well take long. */
static bool with_fewer_values(struct proposal *p, uint32_t round)
{
    (void)round;
    bool is_rare = 10 * p->n_failed < p->n_failed + p->n_valid && strcmp(p->failed_by, "hang") != 0;
    if (p->test.is_narrow || is_rare) return false;
    p->wide = p->found;
    return p->test.is_narrow = true;
}

/* Tries the proposals with another guess, which depends on how many random inputs fail. That number stays for the
 * report. */
static void try_sampled(const struct new_request *o, struct proposal *all, uint32_t n,
                        bool (*vary)(struct proposal *p, uint32_t round))
{
    struct proposal *variants = keep((n + 1) * sizeof *variants), *before = keep((n + 1) * sizeof *before);
    memcpy(variants, all, n * sizeof *all);
    memcpy(before, all, n * sizeof *all);
    try_round(o, all, variants, n, vary, 0, false);
    for (uint32_t i = 0; i < n; i++)
        if (all[i].wide || all[i].once) all[i].n_valid = before[i].n_valid, all[i].n_failed = before[i].n_failed;
}

/* Holds back the proposals that fail for too many random inputs: a wrong value for most, or a crash for a quarter. A
 * library like that would be of no use, so the calls are wrong, and not the library. A crash is noticed sooner than a
 * wrong value: MuJS 1.3.2 read all negative numbers as NaN. The rule says nothing of code that is being written, so
 * nothing is held back if its sources or objects were named. */
static void hold_back(const struct new_request *o, struct proposal *all, uint32_t n)
{
    for (uint32_t i = 0; i < o->n_code; i++)
        if (o->code[i][0] != '-') return;
    for (uint32_t i = 0; i < n; i++) {
        if (!all[i].found || all[i].why_not) continue;
        uint32_t limit = (all[i].n_failed + all[i].n_valid) / (strcmp(all[i].failed_by, "check") ? 4 : 2);
        all[i].is_held = all[i].n_failed > limit;
    }
}

const char *run_all(const struct new_request *o, struct proposal *all, uint32_t n)
{
    struct proposal *variants = keep((n + 1) * sizeof *variants);
    const char *why = trial_run(o, all, n);
    memcpy(variants, all, n * sizeof *all);
    try_round(o, all, variants, n, other_success, 0, false);
    for (uint32_t round = 0; round < MOST_STARTERS; round++) {
        memcpy(variants, all, n * sizeof *all);
        try_round(o, all, variants, n, other_start, round, false);
    }
    for (uint32_t round = 0; round < MOST_STOPPERS; round++) {
        memcpy(variants, all, n * sizeof *all);
        try_round(o, all, variants, n, other_stop, round, false);
    }
    memcpy(variants, all, n * sizeof *all);
    for (uint32_t round = 0; round < MOST_LEFT_OUT; round++)
        try_round(o, all, variants, n, without_culprit, round, false);
    for (uint32_t round = 0; round + 1 < MOST_LEFT_OUT; round++) {
        memcpy(variants, all, n * sizeof *all);
        try_round(o, all, variants, n, with_innocent, round, true);
    }
    for (uint32_t i = 0; i < n; i++)
        if (all[i].found && all[i].is_idle && !all[i].why_not)
            all[i].why_not = keep_format("it tests nothing as it is: %s", all[i].found);
    sample_failing(o, all, n);
    try_sampled(o, all, n, with_second_trip);
    try_sampled(o, all, n, with_fewer_values);
    hold_back(o, all, n);
    return why;
}
