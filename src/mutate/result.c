#define _GNU_SOURCE /* strcasestr */
/* See result.h. Counting, advice and ranking; nothing is run here. */
#include "mutate/result.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/wide.h"
#include "program/mutants.h"

#include <stdlib.h>
#include <string.h>

const char *sonde_fate_word(enum sonde_mutant_fate fate)
{
    static const char *const words[SONDE_FATES] = {"not judged",    "killed",    "survived",
                                                   "never reached", "not tried", "not confirmed"};
    return words[fate];
}

const char *sonde_kill_word(enum sonde_kill_kind kind)
{
    static const char *const words[SONDE_KILLS] = {"none", "check", "crash",  "sanitizer",
                                                   "hang", "exit",  "memory", "other"};
    return words[kind];
}

const char *sonde_effect_word(enum sonde_mutant_effect effect)
{
    static const char *const words[SONDE_EFFECTS] = {"observed", "leak", "way", "value", "unknown", "lost", "none"};
    return words[effect];
}

const char *sonde_advice_text(enum sonde_mutant_advice advice)
{
    static const char *const texts[SONDE_ADVICES] = {
        "",
        "on an error path: check that the error is reported",
        "something is not freed or closed: build with --sanitize, or count it",
        "may access memory out of bounds: build with --sanitize",
        "in a returned value: check what is returned",
        "written but never read back: check the value afterwards",
        "check the result of this code, for instance against a model",
        "no input showed a difference: an input is missing, or the mutant is equivalent"};
    return texts[advice];
}

/* ---- Advice */

static bool is_write(unsigned kind)
{
    return kind == SONDE_MUTANT_NO_ASSIGN_ || kind == SONDE_MUTANT_COMPOUND_ || kind == SONDE_MUTANT_STEP_;
}

/* Returns whether a function frees or closes something, by its name. */
static bool is_cleanup(const char *function)
{
    static const char *const words[] = {"free", "delete", "destroy", "clear", "close", "release", "dispose", "cleanup"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(function, words[i])) return true;
    return false;
}

static enum sonde_mutant_advice advice_for(const struct sonde_mutant_result *r, bool is_sanitized)
{
    unsigned hints = r->mutant->hints;
    if (hints & SONDE_MUTANT_FREES_ && !is_sanitized) return SONDE_ADVICE_LEAK;
    if (r->effect == SONDE_EFFECT_LEAK) return SONDE_ADVICE_LEAK;
    if (r->effect >= SONDE_EFFECT_LOST) return SONDE_ADVICE_INPUT;
    if (is_cleanup(r->mutant->function) && !is_sanitized) return SONDE_ADVICE_LEAK;
    if (hints & SONDE_MUTANT_INDEX_ && !is_sanitized) return SONDE_ADVICE_BOUNDS;
    if (hints & SONDE_MUTANT_ERROR_PATH_) return SONDE_ADVICE_ERROR_PATH;
    if (hints & SONDE_MUTANT_IGNORED_) return SONDE_ADVICE_IGNORED;
    return is_write(r->mutant->kind) && r->effect >= SONDE_EFFECT_VALUE ? SONDE_ADVICE_WRITTEN : SONDE_ADVICE_VALUE;
}

/* ---- Ranking */

/* Returns how many of a thousand compared inputs showed the effect that the survivor is ranked by. */
static uint32_t share_of(const struct sonde_mutant_result *r)
{
    uint32_t n = r->effect == SONDE_EFFECT_OBSERVED ? r->observed
                 : r->effect == SONDE_EFFECT_WAY    ? r->other_way
                                                    : r->differed;
    return r->compared ? (uint32_t)((uint64_t)n * 1000 / r->compared) : 0;
}

/* Returns whether the effect was seen outside of the mutated function. If it was not, the function may undo it. */
static bool is_far(const struct sonde_mutant_result *r)
{
    return r->far > 0;
}

/* Returns whether a mutant moves a boundary or a constant by one. More of these are equivalent: both sides of a
 * boundary often lead to the same result, as a copy of no bytes does. */
static bool is_nudge(const struct sonde_mutant_result *r)
{
    return r->mutant->hints & SONDE_MUTANT_NUDGES_;
}

/* Returns the effect, but the same for all survivors without an effect that was seen: they may be equivalent. */
static enum sonde_mutant_effect tier_of(const struct sonde_mutant_result *r)
{
    return r->effect < SONDE_EFFECT_LOST ? r->effect : SONDE_EFFECT_LOST;
}

/* Returns whether a mutant may change only how much memory is obtained. A leak is more than that. */
static bool is_room(const struct sonde_mutant_result *r)
{
    return r->mutant->hints & SONDE_MUTANT_ROOM_ && r->effect != SONDE_EFFECT_LEAK;
}

/* The most telling effect comes first. Among equals, mutants come first that are not about the amount of memory, that
 * are a larger change, and that reach further. Then the share of inputs counts, how many reach the code, and the
 * number. */
static int by_rank(const void *a, const void *b)
{
    const struct sonde_mutant_result *x = *(const struct sonde_mutant_result *const *)a,
                                     *y = *(const struct sonde_mutant_result *const *)b;
    if (tier_of(x) != tier_of(y)) return tier_of(x) < tier_of(y) ? -1 : 1;
    if (is_room(x) != is_room(y)) return is_room(y) ? -1 : 1;
    if (is_nudge(x) != is_nudge(y)) return is_nudge(y) ? -1 : 1;
    if (x->effect != y->effect) return x->effect < y->effect ? -1 : 1;
    if (is_far(x) != is_far(y)) return is_far(x) ? -1 : 1;
    if (share_of(x) != share_of(y)) return share_of(x) > share_of(y) ? -1 : 1;
    if (x->reached != y->reached) return x->reached > y->reached ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static void rank(struct sonde_mutation *m)
{
    struct sonde_mutant_result **sorted = sonde_calloc(m->n_mutants + 1u, sizeof *sorted);
    for (uint32_t i = 0; i < m->n_mutants; i++) {
        struct sonde_mutant_result *r = &m->mutants[i];
        if (r->fate != SONDE_FATE_SURVIVED) continue;
        r->advice = advice_for(r, m->is_sanitized);
        m->n_excused += r->excuse != NULL;
        if (r->excuse) continue;
        m->effects[r->effect]++;
        sorted[m->n_ranked++] = r;
    }
    qsort(sorted, m->n_ranked, sizeof(struct sonde_mutant_result *), by_rank);
    m->ranked = sonde_calloc(m->n_ranked + 1u, sizeof *m->ranked);
    for (uint32_t i = 0; i < m->n_ranked; i++) m->ranked[i] = (uint32_t)(sorted[i] - m->mutants);
    sonde_free(sorted);
}

/* Returns whether the first screen may have a survivor: none of its statement is there, and fewer than `limit` of its
 * function. One missing check often lets many mutants of a function pass. */
static bool is_for_first_screen(const struct sonde_mutation *m, uint32_t ranked, uint32_t limit)
{
    const struct sonde_mutant_result *r = &m->mutants[m->ranked[ranked]];
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_first_screen; i++) {
        const struct sonde_mutant_result *other = &m->mutants[m->ranked[m->first_screen[i]]];
        if (sonde_mutants_statement_of(r->number) == sonde_mutants_statement_of(other->number)) return false;
        n += !strcmp(r->mutant->function, other->mutant->function) && !strcmp(r->mutant->file, other->mutant->file);
    }
    return n < limit;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Fills the first screen with survivors [from, to) of the ranking: the first of each function, then the second, and so
 * on. */
static void fill_first_screen(struct sonde_mutation *m, uint32_t from, uint32_t to)
{
    enum { ROOM = 10 }; /* each takes five lines, and the screen has other lines */
    for (uint32_t limit = 1; limit <= ROOM; limit++)
        for (uint32_t i = from; i < to && m->n_first_screen < ROOM; i++)
            if (is_for_first_screen(m, i, limit)) m->first_screen[m->n_first_screen++] = i;
}

/* Survivors that may be equivalent come after all others, whatever their function. Among them, changes by one come
 * last. */
static void choose_first_screen(struct sonde_mutation *m)
{
    uint32_t telling = 0, large;
    m->first_screen = sonde_calloc(m->n_ranked + 1u, sizeof *m->first_screen);
    while (telling < m->n_ranked && m->mutants[m->ranked[telling]].effect < SONDE_EFFECT_LOST) telling++;
    for (large = telling; large < m->n_ranked && !is_nudge(&m->mutants[m->ranked[large]]);) large++;
    fill_first_screen(m, 0, telling);
    fill_first_screen(m, telling, large);
    fill_first_screen(m, large, m->n_ranked);
    qsort(m->first_screen, m->n_first_screen, sizeof *m->first_screen, by_number);
}

/* ---- Counting */

static struct sonde_mutation_file *file_of(struct sonde_mutation *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_files; i++)
        if (!strcmp(m->files[i].name, name)) return &m->files[i];
    m->files[m->n_files].name = name;
    return &m->files[m->n_files++];
}

/* Of a mutant that exactly one property killed, credits that property, and its check. */
static void count_alone(struct sonde_mutation *m, const struct sonde_mutant_result *r)
{
    uint32_t n = 0, by = 0;
    for (uint32_t p = 0; p < m->n_properties; p++)
        if (r->kills[p].kind != SONDE_KILL_NONE) n++, by = p;
    if (n != 1) return;
    m->properties[by].alone++;
    if (r->kills[by].check != UINT32_MAX) m->checks[r->kills[by].check].alone++;
}

static void count_kills(struct sonde_mutation *m, const struct sonde_mutant_result *r)
{
    if (r->fate != SONDE_FATE_KILLED) return;
    m->kills[r->kills[r->killer].kind]++;
    m->n_in_series += r->in_series;
    for (uint32_t p = 0; p < m->n_properties; p++) {
        const struct sonde_mutant_kill *kill = &r->kills[p];
        if (kill->kind == SONDE_KILL_NONE) continue;
        m->properties[p].kills++;
        sonde_assert(kill->check == UINT32_MAX || kill->check < m->n_checks);
        if (kill->check != UINT32_MAX) m->checks[kill->check].kills++;
    }
    if (m->has_matrix) count_alone(m, r);
}

uint32_t sonde_mutation_check_at(struct sonde_mutation *m, const char *file, int line, const char *text)
{
    for (uint32_t i = 0; i < m->n_checks; i++)
        if (m->checks[i].line == line && !strcmp(m->checks[i].file, file)) return i;
    m->checks = sonde_realloc(m->checks, (m->n_checks + 1u) * sizeof *m->checks);
    m->checks[m->n_checks] =
        (struct sonde_mutation_check){.file = sonde_strdup(file), .text = sonde_strdup(text), .line = line};
    return m->n_checks++;
}

void sonde_mutation_sum_up(struct sonde_mutation *m)
{
    /* Files are at most as many as mutants; the list is short, and the memory is given back at the end. */
    m->files = sonde_calloc(m->n_mutants + 1u, sizeof *m->files);
    for (uint32_t i = 0; i < m->n_mutants; i++) {
        const struct sonde_mutant_result *r = &m->mutants[i];
        struct sonde_mutation_file *file = file_of(m, r->mutant->file);
        file->mutants++;
        file->fates[r->fate]++;
        m->fates[r->fate]++;
        count_kills(m, r);
    }
    rank(m);
    choose_first_screen(m);
}

void sonde_mutation_clear(struct sonde_mutation *m)
{
    for (uint32_t i = 0; i < m->n_mutants; i++) {
        sonde_free(m->mutants[i].kills);
        sonde_free(m->mutants[i].token);
        sonde_free(m->mutants[i].message);
    }
    for (uint32_t i = 0; i < m->n_properties; i++) {
        sonde_free(m->properties[i].refusal);
        sonde_free(m->properties[i].token);
    }
    for (uint32_t i = 0; i < m->n_checks; i++) {
        sonde_free(m->checks[i].file);
        sonde_free(m->checks[i].text);
    }
    sonde_free(m->mutants);
    sonde_free(m->properties);
    sonde_free(m->checks);
    sonde_free(m->files);
    sonde_free(m->ranked);
    sonde_free(m->first_screen);
    memset(m, 0, sizeof *m);
}

/* Steps by the golden ratio fill a range evenly. The nearest step without a common divisor with n meets each index
 * once. */
uint32_t sonde_mutation_nth(uint32_t n, uint32_t i)
{
    const double golden = 0.6180339887498949;
    uint32_t near = (uint32_t)(n * golden), step = near;
    for (uint32_t k = 1; sonde_gcd(step, n) > 1; k++) step = k % 2 ? near + (k + 1) / 2 : near - k / 2;
    return (uint32_t)((uint64_t)i * step % n);
}
