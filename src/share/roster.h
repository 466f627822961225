/* A fleet at a glance: the last reports of its workers, added up, and as JSON for programs and for the live page. Anybody who
 * can write to the location may have written a report: only numbers and a name are read from it, and the name is escaped. */
#ifndef SONDE_SHARE_ROSTER_H
#define SONDE_SHARE_ROSTER_H

#include <stdint.h>

struct sonde_json_out;

struct sonde_roster {
    unsigned n_workers, n_ended; /* at work; silent for SONDE_SILENT_SECONDS or longer */
    uint64_t cases;
    double rate;                 /* cases a second, of those at work */
    unsigned most;               /* workers that are listed at most; 0: all */
    struct sonde_json_out *list; /* an open array that gets an object for each; NULL: none is listed */
};

/* A visit of workers (share/place.h) whose context is a roster. */
void sonde_roster_add(void *roster, const char *text, double age);

#endif
