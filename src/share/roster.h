/* A fleet at a glance: what its workers last said of themselves, added up, and as JSON for programs and for the live page. What they
 * said is strangers' text: numbers are read out of it, and names are escaped. */
#ifndef SONDE_SHARE_ROSTER_H
#define SONDE_SHARE_ROSTER_H

#include "base/bytes.h"

struct sonde_roster {
    unsigned n_workers, n_ended; /* at work; silent for SONDE_SILENT_SECONDS or longer */
    uint64_t cases;
    double rate;                /* cases a second, of those at work */
    unsigned most;              /* workers that are listed at most; 0: all */
    struct sonde_bytes workers; /* JSON objects, separated by commas */
};

/* A visit of workers (share/place.h) whose context is a roster. */
void sonde_roster_add(void *roster, const char *text, double age);
/* The text as a JSON string that may stand in a page, too. */
void sonde_roster_add_string(struct sonde_bytes *out, const char *text, size_t most);

#endif
