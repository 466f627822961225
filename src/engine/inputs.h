/* Inputs from outside and to the outside: what --inputs names is where a search begins, what it made goes to --inputs-out. */
#ifndef SONDE_ENGINE_INPUTS_H
#define SONDE_ENGINE_INPUTS_H

#include "engine/phases.h"

/* Has the search begin with a copy of the tape. `path`, copied, is the file that it is from; NULL: it is known to fit. Before
 * sonde_engine_recall. */
struct sonde_lead *sonde_engine_lead(struct sonde_engine *e, const struct sonde_tape *tape, const char *path);

/* Before anything is run: whether --inputs can be read and --inputs-out written. False after a sentence in e->message. */
bool sonde_engine_check_inputs(struct sonde_engine *e);
/* Reads --inputs. What cannot be used is left out with a warning. */
void sonde_engine_take_inputs(struct sonde_engine *e);
/* After the search: says which of them did not lead to what they name. */
void sonde_engine_report_inputs(struct sonde_engine *e);

/* For each search that has ended: writes what it harvested to --inputs-out; */
void sonde_engine_write_harvest(struct sonde_engine *e, const struct sonde_search *search);
/* and, after all of them, a sample of the valid inputs. Says how many were written. */
void sonde_engine_write_sample(struct sonde_engine *e);

#endif
