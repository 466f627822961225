/* What a disk may hold after the power failed (sonde_power_cut): the door to the model, which model.h describes. */
#ifndef SONDE_CASE_DISK_DISK_H
#define SONDE_CASE_DISK_DISK_H

#include <sonde.h>

#include "base/faults.h"

/* Begins to follow what the case changes: all that is there is safe. */
void sonde_disk_begin(sonde *t, struct sonde_fault_hook *hook);
/* Ends it, if it has not ended: for a case that was left meanwhile. */
void sonde_disk_forget(sonde *t);
/* Ends it by a power cut: draws what is left, makes it so, and notes what was lost. In the simplest case nothing is. */
void sonde_disk_cut(sonde *t, struct sonde_fault_hook *hook);

#endif
