/* A payload and its checksum, read by instrumented code. */
#include "lib/packet_cov.h"

#include <sonde.h>

static void packets_are_read(sonde *t)
{
    unsigned char payload[20];
    size_t n = 0;
    bool is_wrong = false;
    sonde_list bytes = sonde_list_of(t, "payload", 0, 20);
    while (sonde_more(&bytes)) payload[n++] = (unsigned char)sonde_int(t, "x", 0, 255);
    packet_is_read(payload, n, (unsigned)sonde_int(t, "checksum", 0, 255), &is_wrong);
    sonde_check(t, !is_wrong);
}

SONDE_MAIN(packets_are_read)
