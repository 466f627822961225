/* D9: json-c cuts the zeros of an exponent. */
#include "trophy.h"

#include "../../../examples/trophies/json_c.c"

void program_property(sonde *t)
{
    a_number_without_trailing_zeros_is_the_same_number(t);
}
