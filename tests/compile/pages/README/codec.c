#include "codec.h"

size_t pack(const uint8_t *in, size_t n, uint8_t *out)
{
    size_t to = 0;
    for (size_t i = 0, run; i < n; i += run) {
        for (run = 1; run < 255 && i + run < n && in[i + run] == in[i]; run++) {}
        out[to++] = (uint8_t)run;
        out[to++] = in[i];
    }
    return to;
}

size_t unpack(const uint8_t *in, size_t n, uint8_t *out)
{
    size_t to = 0;
    for (size_t i = 0; i + 1 < n; i += 2)
        for (uint8_t k = 0; k < in[i]; k++) out[to++] = in[i + 1];
    return to;
}
