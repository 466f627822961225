/* The command `sonde new`: writes a first test from prototypes. */
#ifndef SONDE_DERIVE_NEW_H
#define SONDE_DERIVE_NEW_H

#include "arguments.h"

/* Writes the properties of one kind for n functions into `test`. Returns false after a message. The other kinds below
 * do the same. */
bool new_crash(struct test *test, const char *const *names, uint32_t n);
bool new_oom(struct test *test, const char *const *names, uint32_t n);
bool new_roundtrip(struct test *test, const char *const *names, uint32_t n);
bool new_differential(struct test *test, const char *const *names, uint32_t n);
bool new_model(struct test *test, const char *const *names, uint32_t n);

/* Prints proposals for a whole header: a command for each, and the reason. Returns the exit status. */
int new_proposals(const char *header);

/* Runs `sonde new`; argv[0] is "new". Returns the exit status. */
int new_main(int argc, char **argv);
/* Reads a header as C (main.c). Returns false after a message. */
bool read_header(const char *file, const char *const *options, uint32_t n);

#endif
