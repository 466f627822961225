/* D8: MuJS reads 1e89 as another number. */
#include "trophy.h"

#include "../../../examples/trophies/mujs.c"

void program_property(sonde *t)
{
    a_digit_and_an_exponent_print_as_such(t);
}
