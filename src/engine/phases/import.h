/* Files that become inputs: --import finds, for each, the choices by which the property writes it (retrace.h), and has the search begin with them. */
#ifndef SONDE_ENGINE_IMPORT_H
#define SONDE_ENGINE_IMPORT_H

#include "engine/phases/phases.h"

/* Before anything is run: whether the files are there. False after a sentence in e->message. */
bool sonde_engine_check_imports(struct sonde_engine *e);
/* Before sonde_engine_recall. A file that cannot be imported as a whole costs a sentence. */
void sonde_engine_import(struct sonde_engine *e);

#endif
