/* Dictionaries of words, in the format of AFL and libFuzzer. A line holds one word in double quotes, with an
 * optional name before it. \\, \" and \xNN are escapes for single bytes. Lines that start with # are comments. */
#ifndef SONDE_CLI_DICTIONARY_H
#define SONDE_CLI_DICTIONARY_H

#include "cli/options.h"

/* The words of a dictionary, in the order in which they were read. */
struct sonde_dictionary {
    char **words; /* owned; ends with NULL; NULL while there are no words */
    uint32_t n, cap;
};

/* Appends the words of a file. Returns 0, or a negative errno with a message that names the file and the line.
 * Words of the lines before it stay in the dictionary. Clear the dictionary in either case. */
int sonde_dictionary_read(struct sonde_dictionary *dictionary, const char *file, char message[SONDE_CLI_MESSAGE]);
/* Frees the words; the dictionary is then empty. */
void sonde_dictionary_clear(struct sonde_dictionary *dictionary);

#endif
