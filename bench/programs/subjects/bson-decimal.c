/* D11: libbson prints a decimal that it reads as NaN. */
#include "trophy.h"

#include "../../../examples/trophies/libbson.c"

void program_property(sonde *t)
{
    a_decimal_survives_canonical_json(t);
}
