/* The servers of --against: processes of another program, one for each worker, started by a broker. The broker is a
 * child of the run, so a server is never a child of a process with code under test. A worker asks for a server by
 * sending one end of a socket to the broker; it ends its server by closing the other end. */
#ifndef SONDE_EXEC_SERVERS_H
#define SONDE_EXEC_SERVERS_H

#include <stddef.h>
#include <stdbool.h>

/* Starts the broker, for servers with this command line. Returns 0 or a negative errno. */
int sonde_servers_open(const char *const *argv);
/* Ends the broker, and with it all servers. */
void sonde_servers_close(void);

/* Returns a socket that is connected to a new server; negative: there is no broker. */
int sonde_servers_connect(void);
/* Closes a socket that sonde_servers_connect returned. */
void sonde_servers_hang_up(int fd);
/* Writes the beginning of what servers have printed on standard error so far, as one line; "" if nothing. */
void sonde_servers_complaints(char *out, size_t size);

#endif
