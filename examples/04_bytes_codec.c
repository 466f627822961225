/* 04: bytes. A run-length codec for binary data.
 *
 * Look for: sonde_bytes draws raw bytes of any length, and sonde_check_mem_eq prints where two buffers first differ.
 * The codec fails on all data that contains one certain byte. The counterexample is that byte alone. */
#include <sonde.h>

/* ---- The code under test. It has a bug.
 *
 * The format: ESC n b means n times b (n > 0), ESC 0 means one byte ESC, any other byte means itself. Runs of fewer
 * than four bytes are written as they are, since three bytes of code would save nothing. */
enum { ESC = 0x1b, WORTH = 4 };

static size_t squeeze(const uint8_t *in, size_t n, uint8_t *out)
{
    size_t to = 0;
    for (size_t i = 0; i < n;) {
        size_t run = 1;
        while (i + run < n && in[i + run] == in[i] && run < 255) run++;
        if (run >= WORTH) {
            out[to++] = ESC;
            out[to++] = (uint8_t)run;
            out[to++] = in[i];
        } else {
            for (size_t k = 0; k < run; k++) out[to++] = in[i];
        }
        i += run;
    }
    return to;
}

/* Returns the number of bytes written, or SIZE_MAX if the input is cut off or `out` is too small. */
static size_t expand(const uint8_t *in, size_t n, uint8_t *out, size_t room)
{
    size_t to = 0;
    for (size_t i = 0; i < n;) {
        size_t run = 1;
        uint8_t b = in[i++];
        if (b == ESC) {
            if (i == n) return SIZE_MAX;
            run = in[i++];
            if (run > 0) {
                if (i == n) return SIZE_MAX;
                b = in[i++];
            } else {
                run = 1;
            }
        }
        if (run > room - to) return SIZE_MAX;
        while (run-- > 0) out[to++] = b;
    }
    return to;
}

/* ---- The properties. */

static void squeezing_round_trips(sonde *t)
{
    size_t n;
    const uint8_t *data = sonde_bytes(t, "data", 0, 500, &n);
    uint8_t *squeezed = sonde_buffer(t, 3 * n);
    uint8_t *back = sonde_buffer(t, n);
    size_t n_squeezed = squeeze(data, n, squeezed);
    size_t n_back = expand(squeezed, n_squeezed, back, n);
    sonde_check_eq(t, n_back, n);
    sonde_check_mem_eq(t, back, data, n);
}

/* A decoder must survive any bytes, not only those that the encoder writes. The property checks the bounds; built with
 * -fsanitize=address, the compiler checks the rest. */
static void expanding_survives_any_bytes(sonde *t)
{
    size_t n;
    const uint8_t *data = sonde_bytes(t, "data", 0, 500, &n);
    uint8_t *out = sonde_buffer(t, 1000);
    size_t n_out = expand(data, n, out, 1000);
    sonde_check(t, n_out == SIZE_MAX || n_out <= 1000);
}

SONDE_MAIN(squeezing_round_trips, expanding_survives_any_bytes)
