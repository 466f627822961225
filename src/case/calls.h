/* Writes the calls of sonde_together as a report shows them: `put(1) -> true`. */
#ifndef SONDE_CASE_CALLS_H
#define SONDE_CASE_CALLS_H

#include "case/case.h"

/* A drawn call of sonde_together, and when it began and ended. */
struct sonde_made_call {
    const sonde_rule *rule;
    void *call; /* memory for the arguments and results of the call */
    uint64_t began, ended;
    uint32_t thread;
    uint32_t span; /* index of the call's list element on the tape */
};

/* Writes "put(1)": the name and the drawn arguments, with their names if there are several. */
void sonde_call_write(FILE *out, const sonde *t, const struct sonde_made_call *c);
/* Writes the outcome of the call: " -> true", " does not return" or ", not called". If no rule has .print, writes the
 * call's memory as numbers. */
void sonde_call_write_end(FILE *out, const sonde_machine *machine, const struct sonde_made_call *c);

/* Sets the string that reports show for a span (say.c). The string is copied, and replaces an earlier one. */
void sonde_case_show(sonde *t, uint32_t span, const char *text);
/* Returns the string given to sonde_case_show, owned by the case; NULL if there is none. */
const char *sonde_case_shown(const sonde *t, uint32_t span);

#endif
