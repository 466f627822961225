/* Messages between a run with --against and the program that it compares with, over a stream socket. Each is its length
 * (4 bytes, not counted), a type (1 byte) and its content.
 *
 *     H  version (4), name of a property               the run: use this property
 *     G  description of the build                      the program: ready
 *     E  words                                         the program: it cannot serve
 *     T  is cut (4), bytes of a tape (codec.h)         the run: run this tape
 *     R  a reply (struct sonde_against_reply)          the program: what the tape led to
 *
 * The other program may be of another version, or no test program at all: what it sends is checked like a file. */
#ifndef SONDE_EXEC_AGAINST_WIRE_H
#define SONDE_EXEC_AGAINST_WIRE_H

#include "base/bytes.h"
#include "case/case.h"
#include "tape/agree.h"

enum { SONDE_AGAINST_VERSION = 1 };

/* The result of a tape in the program that serves. */
struct sonde_against_reply {
    enum sonde_verdict verdict;
    enum sonde_claim_kind kind; /* of the failure */
    uint64_t brief;             /* identity of the failure; 0: none */
    bool draws_differ;          /* it drew other values than the tape has; `where` says at which draw */
    struct sonde_disagreement where;
    char words[1024]; /* the failure, the precondition that did not hold, or the limit that was exceeded; may be "" */
    struct sonde_observed observed;
};

/* Sends a message; returns false if the other side is gone. */
bool sonde_against_send(int fd, char type, const void *data, size_t n);
/* Receives a message into *in, which the caller clears, and sets *type. Returns false if the other side is gone, sends
 * no message within `seconds`, or sends bytes that are not one. */
bool sonde_against_receive(int fd, double seconds, struct sonde_bytes *in, char *type);

/* Appends a reply. */
void sonde_against_put_reply(struct sonde_bytes *out, const struct sonde_against_reply *reply);
/* Reads a reply, whose list the caller clears; returns false if the bytes are not a reply. */
bool sonde_against_read_reply(const void *data, size_t n, struct sonde_against_reply *reply);

#endif
