/* The wire between a run and its agent: messages over a stream socket. Neither side ever waits for the other. Bytes
 * that cannot be written yet stay in a bounded buffer. A message that does not fit there is refused, and the caller
 * decides what that means.
 *
 *     message := length (4 bytes; counts type and payload)  type (1 byte)  payload
 *
 *     run to agent                                     agent to run
 *     T  n (1) key{n} tape: a tape to send             T  a tape to run, or a file of another fuzzer
 *     R  nothing: ready for more tapes                 N  two numbers of 4 bytes: sent, fetched
 *     K  key{}: all keys that the run has reached
 *     F  a failure, see sonde_wire_add_failure         F  a failure of another worker
 *     C  id: asks whether to shrink this failure       C  id, and 1 (yes) or 0 (another worker does)
 *     B  JSON: the report of the run                   S  string: a warning for the user
 *                                                      I  string: a note for the user
 *     W  nothing: asks for an overview of the fleet    W  JSON: the overview (docs/fleet.md)
 *                                                      E  nothing: the run has ended; the rest is being sent
 *
 * An agent may be a program of another version, and receives data that unknown programs wrote. So each side reads the
 * other like a file: lengths are checked first, and a message that is too long ends the wire. */
#ifndef SONDE_SHARE_WIRE_H
#define SONDE_SHARE_WIRE_H

#include "base/bytes.h"

enum {
    SONDE_WIRE_VERSION = 1,       /* version of the messages; also the seed of the hash that names a tape */
    SONDE_WIRE_LONGEST = 1 << 20, /* maximum size of one message in bytes: bounds memory */
    /* maximum size in bytes of a tape to send: a larger tape costs others more than it gains */
    SONDE_SHARED_TEXT_MAX = 1 << 16,
    SONDE_SHARED_KEYS = 14, /* maximum number of keys of a tape: as many as fit into a file name */
    SONDE_FAILURE_ID = 16   /* length of a failure's id, in hexadecimal digits */
};

/* One end of a wire, with its buffers. */
struct sonde_wire {
    int fd; /* nonblocking; -1: closed */
    struct sonde_bytes in, out;
    uint32_t in_at, out_at;
};

/* A message that was received. */
struct sonde_wire_message {
    char type;
    const uint8_t *data; /* borrowed until the next call with this wire */
    uint32_t n;
};

/* Makes fd nonblocking and uses it as one end of a wire. Takes ownership of fd; -1 makes a closed wire. */
void sonde_wire_init(struct sonde_wire *wire, int fd);
/* Closes the descriptor and frees the buffers. */
void sonde_wire_close(struct sonde_wire *wire);
/* Returns the number of bytes that wait to be written. */
uint32_t sonde_wire_waiting(const struct sonde_wire *wire);
/* Appends a message to the output buffer. Returns false if the buffer would exceed `room` bytes, the message is too
 * long, or the wire is closed. */
bool sonde_wire_put(struct sonde_wire *wire, char type, const void *data, uint32_t n, uint32_t room);
/* Moves bytes in both directions, as many as possible without waiting. Returns false once the other side is gone and
 * all its messages have been taken. */
bool sonde_wire_move(struct sonde_wire *wire);
/* Takes the next whole message; returns false if there is none. */
bool sonde_wire_take(struct sonde_wire *wire, struct sonde_wire_message *message);

/* Returns whether the other side of a wire has stopped sending. Does not wait. */
bool sonde_wire_has_ended(int fd);

/* A failure as it is sent. No string is NULL; `text` is the tape. */
struct sonde_shared_failure {
    char id[SONDE_FAILURE_ID + 1];
    bool is_shrunk;
    const char *kind, *message, *place, *found, *text;
};
/* Appends a failure in the form that sonde_wire_read_failure reads. */
void sonde_wire_add_failure(struct sonde_bytes *out, const struct sonde_shared_failure *failure);
/* Reads a failure; its strings are borrowed from `data`. Returns false if the bytes are not a failure. */
bool sonde_wire_read_failure(const uint8_t *data, uint32_t n, struct sonde_shared_failure *failure);
/* Returns whether an id has the form that sonde writes, so that it can name a file. */
bool sonde_failure_id_is_good(const char *id, size_t n);

#endif
