/* Properties for bench/against/run, which shows results and checks nothing. */
#include <sonde.h>
#include <string.h>
#include "yajl/yajl_tree.h"
SONDE_PROPERTY(numbers)
{
    char text[30] = "";
    size_t n = (size_t)sonde_int(t, "n", 1, 24);
    for (size_t i = 0; i < n; i++) text[i] = "123456789.e-"[sonde_pick(t, "letter", 12)];
    yajl_val v = yajl_tree_parse(text, NULL, 0);
    sonde_observe(t, "is_integer", v ? (int)YAJL_IS_INTEGER(v) : -1);
    sonde_observe(t, "is_double", v ? (int)YAJL_IS_DOUBLE(v) : -1);
    yajl_tree_free(v);
}
SONDE_MAIN()
