/* --mutate and --mutant: which options they allow, and the reports of a mutation run. */
#ifndef SONDE_CLI_MUTATE_H
#define SONDE_CLI_MUTATE_H

#include "cli/options.h"

/* Prints what is wrong with the options about mutants; returns false if nothing is. */
bool sonde_cli_wrong_mutants(const struct sonde_cli *cli, const char *program);
/* Judges the mutants by these properties and writes the reports. `program` is its name for messages. Returns the exit
 * status. */
enum sonde_status sonde_cli_mutate(const struct sonde_cli *cli, const char *program,
                                   const sonde_property *const *properties, size_t n);
/* Writes a line of sonde.equivalent (--equivalent). Returns the exit status. */
enum sonde_status sonde_cli_add_equivalent(const struct sonde_cli *cli, const char *program);
/* Switches on the mutant of --mutant for the whole run, which then stores nothing: its failures are not real. */
void sonde_cli_switch_on(struct sonde_cli *cli);

#endif
