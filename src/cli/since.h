/* Finds the code that changed since a commit, and the properties that the change concerns: --since.
 *
 * git lists the changed lines. The line table of the program says which code was made from them, and its symbols which
 * functions that code is in. Direct calls lead up from there. A property is concerned if direct calls lead from it to a
 * changed function. Otherwise a short search finds out whether it gets there by a pointer.
 *
 * Some changes are in no function: a macro, a type, a table. Then every property is concerned. Comments and white space
 * concern none. */
#ifndef SONDE_CLI_SINCE_H
#define SONDE_CLI_SINCE_H

#include "cli/options.h"

struct sonde_since {
    struct sonde_changed_code code;
    enum sonde_concern *concerns; /* by the index of the property */
    bool has_code;                /* some changed line has code in this program */
    char note[600];               /* what the user should know; "" if nothing */
};

/* Finds the changes since cli->since; the caller clears *since in any case. Returns false, with the reason in
 * since->note, if they cannot be known. Runs git. */
bool sonde_since_find(struct sonde_since *since, const struct sonde_cli *cli, const sonde_property *properties,
                      size_t n);
void sonde_since_clear(struct sonde_since *since);

#endif
