/* sonde_target: lead the search.
 * Also: sonde_record sonde_characteristic sonde_state
 * See also: sonde_label sonde_drive */
#include <sonde.h>

static void collatz_ends(sonde *t)
{
    uint64_t n = sonde_u64(t, "n", 1, 100000), steps = 0;
    while (n != 1 && steps < 1000) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    sonde_target(t, "steps", (double)steps); /* look for numbers that take long */
    sonde_characteristic(t, steps);          /* numbers that take equally long count as one */
    sonde_check_lt(t, steps, 1000);
}

SONDE_MAIN(collatz_ends)
