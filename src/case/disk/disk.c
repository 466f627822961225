/* One power cut from its beginning to its end (model.h, disk.h).
 *
 * Its memory is the C library's, not the heap that a worker shares with its supervisor: it means nothing to another process. Draws and notes
 * are made with the case's heap (cut.c). */
#include "case/disk/disk.h"

#include "base/heap.h"
#include "base/mem.h"
#include "base/schedule.h"
#include "case/case.h"
#include "case/disk/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Off while it works: nothing that is done here fails or is followed. */
static void on_event(struct sonde_fault_hook *hook, struct sonde_disk_event *event)
{
    unsigned (*ask)(struct sonde *, const struct sonde_fault_call *) = hook->ask;
    bool follows_files = hook->follows_files;
    hook->ask = NULL;
    hook->disk = NULL;
    hook->follows_files = false;
    bool is_controlled = sonde_schedule_control(false);
    struct sonde_heap *heap = sonde_heap_use(NULL);
    if (hook->t->disk) sonde_disk_follow(hook->t->disk, event);
    sonde_heap_use(heap);
    sonde_schedule_control(is_controlled);
    hook->ask = ask;
    hook->disk = on_event;
    hook->follows_files = follows_files;
}

void sonde_disk_forget(sonde *t)
{
    if (!t->disk) return;
    struct sonde_heap *heap = sonde_heap_use(NULL);
    sonde_disk_names_free(t->disk);
    sonde_disk_nodes_free(t->disk);
    sonde_free(t->disk);
    t->disk = NULL;
    sonde_heap_use(heap);
}

void sonde_disk_begin(sonde *t, struct sonde_fault_hook *hook)
{
    hook->disk = NULL;
    sonde_disk_forget(t); /* of a call that was left */
    struct sonde_heap *heap = sonde_heap_use(NULL);
    t->disk = sonde_calloc(1, sizeof *t->disk);
    t->disk->t = t;
    t->disk->heap = heap;
    sonde_heap_use(heap);
    hook->disk = on_event;
}

void sonde_disk_cut(sonde *t, struct sonde_fault_hook *hook)
{
    hook->disk = NULL;
    if (!t->disk) return;
    struct sonde_heap *heap = sonde_heap_use(NULL);
    sonde_disk_lose(t->disk);
    sonde_heap_use(heap);
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
