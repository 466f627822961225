/* Properties for bench/against/run, which shows results and checks nothing. */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include "cJSON.h"
#include "cJSON_Utils.h"
SONDE_PROPERTY(parses)
{
    static const char *const parts[] = {"{", "}",      "[",    "]",    ",", ":",          "\"a\"",
                                        "1", "-1.5e3", "null", "true", " ", "\"\\u00e9\""};
    char text[200] = "";
    size_t n = (size_t)sonde_int(t, "n", 0, 12);
    for (size_t i = 0; i < n; i++) strcat(text, parts[sonde_pick(t, "part", 13)]);
    char *exact = malloc(strlen(text) + 1);
    memcpy(exact, text, strlen(text));
    cJSON *json = cJSON_ParseWithLength(exact, strlen(text));
    char *out = json ? cJSON_PrintUnformatted(json) : NULL;
    sonde_observe(t, "printed", (const char *)out);
    free(out);
    cJSON_Delete(json);
    free(exact);
}
static cJSON *numbers(void)
{
    cJSON *a = cJSON_CreateArray();
    for (int i = 0; i < 60; i++) cJSON_AddItemToArray(a, cJSON_CreateNumber(i));
    return a;
}
SONDE_PROPERTY(points)
{
    cJSON *array = numbers();
    char text[12] = "/";
    size_t n = (size_t)sonde_int(t, "n", 0, 3);
    for (size_t i = 0; i < n; i++) {
        char c[2] = {(char)sonde_int(t, "c", '0', 'z'), 0};
        strcat(text, c);
    }
    cJSON *at = cJSONUtils_GetPointer(array, text);
    sonde_observe(t, "found", at ? (int)at->valuedouble : -1);
    cJSON_Delete(array);
}
SONDE_PROPERTY(sets)
{
    cJSON *o = cJSON_CreateString("abc");
    const char *to = sonde_bool(t, "null") ? NULL : "xy";
    char *r = cJSON_SetValuestring(o, to);
    sonde_observe(t, "set", (const char *)r);
    cJSON_Delete(o);
}
SONDE_MAIN()
