#ifndef SONDE_TESTS_PACKET_COV_H
#define SONDE_TESTS_PACKET_COV_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a payload is behind the right checksum; a byte of it of 200 or more is then taken for what it is not. */
bool packet_is_read(const unsigned char *payload, size_t n, unsigned checksum, bool *is_wrong);

#endif
