/* An overview of a fleet: the last reports of its workers, added up, and as JSON for programs and for the live page.
 * Other programs can write to the location too, so a report is not trusted. Only numbers and a name are read from it,
 * and the name is escaped. */
#ifndef SONDE_SHARE_ROSTER_H
#define SONDE_SHARE_ROSTER_H

#include <stdint.h>

struct sonde_json_out;

/* The sums over all workers. */
struct sonde_roster {
    unsigned n_workers, n_ended; /* active workers, and those silent for longer than SONDE_SILENT_SECONDS */
    uint64_t cases;
    double rate;                 /* cases per second of the active workers */
    unsigned most;               /* maximum number of workers to list; 0: all */
    struct sonde_json_out *list; /* open array that receives an object for each worker; NULL: list none */
};

/* Adds a worker's report to a roster; a sonde_worker_visit whose context is the roster. */
void sonde_roster_add(void *roster, const char *text, double age);

#endif
