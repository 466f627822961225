/* What SONDE_MAIN and sonde_main call first, in a file of its own: libsonde_classic.a has another, so that an archive which comes
 * before this one gives its guides to programs with a main of sonde's, and to no others (addons/classic/source.c). */
#include <sonde.h>

void sonde_source_(const char *file)
{
    sonde_source_of_main_(file);
}
