/* From numbers to libraries: probes are compiled in batches and calibrated, subjects compiled by `sonde cc` into
 * separate shared libraries, which the search loads. Their conditions are rewritten in batches, too (batch.h). The
 * results are kept in a directory (build/zoo), known by a hash of source, tool and library.
 *
 *   N.verdict         what calibration found
 *   N-FORM.c, .so     the subject
 *   N-FORM.key        the hash, and whether `enumerate` has the fault at once
 *   N-FORM.log        what the compiler said, if it said no; N-probe.log of the probe */
#ifndef BENCH_ZOO_WORKSHOP_H
#define BENCH_ZOO_WORKSHOP_H

#include "zoo/calibrate.h"

#include <limits.h>

struct zoo_workshop {
    char folder[PATH_MAX / 2], tool[PATH_MAX]; /* tool: sonde, which compiles */
    const char *compiler;                      /* of probes */
    enum zoo_form form;
    bool is_plain; /* without instrumentation */
    unsigned jobs;
    uint64_t library; /* hash of what subjects are compiled with and run by */
    /* Does `enumerate` reach a fault within 20 cases? In a separate process. */
    bool (*is_simple)(const struct zoo_workshop *shop, const char *library, uint64_t number, unsigned n_bugs);
};

/* Why there is no subject of a number; static. NULL: there is one. */
struct zoo_animal {
    uint64_t number;
    const char *missing;
    bool is_trouble; /* it is missing because something went wrong, not by judgement */
    struct zoo_verdict verdict;
    char library[PATH_MAX], log[PATH_MAX]; /* log: what the compiler said, if that is where it went wrong */
};

/* In a directory; NULL: `zoo` in the build directory, which BUILD names. CC is the compiler of probes. Hashes what
 * subjects depend on. 0, or a negative errno. */
int zoo_workshop_open(struct zoo_workshop *shop, const char *folder);
/* "A-B" or "A", from 1 on, as animals to prepare; the caller frees them. Returns how many; 0: it does not read so, or names too many. */
unsigned zoo_read_range(const char *text, struct zoo_animal **animals);
/* Makes what is not there yet, and reports on each number, in order. */
void zoo_prepare(const struct zoo_workshop *shop, struct zoo_animal *animals, unsigned n);
/* The source text of a subject; the caller clears it. */
struct zoo_text zoo_source_of(const struct zoo_subject *z, const struct zoo_verdict *v, enum zoo_form form);
/* How many faults a subject of this form has; 0: there is none. */
unsigned zoo_faults_of(const struct zoo_verdict *v, enum zoo_form form, const struct zoo_fault **faults);

/* A file, whole or not at all. 0, or a negative errno. */
int zoo_write_file(const char *path, const char *text, size_t n);
extern const char *const zoo_form_names[];

#endif
