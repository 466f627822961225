/* One power cut from its beginning to its end (model.h, disk.h).
 *
 * The memory comes from the C library, not from the heap that a worker shares with its supervisor: other processes
 * cannot use it. So every allocation here is a sonde_own_*. */
#include "case/disk/disk.h"

#include "base/mem.h"
#include "base/schedule.h"
#include "case/case.h"
#include "case/disk/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef SONDE_CHECKED

static uint64_t check_node(const struct disk_node *node, uint64_t last_order)
{
    uint64_t kept = 0;
    for (uint32_t i = 0; i < node->n_records; i++) {
        const struct disk_record *r = &node->records[i];
        sonde_assert(r->n > 0 && r->n_old <= r->n && (r->old || !r->n_old));
        sonde_assert(r->order <= last_order && r->epoch <= node->epoch);
        sonde_assert(!i || node->records[i - 1].order <= r->order); /* halves of a split record share its order */
        kept += r->n_old;
    }
    for (uint32_t i = 1; i < node->n_lengths; i++) sonde_assert(node->lengths[i - 1].epoch <= node->lengths[i].epoch);
    sonde_assert(!node->n_records || node->n_lengths); /* a changed file had a length before */
    return kept;
}

void sonde_disk_check(const struct disk *disk)
{
    uint64_t kept = 0;
    for (uint32_t i = 0; i < disk->n_nodes; i++) kept += check_node(disk->nodes[i], disk->last_order);
    sonde_assert(kept == disk->n_kept);
    for (uint32_t i = 0; i < disk->n_ops; i++) {
        const struct disk_op *op = &disk->ops[i];
        sonde_assert(op->number <= disk->last_number && (!i || disk->ops[i - 1].number < op->number));
        sonde_assert(op->entry[0] && !op->is_safe); /* safe operations are removed */
    }
    sonde_map_check(&disk->by_inode);
    sonde_map_check(&disk->by_name);
}

#endif

/* Passes an event to the model. The hook is off meanwhile: nothing done here fails or is tracked. */
static void on_event(struct sonde_fault_hook *hook, struct sonde_disk_event *event)
{
    unsigned (*ask)(struct sonde *, const struct sonde_fault_call *) = hook->ask;
    bool follows_files = hook->follows_files;
    hook->ask = NULL;
    hook->disk = NULL;
    hook->follows_files = false;
    bool is_controlled = sonde_schedule_control(false);
    if (hook->t->disk) {
        sonde_disk_follow(hook->t->disk, event);
        sonde_disk_check(hook->t->disk);
    }
    sonde_schedule_control(is_controlled);
    hook->ask = ask;
    hook->disk = on_event;
    hook->follows_files = follows_files;
}

void sonde_disk_forget(sonde *t)
{
    if (!t->disk) return;
    sonde_disk_names_free(t->disk);
    sonde_disk_nodes_free(t->disk);
    sonde_free(t->disk);
    t->disk = NULL;
}

void sonde_disk_begin(sonde *t, struct sonde_fault_hook *hook)
{
    hook->disk = NULL;
    sonde_disk_forget(t); /* forgets the state of an earlier sonde_power_cut that did not end */
    t->disk = sonde_own_calloc(1, sizeof *t->disk);
    t->disk->t = t;
    t->disk->by_inode.is_own = t->disk->by_name.is_own = true;
    hook->disk = on_event;
}

void sonde_disk_cut(sonde *t, struct sonde_fault_hook *hook)
{
    hook->disk = NULL;
    if (!t->disk) return;
    sonde_disk_lose(t->disk);
    sonde_disk_forget(t);
}

void sonde_disk_tell(struct disk *disk, const char *format, ...)
{
    char line[160];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    sonde_case_not_followed(disk->t, line);
}
