/* See phases.h. */
#include "engine/phases/phases.h"

void sonde_engine_tell(struct sonde_engine *e, struct sonde_event event)
{
    event.property = e->report.property;
    event.tests_wanted = e->options.tests;
    struct sonde_heap *heap = sonde_heap_use(NULL); /* what a reporter keeps outlives this run */
    sonde_tell(e->reporters, e->n_reporters, &event);
    sonde_heap_use(heap);
}
