/* See bytes.h. Files may be damaged, so every read is checked. */
#include "base/bytes.h"

#include "base/check.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

void sonde_bytes_add(struct sonde_bytes *b, const void *data, size_t n)
{
    if (n == 0) return;
    b->data = sonde_grow(b->data, &b->cap, (size_t)b->n + n, 1);
    memcpy(b->data + b->n, data, n);
    b->n += (uint32_t)n;
}

void sonde_bytes_clear(struct sonde_bytes *b)
{
    sonde_free(b->data);
    *b = (struct sonde_bytes){0};
}

static void add_number(struct sonde_bytes *b, uint64_t value, unsigned n)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < n; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    sonde_bytes_add(b, bytes, n);
}

void sonde_bytes_add_u32(struct sonde_bytes *b, uint32_t value)
{
    add_number(b, value, 4);
}

void sonde_bytes_add_u64(struct sonde_bytes *b, uint64_t value)
{
    add_number(b, value, 8);
}

void sonde_bytes_add_float(struct sonde_bytes *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sonde_bytes_add_u32(b, bits);
}

void sonde_bytes_add_double(struct sonde_bytes *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sonde_bytes_add_u64(b, bits);
}

const uint8_t *sonde_read_bytes(struct sonde_reader *r, size_t n)
{
    sonde_assert(r->at <= r->n);
    /* n is compared with the number of bytes left, because at + n could overflow. */
    if (r->is_short || n > r->n - r->at) {
        r->is_short = true;
        return NULL;
    }
    r->at += n;
    return r->data + r->at - n;
}

static uint64_t read_number(struct sonde_reader *r, unsigned n)
{
    const uint8_t *bytes = sonde_read_bytes(r, n);
    uint64_t value = 0;
    for (unsigned i = 0; bytes && i < n; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint32_t sonde_read_u32(struct sonde_reader *r)
{
    return (uint32_t)read_number(r, 4);
}

uint64_t sonde_read_u64(struct sonde_reader *r)
{
    return read_number(r, 8);
}

float sonde_read_float(struct sonde_reader *r)
{
    uint32_t bits = sonde_read_u32(r);
    float value;
    memcpy(&value, &bits, sizeof value);
    /* Learned weights come from files; one NaN would spread through the whole model. */
    return isfinite(value) ? value : 0;
}

double sonde_read_double(struct sonde_reader *r)
{
    uint64_t bits = sonde_read_u64(r);
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0;
}
