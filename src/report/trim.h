/* Of what sanitizers and valgrind print about a case, the lines that matter. */
#ifndef SONDE_REPORT_TRIM_H
#define SONDE_REPORT_TRIM_H

/* The text without sonde's own frames and what is below them, shadow bytes, registers and summaries, with a last line
 * that says how many lines are missing; NULL if no tool spoke in it. To be freed with sonde_free. */
char *sonde_trim_tools(const char *output);

#endif
