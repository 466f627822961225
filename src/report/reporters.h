/* Kinds of reports that the user's program registered (sonde/extend.h), for --report. */
#ifndef SONDE_REPORT_REPORTERS_H
#define SONDE_REPORT_REPORTERS_H

#include <sonde/extend.h>

/* Those that sonde has itself, ending with NULL; in the order of enum sonde_report_kind. */
extern const char *const sonde_report_kinds[];
/* The i-th that was registered; NULL beyond the last. */
const struct sonde_reporter_ops *sonde_reporter_at(size_t i);
/* By the first n characters of a text, which must be its name; NULL if there is none. */
const struct sonde_reporter_ops *sonde_reporter_find(const char *name, size_t n);

#endif
