/* Base64 of Mbed TLS: any bytes, into buffers of any size. */
#include "kills/kills.h"

#include "mbedtls/base64.h"

ORIGINAL(mbedtls_base64_encode);
ORIGINAL(mbedtls_base64_decode);

static void agrees(sonde *t)
{
    unsigned char out[2][64] = {{0}};
    size_t n, lengths[2] = {0};
    int results[2];
    const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 30, &n);
    size_t n_text;
    const uint8_t *text = sonde_bytes(t, "text", 0, 30, &n_text);
    size_t size = (size_t)sonde_int(t, "size", 0, 64);
    results[0] = mbedtls_base64_encode(out[0], size, &lengths[0], bytes, n);
    results[1] = original_mbedtls_base64_encode(out[1], size, &lengths[1], bytes, n);
    sonde_check(t, results[0] == results[1] && lengths[0] == lengths[1] && memcmp(out[0], out[1], sizeof out[0]) == 0);
    results[0] = mbedtls_base64_decode(out[0], size, &lengths[0], text, n_text);
    results[1] = original_mbedtls_base64_decode(out[1], size, &lengths[1], text, n_text);
    sonde_check(t, results[0] == results[1] && lengths[0] == lengths[1] && memcmp(out[0], out[1], sizeof out[0]) == 0);
}

KILLS_MAIN
