/* Finds the code that --goal names. */
#ifndef SONDE_CLI_GOAL_H
#define SONDE_CLI_GOAL_H

#include "engine/search/options.h"

/* Finds the code in the program of a property: fills everything but the name. Returns false with a message that says
 * what there is instead. Starts processes. */
bool sonde_cli_find_goal(struct sonde_destination *destination, sonde_property_fn *run, char *message, size_t size);

#endif
