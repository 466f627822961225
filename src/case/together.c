/* sonde_together: rules of a machine called concurrently. The calls are drawn before any of them is made. Then
 * controlled threads make them, by a schedule that is drawn as well. linear.h compares their results with the model. */
#include "base/oom.h"
#include "case/calls.h"
#include "case/linear.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 16, CALLS_MAX = SONDE_LINEAR_MAX }; /* limits for struct sonde_parallel */

struct parallel_run;

/* A thread and the calls that it makes. */
struct calling_thread {
    struct parallel_run *run;
    struct sonde_made_call *calls;
    size_t n;
    pthread_t thread;
};

/* One run of sonde_together. */
struct parallel_run {
    const sonde_machine *machine;
    const char *label;
    void *world, *model;
    uint64_t clock;
    struct sonde_made_call calls[CALLS_MAX];
    size_t n_calls, n_before; /* one thread alone makes the first n_before calls */
    struct calling_thread threads[THREADS_MAX];
    size_t n_threads;
};

/* ---- Checks of the machine */

static void check_rules(sonde *t, const char *label, const sonde_machine *machine)
{
    if (!machine || !machine->rules || machine->n_rules == 0)
        sonde_misuse_(t, "sonde_together(\"%s\"): the machine has no rules; give at least one, and set n_rules", label);
    for (size_t i = 0; i < machine->n_rules; i++) {
        const sonde_rule *rule = &machine->rules[i];
        if (!rule->name || !*rule->name)
            sonde_misuse_(t, "sonde_together(\"%s\"): rule %zu has no name; give it the name of the call", label, i);
        if (!rule->run || !rule->agrees)
            sonde_misuse_(
                t,
                "sonde_together(\"%s\"): rule \"%s\" lacks .run or .agrees; set both: .run makes the call in a "
                "thread, and .agrees compares its result with the model",
                label, rule->name);
    }
}

static void check_range(sonde *t, const char *label, const char *name, struct sonde_steps range, int max)
{
    if (range.min < 0 || range.max < range.min || range.max > max)
        sonde_misuse_(t, "sonde_together(\"%s\"): .%s = {%d, %d} is not a range within 0..%d; give {min, max}", label,
                      name, range.min, range.max, max);
}

static struct sonde_steps range_or(struct sonde_steps given, int min, int max)
{
    return given.min || given.max ? given : (struct sonde_steps){min, max};
}

static sonde_parallel check_parallel(sonde *t, const char *label, const sonde_parallel *given)
{
    sonde_parallel p = given ? *given : (sonde_parallel){.threads = {0, 0}};
    p.threads = range_or(p.threads, 2, 3);
    p.calls = range_or(p.calls, 1, 4);
    p.before = range_or(p.before, 0, 5);
    check_range(t, label, "threads", p.threads, THREADS_MAX);
    check_range(t, label, "calls", p.calls, CALLS_MAX);
    check_range(t, label, "before", p.before, CALLS_MAX);
    if (p.threads.min < 1)
        sonde_misuse_(t, "sonde_together(\"%s\"): the minimum of .threads is 0; give at least 1", label);
    if (p.threads.max * p.calls.max + p.before.max > CALLS_MAX)
        sonde_misuse_(
            t,
            "sonde_together(\"%s\"): up to %d calls can be drawn, but the check takes at most %d; lower .threads, "
            ".calls or .before",
            label, p.threads.max * p.calls.max + p.before.max, CALLS_MAX);
    return p;
}

/* ---- Calls */

/* Shows a call, with its outcome if `with_end`, instead of its draws. */
static void show_call(sonde *t, const struct parallel_run *m, const struct sonde_made_call *c, bool with_end)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = t->shows ? open_memstream(&text, &size) : NULL;
    if (!out) return;
    sonde_call_write(out, t, c);
    if (with_end) sonde_call_write_end(out, m->machine, c);
    fclose(out);
    sonde_case_show(t, c->span, text);
    free(text);
}

static void draw_arguments(sonde *t, const struct sonde_made_call *c)
{
    sonde_span(t, c->rule->name);
    c->rule->draw(t, c->call);
}

static void draw_call(sonde *t, struct parallel_run *m, uint32_t thread)
{
    const sonde_machine *machine = m->machine;
    struct sonde_made_call *c = &m->calls[m->n_calls++];
    const sonde_rule *rule = &machine->rules[sonde_pick(t, "rule", machine->n_rules)];
    *c = (struct sonde_made_call){.rule = rule, .thread = thread, .began = SONDE_PENDING, .ended = SONDE_PENDING};
    c->call = sonde_alloc(t, machine->call ? machine->call : 1);
    c->span = t->span;
    if (rule->draw) draw_arguments(t, c);
    show_call(t, m, c, false); /* reports show this string if the case ends before the outcome is known */
}

static void draw_calls(sonde *t, struct parallel_run *m, struct sonde_steps range, uint32_t thread)
{
    sonde_list calls = sonde_list_of(t, thread ? "calls" : "before", (size_t)range.min, (size_t)range.max);
    while (sonde_more(&calls)) draw_call(t, m, thread);
}

static void draw_threads(sonde *t, struct parallel_run *m, const sonde_parallel *p)
{
    sonde_list threads = sonde_list_of(t, "threads", (size_t)p->threads.min, (size_t)p->threads.max);
    while (sonde_more(&threads)) {
        struct calling_thread *thread = &m->threads[m->n_threads++];
        size_t from = m->n_calls;
        draw_calls(t, m, p->calls, (uint32_t)m->n_threads);
        *thread = (struct calling_thread){.run = m, .calls = &m->calls[from], .n = m->n_calls - from};
    }
}

static void make_call(struct parallel_run *m, struct sonde_made_call *c)
{
    c->began = m->clock++;
    c->rule->run(m->world, c->call);
    c->ended = m->clock++;
}

static void *run_thread(void *arg)
{
    struct calling_thread *p = arg;
    for (size_t i = 0; i < p->n; i++) make_call(p->run, &p->calls[i]);
    return NULL;
}

static void run_calls(sonde *t, void *arg)
{
    struct parallel_run *m = arg;
    (void)t;
    for (size_t i = 0; i < m->n_before; i++) make_call(m, &m->calls[i]);
    for (size_t i = 0; i < m->n_threads; i++) pthread_create(&m->threads[i].thread, NULL, run_thread, &m->threads[i]);
    for (size_t i = 0; i < m->n_threads; i++) pthread_join(m->threads[i].thread, NULL);
}

/* ---- Results */

/* Shows all calls with their outcomes. The user's printers may allocate: all threads have ended, so nothing here is
 * scheduled. */
static void show_calls(sonde *t, const struct parallel_run *m)
{
    uint64_t left = sonde_oom_pause();
    for (size_t i = 0; i < m->n_calls; i++) show_call(t, m, &m->calls[i], true);
    sonde_oom_resume(left);
}

static void note_calls(sonde *t, const struct parallel_run *m)
{
    for (size_t i = 0; i < m->n_calls; i++) {
        const struct sonde_made_call *c = &m->calls[i];
        const char *text = sonde_case_shown(t, c->span);
        if (!text) continue;
        if (!c->thread) sonde_note(t, "before: %s", text);
        else if (c->began == SONDE_PENDING) sonde_note(t, "thread %u: %s", c->thread, text);
        else if (c->ended == SONDE_PENDING)
            sonde_note(t, "thread %u, from %llu on: %s", c->thread, (unsigned long long)c->began, text);
        else
            sonde_note(t, "thread %u, from %llu to %llu: %s", c->thread, (unsigned long long)c->began,
                       (unsigned long long)c->ended, text);
    }
}

/* Judges the calls of one part, or all calls if the machine does not define .part. */
static enum sonde_linear_verdict judge_part(const struct parallel_run *m, size_t first)
{
    struct sonde_linear_call calls[CALLS_MAX];
    struct sonde_linear history = {.calls = calls,
                                   .model = m->model,
                                   .size = m->machine->model,
                                   .value = m->machine->value};
    uint64_t (*part)(const void *call) = m->machine->part;
    for (size_t i = first; i < m->n_calls; i++) {
        const struct sonde_made_call *c = &m->calls[i];
        if (c->began == SONDE_PENDING) continue; /* the call was never made */
        if (part && part(c->call) != part(m->calls[first].call)) continue;
        calls[history.n++] = (struct sonde_linear_call){
            .began = c->began, .ended = c->ended, .call = c->call, .agrees = c->rule->agrees, .waits = c->rule->waits};
    }
    return sonde_linear_judge(&history);
}

static bool is_first_of_part(const struct parallel_run *m, size_t i)
{
    uint64_t (*part)(const void *call) = m->machine->part;
    if (!part) return i == 0;
    for (size_t k = 0; k < i; k++)
        if (part(m->calls[k].call) == part(m->calls[i].call)) return false;
    return true;
}

/* Returns whether all calls that did not return are allowed to wait. Then the model decides whether they should
 * wait. */
static bool may_wait(const struct parallel_run *m)
{
    for (size_t i = 0; i < m->n_calls; i++) {
        const struct sonde_made_call *c = &m->calls[i];
        if (c->began != SONDE_PENDING && c->ended == SONDE_PENDING && !c->rule->waits) return false;
    }
    return true;
}

/* Judges how the threads ended, except when they all wait in calls that are allowed to wait. Then judges the results of
 * the calls. */
static void compare(sonde *t, struct parallel_run *m, const struct sonde_schedule_result *result)
{
    bool is_waiting = result->end == SONDE_SCHEDULE_DEADLOCK;
    if (is_waiting && !may_wait(m)) note_calls(t, m);
    if (!is_waiting || !may_wait(m)) sonde_threads_judge(t, result);
    for (size_t i = 0; i < m->n_calls; i++) {
        enum sonde_linear_verdict verdict = is_first_of_part(m, i) ? judge_part(m, i) : SONDE_LINEAR_HOLDS;
        if (verdict == SONDE_LINEAR_HOLDS) continue;
        note_calls(t, m);
        if (verdict == SONDE_LINEAR_MISTAKEN)
            sonde_misuse_(
                t,
                "sonde_together(\"%s\"): removing the calls of one .value changes the model's results for the other "
                "calls; give calls that affect each other the same .value, or leave .value out (docs/threads.md)",
                m->label);
        if (is_waiting)
            sonde_fail_(t, NULL, 0,
                        "sonde_together(\"%s\"): not linearizable: no sequential order of the calls explains their "
                        "results and which of them wait forever",
                        m->label);
        sonde_fail_(t, NULL, 0,
                    "sonde_together(\"%s\"): not linearizable: no sequential order of the calls explains their results",
                    m->label);
    }
}

struct stopping {
    sonde *t;
    const struct parallel_run *m;
};

static void stop(void *arg)
{
    struct stopping *s = arg;
    s->m->machine->stop(s->t, s->m->world);
}

void sonde_together(sonde *t, const char *label, const sonde_machine *machine, const sonde_parallel *parallel)
{
    if (!t || t->owner != sonde_this_thread() || !label || t->schedule.is_elsewhere)
        sonde_case_misplaced(t, "sonde_together", label);
    check_rules(t, label, machine);
    sonde_parallel p = check_parallel(t, label, parallel);
    struct sonde_schedule_result result;
    struct parallel_run *m = sonde_alloc(t, sizeof *m);
    sonde_span(t, label);
    m->machine = machine;
    m->label = label;
    m->world = machine->size ? sonde_alloc(t, machine->size) : NULL;
    m->model = machine->model ? sonde_alloc(t, machine->model) : NULL;
    if (machine->stop) {
        struct stopping *s = sonde_new(t, struct stopping);
        *s = (struct stopping){t, m};
        sonde_defer(t, stop, s);
    }
    if (machine->start) machine->start(t, m->world);
    if (machine->start_model) machine->start_model(t, m->model);
    draw_calls(t, m, p.before, 0);
    m->n_before = m->n_calls;
    draw_threads(t, m, &p);
    sonde_threads_run(t, "schedule", run_calls, m, &result);
    show_calls(t, m);
    compare(t, m, &result);
}
