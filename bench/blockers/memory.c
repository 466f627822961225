/* An allocator that only counts. */
#include "blockers.h"

#include <sonde.h>

#include <string.h>

struct pool {
    const char *policy;
    size_t used;
    int n_blocks;
};

APART size_t reserve(struct pool *p, size_t size, size_t align)
{
    if (strcmp(p->policy, "best-fit") == 0) passed("memory-policy"); /* blocked: constant */
    if (size > 65536) passed("memory-mapped");                       /* blocked: range size */
    if ((align & (align - 1)) != 0) passed("memory-align");          /* blocked: assume aligned */
    size_t at = (p->used + align - 1) / align * align;
    p->used = at + size;
    if (++p->n_blocks == 100) passed("memory-full"); /* blocked: range xs */
    return at;
}

APART void check_cookie(uint64_t cookie)
{
    uint64_t hash = digest(&cookie, sizeof cookie);
    if (hash == UINT64_C(0xafe6c7b9ae3f1cd3)) passed("memory-cookie"); /* blocked: open cookie */
}

SONDE_PROPERTY(memory)
{
    struct pool p = {.policy = HELD("first-fit", "best-fit")};
    uint64_t cookie = sonde_u64(t, "cookie", 0, UINT64_MAX);
    size_t align = (size_t)sonde_int(t, "align", 1, 64), end = 0;
#ifndef UNBLOCKED
    sonde_assume(t, (align & (align - 1)) == 0); /* assume: aligned */
#endif
    check_cookie(cookie);
    sonde_list xs = sonde_list_of(t, "xs", 0, HELD(20, 200));
    while (sonde_more(&xs)) {
        size_t size = (size_t)sonde_int(t, "size", 1, HELD(4096, 100000)), at = reserve(&p, size, align);
        sonde_check(t, at >= end);
        end = at + size;
    }
}
