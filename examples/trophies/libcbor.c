/* libcbor: what it encodes it can decode. RFC 8949, 3.4: a decoder need not understand a tag to accept its content. */
#include <cbor.h>
#include <sonde.h>
#include <stdlib.h>

static void drop(void *item)
{
    cbor_item_t *it = item;
    cbor_decref(&it);
}

static void a_tagged_value_is_decoded(sonde *t)
{
    uint64_t tag = sonde_u64(t, "tag", 0, UINT64_MAX), value = sonde_u64(t, "value", 0, UINT64_MAX);
    cbor_item_t *item = cbor_build_tag(tag, cbor_move(cbor_build_uint64(value)));
    sonde_defer(t, drop, item);
    unsigned char bytes[64];
    size_t n = cbor_serialize(item, bytes, sizeof bytes);
    sonde_check(t, n > 0);
    struct cbor_load_result result;
    cbor_item_t *back = cbor_load(bytes, n, &result);
    sonde_note(t, "error %d (%d is CBOR_ERR_MALFORMATED)", result.error.code, CBOR_ERR_MALFORMATED);
    sonde_check(t, back != NULL);
    sonde_defer(t, drop, back);
    sonde_check_eq(t, cbor_tag_value(back), tag);
}

SONDE_MAIN(a_tagged_value_is_decoded)
