#define _GNU_SOURCE /* RTLD_DEFAULT */
/* sonde_threads: draws a schedule, runs the threads by it, and judges the result.
 *
 * A schedule is a few switches, each with the number of steps before it, and a rank for each thread: not one choice per
 * step. So it shrinks to the switches that matter. All zeros is the simplest schedule: threads run one after the other.
 * Only a switch preempts a thread that could continue, so a shrunk schedule has just the switches that the bug needs.
 * Ranks decide which thread is next when one waits or ends.
 *
 * Cases use different styles. Few switches find bugs of small depth with a known probability (PCT). Many switches
 * amount to a random walk, and find bugs that need many switches. All styles make the same draws, so that one style can
 * shrink to another.
 *
 * The possible numbers of steps and threads come from a warm-up (exec/exec.h), and so depend on the program alone. */
#include "base/schedule.h"

#include "base/hash.h"
#include "case/case.h"

#include <dlfcn.h>
#include <string.h>

enum {
    FEW = 4,   /* maximum number of switches in the style with few switches */
    MANY = 48, /* maximum number of switches in the style with many switches */
    SWITCH_TARGETS = SONDE_TO_WAITER + 1,
    RANKS = 64,     /* maximum number of threads that get a drawn rank */
    STEPS_MIN = 16, /* a switch is drawn among at least this many steps */
    STEPS_MAX = 1 << 20,
    UNKNOWN_STEPS = 1024, /* number of steps that is assumed if there was no warm-up */
    UNKNOWN_THREADS = 8,
    MOMENTS = SONDE_LIMIT(8192, 16) /* maximum number of steps that are kept for the report of a case */
};

/* A drawn schedule. */
struct drawn {
    struct sonde_switch switches[MANY];
    uint32_t ranks[RANKS];
    uint32_t n_switches, n_ranks;
    uint64_t steps; /* a switch comes after 1 to `steps` steps */
    bool takes_all; /* every memory access is a step */
};

static const struct sonde_schedule_hook *find_hook(sonde *t, const char *label)
{
    struct sonde_schedule_hook *(*find)(void) = sonde_schedule_hook_;
    if (!find) {
        void *symbol = dlsym(RTLD_DEFAULT, "sonde_schedule_hook_");
        memcpy(&find, &symbol, sizeof find);
    }
    if (!find)
        sonde_misuse_(
            t,
            "sonde_threads(\"%s\"): this program was not built to control threads; compile and link it, and the "
            "code under test, with sonde cc --threads",
            label);
    return find();
}

/* ---- The schedule */

static uint64_t steps_of(const struct sonde_learned *learned)
{
    uint64_t wanted = learned && learned->n_runs ? learned->n_steps : UNKNOWN_STEPS, steps = STEPS_MIN;
    while (steps < wanted && steps < STEPS_MAX) steps *= 2;
    return steps;
}

static void insert(struct drawn *d, struct sonde_switch new)
{
    uint32_t i = d->n_switches++;
    for (; i > 0 && d->switches[i - 1].at > new.at; i--) d->switches[i] = d->switches[i - 1];
    d->switches[i] = new;
}

/* Draws the switches. Each style exists twice: with the steps that the warm-up found, and, in one case of nine, with
 * every access as a step. For other inputs, threads may share memory that the warm-up saw as private. */
static void draw_switches(sonde *t, struct drawn *d)
{
    enum { STYLES = 4 }; /* styles differ in the maximum number of switches, `most` */
    static const unsigned most[STYLES] = {1, 2, FEW, MANY}, weights[2 * STYLES] = {12, 8, 8, 4, 1, 1, 1, 1};
    size_t style = sonde_weighted(t, "style", weights, 2 * STYLES);
    d->takes_all = style >= STYLES;
    sonde_list switches = sonde_list_of(t, "switches", 0, most[style % STYLES]);
    while (sonde_more(&switches)) {
        uint64_t at = 1 + sonde_u64(t, "at", 0, d->steps - 1);
        insert(d, (struct sonde_switch){.at = at, .to = (enum sonde_switch_to)sonde_pick(t, "to", SWITCH_TARGETS)});
    }
}

/* Draws threads that get a later rank than all others. Each ranks after the threads drawn before it. */
static void draw_ranks(sonde *t, struct drawn *d, const struct sonde_learned *learned)
{
    uint32_t threads = learned && learned->n_runs ? learned->n_threads : UNKNOWN_THREADS, rank = 0;
    if (threads > RANKS) threads = RANKS;
    if (threads < 2) threads = 2;
    d->n_ranks = threads;
    memset(d->ranks, 0, threads * sizeof *d->ranks);
    sonde_list late = sonde_list_of(t, "late", 0, threads);
    while (sonde_more(&late)) d->ranks[sonde_pick(t, "thread", threads)] = ++rank;
}

static void draw(sonde *t, const char *label, const struct sonde_learned *learned, struct drawn *d)
{
    uint32_t depth = t->view.depth, id = sonde_label_id(t->labels, label);
    if (!id) sonde_case_misplaced(t, "sonde_threads", label);
    sonde_case_open(t, id, 0);
    d->n_switches = 0;
    d->steps = steps_of(learned);
    draw_switches(t, d);
    draw_ranks(t, d, learned);
    sonde_case_close_to(t, depth);
}

/* ---- Schedules on a tape */

static bool is_labelled(const struct sonde_labels *labels, uint32_t id, const char *text)
{
    return strcmp(sonde_label_text(labels, id), text) == 0;
}

/* Returns whether choice i is the style that draw_switches draws first. A list of switches must follow it in the same
 * span: a user's draw may have the same label, but not this structure. */
static bool is_style(const struct sonde_tape *tape, const struct sonde_labels *labels, uint32_t i)
{
    const struct sonde_choice *c = &tape->choices[i];
    if (c->kind != SONDE_KIND_WEIGHTED || !is_labelled(labels, c->label, "style")) return false;
    if (i + 1 >= tape->n_choices) return false;
    const struct sonde_choice *length = &tape->choices[i + 1];
    const struct sonde_tape_span *list = &tape->spans[length->span];
    return length->kind == SONDE_KIND_LENGTH && list->parent == c->span && is_labelled(labels, list->label, "switches");
}

bool sonde_threads_are_in(const struct sonde_tape *tape, const struct sonde_labels *labels)
{
    for (uint32_t i = 0; i < tape->n_choices; i++)
        if (is_style(tape, labels, i)) return true;
    return false;
}

/* Returns whether choice i sets the step of a switch. Such a choice is in a list of switches, or in an element of
 * one. */
static bool is_switch(const struct sonde_tape *tape, const struct sonde_labels *labels, uint32_t i)
{
    const struct sonde_choice *c = &tape->choices[i];
    uint32_t list = c->span;
    if (c->kind != SONDE_KIND_UINT || !is_labelled(labels, c->label, "at")) return false;
    if (tape->spans[list].flags & SONDE_SPAN_ELEMENT) list = tape->spans[list].parent;
    if (!(tape->spans[list].flags & SONDE_SPAN_LIST)) return false;
    uint32_t first = tape->spans[list].start; /* the choice before the list's length is the style */
    return first > 0 && is_style(tape, labels, first - 1);
}

uint32_t sonde_threads_next_switch(const struct sonde_tape *tape, const struct sonde_labels *labels, uint32_t from)
{
    uint32_t i = from;
    while (i < tape->n_choices && !is_switch(tape, labels, i)) i++;
    return i < tape->n_choices ? i : tape->n_choices;
}

/* ---- The result */

static void record_failure(sonde *t, enum sonde_claim_kind kind, const struct sonde_schedule_result *r)
{
    struct sonde_claim *c = &t->claim;
    atomic_store_explicit(&t->claim_taken, 1, memory_order_relaxed);
    c->kind = kind;
    c->file[0] = c->condition[0] = '\0';
    c->line = 0;
    c->has_sides = false;
    c->got[0] = c->want[0] = '\0';
    c->functions = c->innermost = sonde_mix(r->identity + (uint64_t)kind) | 1;
    snprintf(c->message, sizeof c->message, "%s", r->message);
    sonde_failing_();
}

static void misuse(sonde *t, const void *site, const char *message)
{
    t->misused_at = site;
    sonde_misuse_(t, "%s", message);
}

static void move_here(sonde *t)
{
    t->owner = sonde_this_thread();
}

void sonde_threads_judge(sonde *t, const struct sonde_schedule_result *r)
{
    static const enum sonde_claim_kind kinds[] = {
        [SONDE_SCHEDULE_DEADLOCK] = SONDE_CLAIM_DEADLOCK, [SONDE_SCHEDULE_STUCK] = SONDE_CLAIM_STUCK,
        [SONDE_SCHEDULE_LEAK] = SONDE_CLAIM_THREADS,      [SONDE_SCHEDULE_RACE] = SONDE_CLAIM_RACE,
        [SONDE_SCHEDULE_WRONG] = SONDE_CLAIM_THREADS,
    };
    sonde_reached_more(); /* a check: the threads must end, and use their locks correctly */
    if (r->end == SONDE_SCHEDULE_DONE) return;
    if (r->end == SONDE_SCHEDULE_LEFT) sonde_crash_after_threads(t);
    if (r->end == SONDE_SCHEDULE_LEFT) sonde_case_leave(t, t->leaves_with);
    if (r->end == SONDE_SCHEDULE_LONG) sonde_case_overrun(t, "steps of threads");
    record_failure(t, kinds[r->end], r);
    sonde_case_leave(t, SONDE_FAILED);
}

void sonde_find_races(sonde *t)
{
    if (!t || t->owner != sonde_this_thread() || t->schedule.is_elsewhere)
        sonde_case_misplaced(t, "sonde_find_races", "");
    if (t->threads)
        sonde_misuse_(t, "sonde_find_races: called while threads run; call it before sonde_threads or sonde_together");
    t->finds_races = true;
}

const char *sonde_threads_kind(const sonde *t)
{
    return t->ran_os ? "os" : t->ran_fibers ? "fibers" : NULL;
}

void sonde_threads_leave(sonde *t, enum sonde_verdict verdict)
{
    t->leaves_with = verdict;
    t->threads->leave();
}

/* Records the number of steps of a run, during the warm-up. */
static void learn(struct sonde_learned *learned, const struct sonde_schedule *s, const struct sonde_schedule_result *r)
{
    if (!learned || learned->is_frozen) return;
    learned->n_all_steps += r->n_steps;
    if (r->n_steps > learned->n_steps) learned->n_steps = r->n_steps;
    if (s->n_threads > learned->n_threads) learned->n_threads = s->n_threads;
    if (s->unseen & SONDE_UNSEEN_RACES) learned->has_races = true;
}

/* Records which thread behaviour outside the model this case met. That includes races, unless the case itself looks for
 * them. */
static void note_unseen(sonde *t, const struct sonde_learned *learned)
{
    if (learned && learned->has_races && !t->finds_races) t->schedule.unseen |= SONDE_UNSEEN_RACES;
    t->unseen |= t->schedule.unseen;
    sonde_threads_note_unmodelled(t);
}

static void note_uninstrumented(sonde *t, const struct sonde_schedule_hook *hook)
{
    if (hook->uninstrumented[0]) memcpy(t->uninstrumented, hook->uninstrumented, sizeof t->uninstrumented);
}

void sonde_threads_run(sonde *t, const char *label, void (*fn)(sonde *t, void *arg), void *arg,
                       struct sonde_schedule_result *result)
{
    struct drawn d;
    if (!t || t->owner != sonde_this_thread() || !label || t->schedule.is_elsewhere)
        sonde_case_misplaced(t, "sonde_threads", label);
    if (!fn) sonde_misuse_(t, "sonde_threads(\"%s\"): the function is NULL; give the one to run", label);
    if (t->threads) sonde_misuse_(t, "sonde_threads(\"%s\"): called inside another sonde_threads; call it once", label);
    const struct sonde_schedule_hook *hook = find_hook(t, label);
    struct sonde_learned *learned = hook->learned;
    bool warms_up = learned && !learned->is_frozen;
    draw(t, label, learned, &d);
    struct sonde_schedule_plan plan = {.switches = d.switches,
                                       .n_switches = d.n_switches,
                                       .ranks = d.ranks,
                                       .n_ranks = d.n_ranks,
                                       .random = warms_up ? &learned->random : NULL,
                                       .all_until = d.takes_all && learned && learned->is_frozen ? d.steps : 0,
                                       .finds_races = t->finds_races || warms_up,
                                       .misuse = misuse,
                                       .here = move_here,
                                       .t = t,
                                       .schedule = &t->schedule};
    if (t->shows && !t->schedule.moments) {
        t->schedule.moments = sonde_calloc(MOMENTS, sizeof *t->schedule.moments);
        t->schedule.cap_moments = MOMENTS;
    }
    if (!t->schedule.n_threads) t->schedule.n_threads = 1; /* a nonzero count makes the next case reset the schedule */
    t->threads = hook;
    t->ran_os |= hook->is_os;
    t->ran_fibers |= !hook->is_os;
    uint32_t plain_end = t->plain_end;
    t->plain_end = 0; /* makes draws take the slow path, which checks the calling thread */
    note_uninstrumented(t, hook);
    hook->run(&plan, fn, arg, result);
    note_uninstrumented(t, hook); /* noted again, because the threads may have loaded libraries */
    t->plain_end = plain_end;
    t->threads = NULL;
    if (plan.random == NULL && result->n_steps > 2 * d.steps) t->schedule.unseen |= SONDE_UNSEEN_LATE;
    note_unseen(t, learned);
    learn(learned, &t->schedule, result);
}

void sonde_threads(sonde *t, const char *label, void (*fn)(sonde *t, void *arg), void *arg)
{
    struct sonde_schedule_result result;
    sonde_threads_run(t, label, fn, arg, &result);
    sonde_threads_judge(t, &result);
}
