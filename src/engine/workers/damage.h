/* What the supervisor reads of a search lies in memory that the code under test can write to as well. These functions end the process
 * by sonde_die_overwritten where a count, an index or a pointer cannot be what sonde wrote. */
#ifndef SONDE_ENGINE_DAMAGE_H
#define SONDE_ENGINE_DAMAGE_H

#include "engine/search/search.h"

/* Returns how many failures a search has; the entries below that number are complete. */
uint32_t sonde_damage_count(const struct sonde_search *search);
/* Returns failure i after a look at its pointer alone, for questions that follow no other. */
struct sonde_found *sonde_damage_at(const struct sonde_search *search, uint32_t i);
/* Checks all of a failure. `has_ended`: no worker writes to it. */
void sonde_damage_check_found(const struct sonde_found *found, bool has_ended);
/* Checks all failures of a search whose worker has ended. */
void sonde_damage_check(const struct sonde_search *search);

#endif
