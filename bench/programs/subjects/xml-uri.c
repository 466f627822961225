/* D12: libxml2 saves a URI without its empty authority. */
#include "trophy.h"

#include "../../../examples/trophies/libxml2.c"

void program_property(sonde *t)
{
    a_saved_uri_has_its_path(t);
}
