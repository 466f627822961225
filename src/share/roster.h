/* A fleet at a glance: the last reports of its workers, added up, and as JSON for programs and for the live page. Anybody who
 * can write to the location may have written a report: only numbers and a name are read from it, and the name is escaped. */
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
/* Appends a JSON string of the first `most` bytes of the text. */
void sonde_roster_add_string(struct sonde_bytes *out, const char *text, size_t most);
/* Returns `out`: the rate with one digit after the point, whatever the locale. */
enum { SONDE_ROSTER_RATE = 32 };
const char *sonde_roster_rate(double rate, char out[SONDE_ROSTER_RATE]);

#endif
