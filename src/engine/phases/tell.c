/* See tell.h. */
#include "engine/phases/tell.h"

void sonde_tell(struct sonde_reporter *const *reporters, size_t n_reporters, const struct sonde_event *event)
{
    for (size_t i = 0; i < n_reporters; i++)
        if (!reporters[i]->failure) reporters[i]->event(reporters[i], event);
}
