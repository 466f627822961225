/* D10: json-c takes an error for a number if it comes in two pieces. */
#include "trophy.h"

#include "../../../examples/trophies/json_c.c"

void program_property(sonde *t)
{
    pieces_are_parsed_like_the_whole(t);
}
