/* Keeps sonde's file descriptors out of reach of the code under test. They have high numbers, are closed on exec, and
 * are closed in workers that do not need them. So a property that writes to a wrong descriptor is unlikely to damage a
 * report. A process that the property starts cannot keep the user's output open. */
#ifndef SONDE_BASE_DESCRIPTOR_H
#define SONDE_BASE_DESCRIPTOR_H

#include <stdbool.h>
#include <stdio.h>

/* Moves a descriptor to a high number and registers it; workers keep it open if `for_workers`. Returns the new number,
 * or the old one if the system has no high number to give. Returns a negative argument unchanged. */
int sonde_descriptor_hide(int descriptor, bool for_workers);
/* Creates a file, or empties it, for a report. Returns a stream that the caller closes; NULL, with errno set, if that
 * is impossible. */
FILE *sonde_descriptor_create(const char *path);
/* Unregisters a descriptor; call this before closing it. */
void sonde_descriptor_forget(int descriptor);
/* Closes all descriptors that are not for workers; call this in a worker. */
void sonde_descriptor_close_for_worker(void);

#endif
