/* Base64 of Mbed TLS: any bytes and any text, into buffers of any size. */
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
    const char *text = sonde_string_of(t, "text", "ABYZabyz0189+/=\r\n -\x7f", 0, 30);
    size_t size = (size_t)sonde_int(t, "size", 0, 64);
    results[0] = mbedtls_base64_encode(out[0], size, &lengths[0], bytes, n);
    results[1] = original_mbedtls_base64_encode(out[1], size, &lengths[1], bytes, n);
    sonde_check(t, results[0] == results[1] && lengths[0] == lengths[1] && memcmp(out[0], out[1], sizeof out[0]) == 0);
    results[0] = mbedtls_base64_decode(out[0], size, &lengths[0], (const unsigned char *)text, strlen(text));
    results[1] = original_mbedtls_base64_decode(out[1], size, &lengths[1], (const unsigned char *)text, strlen(text));
    sonde_check(t, results[0] == results[1] && lengths[0] == lengths[1] && memcmp(out[0], out[1], sizeof out[0]) == 0);
}

KILLS_MAIN
