/* A queue with priorities. */
#include "blockers.h"

#include <sonde.h>

struct queue {
    int n, users, highest;
};

APART void put(struct queue *q, int op, int priority)
{
    if (q->users > 1) passed("queue-shared");  /* blocked: constant */
    if (op == 7) passed("queue-flush");        /* blocked: range op */
    if (priority >= 8) passed("queue-urgent"); /* blocked: assume ordinary */
    q->n += op != 1;
    if (priority > q->highest) q->highest = priority;
    if (q->n > 100) passed("queue-grow"); /* blocked: range xs op */
}

APART void open_queue(struct queue *q, uint64_t token)
{
    q->users = HELD(1, 2);
    uint64_t hash = digest(&token, sizeof token);
    if (hash == UINT64_C(0x7bd377dfbecf9a64)) passed("queue-token"); /* blocked: open token */
}

SONDE_PROPERTY(queue)
{
    struct queue q = {0};
    open_queue(&q, sonde_u64(t, "token", 0, UINT64_MAX));
    sonde_list xs = sonde_list_of(t, "xs", 0, HELD(30, 300));
    while (sonde_more(&xs)) {
        int op = (int)sonde_pick(t, "op", HELD(3, 9)), priority = sonde_int(t, "priority", 0, 15);
#ifndef UNBLOCKED
        sonde_assume(t, priority < 8); /* assume: ordinary */
#endif
        put(&q, op, priority);
    }
    sonde_check(t, q.highest < 16);
}
