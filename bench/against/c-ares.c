/* Properties for bench/against/run, which shows results and checks nothing. */
#include <sonde.h>
#include <string.h>
#include <sys/socket.h>
int ares_inet_net_pton(int af, const char *src, void *dst, size_t size);
SONDE_PROPERTY(networks)
{
    static const char *const parts[] = {"0", "12", "ffff", ":", "::", "/", "1.2.3.4", "00"};
    char text[120] = "";
    unsigned char out[16] = {0};
    size_t n = (size_t)sonde_int(t, "n", 0, 12);
    for (size_t i = 0; i < n; i++) strcat(text, parts[sonde_pick(t, "part", 8)]);
    sonde_observe(t, "bits", ares_inet_net_pton(AF_INET6, text, out, sizeof out));
    sonde_observe(t, "address", out, sizeof out);
}
SONDE_MAIN()
