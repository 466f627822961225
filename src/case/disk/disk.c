/* One power cut from its beginning to its end (model.h, disk.h).
 *
 * State belongs to the thread that runs the case. A case that is left in between leaves it to be cleared by the next begin. */
#include "case/disk/disk.h"

#include "base/mem.h"
#include "case/case.h"
#include "case/disk/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct disk *current; /* NULL while no files are followed */

/* Off while it works: nothing that is done here fails or is followed. */
static void on_event(struct sonde_fault_hook *hook, struct sonde_disk_event *event)
{
    unsigned (*ask)(struct sonde *, const struct sonde_fault_call *) = hook->ask;
    bool follows_files = hook->follows_files;
    hook->ask = NULL;
    hook->disk = NULL;
    hook->follows_files = false;
    if (current) sonde_disk_follow(current, event);
    hook->ask = ask;
    hook->disk = on_event;
    hook->follows_files = follows_files;
}

static void clear(void)
{
    if (!current) return;
    sonde_disk_names_free(current);
    sonde_disk_nodes_free(current);
    sonde_free(current);
    current = NULL;
}

void sonde_disk_begin(sonde *t, struct sonde_fault_hook *hook)
{
    hook->disk = NULL;
    clear(); /* of a case that was left */
    current = sonde_calloc(1, sizeof *current);
    current->t = t;
    hook->disk = on_event;
}

void sonde_disk_cut(sonde *t, struct sonde_fault_hook *hook)
{
    hook->disk = NULL;
    if (!current) return;
    current->t = t;
    sonde_disk_lose(current);
    clear();
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
