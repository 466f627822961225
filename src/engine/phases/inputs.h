/* Inputs from and to files: the search begins with the inputs of --inputs, and writes the inputs it found to
 * --inputs-out. */
#ifndef SONDE_ENGINE_INPUTS_H
#define SONDE_ENGINE_INPUTS_H

#include "engine/phases/phases.h"

/* Makes the search begin with a copy of the tape. `path` (copied) is the file it came from; NULL: the tape is known to
 * fit the property. To be called before sonde_engine_recall. Returns the lead, valid until the next call. */
struct sonde_lead *sonde_engine_lead(struct sonde_engine *e, const struct sonde_tape *tape, const char *path);

/* How plain bytes become an input: they replace the first bytes or the first string that the property draws. All other
 * draws get the simplest value. */
struct sonde_plain {
    bool has_probed;
    struct sonde_tape probe; /* the tape of the simplest input */
    uint32_t blob;           /* index of the choice that plain bytes replace; UINT32_MAX: none */
};
/* Fills in `plain` by one run of the simplest input, unless that was done before; no search may be running. */
void sonde_engine_probe(struct sonde_engine *e, struct sonde_plain *plain);
/* Fills the script for these bytes and returns NULL; otherwise returns why the property cannot draw them (static). */
const char *sonde_engine_plain_script(const struct sonde_plain *plain, const char *bytes, size_t n,
                                      struct sonde_tape *script);

#endif
