/* Running a case in this process. Leaving it is a jump back to here: out of the property, out of the tear-down, and out
 * of each deferred function, so that one that fails does not keep the others from running. */
#include "exec/exec.h"

#include "base/oom.h"
#include "exec/death.h"
#include "exec/sanitizer.h"

/* Not static: a stack trace ends at this name. */
void sonde_exec_property(sonde *t)
{
    if (_setjmp(t->out)) return;
    if (t->property->setup) t->property->setup(t);
    t->property->run(t);
}

static void run_teardown(sonde *t)
{
    if (_setjmp(t->out) == 0) t->property->teardown(t);
}

static void run_deferred(sonde *t)
{
    const struct sonde_deferred *d;
    (void)_setjmp(t->out); /* comes back here for the next one */
    while ((d = sonde_case_undo(t)) != NULL) d->undo(d->what);
}

static void check_children(sonde *t)
{
    if (!sonde_death_child_returned() || t->verdict != SONDE_VALID) return;
    t->verdict = SONDE_FAILED;
    atomic_store(&t->claim_taken, 1);
    sonde_death_claim(&(struct sonde_death){.kind = SONDE_DEATH_FORK}, &t->claim);
}

void sonde_exec_inline(sonde *t, const sonde_property *property, struct sonde_guide *guide,
                       const struct sonde_tape *script)
{
    sonde_running_case = t;
    sonde_case_begin(t, property, guide, script);
    sonde_exec_property(t);
    sonde_oom_disarm(); /* cleaning up has all the memory it wants */
    if (t->n_deferred) run_deferred(t);
    if (property->teardown) run_teardown(t);
    if (t->n_deferred) run_deferred(t); /* of the tear-down */
    if (__builtin_expect(sonde_death_forked, 0)) check_children(t);
    sonde_case_end(t);
}
