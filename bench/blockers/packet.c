/* A packet and the socket that it comes from. */
#include "blockers.h"

#include <sonde.h>

struct socket {
    int port, mode;
} packet_from = {HELD(8080, 443), HELD(1, 3)};

APART int receive(const struct socket *s, const uint8_t *d, size_t n)
{
    int kind = 0;
    if (n > 1500) passed("packet-jumbo");     /* blocked: range d */
    if (s->port == 443) passed("packet-tls"); /* blocked: constant */
    switch (s->mode) {
    case 1: kind = 1; break;
    case 2: kind = 4; break;
    case 3: passed("packet-mode"); break; /* blocked: constant */
    case 8: kind = 9; break;
    }
    if (d[0] == 0xff) passed("packet-broadcast"); /* blocked: assume unicast */
    uint64_t hash = digest(d, 8);
    if (hash == UINT64_C(0x41fbeb683b68255c)) passed("packet-signature"); /* blocked: open d */
    return kind;
}

SONDE_PROPERTY(packet)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 8, HELD(64, 2000), &n);
#ifndef UNBLOCKED
    sonde_assume(t, d[0] != 0xff); /* assume: unicast */
#endif
    sonde_check(t, receive(&packet_from, d, n) >= 0);
}
