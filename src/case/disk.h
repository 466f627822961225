/* What a disk may hold after the power failed (sonde_power_cut).
 *
 * While files are followed, the calls that change them say so (faults/calls.h). Of each file the images since its last fsync are kept: a block of
 * it is as in one of them, and so is its length, whatever the other blocks are. Names (of files made, renamed, removed) are kept in the order in
 * which they were changed, as journaling file systems do: the last few may be missing, and are safe after an fsync of their folder. */
#ifndef SONDE_CASE_DISK_H
#define SONDE_CASE_DISK_H

#include <sonde.h>

#include "base/faults.h"

/* Begins to follow what this thread changes: all that is there is safe. */
void sonde_disk_begin(struct sonde_fault_hook *hook);
/* Ends it; files stay as they are. */
void sonde_disk_end(struct sonde_fault_hook *hook);
/* Ends it by a power cut: draws what is left, makes it so, and notes what was lost. All of it is left in the simplest case. */
void sonde_disk_cut(sonde *t, struct sonde_fault_hook *hook);

#endif
