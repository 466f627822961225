/* Properties for bench/against/run, which shows results and checks nothing. */
#include <sonde.h>
#include <string.h>
#include <stdlib.h>
#include "yajl/yajl_tree.h"
SONDE_PROPERTY(decodes)
{
    static const char *const parts[] = {"a", "\\ud83d", "\\ude00", "\\u0041", "\\n", "x"};
    char text[120] = "\"", error[200];
    size_t n = (size_t)sonde_int(t, "n", 0, 6);
    for (size_t i = 0; i < n; i++) strcat(text, parts[sonde_pick(t, "part", 6)]);
    strcat(text, "\"");
    yajl_val v = yajl_tree_parse(text, error, sizeof error);
    const char *s = v && YAJL_IS_STRING(v) ? YAJL_GET_STRING(v) : NULL;
    sonde_observe(t, "decoded", s, s ? strlen(s) : 0);
    yajl_tree_free(v);
}
SONDE_MAIN()
