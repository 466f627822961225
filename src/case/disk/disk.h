/* The interface of the disk model (model.h): what a disk may hold after the power failed (sonde_power_cut). */
#ifndef SONDE_CASE_DISK_DISK_H
#define SONDE_CASE_DISK_DISK_H

#include <sonde.h>

#include "base/faults.h"

/* Begins to track the changes that the case makes to files. The contents and names that exist now count as safe: a
 * power cut does not lose them. */
void sonde_disk_begin(sonde *t, struct sonde_fault_hook *hook);
/* Stops tracking by a power cut: draws which changes survive, changes the files, and notes what was lost. The simplest
 * draws lose nothing. */
void sonde_disk_cut(sonde *t, struct sonde_fault_hook *hook);

#endif
