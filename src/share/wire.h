/* The wire between a run and its agent: messages over a stream socket, and neither side ever waits for the other. What cannot
 * be written yet stays in a bounded buffer; what would not fit there is refused, and the caller says what that means.
 *
 *     message := length (4 bytes, of what follows)  type (1 byte)  payload
 *
 *     run to agent                                     agent to run
 *     T  n (1) key{n} text: a tape to send             T  a tape to run, or a file of another fuzzer
 *     R  nothing: ready for more tapes                 N  two numbers of 4 bytes: sent, fetched
 *     K  key{}: all that the run has reached
 *     F  a failure, see sonde_wire_add_failure         F  a failure of another worker
 *     C  id: shall I shrink it?                        C  id, and 1 (yes) or 0 (another worker does)
 *     B  text: how the run is doing                    S  text: something to say to the user
 *                                                      I  text: the same, but no warning
 *     W  nothing: how is the fleet doing?              W  JSON: the answer (docs/fleet.md)
 *                                                      E  nothing: the run has ended; the rest is being sent
 *
 * Agents may be another version's program, and are handed what strangers wrote; so each side reads the other as it would a
 * file: lengths are checked before anything is believed, and a message that is too long ends the wire. */
#ifndef SONDE_SHARE_WIRE_H
#define SONDE_SHARE_WIRE_H

#include "base/bytes.h"

enum {
    SONDE_WIRE_VERSION = 1,
    SONDE_WIRE_LONGEST = 1 << 20,    /* one message */
    SONDE_SHARED_TEXT_MAX = 1 << 16, /* of a tape that is sent: larger ones cost others more than they bring */
    SONDE_SHARED_KEYS = 14,          /* that a tape names: so many fit into the name of a file */
    SONDE_FAILURE_ID = 16            /* hexadecimal digits */
};

struct sonde_wire {
    int fd; /* nonblocking; -1: closed */
    struct sonde_bytes in, out;
    uint32_t in_at, out_at;
};

struct sonde_wire_message {
    char type;
    const uint8_t *data; /* borrowed, until the next call */
    uint32_t n;
};

void sonde_wire_init(struct sonde_wire *wire, int fd);
void sonde_wire_close(struct sonde_wire *wire);
/* How much waits to be written. */
uint32_t sonde_wire_waiting(const struct sonde_wire *wire);
/* False if it does not fit beside what waits already (`room` in bytes), or the wire is closed. */
bool sonde_wire_put(struct sonde_wire *wire, char type, const void *data, uint32_t n, uint32_t room);
/* Writes and reads what can be without waiting. False once the other side is gone and all it sent has been taken. */
bool sonde_wire_move(struct sonde_wire *wire);
/* The next whole message; false if there is none. */
bool sonde_wire_take(struct sonde_wire *wire, struct sonde_wire_message *message);

/* Whether the other side of a wire will send no more. Does not wait. */
bool sonde_wire_has_ended(int fd);

/* A failure as it travels. All texts are there, if only "". */
struct sonde_shared_failure {
    char id[SONDE_FAILURE_ID + 1];
    bool is_shrunk;
    const char *kind, *message, *place, *found, *text;
};
void sonde_wire_add_failure(struct sonde_bytes *out, const struct sonde_shared_failure *failure);
/* False if the bytes are none. The texts are borrowed from them. */
bool sonde_wire_read_failure(const uint8_t *data, uint32_t n, struct sonde_shared_failure *failure);
/* Whether it can name a file, and is what we would have written. */
bool sonde_failure_id_is_good(const char *id, size_t n);

#endif
