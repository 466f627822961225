/* Prints the results of --explain=lines, in words and as JSON. They name the locations in the code that
 * distinguish a failing input from similar ones that pass. They also name the values of that input that may vary. */
#ifndef SONDE_REPORT_EXPLANATION_H
#define SONDE_REPORT_EXPLANATION_H

#include <sonde/extend.h>

/* Prints a line for each location, after `indent` blanks; if there is no location, a line with the reason. */
void sonde_explanation_lines(FILE *out, const struct sonde_explanation *explanation, unsigned indent);
/* Prints a line for each value of the failing input that was replaced by other values to explain the failure. */
void sonde_explanation_values(FILE *out, const struct sonde_failure *failure, const struct sonde_labels *names,
                              unsigned indent);
struct sonde_json_out;
/* Writes the field "explanation". */
void sonde_explanation_json(struct sonde_json_out *to, const struct sonde_failure *failure,
                            const struct sonde_labels *names);

#endif
