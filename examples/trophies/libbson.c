/* libbson: a number survives canonical JSON, which "preserves type information". By IEEE 754-2008, 3.5.2, a decimal
 * with a coefficient above 10^34 - 1 is zero. libbson prints 35 digits, cannot read them, and makes NaN of them. */
#include <bson/bson.h>
#include <sonde.h>

static void drop(void *document)
{
    bson_destroy(document);
}

static void a_decimal_survives_canonical_json(sonde *t)
{
    bson_decimal128_t number = {.low = sonde_u64(t, "low", 0, UINT64_MAX), .high = sonde_u64(t, "high", 0, UINT64_MAX)};
    bson_t *document = bson_new();
    sonde_defer(t, drop, document);
    BSON_APPEND_DECIMAL128(document, "d", &number);
    char *text = bson_as_canonical_extended_json(document, NULL);
    sonde_defer(t, bson_free, text);
    sonde_assume(t, !strstr(text, "NaN"));
    bson_t *back = bson_new_from_json((const uint8_t *)text, -1, NULL);
    sonde_check(t, back != NULL);
    sonde_defer(t, drop, back);
    char *again = bson_as_canonical_extended_json(back, NULL);
    sonde_defer(t, bson_free, again);
    sonde_note(t, "%s\nis read as\n%s", text, again);
    sonde_check(t, !strstr(again, "NaN"));
}

SONDE_MAIN(a_decimal_survives_canonical_json)
