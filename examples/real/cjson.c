/* cJSON, a library without any sonde code. Printed values parse back to the same, and an input that was cut off
 * anywhere does not make the parser read beyond its end.
 *
 * Look for: the first holds. The second fails in version 1.7.15 as released: the parser reads the byte after an input
 * that ends in a comma after a member. Debian has since fixed that. */
#include <cJSON.h>
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

static void drop(void *value)
{
    cJSON_Delete(value);
}

static cJSON *draw_value(sonde *t, int depth)
{
    sonde_span(t, "value");
    static const unsigned weights[] = {2, 2, 3, 3, 2, 2};
    switch (sonde_weighted(t, "type", weights, depth < 4 ? 6 : 4)) {
    case 0: return cJSON_CreateNull();
    case 1: return cJSON_CreateBool(sonde_bool(t, "truth"));
    case 2: return cJSON_CreateNumber(sonde_double(t, "number", -1e9, 1e9));
    case 3: return cJSON_CreateString(sonde_utf8(t, "text", 0, 8));
    case 4: {
        cJSON *array = cJSON_CreateArray();
        sonde_list xs = sonde_list_of(t, "array", 0, 4);
        while (sonde_more(&xs)) cJSON_AddItemToArray(array, draw_value(t, depth + 1));
        return array;
    }
    default: break;
    }
    cJSON *object = cJSON_CreateObject();
    sonde_list members = sonde_list_of(t, "object", 0, 4);
    while (sonde_more(&members)) {
        const char *key = sonde_string(t, "key", 0, 4);
        cJSON_AddItemToObject(object, key, draw_value(t, depth + 1));
    }
    return object;
}

static void printed_values_parse_back(sonde *t)
{
    cJSON *value = draw_value(t, 0);
    sonde_defer(t, drop, value);
    char *text = cJSON_PrintUnformatted(value);
    sonde_defer(t, free, text);
    cJSON *back = cJSON_Parse(text);
    sonde_defer(t, drop, back);
    sonde_note(t, "printed as %s", text);
    sonde_check(t, back != NULL);
    char *again = cJSON_PrintUnformatted(back);
    sonde_defer(t, free, again);
    sonde_check_eq(t, (const char *)again, (const char *)text);
}

static void a_text_cut_short_is_not_overrun(sonde *t)
{
    cJSON *value = draw_value(t, 0);
    sonde_defer(t, drop, value);
    char *text = cJSON_PrintUnformatted(value);
    sonde_defer(t, free, text);
    size_t n = (size_t)sonde_int(t, "cut", 0, (int)strlen(text));
    char *block = malloc(n ? n : 1); /* no slack, so that a sanitizer detects the first byte too many */
    sonde_defer(t, free, block);
    memcpy(block, text, n);
    sonde_note(t, "the input is %.*s", (int)n, text);
    cJSON *parsed = cJSON_ParseWithLength(block, n);
    sonde_classify(t, parsed != NULL, "still JSON");
    cJSON_Delete(parsed);
}

/* Drawn bytes have no slack after the last one, so they can be passed on as they are. */
static void any_text_is_parsed_within_its_length(sonde *t)
{
    size_t n;
    const uint8_t *text = sonde_bytes(t, "text", 0, 20, &n);
    cJSON *parsed = cJSON_ParseWithLength((const char *)text, n);
    sonde_classify(t, parsed != NULL, "JSON");
    cJSON_Delete(parsed);
}

SONDE_MAIN(printed_values_parse_back, a_text_cut_short_is_not_overrun, any_text_is_parsed_within_its_length)
