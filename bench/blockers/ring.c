/* A ring of messages. Written after --blockers. */
#include "blockers.h"

#include <sonde.h>

#include <string.h>

struct ring {
    unsigned head, tail, capacity;
    int limit;
};

APART void push(struct ring *r, int count, unsigned mode)
{
    r->head++;
    if (r->head - r->tail > 200u) passed("ring-full"); /* blocked: range xs */
    if (r->capacity % 2 == 1) passed("ring-odd");      /* blocked: constant */
    if (mode & 8) passed("ring-mode");                 /* blocked: range mode */
    if (count > r->limit) passed("ring-limit");        /* blocked: assume limited */
}

APART void greet(const char *user)
{
    if (strcmp(user, "admin") == 0) passed("ring-admin"); /* blocked: range user */
}

SONDE_PROPERTY(ring)
{
    static const char *const users[] = {"guest", "anna", "otto", "admin"};
    struct ring r = {0};
    r.capacity = 2 * (unsigned)sonde_int(t, "half", 1, 100) + HELD(0, 1);
    r.limit = sonde_int(t, "limit", 0, 1000);
    greet(users[sonde_pick(t, "user", HELD(3, 4))]);
    sonde_list xs = sonde_list_of(t, "xs", 0, HELD(64, 500));
    while (sonde_more(&xs)) {
        int count = sonde_int(t, "count", 0, 1000);
#ifndef UNBLOCKED
        sonde_assume(t, count <= r.limit); /* assume: limited */
#endif
        push(&r, count, (unsigned)sonde_int(t, "mode", 0, HELD(7, 15)));
    }
    sonde_check(t, r.head == xs.i);
}
