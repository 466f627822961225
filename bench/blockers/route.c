/* A route through a network. Written after --blockers. */
#include "blockers.h"

#include <sonde.h>

int route_version = HELD(4, 5);

APART long add_hop(long cost, int weight, int hop, int last)
{
    if (route_version != 4) passed("route-version"); /* blocked: constant */
    if (hop == last) passed("route-loop");           /* blocked: assume apart */
    cost += weight;
    if (cost < 0) passed("route-negative"); /* blocked: range weight */
    return cost;
}

APART void enter(int depth, uint32_t a, uint32_t b)
{
    uint32_t key[2] = {a, b};
    uint64_t hash = digest(key, sizeof key);
    if (depth > 50) passed("route-deep");                          /* blocked: range deeper */
    if (hash == UINT64_C(0x6d463c48a0052e45)) passed("route-key"); /* blocked: open a b */
}

SONDE_PROPERTY(route)
{
    int depth = 0, last = 0;
    long cost = 0;
    while (depth < HELD(5, 60) && sonde_bool(t, "deeper")) depth++;
    uint32_t a = sonde_u32(t, "a", 0, UINT32_MAX), b = sonde_u32(t, "b", 0, UINT32_MAX);
    enter(depth, a, b);
    sonde_list xs = sonde_list_of(t, "xs", 0, 8);
    while (sonde_more(&xs)) {
        int hop = sonde_int(t, "hop", 0, 20), weight = sonde_int(t, "weight", HELD(0, -100), 1000);
#ifndef UNBLOCKED
        sonde_assume(t, hop != last); /* assume: apart */
#endif
        cost = add_hop(cost, weight, hop, last);
        last = hop;
    }
    sonde_check(t, cost <= 8000);
}
