/* Importing strings by a plain writer: a property that is run here, in this process, and compared by sonde_put. */
#ifndef TESTS_IMPORTING_H
#define TESTS_IMPORTING_H

#include "case/case.h"
#include "import/retrace.h"

struct importing {
    sonde *t;
    struct sonde_labels labels;
    struct sonde_guide *simplest;
    sonde_property property;
    struct sonde_aim aim;
    struct sonde_guess *guess;
    struct sonde_import_test test; /* may be changed before importing_text */
    struct sonde_retraced out;
};

void importing_init(struct importing *i, sonde_property_fn *writer);
void importing_clear(struct importing *i);
/* Sets the string that is compared. It is borrowed. */
void importing_aim(struct importing *i, const char *text);
/* Imports a string; the result is in i->out. Returns true if it is whole. */
bool importing_text(struct importing *i, const char *text);
/* Runs a script, with the simplest values for draws that it lacks; returns how many bytes of the aim it writes. */
uint32_t importing_replay(struct importing *i, const struct sonde_tape *script);

#endif
