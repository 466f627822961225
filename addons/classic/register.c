/* Registers the guides. The linker takes this file, and the guides, from the archive for -u sonde_classic_ or for
 * source.c. */
#include "classic.h"

int sonde_classic_ = SONDE_EXTEND_VERSION;

__attribute__((constructor)) static void register_all(void)
{
    sonde_guide_register(&sonde_guide_rl_classic);
    sonde_guide_register(&sonde_guide_cgpt_classic);
    sonde_guide_register(&sonde_guide_zest_bytes);
    sonde_guide_register(&sonde_guide_crowbar);
    sonde_guide_register(&sonde_guide_target_classic);
    sonde_guide_register(&sonde_guide_hill);
    sonde_guide_register(&sonde_guide_anneal);
}
