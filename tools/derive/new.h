/* sonde new: a first test, written from prototypes. */
#ifndef SONDE_DERIVE_NEW_H
#define SONDE_DERIVE_NEW_H

#include "arguments.h"

/* The property of each kind, into `test`; false after a sentence. */
bool new_crash(struct test *test, const char *const *names, uint32_t n);
bool new_oom(struct test *test, const char *const *names, uint32_t n);
bool new_roundtrip(struct test *test, const char *const *names, uint32_t n);
bool new_differential(struct test *test, const char *const *names, uint32_t n);
bool new_model(struct test *test, const char *const *names, uint32_t n);

/* Proposals for a whole header, on standard output: a command each, and why. */
int new_proposals(const char *header);

/* `sonde new`: argv[0] is "new". */
int new_main(int argc, char **argv);
/* main.c: reads the file as C; false after a sentence. */
bool read_header(const char *file, const char *const *options, uint32_t n);

#endif
