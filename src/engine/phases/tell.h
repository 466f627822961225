/* Telling listeners: reporters learn of a run by events (sonde/extend.h), each of them of every event, in their order. */
#ifndef SONDE_ENGINE_TELL_H
#define SONDE_ENGINE_TELL_H

#include <sonde/extend.h>

/* In the order of the reporters. One that has failed is not told any more; the run goes on. */
void sonde_tell(struct sonde_reporter *const *reporters, size_t n_reporters, const struct sonde_event *event);

#endif
