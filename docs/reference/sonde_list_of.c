/* sonde_list_of: draw a list.
 * Also: sonde_more sonde_list_reject
 * See also: sonde_open sonde_unique sonde_size */
#include <sonde.h>

static void elements_are_different(sonde *t)
{
    bool seen[100] = {false};
    size_t n = 0;
    for (sonde_list xs = sonde_list_of(t, "xs", 0, 20); sonde_more(&xs);) {
        int x = sonde_int(t, "x", 0, 99);
        if (seen[x]) {
            sonde_list_reject(&xs); /* another is drawn instead */
            continue;
        }
        seen[x] = true;
        n++;
    }
    sonde_check_le(t, n, 20);
}

SONDE_MAIN(elements_are_different)
