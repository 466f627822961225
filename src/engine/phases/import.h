/* Turns files into inputs: for each file, --import finds the choices that make the property write that file
 * (retrace.h). The search begins with these inputs. */
#ifndef SONDE_ENGINE_IMPORT_H
#define SONDE_ENGINE_IMPORT_H

#include "engine/phases/phases.h"

/* Checks whether the files exist, before anything is run. Returns false with an error in e->message. */
bool sonde_engine_check_imports(struct sonde_engine *e);
/* Imports the files; called before sonde_engine_recall. A file that cannot be imported as a whole causes a warning. */
void sonde_engine_import(struct sonde_engine *e);

#endif
