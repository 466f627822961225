/* See doubt.h. `differed` states only what runs have shown. Whatever was not tried is advice. */
#include "engine/phases/doubt.h"

#include "base/mem.h"
#include "exec/interrupt.h"
#include "program/sanitizer.h"
#include "tape/fit.h"

#include <stdarg.h>
#include <string.h>

/* Runs of the input: alone; alone for a slow failure, such as a hang; and with each content of new memory. */
enum { TIMES = 5, SLOW_TIMES = 2, FILLED_TIMES = 4 };
enum { CLAIM_ROOM = 1024, DRAWS_ROOM = 256, TEXT_ROOM = 2048 };

struct doubt {
    struct sonde_sequence *q;
    unsigned times, failed; /* number of runs of the input alone, in new processes, and how many of these failed */
    char held[TEXT_ROOM];   /* describes a run that did not fail; "" if there was none */
    bool draws_differ;
    bool depends_on_fill;
    char text[2 * TEXT_ROOM];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void add(struct doubt *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(d->text + d->n, sizeof d->text - d->n, format, args);
    va_end(args);
    d->n += n > 0 ? (size_t)n : 0;
    if (d->n >= sizeof d->text) d->n = sizeof d->text - 1;
}

/* ---- Runs */

/* Describes a run that did not fail as before: how it ended, and whether its draws already differed. */
static void describe_other(struct doubt *d)
{
    const struct sonde_search *s = d->q->engine->search;
    const sonde *t = s->t;
    char draws[DRAWS_ROOM], claim[CLAIM_ROOM];
    switch (t->verdict) {
    case SONDE_VALID: snprintf(d->held, sizeof d->held, "it held"); break;
    case SONDE_DISCARDED:
        snprintf(d->held, sizeof d->held, "the precondition %.500s did not hold", t->rejection.condition);
        break;
    case SONDE_FAILED:
        snprintf(d->held, sizeof d->held, "it failed in a different way: %s",
                 sonde_claim_describe(&t->claim, claim, sizeof claim));
        break;
    default: snprintf(d->held, sizeof d->held, "it drew more than a case may"); break;
    }
    size_t n = strlen(d->held);
    d->draws_differ = sonde_fit_difference(&d->q->found->tape, &t->tape, &s->labels, draws, sizeof draws);
    snprintf(d->held + n, sizeof d->held - n, "; %s", d->draws_differ ? draws : "its draws were the same");
}

static void run_alone(struct doubt *d)
{
    d->times = sonde_interrupted() ? 1 : sonde_sequence_is_slow(d->q) ? SLOW_TIMES : TIMES;
    for (unsigned i = 0; i < d->times; i++) {
        if (sonde_sequence_fails(d->q, true)) d->failed++;
        else if (!d->held[0]) describe_other(d);
    }
}

/* Runs the input FILLED_TIMES times, with memory from malloc filled with the complement of `fill`. Returns how often
 * it fails. */
static unsigned count_filled(struct doubt *d, unsigned char fill)
{
    struct sonde_worker *worker = &d->q->engine->single->runner.worker;
    worker->fill = fill;
    unsigned n = sonde_sequence_count(d->q, FILLED_TIMES, false);
    worker->fill = 0;
    sonde_runner_stop(&d->q->engine->single->runner);
    return n;
}

/* Finds out whether the failure depends on the content of new memory. If the input fails each time with one content,
 * and never with the other, the code reads uninitialized memory. */
static void run_filled(struct doubt *d)
{
    const unsigned char zeros = 0xff, ones = 0x01; /* malloc fills with the complement */
    if (!d->q->engine->single->isolated || sonde_sequence_is_slow(d->q) || sonde_interrupted()) return;
    unsigned a = count_filled(d, zeros), b = count_filled(d, ones);
    d->depends_on_fill = (a == FILLED_TIMES && b == 0) || (a == 0 && b == FILLED_TIMES);
}

/* ---- Words */

static void describe_runs(struct doubt *d, bool had_earlier)
{
    add(d, "run again %u time%s, each in a new process, it ", d->times, d->times == 1 ? "" : "s");
    if (d->failed == d->times) add(d, "failed each time, but it had held before");
    else if (d->failed) add(d, "failed %u time%s (otherwise %s)", d->failed, d->failed == 1 ? "" : "s", d->held);
    else add(d, "never failed (%s)", d->held);
    if (had_earlier) add(d, "; with the cases before it run first, it did not fail every time either");
    if (d->depends_on_fill) add(d, "; whether it fails depends on what memory from malloc holds before it is written");
}

static void describe_limit(struct doubt *d)
{
    const struct sonde_worker *w = &d->q->engine->single->runner.worker;
    enum sonde_claim_kind kind = d->q->found->claim.kind;
    if (kind == SONDE_CLAIM_HANG)
        add(d, "The case takes about as long as --timeout allows, %.2g s of processor time: raise or lower --timeout\n",
            w->limits.cpu_seconds);
    if (kind == SONDE_CLAIM_MEMORY)
        add(d, "The case takes about as much memory as --memory-limit allows: raise or lower --memory-limit\n");
    if (kind == SONDE_CLAIM_STACK_OVERFLOW)
        add(d, "The case takes about as much stack as there is: raise or lower the limit with ulimit -s\n");
}

/* Adds advice, the likeliest first, as far as the runs show it. New processes begin with the same memory and the same
 * addresses. So what differs between them is mostly the time, a random number or the order of threads. */
static void advise(struct doubt *d, bool had_earlier)
{
    const char *memory = "sonde cc --sanitize=memory, or valgrind: shows reads of memory that was not written\n";
    const char *outside =
        "clocks, random numbers, files: draw such values instead; with sonde cc --threads time is virtual\n";
    const char *state = "--isolate=case: if a run with it finds no failure, the code under test keeps state from case "
                        "to case\n"
                        ".reset = SONDE_GLOBALS: restores global and static variables before each case\n";
    bool varies = d->failed > 0;
    describe_limit(d);
    if (d->depends_on_fill) add(d, "%s", memory);
    if (d->q->engine->search->has_threads)
        add(d, "sonde cc --threads, or --sanitize=thread: the code under test starts threads, whose order varies\n");
    if (varies) add(d, "%s", outside);
    if (had_earlier && !varies) add(d, "%s", state);
    if (!d->depends_on_fill) add(d, "%s", memory);
    add(d, "--no-aslr: if the input then fails each time, or never, the failure depends on addresses\n");
    if (!varies) add(d, "%s", outside);
    if (had_earlier && varies) add(d, "%s", state);
}

void sonde_doubt_examine(struct sonde_sequence *q, bool had_earlier, struct sonde_failure *f)
{
    struct doubt d = {.q = q};
    run_alone(&d);
    run_filled(&d);
    describe_runs(&d, had_earlier);
    f->differed = sonde_strdup(d.text);
    d.n = 0;
    advise(&d, had_earlier);
    f->advice = sonde_strdup(d.text);
}
