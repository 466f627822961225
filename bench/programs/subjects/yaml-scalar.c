/* D13: libyaml writes an empty scalar at the root as nothing. */
#include "trophy.h"

#include "../../../examples/trophies/libyaml.c"

void program_property(sonde *t)
{
    an_emitted_scalar_is_read_back(t);
}
