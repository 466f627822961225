/* Which comparisons a run made (paths.h). */
#ifndef SONDE_GUIDE_TARGET_PATH_H
#define SONDE_GUIDE_TARGET_PATH_H

#include <stdint.h>

enum { SONDE_PATH_SLOTS = 128 };

struct sonde_trail {
    uint64_t bits[SONDE_PATH_SLOTS / 64];
};

#endif
