/* A program that has a main of sonde's calls this, and so has the baselines where their archive is linked before libsonde; other
 * programs take nothing of it. `sonde cc` links both with every program, whether it has properties or not. Programs that call
 * sonde_run alone name the register: -u sonde_classic_. */
#include "classic.h"

void sonde_source_(const char *file)
{
    if (sonde_classic_) sonde_source_of_main_(file);
}
