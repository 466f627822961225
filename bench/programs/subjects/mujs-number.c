/* D7: MuJS converts the string "-1" to NaN. */
#include "trophy.h"

#include "../../../examples/trophies/mujs.c"

void program_property(sonde *t)
{
    the_text_of_a_whole_number_is_read_as_that_number(t);
}
