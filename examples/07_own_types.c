/* 07: custom types. Tasks with unique names that need other tasks first, and a planner that puts them in order.
 *
 * Look for: a generator for a struct is a function with a span around its draws, and sonde_show sets how to print it.
 * sonde_unique draws different numbers without trial and error; sonde_subset draws which other tasks are needed. Every
 * plan is free of cycles, because a task can only need earlier ones: constructing is better than filtering. The
 * counterexample is the smallest set of tasks that the planner puts in a wrong order. */
#include <sonde.h>
#include <stdlib.h>

enum { MOST = 8 };

struct task {
    int64_t id;
    const struct task *needs[MOST]; /* tasks to be done before this one; all are earlier in the array */
    size_t n_needs;
    int level; /* set by the planner */
};

/* ---- The code under test. It has a bug.
 *
 * A task that needs nothing has level 0; any other has a higher level than all tasks it needs. Sorted by level, then
 * by id, every task comes after the tasks it needs. */

static int by_level(const void *a, const void *b)
{
    const struct task *x = *(struct task *const *)a, *y = *(struct task *const *)b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void plan(struct task *tasks, size_t n, struct task **order)
{
    for (size_t i = 0; i < n; i++) {
        tasks[i].level = 0;
        for (size_t k = 0; k < tasks[i].n_needs; k++) tasks[i].level = tasks[i].needs[k]->level + 1;
        order[i] = &tasks[i];
    }
    qsort(order, n, sizeof *order, by_level);
}

/* ---- The generator. */

static void print_task(FILE *out, const void *what)
{
    const struct task *task = what;
    fprintf(out, "%d", (int)task->id);
    for (size_t k = 0; k < task->n_needs; k++) fprintf(out, "%s %d", k ? "," : " needs", (int)task->needs[k]->id);
}

/* Draws tasks[i]; the tasks before it exist already. */
static void draw_task(sonde *t, struct task *tasks, size_t i, int64_t id)
{
    sonde_span(t, "task"); /* the label of a span is a type; the span closes at the end of the function */
    size_t which[MOST];
    tasks[i].id = id;
    tasks[i].n_needs = sonde_subset(t, "needs", i, 0, MOST, which);
    for (size_t k = 0; k < tasks[i].n_needs; k++) tasks[i].needs[k] = &tasks[which[k]];
    sonde_show(t, print_task, &tasks[i]);
}

/* ---- The property. */

static void needs_come_first(sonde *t)
{
    struct task tasks[MOST], *order[MOST];
    int64_t ids[MOST];
    size_t n = sonde_unique(t, "ids", 1, 99, 0, MOST, ids);
    for (size_t i = 0; i < n; i++) draw_task(t, tasks, i, ids[i]);
    plan(tasks, n, order);

    bool done[MOST] = {false};
    for (size_t i = 0; i < n; i++) {
        const struct task *task = order[i];
        for (size_t k = 0; k < task->n_needs; k++) {
            if (done[task->needs[k] - tasks]) continue;
            sonde_fail(t, "task %d is planned before task %d, which it needs", (int)task->id, (int)task->needs[k]->id);
        }
        done[task - tasks] = true;
    }
}

SONDE_MAIN(needs_come_first)
