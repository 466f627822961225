/* See phases.h. */
#include "engine/phases/phases.h"

void sonde_engine_tell(struct sonde_engine *e, struct sonde_event event)
{
    event.property = e->report.property;
    event.tests_wanted = e->options.tests;
    sonde_assert(!sonde_heap_current());
    sonde_tell(e->reporters, e->n_reporters, &event);
}
