/* Base64 of Mbed TLS: bytes come back, with line breaks too; small buffers and other characters are refused. */
#include <sonde.h>

#include "mbedtls/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

SONDE_PROPERTY(decodes_what_it_encoded)
{
    size_t n, length, n_back;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 40, &n);
    unsigned char text[64], back[64];
    sonde_check_eq(t, mbedtls_base64_encode(text, sizeof text, &length, bytes, n), 0);
    sonde_check_eq(t, length, (n + 2) / 3 * 4);
    sonde_check_eq(t, mbedtls_base64_decode(back, sizeof back, &n_back, text, length), 0);
    sonde_check_eq(t, n_back, n);
    sonde_check_mem_eq(t, back, bytes, n);
}

SONDE_PROPERTY(encodes_in_base64)
{
    size_t n, length;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 1, 12, &n);
    unsigned char text[64];
    sonde_check_eq(t, mbedtls_base64_encode(text, sizeof text, &length, bytes, n), 0);
    for (size_t i = 0; i < n * 8; i++) { /* bit by bit */
        const char *digit = memchr(digits, text[i / 6], 64);
        sonde_check(t, digit != NULL);
        sonde_check_eq(t, (int)(digit - digits) >> (5 - i % 6) & 1, bytes[i / 8] >> (7 - i % 8) & 1);
    }
}

SONDE_PROPERTY(ignores_line_breaks)
{
    size_t n, length, n_back, n_broken = 0;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 12, &n);
    unsigned char text[32], broken[128], back[32];
    sonde_check_eq(t, mbedtls_base64_encode(text, sizeof text, &length, bytes, n), 0);
    for (size_t i = 0; i < length; i++) {
        const char *gap = (const char *[]){"", "\n", "\r\n", " \n"}[sonde_pick(t, "gap", 4)];
        memcpy(broken + n_broken, gap, strlen(gap));
        n_broken += strlen(gap);
        broken[n_broken++] = text[i];
    }
    sonde_check_eq(t, mbedtls_base64_decode(back, sizeof back, &n_back, broken, n_broken), 0);
    sonde_check_eq(t, n_back, n);
    sonde_check_mem_eq(t, back, bytes, n);
}

SONDE_PROPERTY(refuses_other_characters)
{
    char *text = sonde_string_of(t, "text", "ABab01+/=-_*", 0, 12);
    unsigned char back[16];
    size_t n_back;
    int result = mbedtls_base64_decode(back, sizeof back, &n_back, (const unsigned char *)text, strlen(text));
    bool has_other = strpbrk(text, "-_*") != NULL;
    sonde_check(t, !has_other || result == MBEDTLS_ERR_BASE64_INVALID_CHARACTER);
}

SONDE_PROPERTY(needs_a_large_buffer)
{
    size_t n, length;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 1, 30, &n);
    unsigned char text[64];
    size_t size = (size_t)sonde_int(t, "size", 0, 64), want = (n + 2) / 3 * 4 + 1;
    int result = mbedtls_base64_encode(text, size, &length, bytes, n);
    sonde_check_eq(t, result, size < want ? MBEDTLS_ERR_BASE64_BUFFER_TOO_SMALL : 0);
    if (result != 0) sonde_check_eq(t, length, want);
}

SONDE_MAIN()
