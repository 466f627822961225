/* A string that grows at its end. Memory that runs out ends the program: a bench has nothing to save. */
#ifndef BENCH_ZOO_TEXT_H
#define BENCH_ZOO_TEXT_H

#include <sonde.h>

struct zoo_text {
    char *s; /* ends with NUL; NULL while it is empty */
    size_t n, cap;
};

void zoo_print(struct zoo_text *text, const char *format, ...) SONDE_PRINTF(2, 3);
void zoo_text_clear(struct zoo_text *text);
/* Adds the contents of a file. 0, or a negative errno. */
int zoo_text_read(struct zoo_text *text, const char *path);
/* Never NULL. */
const char *zoo_text_of(const struct zoo_text *text);

#endif
