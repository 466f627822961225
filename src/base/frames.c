/* See frames.h. */
#include "base/frames.h"

#include <execinfo.h>

int sonde_frames(void *frames[SONDE_FRAMES])
{
    return backtrace(frames, SONDE_FRAMES);
}
