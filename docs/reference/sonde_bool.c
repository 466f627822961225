/* sonde_bool: draw a truth value.
 * Also: sonde_chance
 * See also: sonde_int sonde_pick */
#include <sonde.h>

static void lists_end(sonde *t)
{
    size_t length = 0;
    while (length < 1000 && sonde_chance(t, "more", 0.9)) length++;
    bool reversed = sonde_bool(t, "reversed");
    sonde_classify(t, reversed, "reversed");
    sonde_check_le(t, length, 1000);
}

SONDE_MAIN(lists_end)
