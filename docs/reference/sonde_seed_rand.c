/* sonde_seed_rand: make code that calls rand() repeatable.
 * See also: sonde_int sonde_threads */
#include <sonde.h>
#include <stdlib.h>

static void dice_have_six_sides(sonde *t)
{
    sonde_seed_rand(t, "seed");
    int die = rand() % 6 + 1;
    sonde_check(t, 1 <= die && die <= 6);
}

SONDE_MAIN(dice_have_six_sides)
