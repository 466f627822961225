#define _GNU_SOURCE /* dl_iterate_phdr */
/* See image.h. Looked at when a label is first met, never in a hot path. */
#include "base/image.h"

#include <link.h>
#include <stddef.h>

struct query {
    uintptr_t address;
    bool found;
    uint64_t unloads;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct query *q = data;
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) q->unloads = info->dlpi_subs;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || info->dlpi_phdr[i].p_flags & PF_W) continue;
        if (q->address >= start && q->address - start < info->dlpi_phdr[i].p_memsz) q->found = true;
    }
    return q->found;
}

bool sonde_is_immutable(const void *address)
{
    struct query q = {.address = (uintptr_t)address};
    dl_iterate_phdr(look, &q);
    return q.found;
}

uint64_t sonde_unload_count(void)
{
    struct query q = {0};
    dl_iterate_phdr(look, &q);
    return q.unloads;
}
