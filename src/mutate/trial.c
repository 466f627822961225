/* See trial.h. The part above the line "In the supervisor" runs in the worker. The code under test may end the
 * worker at any point: whatever the trial holds by then is the result. */
#include "mutate/trial.h"

#include "base/die.h"
#include "base/heap.h"
#include "base/mem.h"
#include "engine/search/account.h"
#include "engine/workers/supervise.h"
#include "exec/exec.h"
#include "program/mutants.h"
#include "program/sanitizer.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

enum {
    INPUTS_MAX = 1000,  /* of a KILL or EFFECT trial */
    FILE_MAX = 64 << 20 /* bytes that the code under test may write to a file */
};

/* A trial, in the heap that its worker shares. */
struct sonde_trial {
    struct sonde_search search;
    struct sonde_options options;
    struct sonde_trial_order order;
    uint32_t inputs[INPUTS_MAX], n_inputs; /* indices in the bank */
    volatile unsigned char *flag;          /* of the mutant; NULL: there is none */
    /* The result, so far. */
    bool is_killed;
    int32_t input, shows;
    uint32_t runs, valid, discarded, compared, differed, other_way, observed, used, leaked, far;
    enum sonde_mutant_effect effect; /* of the input `shows` */
    uint64_t size;                   /* of its tape */
    char difference[SONDE_TRIAL_DIFFERENCE];
    bool sees_code;
    unsigned char *is_bad;
    double slowest;
};

/* ---- In the worker: cases */

/* Runs a case without counters and comparisons, which take most of the time of a case. */
static void execute_plainly(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    sonde_exec_inline(s->t, s->property, guide, script);
}

/* Runs a case with counters and comparisons. */
static void execute_counted(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    sonde_coverage_begin(s->coverage, true);
    sonde_exec_inline(s->t, s->property, guide, script);
    s->seen = sonde_coverage_end(s->coverage);
}

/* Runs a case; returns whether to stop, because it failed. */
static bool run(struct sonde_trial *x, struct sonde_guide *guide, const struct sonde_tape *script)
{
    struct sonde_search *s = &x->search;
    if (x->flag) *x->flag = 0;
    x->runs++; /* before the case, which may end the worker */
    sonde_search_run_case(s, guide, script);
    x->valid += s->t->verdict == SONDE_VALID && (!x->flag || *x->flag);
    x->discarded += s->t->verdict == SONDE_DISCARDED || s->t->verdict == SONDE_OVERRUN;
    x->is_killed = s->t->verdict == SONDE_FAILED || s->t->verdict == SONDE_MISUSE;
    return x->is_killed;
}

static const struct sonde_tape *input_of(const struct sonde_trial *x, uint32_t i)
{
    return &x->order.of->bank.inputs[i].tape;
}

/* Runs the chosen inputs until one fails. The guide learns from the last of them, for the search that follows. */
static bool run_inputs(struct sonde_trial *x)
{
    enum { LEARNED = 20 };
    for (uint32_t i = 0; i < x->n_inputs; i++) {
        bool learns = i > 0 && i + LEARNED >= x->n_inputs && x->order.kind == SONDE_TRIAL_KILL;
        x->input = (int32_t)x->inputs[i];
        x->search.execute = learns ? sonde_search_execute : execute_plainly;
        if (run(x, x->search.simplest, input_of(x, x->inputs[i]))) return true;
        if (learns) sonde_search_account(&x->search, NULL);
    }
    return false;
}

/* A search without inputs before it knows nothing, as an ordinary run with a bug in place of the mutant. */
static bool run_search(struct sonde_trial *x)
{
    struct sonde_search *s = &x->search;
    struct sonde_guide *guide = s->guide;
    s->execute = sonde_search_execute;
    x->input = -1;
    for (uint32_t i = 0; i < x->order.cases; i++) {
        enum sonde_plan plan = guide->ops->start ? guide->ops->start(guide, &s->script) : SONDE_PLAN_FRESH;
        if (plan == SONDE_PLAN_DONE) return false;
        s->author = guide;
        if (run(x, guide, plan == SONDE_PLAN_SCRIPT ? &s->script : NULL)) return true;
        sonde_search_account(s, guide);
    }
    return false;
}

/* Runs every input of the bank without a mutant. A search has run them before, after other cases: some may be valid
 * only then. */
static void run_base(struct sonde_trial *x)
{
    const struct sonde_bank *bank = &x->order.of->bank;
    double began = sonde_clock_cpu();
    for (uint32_t i = 0; i < bank->n; i++) {
        x->input = (int32_t)i;
        if (run(x, x->search.simplest, input_of(x, i))) return;
        x->is_bad[i] = x->search.t->verdict != SONDE_VALID;
        double now = sonde_clock_cpu();
        if (now - began > x->slowest) x->slowest = now - began;
        began = now;
    }
}

/* ---- In the worker: effects */

/* One case: what the code did, and what the property showed by sonde_observe. */
struct trace {
    struct sonde_mutant_trace code;
    struct sonde_observed observed;
};

static void run_mode(struct sonde_trial *x, enum sonde_mutant_mode mode, uint32_t input, struct trace *trace)
{
    sonde_mutants_choose(x->order.mutant, mode);
    run(x, x->search.simplest, input_of(x, input));
    sonde_mutant_trace_take(&trace->code, x->search.seen);
    x->sees_code |= trace->code.n > 0;
    sonde_observed_copy(&trace->observed, &x->search.t->observed);
}

/* Returns the effect on the input that ran last. An expression that had the same value each time changed nothing: the
 * path may then differ only inside the expression. */
static enum sonde_mutant_effect effect_of(struct sonde_trial *x, const struct trace *plain, const struct trace *other,
                                          const struct sonde_mutant_own *own)
{
    char text[SONDE_TRIAL_DIFFERENCE];
    struct sonde_mutant_difference found = sonde_mutant_difference_of(own, &plain->code, &other->code);
    bool differed = sonde_mutants_differed(x->order.mutant) > 0;
    bool is_watched = !(sonde_mutants_at(x->order.mutant)->hints & SONDE_MUTANT_UNWATCHED_);
    bool observed = sonde_observed_differ(&other->observed, &plain->observed, text, sizeof text);
    bool may = differed || !is_watched;
    x->differed += differed || (found.is_used && !is_watched);
    x->used += may && found.is_used;
    x->other_way += may && found.is_way;
    x->far += may && found.is_far;
    if (observed && !x->observed++) memcpy(x->difference, text, sizeof text);
    return observed               ? SONDE_EFFECT_OBSERVED
           : may && found.is_way  ? SONDE_EFFECT_WAY
           : may && found.is_used ? SONDE_EFFECT_VALUE
           : differed             ? SONDE_EFFECT_LOST
                                  : SONDE_EFFECT_NONE;
}

/* Records the effect on one input. The input to show is the smallest one with the most telling effect. */
static void record_effect(struct sonde_trial *x, uint32_t input, enum sonde_mutant_effect effect)
{
    uint64_t size = x->order.of->bank.inputs[input].size;
    x->compared++;
    if (effect > x->effect || (effect == x->effect && x->shows >= 0 && size >= x->size)) return;
    x->effect = effect;
    x->shows = (int32_t)input;
    x->size = size;
}

/* Two conditions: musl's preprocessor has no __GLIBC_PREREQ to expand. */
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
#define SONDE_HAS_MALLINFO2
#endif
#endif

/* Returns how many bytes of malloc are in use; 0: not known. */
static size_t bytes_in_use(void)
{
#ifdef SONDE_HAS_MALLINFO2
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

/* Returns how much memory each round of the inputs leaves in use, at least. The first rounds fill the caches of malloc,
 * which hold seven blocks of each size. */
static size_t bytes_left(struct sonde_trial *x, enum sonde_mutant_mode mode)
{
    enum { INPUTS = 5, ROUNDS = 12, FIRST = 8 };
    size_t least = SIZE_MAX;
    sonde_mutants_choose(x->order.mutant, mode);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        size_t before = bytes_in_use();
        for (uint32_t i = 0; i < x->n_inputs && i < INPUTS; i++) run(x, x->search.simplest, input_of(x, x->inputs[i]));
        size_t now = bytes_in_use(), more = now > before ? now - before : 0;
        if (round >= FIRST && more < least) least = more;
    }
    return least;
}

/* Finds out whether the mutant leaves memory in use. If the property itself does, that is not known. */
static void find_leak(struct sonde_trial *x)
{
    if (bytes_left(x, SONDE_MUTANT_OFF) > 0) return;
    size_t left = bytes_left(x, SONDE_MUTANT_ON);
    x->leaked = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
}

/* Each input runs twice without the mutant, and with the null mutant: what differs then is not the mutant's doing. */
static void run_effect(struct sonde_trial *x)
{
    struct trace *plain = sonde_calloc(x->n_inputs + 1u, sizeof *plain), other = {.code = {0}};
    struct sonde_mutant_own own = {.coverage = x->search.coverage,
                                   .known = &x->order.of->known,
                                   .code = x->order.of->code};
    sonde_mutant_own_function(&own, sonde_mutants_at(x->order.mutant)->function);
    x->effect = SONDE_EFFECT_NONE;
    x->search.t->observes = true;
    for (uint32_t i = 0; i < x->n_inputs; i++) {
        run_mode(x, SONDE_MUTANT_OFF, x->inputs[i], &plain[i]);
        run_mode(x, SONDE_MUTANT_OFF, x->inputs[i], &other);
        sonde_mutant_own_add(&own, &plain[i].code, &other.code);
        run_mode(x, SONDE_MUTANT_NULL, x->inputs[i], &other);
        sonde_mutant_own_add_null(&own, &plain[i].code, &other.code);
    }
    for (uint32_t i = 0; i < x->n_inputs; i++) {
        run_mode(x, SONDE_MUTANT_WATCHED, x->inputs[i], &other);
        record_effect(x, x->inputs[i], effect_of(x, &plain[i], &other, &own));
    }
    x->search.execute = execute_plainly;
    find_leak(x);
    x->is_killed = false; /* the trials before have shown that nothing notices it */
}

/* ---- In the worker: the job */

static void limit_files(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_FSIZE, &r) != 0 || (r.rlim_cur != RLIM_INFINITY && r.rlim_cur <= FILE_MAX)) return;
    r.rlim_cur = FILE_MAX;
    setrlimit(RLIMIT_FSIZE, &r);
}

static bool has_mutant(const struct sonde_trial *x)
{
    return !x->order.is_plain && (x->order.kind == SONDE_TRIAL_KILL || x->order.kind == SONDE_TRIAL_ONE);
}

/* Leaks are asked for once, after all cases: asking takes longer than most cases. */
static void check_leaks(struct sonde_trial *x)
{
    if (x->is_killed || !x->search.leaks.is_possible || !sonde_leaks_are_there()) return;
    sonde_case_leaks(x->search.t);
    x->is_killed = true;
}

static void work(void *arg)
{
    struct sonde_trial *x = arg;
    const struct sonde_trial_order *o = &x->order;
    x->search.execute = o->kind == SONDE_TRIAL_EFFECT ? execute_counted : execute_plainly;
    limit_files();
    sonde_mutants_choose(o->mutant, has_mutant(x) ? SONDE_MUTANT_ON : SONDE_MUTANT_OFF);
    sonde_exec_worker_setup(x->search.property);
    sonde_coverage_reset(x->search.coverage);
    if (o->kind == SONDE_TRIAL_BASE) run_base(x);
    else if (o->kind == SONDE_TRIAL_EFFECT) run_effect(x);
    else if (o->kind == SONDE_TRIAL_ONE) run(x, x->search.simplest, o->script);
    else if (!run_inputs(x)) run_search(x);
    if (x->is_killed) return;
    sonde_exec_worker_teardown(x->search.property);
    if (has_mutant(x) || o->kind == SONDE_TRIAL_BASE) check_leaks(x);
}

/* ---- In the supervisor */

/* Chooses the inputs of the trial. Half of those for the effect are the smallest that reach the mutant: they are shown
 * to people. */
static void choose_inputs(struct sonde_trial *x)
{
    const struct sonde_trial_order *o = &x->order;
    uint32_t site = sonde_mutants_site_of(o->mutant), small[INPUTS_MAX], n_small = 0;
    uint32_t max = o->inputs < INPUTS_MAX ? o->inputs : INPUTS_MAX, half = (max + 1) / 2;
    bool is_effect = o->kind == SONDE_TRIAL_EFFECT;
    x->n_inputs = sonde_bank_order(&o->of->bank, site, SONDE_BANK_BY_KILLS, x->inputs, is_effect ? half : max);
    if (is_effect) n_small = sonde_bank_order(&o->of->bank, site, SONDE_BANK_BY_SIZE, small, max);
    uint32_t n_first = x->n_inputs;
    for (uint32_t i = 0; i < n_small && x->n_inputs < max; i++) {
        bool is_there = false;
        for (uint32_t k = 0; k < n_first && !is_there; k++) is_there = x->inputs[k] == small[i];
        if (!is_there) x->inputs[x->n_inputs++] = small[i];
    }
}

/* Creates the trial in its heap, which is current. The script stays in the supervisor's memory: the worker inherits
 * that memory by fork. */
static struct sonde_trial *create_trial(const struct sonde_trial_order *order)
{
    struct sonde_trial *x = sonde_calloc(1, sizeof *x);
    x->options = order->of->options;
    x->order = *order;
    x->input = x->shows = -1;
    sonde_search_init(&x->search, order->of->property, &x->options, 0);
    sonde_labels_take(&x->search.labels, &order->of->labels);
    if (order->kind == SONDE_TRIAL_BASE) x->is_bad = sonde_calloc(order->of->bank.n + 1u, 1);
    if (order->mutant) choose_inputs(x);
    if (order->mutant) x->flag = sonde_mutants_flag(order->mutant);
    return x;
}

int sonde_trial_start(struct sonde_trial_slot *slot, const struct sonde_trial_order *order, atomic_uint *bell)
{
    slot->heap = sonde_heap_create(sonde_supervise_room(&order->of->options));
    if (!slot->heap) return -errno;
    struct sonde_heap *before = sonde_single_enter(slot->heap);
    slot->of = order->of;
    slot->kind = order->kind;
    slot->trial = create_trial(order);
    slot->worker = sonde_search_worker(&slot->trial->search);
    slot->worker.death = sonde_calloc(1, sizeof *slot->worker.death);
    slot->worker.fill = order->of->fill;
    slot->worker.death->bell = bell;
    int error = sonde_worker_start(&slot->worker, slot->worker.output, -1, work, slot->trial);
    sonde_single_leave(before);
    if (error < 0) sonde_trial_stop(slot);
    return error;
}

static enum sonde_kill_kind kind_of(const struct sonde_claim *claim)
{
    switch (claim->kind) {
    case SONDE_CLAIM_CHECK:
    case SONDE_CLAIM_EXPECT:
    case SONDE_CLAIM_FAIL: return SONDE_KILL_CHECK;
    case SONDE_CLAIM_CRASH:
    case SONDE_CLAIM_STACK_OVERFLOW: return SONDE_KILL_CRASH;
    case SONDE_CLAIM_SANITIZER:
    case SONDE_CLAIM_UNDEFINED:
    case SONDE_CLAIM_RACE:
    case SONDE_CLAIM_VALGRIND:
    case SONDE_CLAIM_LEAK: return SONDE_KILL_SANITIZER;
    case SONDE_CLAIM_EXIT: return SONDE_KILL_EXIT;
    case SONDE_CLAIM_HANG: return SONDE_KILL_HANG;
    case SONDE_CLAIM_MEMORY: return SONDE_KILL_MEMORY;
    default: return SONDE_KILL_OTHER;
    }
}

/* Turns the end of the worker into a failed case. Returns how the mutant was noticed. */
static enum sonde_kill_kind judge_end(struct sonde_trial_slot *slot, sonde *t, int status)
{
    struct sonde_worker *w = &slot->worker;
    if (w->death->finished && w->sent) sonde_death_blame_sender(w->death, w->sent, t);
    if (w->death->finished && !w->sent && !slot->trial->is_killed) return SONDE_KILL_NONE;
    if (!w->death->finished) {
        /* sonde_worker_on_death would end this process, too, because sonde itself ran out of memory there. */
        bool is_out = w->death->kind == SONDE_DEATH_OWN && w->death->exit_status == SONDE_INTERNAL;
        if (is_out) return SONDE_KILL_MEMORY;
        sonde_worker_on_death(w, t, status);
        if (w->death->kind == SONDE_DEATH_SIGNAL && w->death->signal == SIGXFSZ) return SONDE_KILL_MEMORY;
    }
    return t->verdict == SONDE_MISUSE ? SONDE_KILL_OTHER : kind_of(&t->claim);
}

/* Returns whether the counts are possible. If not, the mutant wrote over them. */
static bool has_sound_counts(const struct sonde_trial *x)
{
    if ((uint64_t)x->valid + x->discarded > x->runs || x->compared > INPUTS_MAX) return false;
    uint32_t most = x->compared + 1; /* the worker may have ended between two counts of one input */
    return x->differed <= most && x->other_way <= most && x->observed <= most && x->used <= most && x->far <= most;
}

/* Copies the counts of a comparison. */
static void take_effect(const struct sonde_trial *x, struct sonde_trial_result *r)
{
    r->compared = x->compared, r->differed = x->differed;
    r->other_way = x->other_way, r->observed = x->observed, r->far = x->far;
    r->used = x->used, r->leaked = x->leaked;
    r->slowest = x->slowest, r->sees_code = x->sees_code;
    snprintf(r->difference, sizeof r->difference, "%.*s", SONDE_TRIAL_DIFFERENCE - 1, x->difference);
}

/* Copies the result. The memory that it is read from was within reach of the code under test, so counts and indices may
 * be anything. */
static void take_result(struct sonde_trial_slot *slot, int status, struct sonde_trial_result *r)
{
    const struct sonde_trial *x = slot->trial;
    const struct sonde_bank *bank = &slot->of->bank;
    sonde *t = (sonde *)(uintptr_t)slot->worker.t;
    *r = (struct sonde_trial_result){.input = x->input, .shows = x->shows};
    r->kill = judge_end(slot, t, status);
    if (has_sound_counts(x)) {
        r->runs = x->runs, r->valid = x->valid, r->discarded = x->discarded;
        take_effect(x, r);
    } else {
        r->input = r->shows = -1;
        if (r->kill == SONDE_KILL_NONE) r->kill = SONDE_KILL_OTHER;
    }
    if (r->kill != SONDE_KILL_NONE && sonde_claim_is_sound(&t->claim)) r->claim = t->claim;
    if (r->input < -1 || r->input >= (int32_t)bank->n) r->input = -1;
    if (r->shows < -1 || r->shows >= (int32_t)bank->n) r->shows = -1;
    if (slot->kind == SONDE_TRIAL_BASE) {
        r->is_bad = sonde_calloc(bank->n + 1u, 1);
        if (sonde_heap_holds(x, x->is_bad, bank->n)) memcpy(r->is_bad, x->is_bad, bank->n);
    }
    sonde_tape_init(&r->tape);
    r->has_tape = r->kill != SONDE_KILL_NONE && sonde_case_is_whole(t);
    if (!r->has_tape) return;
    sonde_tape_end(&t->tape);
    sonde_tape_copy(&r->tape, &t->tape);
}

bool sonde_trial_poll(struct sonde_trial_slot *slot, struct sonde_trial_result *result)
{
    int status;
    if (!sonde_worker_poll(&slot->worker, &status)) return false;
    take_result(slot, status, result);
    sonde_heap_destroy(slot->heap);
    *slot = (struct sonde_trial_slot){0};
    return true;
}

void sonde_trial_stop(struct sonde_trial_slot *slot)
{
    if (!slot->heap) return;
    sonde_worker_stop(&slot->worker);
    sonde_heap_destroy(slot->heap);
    *slot = (struct sonde_trial_slot){0};
}

void sonde_trial_result_clear(struct sonde_trial_result *r)
{
    sonde_tape_clear(&r->tape);
    sonde_free(r->is_bad);
    r->is_bad = NULL;
}
