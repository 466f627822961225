/* Properties for bench/against/run, which shows results and checks nothing. */
#include <sonde.h>
#include <string.h>
#include "cJSON.h"
SONDE_PROPERTY(minifies)
{
    static const char letters[] = "/*\"\\ \na1";
    char text[20] = "";
    size_t n = (size_t)sonde_int(t, "n", 0, 10);
    for (size_t i = 0; i < n; i++) text[i] = letters[sonde_pick(t, "letter", 8)];
    cJSON_Minify(text);
    sonde_observe(t, "text", (const char *)text);
}
SONDE_MAIN()
