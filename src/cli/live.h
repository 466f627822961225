/* --serve: the page while the run goes on.
 *
 * The library speaks no HTTP: it starts `sonde serve` and hands it the page's data once a second over a pair of sockets; what
 * comes back are single letters, pause and stop. Nothing that the server does, or does not do, holds the search up: what it does
 * not take at once is left out, and a server that is gone is said once and forgotten.
 *
 * To the server:   "data N\n" and N bytes, the object of report/page.h
 * From it:         a line first, the address of the page, or what is wrong; then p (pause), c (go on), s (stop) */
#ifndef SONDE_CLI_LIVE_H
#define SONDE_CLI_LIVE_H

#include <sonde/extend.h>

/* The reporter; NULL, after a sentence, if there is no server. `port` 0: any. The address is printed to standard error. */
struct sonde_reporter *sonde_live_create(const char *program, unsigned port);

#endif
