/* --serve: shows the page of --report html in a browser while the run is in progress.
 *
 * The library has no HTTP server: it starts `sonde serve` and sends it the page's data once a second over a socket
 * pair. The server never delays the search: data that the socket does not take at once waits, and newer data is
 * skipped meanwhile. If the server exits, the run prints one warning and continues.
 *
 *     to the server:    "data N\n" and N bytes, the object of report/page.h
 *     from the server:  one line, the page's address or an error; then letters: p (pause), c (continue), s (stop) */
#ifndef SONDE_CLI_LIVE_H
#define SONDE_CLI_LIVE_H

#include <sonde/extend.h>

/* Starts the server and returns a reporter that feeds it; prints the page's address on standard error. Returns
 * NULL, after an error message, if the server cannot be started. Port 0 means any free one. */
struct sonde_reporter *sonde_live_create(const char *program, unsigned port);

#endif
