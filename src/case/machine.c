/* Machines: a list of calls. Each call is a list element that begins with the choice of a rule and is then named after
 * the rule.
 *
 * The next rule is drawn among those that apply now, so nothing is discarded. Only a script (from a replay, a shrinker
 * or a mutation) can ask for another rule, mostly because an earlier call was removed. Such a call is not made and
 * leaves no trace on the tape. So later calls keep their positions, and the tape records what was done.
 *
 * Swarm testing (Groce, Zhang, Eide, Chen, Regehr, ISSTA 2012, section 2): a case that leaves some rules out gets
 * further with the others. Here, a case also draws how many rules it leaves out, and whether calls come in bursts that
 * repeat one rule. With a coin flip per rule hardly any case keeps only one of ten rules, and only many calls in a row
 * fill a queue. Swarm and bursts only bias the draw of rules. So a script needs neither, and a shrunk case has
 * neither. */
#include "case/case.h"

#include "base/check.h"

#include <string.h>

enum {
    RARE = 16,          /* a rare rule is drawn 16 times less often */
    WEIGHT_MAX = 65535, /* keeps the sum of all weights, with a burst, within 32 bits */
    STEPS_MAX = 100     /* default maximum of .steps */
};
#define NO_RULE UINT32_MAX

/* In a burst, this many calls repeat the last rule for each call that does not, which makes runs of ten. */
enum { BURST = 9 };

/* How a case draws its rules: the share that is left out, and whether calls come in bursts. The first entry is the
 * simplest. Five of nine cases leave nothing out, for bugs that need several rules. tests/quality/swarm.c shows why the
 * rest exists. */
static const struct swarm {
    double left_out;
    bool in_bursts;
} swarms[] = {{0, false}, {0, true}, {0.5, false}, {0.5, true}, {0.9, false}, {0.9, true}};
static const unsigned swarm_weights[] = {1, 4, 1, 1, 1, 1};
enum { SWARMS = sizeof swarms / sizeof *swarms };
_Static_assert(sizeof swarm_weights / sizeof *swarm_weights == SWARMS, "each swarm has a weight");
_Static_assert((uint64_t)SONDE_RULES_MAX *WEIGHT_MAX *RARE *(BURST + 1) <= UINT32_MAX, "weights add up in 32 bits");

/* A running machine. It is in memory of the case, and is freed with the case. Invariants: `calls.t` is NULL until the
 * first call was asked for; `before` is valid while a script is followed; `sum` is the sum of `weights`. t->driver is
 * this driver exactly while one of its calls runs. */
struct sonde_driver_ {
    sonde *t;
    const sonde_machine *machine;
    const char *label;
    sonde_applies_fn_ *applies; /* NULL: use .when of the rules */
    void *world;
    sonde_list calls;
    uint32_t length;                     /* index of the choice that holds the number of calls */
    struct sonde_case_mark before;       /* position before the last call, if there is a script */
    struct sonde_failing failing;        /* armed faults before the last call */
    struct sonde_observed_mark observed; /* observed values before the last call */
    struct sonde_watched *watched;       /* NULL: not watched */
    struct sonde_driver_ *outer;         /* the machine whose call drives this machine */
    uint32_t last, last_but_one;         /* index of the rule called last, and of the rule called before it */
    unsigned taken_back;                 /* number of calls in a row that were taken back */
    unsigned sum;                        /* sum of `weights` */
    uint64_t state_before;               /* value of sonde_state before the machine ran */
    bool in_bursts;
    bool jumps;                        /* calls are left by longjmp to `out`; else by leaving the case */
    bool is_left;                      /* an assume left a call, which must be taken back */
    bool is_stopped;                   /* .stop was called */
    jmp_buf out;                       /* target of the jump, for sonde_drive */
    unsigned weights[SONDE_RULES_MAX]; /* weights of the rules for the next draw */
    struct {
        uint32_t label;
        unsigned weight; /* weight in this case; 0: the case leaves this rule out */
        bool applies;    /* the rule applies now */
    } rules[SONDE_RULES_MAX];
};

/* ---- Checks of the machine */

/* Rejects an invalid rule. Machines are checked at each drive: that is cheap, and users may build them at run time. */
static void check_rule(sonde *t, const char *label, const sonde_rule *rule, size_t i)
{
    if (!rule->name || !*rule->name)
        sonde_misuse_(t, "sonde_drive(\"%s\"): rule %zu has no name; give it the name of the call, or lower n_rules",
                      label, i);
    if (rule->weight > WEIGHT_MAX)
        sonde_misuse_(t, "sonde_drive(\"%s\"): the weight of rule \"%s\" is %u; give one up to %d", label, rule->name,
                      rule->weight, WEIGHT_MAX);
}

static void check_machine(sonde *t, const char *label, const sonde_machine *machine)
{
    if (!machine) sonde_misuse_(t, "sonde_drive(\"%s\"): the machine is NULL; give the address of one", label);
    if (!machine->rules || machine->n_rules == 0)
        sonde_misuse_(t, "sonde_drive(\"%s\"): the machine has no rules; give at least one, and set n_rules", label);
    if (machine->n_rules > SONDE_RULES_MAX)
        sonde_misuse_(t, "sonde_drive(\"%s\"): the machine has %zu rules; give at most %d", label, machine->n_rules,
                      SONDE_RULES_MAX);
    if (machine->steps.min < 0 || machine->steps.max < 0)
        sonde_misuse_(t, "sonde_drive(\"%s\"): the range %d..%d of steps is below zero; give one from 0 on", label,
                      machine->steps.min, machine->steps.max);
    if (machine->steps.max && machine->steps.min > machine->steps.max)
        sonde_misuse_(t, "sonde_drive(\"%s\"): the range %d..%d of steps is empty; min must not exceed max", label,
                      machine->steps.min, machine->steps.max);
    if (!machine->steps.max && machine->steps.min > STEPS_MAX)
        sonde_misuse_(t, "sonde_drive(\"%s\"): .steps.min is %d, above the default maximum of %d; set .steps.max",
                      label, machine->steps.min, STEPS_MAX);
    for (size_t i = 0; i < machine->n_rules; i++) check_rule(t, label, &machine->rules[i], i);
}

/* Starts to watch a machine, now that the labels of its rules are known. */
static void begin_watch(sonde_driver_ *d)
{
    struct sonde_watched *w = d->watched;
    w->n_rules = (uint32_t)d->machine->n_rules;
    for (uint32_t i = 0; i < w->n_rules; i++) {
        w->rules[i].label = d->rules[i].label;
        w->rules[i].returned = d->machine->rules[i].rare;
        w->n_missing += !w->rules[i].returned;
    }
}

static void note_applied(sonde_driver_ *d)
{
    for (size_t i = 0; i < d->machine->n_rules; i++) d->watched->rules[i].applied |= d->rules[i].applies;
}

static void watch(sonde_driver_ *d)
{
    char text[SONDE_COMPLAINT];
    if (d->watched && !sonde_watch_case(d->watched, d->t->labels, text)) sonde_misuse_(d->t, "%s", text);
}

/* ---- Which rule */

/* Draws the swarm of this case: which rules it leaves out, and whether calls come in bursts. */
static void draw_swarm(sonde_driver_ *d)
{
    const sonde_machine *machine = d->machine;
    for (size_t i = 0; i < machine->n_rules; i++) {
        const sonde_rule *rule = &machine->rules[i];
        d->rules[i].weight = (rule->weight ? rule->weight : 1) * (rule->rare ? 1 : RARE);
        d->rules[i].label = sonde_label_id(d->t->labels, rule->name);
        if (!d->rules[i].label) sonde_case_misplaced(d->t, "sonde_drive", rule->name);
    }
    if (machine->n_rules == 1) return;
    const struct swarm *swarm = &swarms[sonde_weighted(d->t, "swarm", swarm_weights, SWARMS)];
    d->t->tape.choices[d->t->tape.n_choices - 1].flags |= SONDE_CHOICE_RULE;
    d->in_bursts = swarm->in_bursts;
    if (swarm->left_out == 0) return;
    sonde_case_open(d->t, sonde_label_id(d->t->labels, "without"), 0);
    for (size_t i = 0; i < machine->n_rules; i++)
        if (sonde_chance(d->t, machine->rules[i].name, swarm->left_out)) d->rules[i].weight = 0;
    sonde_case_close_to(d->t, d->t->view.depth - 1);
}

/* Gives the same weight to all rules that apply. Used if the case leaves out all rules that apply: one of them is
 * better than no call. */
static void weigh_all_that_apply(sonde_driver_ *d)
{
    for (size_t i = 0; i < d->machine->n_rules; i++) d->sum += d->weights[i] = d->rules[i].applies;
}

/* Computes the weights of the rules that apply now. If the case leaves out all of them, all that apply get a weight.
 * Returns false if none applies. */
static bool weigh_rules(sonde_driver_ *d)
{
    const sonde_machine *machine = d->machine;
    const uint32_t last = d->last;
    unsigned sum = 0, able = 0;
    for (size_t i = 0; i < machine->n_rules; i++) {
        bool (*when)(const void *world) = machine->rules[i].when;
        bool applies = d->applies ? d->applies(d->world, i) : !when || when(d->world);
        d->rules[i].applies = applies;
        sum += d->weights[i] = applies ? d->rules[i].weight : 0;
        able += applies;
    }
    d->sum = sum;
    if (sum == 0) weigh_all_that_apply(d);
    /* The last rule gets BURST times the weight of all others together, unless it is the only one that applies. */
    if (d->in_bursts && last != NO_RULE && d->weights[last] && sum > d->weights[last]) {
        unsigned others = sum - d->weights[last];
        d->weights[last] = BURST * others;
        d->sum = (BURST + 1) * others;
    }
    if (d->watched && d->watched->n_missing) note_applied(d);
    sonde_assert((able > 0) == (d->sum > 0)); /* a draw by weights needs a weight above 0 */
    return able > 0;
}

/* Sets the state to the last two rules, which learning guides see at each draw of the call. The effect of a call
 * depends most on the previous calls. */
static void show_history(const sonde_driver_ *d)
{
    uint64_t last = d->last == NO_RULE ? 0 : d->last + 1, before = d->last_but_one == NO_RULE ? 0 : d->last_but_one + 1;
    sonde_case_state(d->t, 1 + last * (SONDE_RULES_MAX + 1) + before);
}

/* ---- The calls */

sonde_driver_ *sonde_driver_begin_(sonde *t, const char *label, const sonde_machine *machine,
                                   sonde_applies_fn_ *applies, void *world)
{
    if (!t || t->owner != sonde_this_thread() || !label || t->schedule.is_elsewhere)
        sonde_case_misplaced(t, "sonde_drive", label);
    check_machine(t, label, machine);
    sonde_driver_ *d = sonde_case_memory(t, sizeof *d);
    /* The large arrays at the end are filled by draw_swarm and weigh_rules before they are read. */
    memset(d, 0, offsetof(sonde_driver_, out));
    d->t = t;
    d->machine = machine;
    d->label = label;
    d->applies = applies;
    d->world = world;
    d->last = d->last_but_one = NO_RULE;
    d->outer = t->driver;
    d->state_before = t->view.state;
    /* Runs with a script do not count: a script does not show what can be drawn. */
    if (!t->script) d->watched = sonde_watch_find(t->watched, machine, sonde_label_id(t->labels, label));
    return d;
}

/* Begins the list of calls. Called after `start`, which draws first. */
static void begin_calls(sonde_driver_ *d)
{
    const struct sonde_steps *steps = &d->machine->steps;
    draw_swarm(d);
    if (d->watched && !d->watched->n_rules) begin_watch(d);
    d->length = d->t->tape.n_choices;
    d->calls = sonde_list_of(d->t, d->label, (size_t)steps->min, steps->max ? (size_t)steps->max : STEPS_MAX);
}

/* Ends the list. Setting n to 0 makes sonde_case_more_calls close the list's span. */
static bool end_calls(sonde_driver_ *d)
{
    d->calls.n = 0;
    sonde_case_more_calls(&d->calls);
    sonde_case_state(d->t, d->state_before);
    watch(d);
    return false;
}

/* Opens an element for the next call; returns false if there is none. */
static bool next_call(sonde_driver_ *d)
{
    if (!d->calls.t) begin_calls(d);
    if (!weigh_rules(d)) return end_calls(d);
    /* The position is taken before the element opens, so that removing a call also removes its element. */
    if (d->t->script) d->before = sonde_case_now(d->t);
    return sonde_case_more_calls(&d->calls) || end_calls(d);
}

/* Reduces the number of calls to n, also on the tape. Only allowed with a script: a guide must find the choices that it
 * made unchanged. */
static void shorten(sonde_driver_ *d, size_t n)
{
    struct sonde_choice *length = &d->t->tape.choices[d->length];
    sonde_assert(n <= d->calls.n && d->calls.n - n <= length->index);
    length->index -= d->calls.n - n;
    d->calls.n = n;
    sonde_case_rehash(d->t);
}

/* Skips a call that a script asks for. The next call takes its position. If the script has fewer calls left than its
 * length promises, because the length counted the skipped call, the length decreases by one. */
static void leave_out(sonde_driver_ *d)
{
    sonde_assert(d->t->script && d->calls.i < d->calls.n);
    sonde_case_undraw(d->t, &d->before);
    /* `i` moves back, because sonde_case_more_calls will increment it again. */
    size_t left = d->calls.n - d->calls.i--;
    if (sonde_script_elements_left(d->t->script) >= left || d->calls.n == d->calls.min) return;
    shorten(d, d->calls.n - 1);
}

/* The element is opened before its rule is drawn, under the list's label, and renamed afterwards. So a script finds the
 * element whatever its rule is. */
size_t sonde_driver_next_(sonde_driver_ *d)
{
    const sonde_machine *machine = d->machine;
    while (next_call(d)) {
        show_history(d);
        size_t i = sonde_case_rule(d->t, d->weights, machine->n_rules, d->sum);
        sonde_assert(i < SONDE_RULES_MAX);
        if (!d->rules[i].applies) {
            leave_out(d);
            continue;
        }
        d->t->tape.spans[d->t->span].label = d->rules[i].label;
        sonde_case_enter(d->t, d->t->span, d->rules[i].label);
        if (d->watched) d->watched->calls++;
        d->last_but_one = d->last;
        d->last = (uint32_t)i;
        d->failing = sonde_failing_now(d->t);
        d->observed = d->t->observed.mark;
        d->t->driver = d;
        return i;
    }
    return SONDE_ANY;
}

void sonde_driver_called_(sonde_driver_ *d)
{
    d->taken_back = 0;
    if (d->watched && d->watched->n_missing) sonde_watch_returned(d->watched, d->last);
    d->t->driver = d->outer;
}

/* If the driver neither jumps nor has another exit (a C++ exception), returns, and the whole case is left. */
void sonde_driver_leave(struct sonde_driver_ *d)
{
    if (!d->jumps && !d->t->leave) return;
    d->is_left = true;
    if (d->jumps) _longjmp(d->out, 1);
    d->t->leave(d->t);
}

/* Undoes the effects of the call on the case: faults that it armed, values that it observed, the size if it drew that.
 * Spans that the call left open are closed and not reported. */
static void forget_call(sonde_driver_ *d)
{
    sonde *t = d->t;
    uint32_t element = t->path[d->calls.depth + 1];
    sonde_case_close_to(t, d->calls.depth + 2);
    if (t->has_size && t->size_at >= t->tape.spans[element].start) {
        t->has_size = false;
        t->view.size = SONDE_SIZE_MAX;
    }
    sonde_failing_restore(t, &d->failing);
    sonde_observed_return(&t->observed, &d->observed);
}

/* Takes back the call that an assume left, so that another call is made instead. After SONDE_PATIENCE such calls in a
 * row, the list ends. It does so with and without a script: a case must end at the same point when it is run again. */
bool sonde_driver_take_back_(sonde_driver_ *d)
{
    if (!d->is_left) return false;
    d->is_left = false;
    if (d->watched && d->watched->n_missing) sonde_watch_left(d->watched, d->last);
    d->t->driver = d->outer;
    forget_call(d);
    bool is_last = ++d->taken_back == SONDE_PATIENCE;
    if (is_last && d->calls.i < d->calls.min) sonde_discard_(d->t, NULL, 0, "sonde_drive: too many calls taken back");
    if (!d->t->script) {
        sonde_list_reject(&d->calls);
        return true;
    }
    leave_out(d);
    if (is_last) shorten(d, d->calls.i + 1);
    return true;
}

/* ---- sonde_drive: the world belongs to the case, calls are left by longjmp */

/* Calls .stop only once, although this function is both deferred and called. */
static void stop(void *driver)
{
    sonde_driver_ *d = driver;
    if (d->is_stopped) return;
    d->is_stopped = true;
    d->machine->stop(d->t, d->world);
}

static void make_calls(sonde_driver_ *d)
{
    const sonde_machine *machine = d->machine;
    for (size_t i; (i = sonde_driver_next_(d)) != SONDE_ANY;) {
        machine->rules[i].call(d->t, d->world);
        sonde_driver_called_(d);
        if (machine->always) machine->always(d->t, d->world);
    }
}

void sonde_drive(sonde *t, const char *label, const sonde_machine *machine)
{
    sonde_driver_ *const d = sonde_driver_begin_(t, label, machine, NULL, NULL);
    for (size_t i = 0; i < machine->n_rules; i++)
        if (!machine->rules[i].call)
            sonde_misuse_(t, "sonde_drive(\"%s\"): rule \"%s\" has no function to call; give one", label,
                          machine->rules[i].name);
    d->jumps = true;
    d->world =
        /* Without a size, `world` is NULL, so that a rule that uses the world crashes at once. */
        machine->size ? sonde_alloc(t, machine->size) : NULL;
    if (machine->stop) sonde_defer(t, stop, d);
    if (machine->start) machine->start(t, d->world);
    if (machine->always) machine->always(t, d->world);
    if (_setjmp(d->out)) sonde_driver_take_back_(d); /* an assume of a call jumps here, any number of times */
    make_calls(d);
    if (machine->stop) stop(d);
}

/* ---- Pools */

/* The pool's memory belongs to the case: the old array is freed with the case. */
void sonde_pool_add(sonde *t, sonde_pool *pool, void *item)
{
    enum { FIRST = SONDE_LIMIT(8, 1) };
    if (pool->n == pool->cap) {
        size_t cap = pool->cap ? 2 * pool->cap : FIRST;
        void **items = sonde_alloc(t, cap * sizeof *items);
        if (pool->n) memcpy(items, pool->items, pool->n * sizeof *items);
        pool->items = items;
        pool->cap = cap;
    }
    pool->items[pool->n++] = item;
}

/* Draws the index of an item in the pool. */
static size_t pick(sonde *t, const char *function, const char *label, const sonde_pool *pool)
{
    if (!t || t->owner != sonde_this_thread() || !label) sonde_case_misplaced(t, function, label);
    if (pool->n == 0)
        sonde_misuse_(t, "%s(\"%s\"): the pool is empty; give the rule a .when that is false while the pool is empty",
                      function, label);
    /* Choice 0 is the newest item: shrunk cases use the item added last. */
    return pool->n - 1 - sonde_pick(t, label, pool->n);
}

void *sonde_pool_pick(sonde *t, const char *label, const sonde_pool *pool)
{
    return pool->items[pick(t, "sonde_pool_pick", label, pool)];
}

static void *remove_at(sonde_pool *pool, size_t i)
{
    void *item = pool->items[i];
    memmove(pool->items + i, pool->items + i + 1, (--pool->n - i) * sizeof *pool->items);
    return item;
}

void *sonde_pool_take(sonde *t, const char *label, sonde_pool *pool)
{
    return remove_at(pool, pick(t, "sonde_pool_take", label, pool));
}

bool sonde_pool_remove(sonde_pool *pool, const void *item)
{
    for (size_t i = pool->n; i-- > 0;) {
        if (pool->items[i] != item) continue;
        remove_at(pool, i);
        return true;
    }
    return false;
}
