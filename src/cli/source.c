/* The function that SONDE_MAIN and the sonde_main macro call first. It has a separate file because
 * libsonde_classic.a defines it, too (addons/classic/source.c). If that archive is linked before this one, its
 * version is taken, and registers its guides; only programs that call sonde_main are affected. */
#include <sonde.h>

void sonde_source_(const char *file)
{
    sonde_source_of_main_(file);
}
