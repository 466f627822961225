/* What --explain=lines found out, in words and as JSON: which places in the code tell a failing input from those near it
 * that pass, and which of its values may vary. */
#ifndef SONDE_REPORT_EXPLANATION_H
#define SONDE_REPORT_EXPLANATION_H

#include <sonde/extend.h>

/* For people, each line after `indent` blanks: a line for each place, or a sentence on why there is none. */
void sonde_explanation_lines(FILE *out, const struct sonde_explanation *explanation, unsigned indent);
/* A line for each value of which others were tried. */
void sonde_explanation_values(FILE *out, const struct sonde_failure *failure, const struct sonde_labels *names,
                              unsigned indent);
/* The field "explanation". */
struct sonde_json_out;
void sonde_explanation_json(struct sonde_json_out *to, const struct sonde_failure *failure,
                            const struct sonde_labels *names);

#endif
