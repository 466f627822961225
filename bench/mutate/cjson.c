/* cJSON: what is printed is read back, JSON is accepted, and arrays and objects are lists and maps. */
#include <sonde.h>

#include "cJSON.h"

#include <stdlib.h>
#include <string.h>

static void drop(void *item)
{
    cJSON_Delete(item);
}

static cJSON *any_value(sonde *t, int depth)
{
    sonde_span(t, "value");
    switch (sonde_pick(t, "kind", depth > 0 ? 7 : 5)) {
    case 0: return cJSON_CreateNull();
    case 1: return cJSON_CreateBool(sonde_bool(t, "truth"));
    case 2: return cJSON_CreateNumber((double)sonde_int(t, "integer", -1000000, 1000000));
    case 3: return cJSON_CreateNumber(sonde_double(t, "number", -1e12, 1e12));
    case 4: return cJSON_CreateString(sonde_utf8(t, "string", 0, 10));
    case 5: {
        cJSON *array = cJSON_CreateArray();
        for (sonde_list xs = sonde_list_of(t, "items", 0, 4); sonde_more(&xs);)
            cJSON_AddItemToArray(array, any_value(t, depth - 1));
        return array;
    }
    default: {
        cJSON *object = cJSON_CreateObject();
        char key[3] = "a0";
        for (sonde_list xs = sonde_list_of(t, "members", 0, 4); sonde_more(&xs); key[1]++)
            cJSON_AddItemToObject(object, key, any_value(t, depth - 1));
        return object;
    }
    }
}

SONDE_PROPERTY(reads_what_it_printed)
{
    cJSON *value = any_value(t, 3);
    sonde_defer(t, drop, value);
    bool is_formatted = sonde_bool(t, "formatted");
    char *text = is_formatted ? cJSON_Print(value) : cJSON_PrintUnformatted(value);
    sonde_defer(t, free, text);
    sonde_check(t, text != NULL);
    cJSON *again = cJSON_Parse(text);
    sonde_defer(t, drop, again);
    sonde_check(t, cJSON_Compare(value, again, true));
    cJSON *copy = cJSON_Duplicate(value, true);
    sonde_defer(t, drop, copy);
    sonde_check(t, cJSON_Compare(value, copy, true));
}

SONDE_PROPERTY(accepts_json)
{
    char *text = sonde_json(t, "text", 3);
    sonde_assume(t, !strstr(text, "\\u0000") && !strstr(text, "\\ud") && !strstr(text, "\\uD"));
    cJSON *value = cJSON_Parse(text);
    sonde_defer(t, drop, value);
    sonde_check(t, value != NULL);
    char *printed = cJSON_PrintUnformatted(value);
    sonde_defer(t, free, printed);
    cJSON *again = cJSON_Parse(printed);
    sonde_defer(t, drop, again);
    char *twice = cJSON_PrintUnformatted(again);
    sonde_defer(t, free, twice);
    sonde_check_eq(t, (const char *)twice, (const char *)printed);
}

SONDE_PROPERTY(rejects_what_is_cut_off)
{
    cJSON *value = cJSON_CreateArray();
    sonde_defer(t, drop, value);
    cJSON_AddItemToArray(value, any_value(t, 2));
    char *text = cJSON_PrintUnformatted(value);
    sonde_defer(t, free, text);
    text[sonde_int(t, "length", 0, (int64_t)strlen(text) - 1)] = '\0';
    cJSON *parsed = cJSON_Parse(text);
    sonde_defer(t, drop, parsed);
    sonde_check(t, parsed == NULL);
}

SONDE_PROPERTY(array_is_a_list)
{
    cJSON *array = cJSON_CreateArray();
    sonde_defer(t, drop, array);
    int model[24], n = 0;
    for (sonde_list calls = sonde_list_of(t, "calls", 0, 20); sonde_more(&calls);) {
        int at = (int)sonde_int(t, "at", 0, n > 0 ? n - 1 : 0), x = (int)sonde_int(t, "x", 0, 99);
        size_t after = sizeof *model * (size_t)(n - at);
        switch (sonde_pick(t, "call", 4)) {
        case 0:
            cJSON_AddItemToArray(array, cJSON_CreateNumber(x));
            model[n++] = x;
            break;
        case 1:
            cJSON_InsertItemInArray(array, at, cJSON_CreateNumber(x));
            memmove(model + at + 1, model + at, after);
            model[at] = x;
            n++;
            break;
        case 2:
            if (n == 0) break;
            cJSON_DeleteItemFromArray(array, at);
            memmove(model + at, model + at + 1, after - sizeof *model);
            n--;
            break;
        default:
            if (n == 0) break;
            cJSON_ReplaceItemInArray(array, at, cJSON_CreateNumber(x));
            model[at] = x;
        }
    }
    sonde_check_eq(t, cJSON_GetArraySize(array), n);
    for (int i = 0; i < n; i++) sonde_check_eq(t, cJSON_GetArrayItem(array, i)->valueint, model[i]);
}

SONDE_PROPERTY(object_is_a_map)
{
    cJSON *object = cJSON_CreateObject();
    sonde_defer(t, drop, object);
    int model[4] = {-1, -1, -1, -1};
    static const char *const keys[4] = {"k", "K", "key", ""};
    for (sonde_list calls = sonde_list_of(t, "calls", 0, 12); sonde_more(&calls);) {
        size_t k = sonde_pick(t, "key", 4);
        int x = (int)sonde_int(t, "x", 0, 99);
        if (sonde_bool(t, "delete")) {
            cJSON_DeleteItemFromObjectCaseSensitive(object, keys[k]);
            model[k] = -1;
        } else {
            if (model[k] < 0) cJSON_AddNumberToObject(object, keys[k], x);
            else cJSON_ReplaceItemInObjectCaseSensitive(object, keys[k], cJSON_CreateNumber(x));
            model[k] = x;
        }
    }
    for (int k = 0; k < 4; k++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, keys[k]);
        sonde_check_eq(t, item ? item->valueint : -1, model[k]);
    }
}

SONDE_MAIN()
