/* Nine properties with one fault each; hosts choose one by its name. */
#ifndef SONDE_MISBEHAVE_FAULTS_H
#define SONDE_MISBEHAVE_FAULTS_H

#include <sonde.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAULTS(X) X(overrun) X(use_after_free) X(race) X(uninitialised) X(leak) X(division) X(aborts) X(hang) X(exits)
#define DECLARE_FAULT(property) void property(sonde *t);
FAULTS(DECLARE_FAULT)

#ifdef __cplusplus
}
#endif
#endif
