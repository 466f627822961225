/* Properties for bench/against/run, which shows results and checks nothing. */
#include <sonde.h>
#include <stdlib.h>
#include "cJSON.h"
#include "cJSON_Utils.h"
SONDE_PROPERTY(points_to)
{
    char key[6] = "";
    size_t n = (size_t)sonde_int(t, "n", 0, 5);
    for (size_t i = 0; i < n; i++) key[i] = "ab/~"[sonde_pick(t, "letter", 4)];
    cJSON *object = cJSON_CreateObject(), *child = cJSON_AddNumberToObject(object, key, 1);
    char *pointer = cJSONUtils_FindPointerFromObjectTo(object, child);
    sonde_observe(t, "pointer", (const char *)pointer);
    free(pointer);
    cJSON_Delete(object);
}
SONDE_MAIN()
