/* Prints the results of --explain=lines, in words and as JSON. They say which locations in the code distinguish a
 * failing input from similar ones that pass, and which of its values may vary. */
#ifndef SONDE_REPORT_EXPLANATION_H
#define SONDE_REPORT_EXPLANATION_H

#include <sonde/extend.h>

/* Prints a line for each location, after `indent` blanks; if there is none, a line that says why. */
void sonde_explanation_lines(FILE *out, const struct sonde_explanation *explanation, unsigned indent);
/* Prints a line for each value in whose position others were tried. */
void sonde_explanation_values(FILE *out, const struct sonde_failure *failure, const struct sonde_labels *names,
                              unsigned indent);
struct sonde_json_out;
/* Writes the field "explanation". */
void sonde_explanation_json(struct sonde_json_out *to, const struct sonde_failure *failure,
                            const struct sonde_labels *names);

#endif
