/* Links the baselines into programs with a main() from sonde, which call this function. The archive must be linked
 * before libsonde. Other programs get nothing from it. `sonde cc` links both archives with every program, with or
 * without properties. Programs that call only sonde_run need -u sonde_classic_. */
#include "classic.h"

void sonde_source_(const char *file)
{
    if (sonde_classic_) sonde_source_of_main_(file);
}
