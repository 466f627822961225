/* The header of an image. */
#include "blockers.h"

#include <sonde.h>

#include <string.h>

char image_tag[] = HELD("IDAT", "IHDR");

struct header {
    char tag[4];
    int width, height, depth;
    uint64_t key;
};

APART int row_bytes(const struct header *h)
{
    int bits = h->width * h->depth;
    if (bits > 64000) passed("image-row"); /* blocked: range width depth */
    return (bits + 7) / 8;
}

APART int read_header(const struct header *h)
{
    if (memcmp(h->tag, "IHDR", 4) == 0) passed("image-tag"); /* blocked: constant */
    if (h->width >= 70000) passed("image-width");            /* blocked: range width */
    if (h->height > h->width) passed("image-portrait");      /* blocked: assume landscape */
    uint64_t hash = digest(&h->key, sizeof h->key);
    if (hash == UINT64_C(0x3b920f6c7a609015)) passed("image-key"); /* blocked: open key */
    return row_bytes(h) * h->height;
}

SONDE_PROPERTY(image)
{
    static const int depths[] = {1, 2, 4, 8, 16};
    struct header h;
    memcpy(h.tag, image_tag, 4);
    h.width = sonde_int(t, "width", 1, HELD(1000, 100000));
    h.height = sonde_int(t, "height", 1, 1000);
    h.depth = sonde_element(t, "depth", depths);
    h.key = sonde_u64(t, "key", 0, UINT64_MAX);
#ifndef UNBLOCKED
    sonde_assume(t, h.width >= h.height); /* assume: landscape */
#endif
    sonde_check(t, read_header(&h) > 0);
}
