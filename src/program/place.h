/* Where in the user's code something was called: function, and file and line if the program has debug information and the
 * machine has addr2line (binutils) or llvm-symbolizer. Nothing has to be recompiled for it. */
#ifndef SONDE_PROGRAM_PLACE_H
#define SONDE_PROGRAM_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct sonde_place {
    char function[128]; /* "" if it is not known */
    char file[512];     /* "" if it is not known */
    int line;
    bool is_in_property; /* the property was running, not a set-up or another thread */
};

/* The innermost call of user code on a stack: what lies below a function of sonde's that the user called is sonde's too. Starts
 * a process, so it is for reports and not for searches. */
void sonde_place_of(void *const *frames, int n, struct sonde_place *place);

/* Reads a line as addr2line prints it: FILE:LINE, where FILE may hold anything, and sometimes a remark in brackets after
 * it. Cuts the line; leaves *place alone if it names no line. */
void sonde_place_parse(char *line, struct sonde_place *place);

/* Where n addresses of code are; places[i] is that of code[i], empty if it is NULL. Starts a process for each module and some
 * hundred of them. */
void sonde_places_of_code(const void *const *code, size_t n, struct sonde_place *places);

#endif
