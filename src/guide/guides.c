/* The table of guides. A new guide is one file and one line here, or two. */
#include "guide/guides.h"

#include <string.h>

const struct sonde_guide_ops *const sonde_guides[] = {
    /* clang-format off */
    &sonde_guide_auto,
    &sonde_guide_random,
    &sonde_guide_uniform,
    &sonde_guide_enumerate,
    &sonde_guide_rl,
    &sonde_guide_cgpt,
    &sonde_guide_zest,
    &sonde_guide_seeded,
    &sonde_guide_target,
    &sonde_guide_simplest,
    &sonde_guide_rl_classic,
    &sonde_guide_cgpt_classic,
    &sonde_guide_zest_bytes,
    NULL,
    /* clang-format on */
};

const struct sonde_guide_ops *const sonde_guides_common[] = {
    &sonde_guide_auto,
    &sonde_guide_random,
    &sonde_guide_enumerate,
    &sonde_guide_rl,
    &sonde_guide_cgpt,
    &sonde_guide_target,
    NULL,
};

const struct sonde_guide_ops *sonde_guide_find(const char *name)
{
    for (size_t i = 0; sonde_guides[i]; i++) {
        if (strcmp(sonde_guides[i]->name, name) == 0) return sonde_guides[i];
    }
    return NULL;
}

void sonde_guide_missing(const char *name, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "there is no guide '%s'; the guides are", name);
    for (size_t i = 0; sonde_guides[i] && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s %s", i ? "," : "", sonde_guides[i]->name);
}
