/* sonde_pick: draw one of several alternatives.
 * Also: sonde_weighted sonde_element sonde_enum
 * See also: sonde_int sonde_open */
#include <sonde.h>
#include <stdlib.h>

enum color { RED, GREEN, BLUE };

static void words_have_letters(sonde *t)
{
    static const char *const words[] = {"a", "bc", "def"};
    const char *word = sonde_element(t, "word", words);
    enum color color = sonde_enum(t, "color", RED, GREEN, BLUE); /* reports print RED, not 0 */
    sonde_check(t, *word && color <= BLUE);

    static const unsigned often[] = {8, 1, 1}; /* 80 %, 10 %, 10 % */
    switch (sonde_weighted(t, "operation", often, 3)) {
    case 0: sonde_check_eq(t, atoi("1"), 1); break;
    case 1: sonde_check_eq(t, atoi("-1"), -1); break;
    default: sonde_check_lt(t, sonde_pick(t, "index", 3), 3); break;
    }
}

SONDE_MAIN(words_have_letters)
