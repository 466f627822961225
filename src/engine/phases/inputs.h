/* Inputs from outside and to the outside: what --inputs names is where a search begins, what it made goes to --inputs-out. */
#ifndef SONDE_ENGINE_INPUTS_H
#define SONDE_ENGINE_INPUTS_H

#include "engine/phases/phases.h"

/* Has the search begin with a copy of the tape. `path`, copied, is the file that it is from; NULL: it is known to fit. Before
 * sonde_engine_recall. */
struct sonde_lead *sonde_engine_lead(struct sonde_engine *e, const struct sonde_tape *tape, const char *path);

/* What plain bytes become: the first bytes or the first string that the property draws, everything else being simplest. */
struct sonde_plain {
    bool has_probed;
    struct sonde_tape probe; /* of the simplest input */
    uint32_t blob;           /* the choice of it that plain bytes answer; UINT32_MAX: none */
};
/* Runs the simplest input, once; no search may be at work. */
void sonde_engine_probe(struct sonde_engine *e, struct sonde_plain *plain);
/* NULL, with the script of these bytes; else why they cannot be what is drawn. */
const char *sonde_engine_plain_script(const struct sonde_plain *plain, const char *bytes, size_t n,
                                      struct sonde_tape *script);

#endif
