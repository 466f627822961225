/* Shortens the reports of sanitizers and valgrind to the lines that are about the code under test. */
#ifndef SONDE_REPORT_TRIM_H
#define SONDE_REPORT_TRIM_H

/* Returns the output without sonde's frames, the frames below these, shadow bytes, registers and summaries. Its last
 * line has the number of lines that were left out. Returns NULL if the output has no report of such a tool. The caller
 * frees the result with sonde_free. */
char *sonde_trim_tools(const char *output);

#endif
