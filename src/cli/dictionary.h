/* Dictionaries of words, in the format that AFL and libFuzzer read: one word per line in double quotes, with an
 * optional name before it; \\, \" and \xNN stand for bytes; lines that start with # are comments. */
#ifndef SONDE_CLI_DICTIONARY_H
#define SONDE_CLI_DICTIONARY_H

#include "cli/options.h"

struct sonde_dictionary {
    char **words; /* owned; ends with NULL; NULL while there are none */
    uint32_t n, cap;
};

/* 0, or a negative errno with a sentence that names the file and the line. */
int sonde_dictionary_read(struct sonde_dictionary *dictionary, const char *file, char message[SONDE_CLI_MESSAGE]);
void sonde_dictionary_clear(struct sonde_dictionary *dictionary);

#endif
