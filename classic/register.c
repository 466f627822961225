/* Linked with -u sonde_classic_, so that an archive gives this file, and the guides behind it, to a program that names none of them. */
#include "classic.h"

extern int sonde_classic_;
int sonde_classic_ = SONDE_EXTEND_VERSION;

__attribute__((constructor)) static void register_all(void)
{
    sonde_guide_register(&sonde_guide_rl_classic);
    sonde_guide_register(&sonde_guide_cgpt_classic);
    sonde_guide_register(&sonde_guide_zest_bytes);
}
